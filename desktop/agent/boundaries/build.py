"""What people forbid in their own words, as a theme."""

from desktop.agent.boundaries.keeper import BoundaryKeeper, SessionBoundaries
from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.turns.build import Turns
from desktop.tools.calls.boundaries import ChatBoundaries


def boundaries_theme(premises: Premises, sessions: Sessions, gate: Gate, turns: Turns) -> Theme:
    """Turns show it what is about to be recorded of a person's words."""
    keeper = BoundaryKeeper(sessions, gate.rules, gate.commands.cards, premises.clock)
    turns.heard.add(keeper.heard)
    of_chat = offer(ChatBoundaries, lambda session: SessionBoundaries(keeper, session))
    return Theme("boundaries", handlers_of(keeper), offers=(of_chat,), saw=keeper.saw)
