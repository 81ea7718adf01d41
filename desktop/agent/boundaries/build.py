"""What people forbid in their own words, as a theme."""

from desktop.agent.boundaries.desk import BoundaryDesk
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.turns.build import Turns


def boundaries_theme(premises: Premises, sessions: Sessions, gate: Gate, turns: Turns) -> Theme:
    """Turns show it what is about to be recorded of a person's words."""
    desk = BoundaryDesk(sessions, gate.rules, gate.commands.cards, premises.clock)
    turns.heard.add(desk.heard)
    return Theme("boundaries", handlers_of(desk))
