"""An inbox over requests of several chats, for tests."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

from desktop.config.settings import Settings
from desktop.domain.commands import AnswerInput
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.domain.events import Envelope, Event, InputRequested, InputResolved
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.inbox.commands import LoadInbox
from desktop.domain.inbox.updates import ChatPlace, InboxLoaded, WaitingCard
from desktop.domain.updates import EngineReady, ProjectOpened
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.gate.card_stage import CardMeans
from desktop.ui.inbox.dialog import InboxDialog, InboxFacts
from desktop.ui.inbox.marks import InboxMarks
from desktop.ui.inbox.model import InboxRow
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.rows import InboxEntries
from desktop.ui.widgets.empty_state import EmptyState
from tests.ui.card_scenes import NOW, Seconds, Sink

PROJECT = Project(id="prj_1", name="shop", path="/src/shop")


def envelope(session_id: str, seq: int, event: Event, *, minutes_ago: float = 2) -> Envelope:
    at = NOW - timedelta(minutes=minutes_ago)
    return Envelope(
        event_id=f"evt_{session_id}_{seq}", session_id=session_id, seq=seq, parent_id=None, at=at, event=event
    )


def asked(chat: str, number: int, request: InputRequest, *, minutes_ago: float = 2) -> Envelope:
    event = InputRequested(input_id=f"inp_{number}", call_id=request.call_id, request=request)
    return envelope(chat, number, event, minutes_ago=minutes_ago)


def closed(chat: str, number: int, outcome: str = "allow_once", **fields: Any) -> Envelope:
    event = InputResolved(input_id=f"inp_{number}", answer=Answer(outcome=outcome), **fields)
    return envelope(chat, 500 + number, event, minutes_ago=0)


def place(chat: str, lane: str = "fix-login", **fields: Any) -> ChatPlace:
    values: dict[str, Any] = {"path": (f"Chat {chat}",), "chat_id": chat, "project_id": "prj_1", "project_name": "shop"}
    return ChatPlace(session_id=chat, lane=lane, project_path="/src/shop", **{**values, **fields})


class InboxPlace:
    """A window with nothing in it but what an inbox reads; `open` shows the inbox, active."""

    def __init__(self, folder: Path) -> None:
        self.sink, self.seconds = Sink(), Seconds()
        self.requests = Requests(self.sink)
        self.owner = QWidget()
        settings = QSettings(str(folder / "ui.ini"), QSettings.Format.IniFormat)
        self.means = CardMeans(self.requests, lambda: self.now, settings, self.seconds)
        self.book, self.engine = ChatBook(), EngineFacts()
        self.inputs = OpenInputs(self.requests, self.owner)
        self.now = NOW
        self.settings = settings
        self.marks = InboxMarks(settings, lambda: self.now, self.inputs, self.owner)
        made = InboxEntries(self.inputs, self.book)
        self.facts = InboxFacts(self.inputs, self.book, self.engine, made, self.marks)
        self.over = Hearing()
        self.hearing = Hearing(self.book.hearing, self.engine.hearing, self.inputs.hearing, self.over)
        self.places: dict[str, ChatPlace] = {}
        self.dialog: InboxDialog | None = None
        self.hear(EngineReady(settings=Settings()), ProjectOpened(project=PROJECT))

    def hear(self, *updates: Update) -> None:
        """The engine tells this, and answers what it is asked for."""
        self.requests.deliver(list(updates), self.hearing)
        for command in [one for one in self.sink.sent if isinstance(one, LoadInbox)]:
            self.sink.sent.remove(command)
            cards = tuple(
                WaitingCard(item.input_id, item.session_id, item.request, item.asked_at) for item in self.inputs.items()
            )
            known = dict.fromkeys(card.session_id for card in cards)
            places = tuple(self.places.get(chat, place(chat)) for chat in known)
            self.requests.deliver(
                [InboxLoaded(command_id=command.command_id, waiting=cards, places=places)], self.hearing
            )

    def begin(self) -> InboxDialog:
        """As a person asks for it: what it shows comes with the events that follow."""
        self.dialog = InboxDialog(self.means, self.facts, self.owner)
        self.over.join(self.dialog.hearing, self.dialog)
        self.dialog.show()
        self.dialog.activateWindow()
        return self.dialog

    def open(self) -> InboxDialog:
        dialog = self.begin()
        while not (self.card_id or any(one.isVisible() for one in dialog.findChildren(EmptyState))):
            QApplication.processEvents()
        self.settle()
        return dialog

    def settle(self) -> None:
        """Let it paint, and the guard of the card run out."""
        for _ in range(5):
            QApplication.sendPostedEvents()
            QApplication.processEvents()
        self.seconds.pass_ms(500)

    def get(self, name: str) -> Any:
        assert self.dialog is not None
        found = [one for one in self.dialog.findChildren(QWidget, name) if one.isVisible()]
        assert found, f"no {name}"
        return found[0]

    def sees(self, name: str) -> bool:
        assert self.dialog is not None
        return any(one.isVisible() for one in self.dialog.findChildren(QWidget, name))

    def click(self, name: str) -> None:
        button = self.get(name)
        assert isinstance(button, QAbstractButton)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        self.settle()

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, modifier)
        self.settle()

    @property
    def is_open(self) -> bool:
        return self.dialog is not None and isValid(self.dialog) and self.dialog.isVisible()

    @property
    def rows(self) -> Sequence[InboxRow]:
        assert self.dialog is not None
        return self.dialog.model.rows

    @property
    def titles(self) -> list[str]:
        return [row.title for row in self.rows]

    @property
    def card_id(self) -> str:
        assert self.dialog is not None
        card = self.dialog.pane.stage.card
        return card.item.input_id if card is not None else ""

    @property
    def answers(self) -> list[AnswerInput]:
        return self.sink.answers
