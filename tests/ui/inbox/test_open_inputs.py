"""All that waits: what a window missed, and where chats are."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.config.settings import Settings
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.inbox.commands import LoadInbox
from desktop.domain.inbox.updates import InboxLoaded, WaitingCard
from desktop.domain.updates import EngineReady
from desktop.ui.core.requests import Requests
from desktop.ui.inbox.open_inputs import OpenInputs
from tests.ui.card_scenes import NOW, Sink, approval
from tests.ui.inbox_place import InboxPlace, asked, closed, place


class Late:
    """A window that opened when requests waited already."""

    def __init__(self) -> None:
        self.sink, self.owner = Sink(), QWidget()
        self.requests = Requests(self.sink)
        self.inputs = OpenInputs(self.requests, self.owner)
        self.requests.deliver([EngineReady(settings=Settings())], self.inputs.hearing)

    @property
    def asked(self) -> list[LoadInbox]:
        return [one for one in self.sink.sent if isinstance(one, LoadInbox)]

    def answer(self, *chats: str) -> None:
        """The engine tells of one request of each chat."""
        cards = tuple(
            WaitingCard(f"inp_{chat}", chat, approval(), NOW, EffectPreview(problem="None.")) for chat in chats
        )
        command_id, places = self.asked[-1].command_id, tuple(place(chat) for chat in chats)
        loaded = InboxLoaded(command_id=command_id, waiting=cards, places=places)
        self.requests.deliver([loaded], self.inputs.hearing)


@pytest.fixture
def late(qtbot: QtBot) -> Late:
    made = Late()
    qtbot.addWidget(made.owner)
    return made


def test_a_window_that_opens_later_asks_for_what_it_missed(late: Late) -> None:
    assert late.inputs.count == 0
    late.answer("ses_1", "ses_2")
    assert [item.session_id for item in late.inputs.items()] == ["ses_1", "ses_2"]
    assert late.inputs.effect("inp_ses_1") == EffectPreview(problem="None.")
    assert len(late.asked) == 1


def test_a_request_is_there_at_once_and_its_chat_is_asked_for_once(late: Late) -> None:
    late.answer()
    late.requests.deliver([asked("ses_7", 7, approval())], late.inputs.hearing)
    assert late.inputs.count == 1
    assert late.inputs.place("ses_7") is None
    assert len(late.asked) == 2
    late.answer("ses_8")
    late.requests.deliver([asked("ses_8", 8, approval())], late.inputs.hearing)
    assert len(late.asked) == 2, "it is known where that one is"


def test_what_the_engine_does_not_list_does_not_wait(late: Late) -> None:
    late.requests.deliver([asked("ses_7", 7, approval())], late.inputs.hearing)
    late.answer("ses_1")
    assert [item.input_id for item in late.inputs.items()] == ["inp_ses_1"]


def test_what_was_closed_does_not_come_back(qtbot: QtBot, tmp_path: Path) -> None:
    made = InboxPlace(tmp_path)
    qtbot.addWidget(made.owner)
    made.hear(asked("ses_1", 1, approval()), closed("ses_1", 1))
    made.hear(asked("ses_1", 1, approval()))
    assert made.inputs.count == 0
