"""ChatWork: what is needed to work with chats: to find them, send to them, begin others, and ask their models."""

from desktop.agent.core.sessions import Sessions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.starter import ChatStarter
from desktop.records import dataclass


@dataclass(frozen=True)
class ChatWork:
    """`starter` begins chats."""

    sessions: Sessions
    turns: TurnCommands
    settings: SettingsKeeper
    starter: ChatStarter
