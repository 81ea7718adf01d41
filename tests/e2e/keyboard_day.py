"""A day at the window by keys alone: three chats, the inbox, a look at what changed, a commit, a restart."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from desktop.ui.changes.tab import ChangesTab
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.inbox.dialog import InboxDialog
from desktop.ui.window.inspector import Inspector
from tests.agent.rig import git
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, text_turn, tool_turn
from tests.fakes.model_turns import Answer

Key, Modifier = Qt.Key, Qt.KeyboardModifier
PLAIN, CONTROL, ALT, SHIFT = Modifier.NoModifier, Modifier.ControlModifier, Modifier.AltModifier, Modifier.ShiftModifier
TASKS = ("first", "second", "third")
MOST_TABS = 120


def task_of(request: RecordedRequest) -> Answer:
    """Each chat asks to write a file of its own, and says so when it may."""
    first = request.messages[0]["content"]
    words = first if isinstance(first, str) else str(first[0].get("text", ""))
    word = words.split()[-1]
    asked = any(message["role"] == "assistant" for message in request.messages)
    return text_turn(f"The {word} is written.") if asked else tool_turn("bash", command=f"echo {word} > {word}.txt")


class Keys:
    """A person's keys; whatever has the focus gets them."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def press(self, key: Key, modifier: Modifier = PLAIN) -> None:
        focused = QApplication.focusWidget() or self.desk.window
        QTest.keyClick(focused, key, modifier)

    def type(self, text: str) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClicks(focused, text)

    def tab_to(self, name: str) -> QWidget:
        """Tab until that has the focus."""
        passed: list[str] = []
        for _ in range(MOST_TABS):
            focused = QApplication.focusWidget()
            if focused is not None and focused.objectName() == name:
                return focused
            passed.append(focused.objectName() if focused is not None else "")
            self.press(Key.Key_Tab)
        raise AssertionError(f"Tab never came to {name}; it passed {list(dict.fromkeys(passed))}")

    def tab_press(self, name: str) -> None:
        """Tab to a button and press it."""
        button = self.tab_to(name)
        assert isinstance(button, QAbstractButton)
        self.desk.until(button.isEnabled, what=f"{name} to be on")
        self.press(Key.Key_Space)


def day(
    start: Callable[[], Desk],
    model_api: FakeModelApi,
    heard: Callable[[Desk, str], None] = lambda _desk, _words: None,
    begun: Desk | None = None,
) -> None:
    """`heard` waits until a screen reader has read something. `begun`: the program runs already."""
    model_api.answer_with(task_of)
    desk = begun or start()
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow, what="the window in front")
    keys = Keys(desk)
    for number, word in enumerate(TASKS, start=1):
        keys.press(Key.Key_N, CONTROL)
        desk.until(lambda: QApplication.focusWidget() is desk.find("composer_text"), what="the composer")
        keys.type(f"Write the {word}")
        keys.press(Key.Key_Return)
        desk.until(lambda number=number: desk.window.windowTitle().startswith(f"{number} waiting"), what="a card")
    _answer_all(desk, keys, heard)
    chats = [chat.session_id for chat in desk.window.book.chats]
    assert len(chats) == len(TASKS)
    desk.idle()
    heard(desk, "The third is written.")
    lane = desk.window.book.lane_book.lane(desk.window.book.facts(desk.window.page.session_id).lane_id)
    assert lane is not None
    _commit(desk, keys, Path(lane.worktree_path), heard)
    desk.close()
    again = start()
    again.until(lambda: again.window.page.session_id in chats, what="the chat that was open last")
    again.until(lambda: "is written." in again.transcript_text(), what="its messages")
    heard(again, "Write the")
    again.window.activateWindow()
    again.until(again.window.isActiveWindow, what="the window in front")
    Keys(again).press(Key.Key_A, CONTROL | SHIFT)
    again.see("inbox_list")
    heard(again, "Nothing is waiting for you.")
    again.close()


def _answer_all(desk: Desk, keys: Keys, heard: Callable[[Desk, str], None]) -> None:
    keys.press(Key.Key_A, CONTROL | SHIFT)
    desk.see("inbox_list")
    dialog = desk.window.findChild(InboxDialog)
    assert dialog is not None
    desk.until(dialog.isActiveWindow, what="the inbox to be in front")
    heard(desk, "What waits for you")
    heard(desk, "Answered today")
    keys.press(Key.Key_Return)
    for left in reversed(range(len(TASKS))):
        card = dialog.pane.stage.card
        assert isinstance(card, InputCard)
        heard(desk, card.accessibleName())
        desk.until(card.guard.is_open, what="the guard to open")
        keys.press(Key.Key_Return, CONTROL)
        desk.until(lambda left=left: dialog.model.rowCount() == left, what=f"{left} left")
    keys.press(Key.Key_Escape)
    desk.gone("inbox_list")
    desk.window.activateWindow()  # as a window manager does
    desk.until(desk.window.isActiveWindow, what="the window again")


def _commit(desk: Desk, keys: Keys, lane: Path, heard: Callable[[Desk, str], None]) -> None:
    keys.press(Key.Key_1, ALT)
    desk.until(lambda: any("third.txt" in key for key in _files(desk)), what="the file that was written")
    heard(desk, "third.txt")
    keys.tab_press("commit_open")
    keys.tab_to("commit_message")
    keys.type("Write the third")
    desk.ready("commit_button")
    keys.tab_press("commit_button")
    desk.until(lambda: "Write the third" in git(lane, "log", "--format=%s"), what="the commit")


def _files(desk: Desk) -> list[str]:
    """What differs, as the tab lists it."""
    inspector = desk.window.findChild(Inspector)
    assert inspector is not None
    return [row.key for row in inspector.of(ChangesTab).tree.rows]
