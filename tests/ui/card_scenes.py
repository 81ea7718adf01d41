"""Requests, envelopes and a tray in a window, for the tests of cards."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.commands import AnswerInput
from desktop.domain.core.command import Command
from desktop.domain.core.content import Card, CodeBlock, DiffBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, Event, InputRequested, InputResolved
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    GrantOffer,
    InputRequest,
    Option,
    Question,
    QuestionRequest,
)
from desktop.domain.updates import SessionOpened
from desktop.ui.core.requests import Requests
from desktop.ui.gate.pending_tray import PendingTray

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
SESSION = "ses_1"
DIFF = "@@ -1,2 +1,2 @@\n same\n-old\n+new"


class Sink:
    """Keeps what was sent."""

    def __init__(self) -> None:
        self.sent: list[Command] = []

    def send(self, command: Command) -> None:
        self.sent.append(command)

    @property
    def answers(self) -> list[AnswerInput]:
        return [command for command in self.sent if isinstance(command, AnswerInput)]


class Seconds:
    """A monotonic clock that stands still until it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_ms(self, ms: int) -> None:
        self.now += ms / 1000


def approval(title: str = "Run npm test", text: str = "npm test", **fields: Any) -> ApprovalRequest:
    values: dict[str, Any] = {
        "call_id": "call_1",
        "card": Card(title=title, blocks=(CodeBlock(language="bash", text=text),)),
        "category": Category.BASH,
        "reason": "No rule covers npm test.",
        "rule": "no_rule",
        "mode": PermissionMode.EDIT,
        "digest": "ab" * 32,
        "grants": (
            GrantOffer(scope="once", covers="this call"),
            GrantOffer(
                scope="session", covers="`npm` with any arguments, in lane/fix-login, until this chat is closed"
            ),
        ),
        "lane": "lane/fix-login",
    }
    return ApprovalRequest(**{**values, **fields})


def sql(**fields: Any) -> ApprovalRequest:
    card = Card(title="Run SQL on staging", blocks=(CodeBlock(language="sql", text="DELETE FROM sessions"),))
    return approval(card=card, **{"category": Category.EXTERNAL, "risk_flags": ("changes_data",), **fields})


def write() -> ApprovalRequest:
    block = DiffBlock(path="auth/middleware.py", unified=DIFF, added=1, removed=1)
    return approval(card=Card(title="Edit auth/middleware.py", blocks=(block,)), category=Category.WRITE)


def questions() -> QuestionRequest:
    return QuestionRequest(
        call_id="call_q",
        title="Which dialect?",
        questions=(
            Question(
                id="dialect",
                text="Which dialect?",
                options=(
                    Option(label="PostgreSQL", value="postgres", recommended=True),
                    Option(label="SQLite", value="sqlite"),
                ),
            ),
            Question(
                id="checks",
                text="Which checks?",
                multi_select=True,
                options=(Option(label="Unit", value="unit"), Option(label="Lint", value="lint")),
            ),
            Question(id="token", text="The token?", secret=True, required=False),
        ),
    )


def envelope(seq: int, event: Event, *, minutes_ago: float = 2) -> Envelope:
    at = NOW - timedelta(minutes=minutes_ago)
    return Envelope(event_id=f"evt_{seq}", session_id=SESSION, seq=seq, parent_id=None, at=at, event=event)


def asked(seq: int, request: InputRequest, **place: Any) -> Envelope:
    return envelope(seq, InputRequested(input_id=f"inp_{seq}", call_id=request.call_id, request=request), **place)


def resolved(seq: int, input_id: str, answer: Answer, **fields: Any) -> Envelope:
    return envelope(seq, InputResolved(input_id=input_id, answer=answer, **fields), minutes_ago=0)


class Scene:
    """A window with a tray above a line to type in, which has the focus; nothing waits yet."""

    def __init__(self, folder: Path, *, size: tuple[int, int] = (760, 640)) -> None:
        self.sink = Sink()
        self.requests = Requests(self.sink)
        self.seconds = Seconds()
        self.settings_path = folder / "ui.ini"
        self.window = QWidget()
        self.window.resize(*size)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        settings = QSettings(str(self.settings_path), QSettings.Format.IniFormat)
        self.tray = PendingTray(self.requests, lambda: NOW, self.window, monotonic=self.seconds, settings=settings)
        column.addWidget(self.tray)
        self.composer = QLineEdit(self.window)
        column.addWidget(self.composer)
        self.tray.show_session(SESSION, "lane/fix-login")
        self.hear([SessionOpened(session_id=SESSION, envelopes=())])
        self.composer.setFocus()

    def hear(self, updates: Sequence[Update]) -> None:
        """The engine tells this."""
        self.requests.deliver(updates, self.tray.hearing)

    def ask(self, *requests: InputRequest, first_seq: int = 1) -> None:
        for index, request in enumerate(requests):
            self.hear([asked(first_seq + index, request)])

    def find(self, name: str) -> QWidget | None:
        return next((w for w in self.tray.findChildren(QWidget, name)), None)

    def get(self, name: str) -> Any:
        found = self.find(name)
        assert found is not None, f"no {name}"
        return found

    def visible(self, name: str) -> Any:
        """The one of that name that can be seen; names repeat on the pages of a card."""
        return next(w for w in self.tray.findChildren(QWidget, name) if w.isVisible())

    def settle(self, ready: Callable[[], bool] | None = None) -> None:
        """Let the window paint, and the guard run out."""
        for _ in range(5):
            QApplication.sendPostedEvents()
            QApplication.processEvents()
        assert ready is None or ready()
        self.seconds.pass_ms(500)


def press(scene: Scene, name: str) -> None:
    """Click what has this name, once all is laid out, and let what comes of it be laid out."""
    scene.settle()
    QTest.mouseClick(scene.visible(name), Qt.MouseButton.LeftButton)
    scene.settle()
