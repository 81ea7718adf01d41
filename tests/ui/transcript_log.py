"""Real events of one chat, numbered and timed, for tests of the transcript."""

from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtWidgets import QApplication

from desktop.domain.core.content import Block, Card
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.update import Update
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.updates import SessionOpened, TextDelta, ThinkingDelta
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.theme import theme

SESSION = "ses_1"
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def look(app: QApplication, name: str = "light") -> None:
    """Fonts and theme, installed once for all tests; then the theme of this name."""
    install_theme(app)
    if theme().choice != name:
        theme().choose(name)


class Log:
    """A chat that grows. Each method returns the envelopes it added."""

    def __init__(self, session_id: str = SESSION) -> None:
        self.session_id = session_id
        self.envelopes: list[Envelope] = []
        self.at = START
        self._revisions: dict[str, int] = {}

    def add(self, event: EventBase, after: timedelta = timedelta(seconds=1)) -> Envelope:
        """One event."""
        self.at += after
        seq = len(self.envelopes)
        parent = self.envelopes[-1].event_id if seq else None
        envelope = Envelope(
            event_id=f"evt_{seq}", session_id=self.session_id, seq=seq, parent_id=parent, at=self.at, event=event
        )
        self.envelopes.append(envelope)
        return envelope

    def opened(self) -> SessionOpened:
        """All events so far."""
        return SessionOpened(session_id=self.session_id, envelopes=tuple(self.envelopes))

    def user(self, text: str) -> Envelope:
        """A person's message."""
        return self.add(UserMessage(parts=({"type": "text", "text": text},)))

    def answer(self, *parts: dict[str, Any], message_id: str = "msg_1") -> Envelope:
        """An answer with these parts."""
        return self.add(AssistantMessage(message_id=message_id, parts=parts))

    def says(self, text: str, message_id: str = "msg_1") -> Envelope:
        """An answer of text only."""
        return self.answer({"type": "text", "text": text}, message_id=message_id)

    def decided(self, call_id: str, title: str = "", **changes: Any) -> Envelope:
        """A call that the gate judged."""
        evidence: tuple[Block, ...] = changes.pop("evidence", ())
        fields: dict[str, Any] = {
            "verdict": Verdict.ALLOW, "rule": "edit_mode", "mode": PermissionMode.EDIT, "category": "read",
        }  # fmt: skip
        card = Card(title=title or f"Read {call_id}.py", blocks=evidence)
        return self.add(ToolCallDecided(call_id=call_id, name_called="t", card=card, **{**fields, **changes}))

    def call(self, call_id: str, title: str = "", **finished: Any) -> list[Envelope]:
        """A whole call: decided, started, finished."""
        changes = {name: finished.pop(name) for name in ("category", "review_after", "evidence") if name in finished}
        fields: dict[str, Any] = {"outcome": "ok", "summary": "1 line", "duration_ms": 4, **finished}
        return [
            self.decided(call_id, title, **changes),
            self.add(ToolCallStarted(call_id=call_id, tool="t")),
            self.add(ToolCallFinished(call_id=call_id, **fields)),
        ]

    def delta(self, text: str, message_id: str = "msg_1", part: int = 0) -> TextDelta:
        """A piece of streamed text."""
        revision = self._revisions[message_id] = self._revisions.get(message_id, 0) + 1
        return TextDelta(
            session_id=self.session_id, message_id=message_id, part_index=part, revision=revision, text=text
        )

    def thought(self, text: str, message_id: str = "msg_1", part: int = 0) -> ThinkingDelta:
        """A piece of streamed thinking."""
        revision = self._revisions[message_id] = self._revisions.get(message_id, 0) + 1
        return ThinkingDelta(
            session_id=self.session_id, message_id=message_id, part_index=part, revision=revision, text=text
        )


def tool_use(call_id: str) -> dict[str, Any]:
    """A call as it stands in an answer."""
    return {"type": "tool_use", "id": call_id, "name": "t", "input": {}}


def text_part(text: str) -> dict[str, Any]:
    """A text as it stands in an answer."""
    return {"type": "text", "text": text}


Batch = list[Update]
