"""The painted terminal: which keys go to the shell, selecting, finding, links, the mouse of programs, pasting."""

from collections.abc import Sequence
from itertools import product

import pytest
from PySide6.QtCore import QKeyCombination, QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QColor, QGuiApplication, QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.terminals.updates import BOLD, REVERSED, WRAPPED, Row, ScreenChange, TerminalScreen
from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.dialogs import needs_question
from desktop.ui.terminals.find import TerminalFind
from desktop.ui.terminals.keys import key_text, pasted_text
from desktop.ui.terminals.links import link_at
from desktop.ui.terminals.text import row_cells, selected_text
from desktop.ui.terminals.view import TerminalView
from desktop.ui.theme.contrast import TEXT_LEAST, contrast
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.terminal_colors import ground, readable, terminal_color
from desktop.ui.theme.theme import theme

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT, NONE = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def plain(*texts: str) -> list[Row]:
    return [((text, -1, -1, 0),) if text else () for text in texts]


def facts_of(rows: Sequence[Row], *, back: Sequence[Row] = (), modes: Sequence[str] = ()) -> TerminalFacts:
    facts = TerminalFacts("trm_1", "ln_1")
    change = ScreenChange(tuple(enumerate(rows)), tuple(back), cleared=True)
    facts.take(TerminalScreen(
        terminal_id="trm_1", lane_id="ln_1", columns=40, height=len(rows), change=change, cursor=(0, len(rows) - 1),
        modes=tuple(modes),
    ))  # fmt: skip
    return facts


class Place:
    """A window with a terminal in it; what it types is in `typed`."""

    def __init__(self, qtbot: QtBot) -> None:
        self.window = QWidget()
        self.view = TerminalView(self.window)
        self.finder = TerminalFind(self.view, self.window)
        layout = QVBoxLayout(self.window)
        layout.addWidget(self.finder)
        layout.addWidget(self.view)
        self.typed: list[str] = []
        self.pasted: list[str] = []
        self.view.typed.connect(self.typed.append)
        self.view.pasted.connect(self.pasted.append)
        self.view.find_asked.connect(self.finder.open)
        qtbot.addWidget(self.window)
        self.window.resize(600, 300)
        self.window.show()
        self.window.activateWindow()
        self.view.setFocus()
        qtbot.waitUntil(self.view.hasFocus)

    def at(self, column: int, row: int) -> QPoint:
        """The middle of a cell of the rows in view."""
        cell, margin = self.view.painter.cell, self.view.place_at(QPoint(0, 0))
        assert margin[1] == 0
        return QPoint(theme().px(8) + column * cell.width + cell.width // 2, row * cell.height + cell.height // 2)


@pytest.fixture
def place(qtbot: QtBot, qapp: QApplication) -> Place:
    load_fonts()
    install_theme(qapp)
    return Place(qtbot)


@pytest.mark.parametrize(
    ("key", "modifiers", "text", "modes", "sent"),
    [
        (Qt.Key.Key_A, NONE, "a", (), "a"),
        (Qt.Key.Key_C, CTRL, "\x03", (), "\x03"),
        (Qt.Key.Key_R, CTRL, "\x12", (), "\x12"),
        (Qt.Key.Key_Tab, NONE, "\t", (), "\t"),
        (Qt.Key.Key_Backtab, SHIFT, "", (), "\x1b[Z"),
        (Qt.Key.Key_Return, NONE, "\r", (), "\r"),
        (Qt.Key.Key_Backspace, NONE, "\x08", (), "\x7f"),
        (Qt.Key.Key_Backspace, ALT, "\x08", (), "\x1b\x7f"),
        (Qt.Key.Key_B, ALT, "b", (), "\x1bb"),
        (Qt.Key.Key_Up, NONE, "", (), "\x1b[A"),
        (Qt.Key.Key_Up, NONE, "", ("application_cursor",), "\x1bOA"),
        (Qt.Key.Key_Left, CTRL, "", ("application_cursor",), "\x1b[1;5D"),
        (Qt.Key.Key_Home, NONE, "", (), "\x1b[H"),
        (Qt.Key.Key_Delete, NONE, "", (), "\x1b[3~"),
        (Qt.Key.Key_PageUp, CTRL, "", (), "\x1b[5;5~"),
        (Qt.Key.Key_F1, NONE, "", (), "\x1bOP"),
        (Qt.Key.Key_F5, SHIFT, "", (), "\x1b[15;2~"),
        (Qt.Key.Key_Space, CTRL, " ", (), "\0"),
        (Qt.Key.Key_Escape, NONE, "\x1b", (), "\x1b"),
        (Qt.Key.Key_Shift, SHIFT, "", (), ""),
    ],
)
def test_keys_are_sent_as_xterm_sends_them(
    key: Qt.Key, modifiers: Qt.KeyboardModifier, text: str, modes: tuple[str, ...], sent: str
) -> None:
    assert key_text(QKeyCombination(modifiers, key), text, frozenset(modes)) == sent


def test_keys_of_the_shell_stay_with_it_and_those_of_the_window_reach_the_window(place: Place) -> None:
    place.view.show_terminal(facts_of(plain("$ ")))
    reached: list[str] = []
    for keys in ("Ctrl+K", "Ctrl+W", "Ctrl+N", "Ctrl+`", "Ctrl+Shift+M", "F6", "F2", "Ctrl+Tab"):
        action = QAction(keys, place.window)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _checked=False, keys=keys: reached.append(keys))
        place.window.addAction(action)
    for key, modifiers in (
        (Qt.Key.Key_K, CTRL), (Qt.Key.Key_W, CTRL), (Qt.Key.Key_N, CTRL), (Qt.Key.Key_F2, NONE),
        (Qt.Key.Key_QuoteLeft, CTRL), (Qt.Key.Key_M, CTRL | SHIFT), (Qt.Key.Key_F6, NONE), (Qt.Key.Key_Tab, NONE),
    ):  # fmt: skip
        QTest.keyClick(place.view, key, modifiers)
    assert place.typed == ["\x0b", "\x17", "\x0e", "\x1bOQ", "\t"]
    assert reached == ["Ctrl+`", "Ctrl+Shift+M", "F6"]
    place.view.show_terminal(facts_of(plain("$ "), modes=["alternate"]))
    QTest.keyClick(place.view, Qt.Key.Key_F6)
    assert (place.typed[-1], reached[-1]) == ("\x1b[17~", "F6")
    assert len(reached) == 3


def test_what_an_input_method_commits_is_typed(place: Place) -> None:
    place.view.show_terminal(facts_of(plain("$ ")))
    composing = QInputMethodEvent("に", [])
    QApplication.sendEvent(place.view, composing)
    assert place.typed == []
    done = QInputMethodEvent()
    done.setCommitString("日本")
    QApplication.sendEvent(place.view, done)
    assert place.typed == ["日本"]
    assert place.view.inputMethodQuery(Qt.InputMethodQuery.ImEnabled)


def test_words_lines_and_stretches_are_selected_and_copied_as_they_were_printed(place: Place) -> None:
    wrapped = (("a long line that w", -1, -1, WRAPPED),)
    place.view.show_terminal(facts_of([*plain("see src/app.py:12 now  "), wrapped, *plain("raps", "漢字 wide", "$ ")]))
    QTest.mouseDClick(place.view.viewport(), LEFT, NONE, place.at(6, 0))
    assert place.view.selected_text() == "src/app.py:12"
    QTest.mouseClick(place.view.viewport(), LEFT, NONE, place.at(6, 0))
    assert place.view.selected_text() == "see src/app.py:12 now"
    QTest.mousePress(place.view.viewport(), LEFT, NONE, place.at(0, 1) - QPoint(2, 0))
    QTest.mouseMove(place.view.viewport(), place.at(2, 3) - QPoint(2, 0))
    QTest.mouseRelease(place.view.viewport(), LEFT, NONE, place.at(2, 3) - QPoint(2, 0))
    assert place.view.selected_text() == "a long line that wraps\n漢"
    QTest.keyClick(place.view, Qt.Key.Key_C, CTRL | SHIFT)
    assert QGuiApplication.clipboard().text() == "a long line that wraps\n漢"
    assert place.typed == []
    QTest.keyClick(place.view, Qt.Key.Key_V, CTRL | SHIFT)
    assert place.pasted == ["a long line that wraps\n漢"]
    QTest.keyClicks(place.view, "x")
    assert place.view.selected_text() == ""


def test_words_are_found_in_the_scroll_back_across_wrapped_rows(place: Place) -> None:
    back = [row for n in range(300) for row in plain(f"row {n}")]
    back[7] = (("this needs a nee", -1, -1, WRAPPED),)
    back[8] = (("DLE here", -1, -1, 0),)
    facts = facts_of(plain("$ grep needle", "$ "), back=back)
    place.view.show_terminal(facts)
    QTest.keyClick(place.view, Qt.Key.Key_F, CTRL | SHIFT)
    QTest.keyClicks(place.finder.field, "needle")
    assert place.finder.count.text() == "2 of 2"
    QTest.keyClick(place.finder.field, Qt.Key.Key_Return, SHIFT)
    assert place.finder.count.text() == "1 of 2"
    assert place.view.found[7] == [(13, 16)]
    assert place.view.found[8] == [(0, 3)]
    assert place.view.first_shown <= 7 < place.view.first_shown + 20
    QTest.keyClick(place.finder.field, Qt.Key.Key_Escape)
    assert place.view.hasFocus()
    assert not place.view.found


def test_a_link_is_what_can_be_read_and_opens_only_with_ctrl(place: Place) -> None:
    asked: list[str] = []
    place.view.link_asked.connect(asked.append)
    rows = [
        *plain("(see https://example.org/a_(b).)"),
        (("https://example.com/and-so-", -1, -1, WRAPPED),),
        *plain("on, end", "javascript:alert(1) file:///etc"),
    ]
    facts = facts_of(rows)
    place.view.show_terminal(facts)
    link = link_at(facts, (0, 8))
    assert link is not None
    assert (link.address, link.start, link.end) == ("https://example.org/a_(b)", 5, 30)
    QTest.mouseClick(place.view.viewport(), LEFT, NONE, place.at(8, 0))
    assert asked == []
    QTest.mouseClick(place.view.viewport(), LEFT, CTRL, place.at(1, 2))
    assert asked == ["https://example.com/and-so-on"]
    assert link_at(facts, (3, 2)) is None
    assert link_at(facts, (3, 24)) is None


def test_a_program_that_asks_for_the_mouse_gets_it_and_shift_takes_it_back(place: Place) -> None:
    place.view.show_terminal(facts_of(plain("one", "two"), modes=["mouse_click", "mouse_sgr"]))
    QTest.mouseClick(place.view.viewport(), LEFT, NONE, place.at(2, 1))
    assert place.typed == ["\x1b[<0;3;2M", "\x1b[<0;3;2m"]
    QTest.mouseDClick(place.view.viewport(), LEFT, SHIFT, place.at(1, 0))
    assert place.view.selected_text() == "one"


def test_pasted_text_cannot_end_its_own_mark_and_lines_ask_first() -> None:
    marked = frozenset({"bracketed_paste"})
    assert pasted_text("a\nb\x1b[201~c", marked) == "\x1b[200~a\rb[201~c\x1b[201~"
    assert pasted_text("a\r\nb", frozenset()) == "a\rb"
    assert [needs_question(text) for text in ("ls -l", "a\tb", "ls\n", "a\nb", "a\x1bb", "a\x9bb")] == [
        False, False, True, True, True, True,
    ]  # fmt: skip


def test_scrolled_back_rows_stay_in_view_while_more_are_printed(place: Place) -> None:
    facts = facts_of(plain("$ "), back=plain(*(f"row {n}" for n in range(100))))
    place.view.show_terminal(facts)
    assert place.view.at_end
    QTest.keyClick(place.view, Qt.Key.Key_PageUp, SHIFT)
    first = place.view.first_shown
    change = ScreenChange(((0, plain("more")[0]),), tuple(plain("one", "two")))
    moved = facts.take(TerminalScreen(terminal_id="trm_1", lane_id="ln_1", columns=40, height=1, change=change))
    place.view.take_change(moved, [0])
    assert place.view.first_shown == first
    assert not place.view.at_end
    QTest.keyClicks(place.view, "x")
    assert place.view.at_end


def test_rows_are_painted_in_their_colours_and_text_is_never_hidden_by_them(place: Place, qtbot: QtBot) -> None:
    row = (("███", 1, -1, 0), ("███", -1, -1, REVERSED), ("███", 0x1FF0000, -1, BOLD))
    for name in ("light", "dark"):
        theme().choose(name)
        place.view.show_terminal(facts_of([row, *plain("$ ")]))
        picture = place.view.viewport().grab().toImage()
        colours = [picture.pixelColor(place.at(cell, 0)) for cell in (1, 4, 7)]
        assert colours[0] == terminal_color(1, fallback="text")
        assert colours[2] == QColor(255, 0, 0)
        assert picture.pixelColor(place.at(20, 0)) == theme().color("sunken")
    theme().choose("light")
    for ground_rgb in (QColor("white"), QColor("black"), QColor("#777777")):
        ink = QColor(readable(ground_rgb.rgb(), ground_rgb.rgb()))
        assert contrast(ink, ground_rgb) >= TEXT_LEAST


@pytest.mark.parametrize("look", ["light", "dark", "high-contrast-light", "high-contrast-dark"])
def test_the_sixteen_colours_can_be_read_on_each_other_and_on_the_terminal(look: str) -> None:
    former = theme().choice
    theme().choose(look)
    try:
        colours = [terminal_color(value, fallback="text") for value in range(16)]
        for ink, back in product(colours, (ground(), *colours)):
            assert contrast(QColor(readable(ink.rgb(), back.rgb())), back) >= TEXT_LEAST
    finally:
        theme().choose(former)


def test_a_screen_reader_is_told_the_rows_in_view_and_the_line_of_the_cursor(place: Place) -> None:
    place.view.show_terminal(facts_of(plain("$ ls", "app.py", "$ now")))
    access = QAccessible.queryAccessibleInterface(place.view)
    assert access.role() is QAccessible.Role.Terminal
    assert access.text(QAccessible.Text.Name) == "Terminal Terminal"
    assert access.text(QAccessible.Text.Value) == "$ ls\napp.py\n$ now"
    assert access.text(QAccessible.Text.Description) == "$ now"
    assert access.state().focused


def test_cells_hold_wide_and_combined_characters() -> None:
    row = (("a漢e\u0301b", -1, -1, 0),)
    assert row_cells(row) == ["a", "漢", "", "e\u0301", "b"]
    assert selected_text(lambda _number: row, (0, 1), (0, 4)) == "漢e\u0301"
