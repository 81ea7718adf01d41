"""Updates about the inbox: passing state, never stored."""

from datetime import datetime

from desktop.domain.core.update import Answer
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import InputRequest
from desktop.domain.inbox.answered import AnsweredCard
from desktop.records import dataclass


@dataclass(frozen=True)
class ChatPlace:
    """Where a chat is. `path`: its title behind those of the chats above it, outermost first; `chat_id`: the outermost
    of them, which can be opened; `project_name`, `project_path`: its repository."""

    session_id: str
    path: tuple[str, ...]
    chat_id: str
    lane: str = ""
    project_id: str = ""
    project_name: str = ""
    project_path: str = ""


@dataclass(frozen=True)
class WaitingCard:
    """One open request with what came of it so far."""

    input_id: str
    session_id: str
    request: InputRequest
    asked_at: datetime
    effect: EffectPreview | None = None


class InboxLoaded(Answer):
    """What waits, oldest first; it replaces what was known. `places`: of their chats."""

    waiting: tuple[WaitingCard, ...]
    places: tuple[ChatPlace, ...]


class AnsweredLoaded(Answer):
    """What was answered, newest first. `places`: of their chats."""

    answered: tuple[AnsweredCard, ...]
    places: tuple[ChatPlace, ...]
