"""The inbox in the real window: many chats wait, and all are answered there by keys alone."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.domain.commands import NewSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import Event, InputResolved, ToolCallFinished
from desktop.store.database import open_store
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.inbox.dialog import InboxDialog
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn
from tests.fakes.model_turns import Answer

Start = Callable[[], Desk]
EIGHT = 8
CONTROL = Qt.KeyboardModifier.ControlModifier


def answers(command: Callable[[str], str]) -> Callable[[RecordedRequest], Answer]:
    """Each chat asks for the command of its own first words, and ends after that."""

    def give(request: RecordedRequest) -> Answer:
        first = request.messages[0]["content"]
        words = first if isinstance(first, str) else str(first[0].get("text", ""))
        asked = any(message["role"] == "assistant" for message in request.messages)
        return text_turn("done") if asked else tool_turn("bash", command=command(words.split()[-1]))

    return give


def begin(desk: Desk, number: int) -> list[str]:
    """So many chats, each in a lane of its own, which all wait for a person."""
    chats = [new_session_id() for _ in range(number)]
    for at, chat in enumerate(chats):
        desk.bridge.send(NewSession(session_id=chat, text=f"Do task{at}"))
    desk.until(lambda: desk.window.windowTitle().startswith(f"{number} waiting"), what=f"{number} waiting")
    return chats


def inbox(desk: Desk) -> InboxDialog:
    """Opened by its keys."""
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow, what="the window in front")
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(desk.window, Qt.Key.Key_A, CONTROL | shift)
    desk.see("inbox_list")
    dialog = desk.window.findChild(InboxDialog)
    assert dialog is not None
    desk.until(dialog.isActiveWindow, what="the inbox to be in front")
    desk.until(lambda: shown_card(dialog) != "", what="the first card")
    return dialog


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """On whatever has the focus."""
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifier)


def shown_card(dialog: InboxDialog) -> str:
    card = dialog.pane.stage.card
    return card.item.input_id if card is not None else ""


def recorded(desk: Desk, chats: list[str]) -> dict[str, list[Event]]:
    """What is on record of each chat, once the program has ended."""
    store = open_store(desk.folders.store)
    try:
        return {chat: [one.event for one in store.events.read(chat)] for chat in chats}
    finally:
        store.close()


def test_eight_chats_are_answered_from_the_inbox_by_keys_alone(start: Start, model_api: FakeModelApi) -> None:
    model_api.answer_with(answers(lambda word: f"echo {word} > {word}.txt"))
    desk = start()
    chats = begin(desk, EIGHT)
    dialog = inbox(desk)
    assert dialog.model.rowCount() == EIGHT
    answered: list[str] = []
    press(Qt.Key.Key_Return)
    for number in range(EIGHT):
        card = dialog.pane.stage.card
        assert isinstance(card, InputCard)
        desk.until(card.guard.is_open, what="the guard to open")
        assert QApplication.focusWidget() is card
        answered.append(card.item.input_id)
        if number % 2:
            press(Qt.Key.Key_Backspace, CONTROL)
        else:
            press(Qt.Key.Key_Return, CONTROL)
        left = EIGHT - number - 1
        desk.until(lambda left=left: dialog.model.rowCount() == left, what=f"{left} left")
    assert dialog.isVisible(), "it was never left"
    desk.idle()
    desk.close()
    logs = recorded(desk, chats).values()
    resolved = [one for log in logs for one in log if isinstance(one, InputResolved)]
    assert sorted(one.input_id for one in resolved) == sorted(answered)
    assert [sum(isinstance(one, InputResolved) for one in log) for log in logs] == [1] * EIGHT
    assert len({one.digest for one in resolved}) == EIGHT
    ends = [one.outcome for log in logs for one in log if isinstance(one, ToolCallFinished)]
    assert sorted(ends) == ["declined"] * 4 + ["ok"] * 4


def test_one_look_answers_the_same_request_of_four_lanes_each_for_itself(start: Start, model_api: FakeModelApi) -> None:
    model_api.answer_with(answers(lambda _word: "python3 --version && touch same.txt"))
    desk = start()
    chats = begin(desk, 4)
    dialog = inbox(desk)
    desk.until(lambda: dialog.model.rowCount() == 1, what="one row for the four")
    assert dialog.model.row_at(0).detail.startswith("4 lanes: ")
    press(Qt.Key.Key_S, Qt.KeyboardModifier.AltModifier)
    desk.until(lambda: dialog.pane.same.ticked, what="the other lanes to be ticked")
    press(Qt.Key.Key_Return)
    card = dialog.pane.stage.card
    assert isinstance(card, InputCard)
    desk.until(card.guard.is_open, what="the guard to open")
    press(Qt.Key.Key_Return, CONTROL)
    desk.until(lambda: dialog.model.rowCount() == 0, what="all to be answered")
    desk.idle()
    desk.close()
    logs = recorded(desk, chats).values()
    resolved = [[one for one in log if isinstance(one, InputResolved)] for log in logs]
    assert [len(of_chat) for of_chat in resolved] == [1] * 4
    assert len({of_chat[0].digest for of_chat in resolved}) == 4
    assert [one.outcome for log in logs for one in log if isinstance(one, ToolCallFinished)] == ["ok"] * 4


def test_going_to_the_chat_shows_its_card_with_the_focus(start: Start, model_api: FakeModelApi) -> None:
    model_api.answer_with(answers(lambda word: f"echo {word} > {word}.txt"))
    desk = start()
    chats = begin(desk, 2)
    dialog = inbox(desk)
    row = dialog.model.row_at(0)
    press(Qt.Key.Key_G)
    desk.gone("inbox_list")
    desk.until(lambda: desk.window.page.session_id == row.entry.session_id in chats, what="the chat")
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow, what="the window in front")
    desk.until(lambda: isinstance(QApplication.focusWidget(), InputCard), what="its card with the focus")
    desk.close()
