"""A window with one chat for tests of what a person writes to it."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QWidget

from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.core.work import Activity
from desktop.domain.events import Event
from desktop.domain.updates import ActivityChanged, SessionOpened
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    NOW,
    Recorder,
    begun,
    envelopes,
    find,
    make_window,
    show_active,
    started,
)


class Place:
    """The window, what it sent, and a person's hands."""

    def __init__(self, window: MainWindow, sink: Recorder) -> None:
        self.window, self.sink = window, sink
        self.seq = 0

    def show(self, *events: Event) -> None:
        """Open the first chat with these events after its begin."""
        self.window.open_chat(IDLE.session_id)
        log = tuple(envelopes(IDLE.session_id, begun(), *events))
        self.seq = len(log)
        self.window.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])

    def happens(self, *events: Event) -> None:
        """These are recorded in the chat."""
        self.window.apply_updates(list(envelopes(IDLE.session_id, *events, first=self.seq)))
        self.seq += len(events)

    def does(self, activity: Activity) -> None:
        """The chat does this now."""
        self.window.apply_updates([ActivityChanged(session_id=IDLE.session_id, activity=activity, since=NOW)])

    @property
    def field(self) -> QPlainTextEdit:
        """Where a person writes."""
        field = find(self.window, "composer_text", QPlainTextEdit)
        assert isinstance(field, QPlainTextEdit)
        return field

    def button(self, name: str) -> QAbstractButton:
        """The first button of that name that can be seen."""
        found = next((b for b in self.window.findChildren(QAbstractButton, name) if b.isVisible()), None)
        assert found is not None, name
        return found

    def sees(self, name: str) -> bool:
        """Whether a widget of that name can be seen."""
        return any(widget.isVisible() for widget in self.window.findChildren(QWidget, name))


def queued(queue_id: str, text: str, attachments: tuple[str, ...] = ()) -> MessageQueued:
    """A message that waits."""
    return MessageQueued(queue_id=queue_id, parts=({"type": "text", "text": text},), attachments=attachments)


@pytest.fixture
def place(qtbot, tmp_path) -> Place:
    sink = Recorder()
    window = make_window(tmp_path, sink)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE))
    return Place(window, sink)
