"""Secrets that people entrust to agents, as a theme."""

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.credentials.edits import CredentialEdits
from desktop.agent.credentials.keeper import Cards, CredentialKeeper, SessionCredentials
from desktop.agent.gate.build import Gate
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.services.credentials.book import FILE_NAME, CredentialBook
from desktop.tools.calls.credentials import ChatCredentials


class Credentials:
    """Secrets are used by commands, so a chat without a lane has none. `mounts` asks what a loaded skill wants."""

    def __init__(self, premises: Premises, sessions: Sessions, settings: SettingsKeeper, gate: Gate) -> None:
        book = CredentialBook(premises.folders.data / FILE_NAME, premises.clock)
        cards = Cards(gate.inputs, gate.commands.cards)
        keeper = CredentialKeeper(sessions, settings, book, cards, premises.telling.publish, premises.clock)
        self.mounts = keeper.skills.of
        of_chat = offer(ChatCredentials, lambda session: SessionCredentials(keeper, session) if session.lane else None)
        handlers = handlers_of(keeper, CredentialEdits(keeper, sessions, cards))
        begin = (keeper.begin_ending,)
        self.theme = Theme("credentials", handlers, offers=(of_chat,), starting=begin, closed_last=(keeper,))
