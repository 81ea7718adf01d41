"""Secrets that people entrust to agents, as a theme."""

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.credentials.keeper import Cards, CredentialKeeper, SessionCredentials
from desktop.agent.gate.build import Gate
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.services.credentials.book import FILE_NAME, CredentialBook
from desktop.tools.calls.credentials import ChatCredentials


def credentials_theme(premises: Premises, sessions: Sessions, settings: SettingsKeeper, gate: Gate) -> Theme:
    """Secrets are used by commands, so a chat without a lane has none."""
    book = CredentialBook(premises.folders.data / FILE_NAME, premises.clock)
    cards = Cards(gate.inputs, gate.commands.cards)
    keeper = CredentialKeeper(sessions, settings, book, cards, premises.telling.publish, premises.clock)
    of_chat = offer(ChatCredentials, lambda session: SessionCredentials(keeper, session) if session.lane else None)
    handlers, begin = handlers_of(keeper), (keeper.begin_ending,)
    return Theme("credentials", handlers, offers=(of_chat,), starting=begin, closed_last=(keeper,))
