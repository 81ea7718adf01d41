"""How the transcript scrolls, selects, opens and copies."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.core.content import BlobRef, CodeBlock, DiffBlock, FileListBlock, LinkBlock, TableBlock, TextBlock
from desktop.domain.core.work import Activity
from desktop.domain.events import TurnEnded, TurnStarted, UserMessage
from desktop.domain.updates import ActivityChanged, SessionOpened
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.transcript.canvas import column_width
from desktop.ui.chats.transcript.menu import entries
from desktop.ui.chats.transcript.painting.painter import EARLIER, MOST_CALLS
from desktop.ui.chats.transcript.painting.pieces import LinePiece
from desktop.ui.chats.transcript.selection import Position
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.theme import theme
from tests.ui.transcript_log import SESSION, START, Log, look

DIFF = "@@ -1 +1 @@\n-a\n+b"
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> Iterator[TranscriptView]:
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1100, 900)
    view = TranscriptView(window)
    view.resize(728, 500)
    view.open(SESSION)
    window.show()
    yield view
    window.hide()


def long_chat(view: TranscriptView, turns: int = 30) -> Log:
    log = Log()
    for number in range(turns):
        log.user(f"question {number}")
        log.says(f"answer {number}: " + "words that fill a line or two of the column. " * 4, f"m{number}")
    view.hearing.take([log.opened()])
    return log


def wheel(view: TranscriptView, pixels: int) -> None:
    """Scroll by pixels, as a touch pad does; up is positive."""
    place = QPointF(view.viewport().rect().center())
    event = QWheelEvent(
        place, view.viewport().mapToGlobal(place), QPoint(0, pixels), QPoint(0, pixels * 6), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)


def value(view: TranscriptView) -> int:
    return view.verticalScrollBar().value()


def end(view: TranscriptView) -> int:
    return view.verticalScrollBar().maximum()


def click(view: TranscriptView, row_key: str, name: str) -> None:
    rect = view.target(row_key, name)
    assert rect is not None, name
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


def jump(view: TranscriptView) -> QPushButton:
    pill = view.findChild(QPushButton, "transcript_jump_latest")
    assert pill is not None
    return pill


def drag(view: TranscriptView, first: QPoint, last: QPoint) -> None:
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=first)
    QTest.mouseMove(view.viewport(), (first + last) / 2)
    QTest.mouseMove(view.viewport(), last)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=last)


# scrolling


def test_a_chat_opens_at_its_end_and_stays_there_while_text_arrives(view: TranscriptView) -> None:
    log = long_chat(view)
    assert value(view) == end(view) > 0
    for number in range(20):
        view.hearing.take([log.delta(f"more words to fill the line number {number}\n\n", "new")])
        assert value(view) == end(view)


def test_one_notch_up_while_streaming_frees_the_view_and_nothing_moves(view: TranscriptView) -> None:
    log = long_chat(view)
    view.hearing.take([log.delta("beginning", "new")])
    wheel(view, 20)
    assert not view.pinned
    before = view.first_visible
    for number in range(100):
        view.hearing.take([log.delta(f"more words {number}\n\n", "new")])
        view.viewport().repaint()
        assert view.first_visible == before


def test_what_is_written_below_the_view_makes_the_scroll_range_grow(view: TranscriptView) -> None:
    log = long_chat(view)
    view.hearing.take([log.delta("beginning", "new")])
    wheel(view, 2_000)
    before = end(view)
    for number in range(30):
        view.hearing.take([log.delta(f"more words {number}\n\n", "new")])
        view.viewport().repaint()
    assert end(view) > before + 200


def test_a_real_wheel_notch_up_frees_too(view: TranscriptView) -> None:
    long_chat(view)
    place = QPointF(view.viewport().rect().center())
    event = QWheelEvent(
        place, view.viewport().mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)
    assert value(view) == end(view) - 60
    assert not view.pinned


@pytest.mark.parametrize(("distance", "pinned"), [(159, True), (160, True), (161, False)])
def test_scrolling_down_near_the_end_pins(view: TranscriptView, distance: int, pinned: bool) -> None:
    long_chat(view)
    wheel(view, 400)
    assert not view.pinned
    wheel(view, -(end(view) - value(view) - distance))
    assert end(view) - value(view) == distance
    assert view.pinned is pinned


def test_a_scroll_by_the_program_stays_pinned_and_the_next_text_shows_the_end(view: TranscriptView) -> None:
    log = long_chat(view)
    view.scroll_by_program(end(view) - 500)
    assert view.pinned
    view.hearing.take([log.delta("next", "new")])
    assert value(view) == end(view)


def test_a_lower_view_does_not_move_the_first_row(view: TranscriptView) -> None:
    long_chat(view)
    wheel(view, 700)
    before = view.first_visible
    view.resize(view.width(), view.height() - 200)
    view.viewport().repaint()
    assert view.first_visible == before


def test_the_first_row_stays_when_the_width_changes(view: TranscriptView) -> None:
    long_chat(view)
    wheel(view, 900)
    key = view.first_visible[0]
    view.resize(560, view.height())
    view.viewport().repaint()
    assert view.first_visible[0] == key


def test_a_pinned_view_shows_the_end_after_a_resize(view: TranscriptView) -> None:
    long_chat(view)
    before = end(view)
    view.resize(560, 380)
    assert value(view) == end(view) != before


def test_older_slices_do_not_move_the_first_visible_row(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    for number in range(2_000):
        log.user(f"q{number}")
        log.says(f"a{number} " * 30, f"m{number}")
    view.hearing.take([log.opened()])
    wheel(view, 300)
    before = view.first_visible
    sizes = []
    while not view.model.complete:
        QApplication.processEvents()
        view.viewport().repaint()
        sizes.append(len(view.model.rows))
        assert view.first_visible == before
    assert len(sizes) > 5
    assert len({row.key for row in view.model.rows}) == len(view.model.rows) == 4_000


def test_scrolling_up_over_rows_not_laid_out_yet_moves_by_what_was_scrolled(view: TranscriptView) -> None:
    long_chat(view, 200)
    for _ in range(60):
        row = view.model.index_of(view.first_visible[0])
        before = view.row_top(row)
        wheel(view, 50)
        assert view.row_top(row) == before + 50


def test_the_pill_counts_what_is_new_and_leads_to_the_end(view: TranscriptView) -> None:
    log = long_chat(view)
    assert not jump(view).isVisible()
    wheel(view, 300)
    assert jump(view).isVisible()
    assert jump(view).text() == "↓ Latest"
    view.hearing.take([log.user("one more"), log.says("and an answer", "m99")])
    assert jump(view).text() == "↓ Latest · 2 new"
    QTest.mouseClick(jump(view), Qt.MouseButton.LeftButton)
    assert view.pinned
    assert value(view) == end(view)
    assert not jump(view).isVisible()


def test_ctrl_end_pins(view: TranscriptView) -> None:
    long_chat(view)
    wheel(view, 500)
    QTest.keyClick(view, Qt.Key.Key_End, CTRL)
    assert view.pinned
    assert value(view) == end(view)


def test_opening_a_row_keeps_it_where_it_is(view: TranscriptView) -> None:
    log = long_chat(view)
    output = "\n".join(f"line {number}" for number in range(30))
    view.hearing.take(log.call("c1", "make", category="bash", blocks=(CodeBlock(language="console", text=output),)))
    key = view.model.rows[-1].key
    before = view.row_top(len(view.model.rows) - 1)
    click(view, key, "row_toggle")
    assert view.is_expanded(key)
    assert view.row_top(len(view.model.rows) - 1) == before


def test_the_column_is_the_one_the_composer_uses() -> None:
    theme().choose("light")
    assert [column_width(width) for width in (728, 1000, 480)] == [620, 760, 432]


# opening and acting


def test_a_person_closes_a_failed_call_and_it_stays_closed(view: TranscriptView) -> None:
    log = Log()
    view.hearing.take([log.opened()])
    for number in range(6):
        view.hearing.take(log.call(f"c{number}"))
    key = view.model.rows[0].key
    assert not view.is_expanded(key)
    view.hearing.take(log.call("bad", outcome="error", content="exit 1"))
    assert view.is_expanded(key)
    assert view.is_expanded(key, "bad")
    click(view, key, "call_7")
    assert not view.is_expanded(key, "bad")
    view.hearing.take(log.call("c8"))
    assert not view.is_expanded(key, "bad")
    click(view, key, "row_toggle")
    view.hearing.take(log.call("c9", outcome="error"))
    assert not view.is_expanded(key)


def test_what_is_open_stays_open_over_a_switch_of_chats(view: TranscriptView) -> None:
    log = Log()
    log.call("c1", evidence=(TextBlock(text="x"),))
    view.hearing.take([log.opened()])
    view.set_expanded("row:0", True)
    view.open("ses_2")
    view.open(SESSION)
    view.hearing.take([log.opened()])
    assert view.is_expanded("row:0")


def test_long_output_shows_its_end_first_then_all_then_the_viewer(view: TranscriptView) -> None:
    output = "\n".join(f"line {number}" for number in range(1_204))
    log = Log()
    log.call(
        "c1", "make", category="bash", blocks=(CodeBlock(language="console", text=output),),
        full=BlobRef(sha256="a" * 64, media_type="text/plain", size=120_400),
    )  # fmt: skip
    view.hearing.take([log.opened()])
    view.set_expanded("row:0", True)
    labels = {hit.name: hit.label for hit in view.layouts.layout_of(0).hits}
    assert labels["row_show_all"] == "Show all 1,204 lines"
    closed = view.layouts.heights[0]
    click(view, "row:0", "row_show_all")
    assert view.layouts.layout_of(0).height > closed
    told: list[tuple[str, str]] = []
    view.open_full_output.connect(lambda title, sha256: told.append((title, sha256)))
    view.row_action.connect(lambda key, action: told.append((key, action)))
    assert view.activate("row:0", "row_open_full")
    assert told == [("make", "a" * 64), ("row:0", "open_full")]


def test_buttons_of_an_error_row_tell_the_window(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    log.add(TurnStarted(turn_id="t"))
    log.add(TurnEnded(turn_id="t", status="failed", reason="no network"))
    view.hearing.take([log.opened()])
    with qtbot.waitSignal(view.row_action) as caught:
        click(view, "row:1", "continue")
    assert caught.args == ["row:1", "continue"]
    assert view.target("row:1", "nothing") is None


def test_every_kind_of_block_is_drawn(view: TranscriptView) -> None:
    blocks = (
        TextBlock(text="plain"), TextBlock(text="**bold**", markdown=True), CodeBlock(language="python", text="x = 1"),
        CodeBlock(language="console", text="\x1b[31mred"), DiffBlock(path="a", unified=DIFF, added=1, removed=1),
        TableBlock(columns=("id", "name"), rows=(("1", "Ann"),) * 30, more=5), FileListBlock(paths=("a.py",), more=3),
        LinkBlock(url="https://example.org", label="Docs"),
    )  # fmt: skip
    log = Log()
    log.call("c1", blocks=blocks, evidence=blocks)
    view.hearing.take([log.opened()])
    view.set_expanded("row:0", True)
    assert not view.grab().isNull()
    view.selection.select_text(Position("row:0", 0, 0), Position("row:0", 99, 0))
    text = view.selection.text()
    assert all(word in text for word in ("plain", "bold", "x = 1", "red", "Ann", "a.py", "Docs — https://example.org"))
    assert "\x1b" not in text


def test_a_very_long_message_is_cut_until_it_is_opened(view: TranscriptView) -> None:
    log = Log()
    log.user("\n".join(f"line {number} of what was pasted" for number in range(2_000)))
    view.hearing.take([log.opened()])
    cut = view.layouts.layout_of(0).height
    assert [hit.label for hit in view.layouts.layout_of(0).hits] == ["Show all 2,000 lines"]
    assert view.activate("row:0", "row_show_all")
    assert view.layouts.layout_of(0).height > 3 * cut


def test_of_a_long_group_the_newest_calls_are_shown_and_the_others_open_above(view: TranscriptView) -> None:
    log = Log()
    view.hearing.take([log.opened()])
    for number in range(MOST_CALLS + 30):
        view.hearing.take(log.call(f"c{number}"))
    view.set_expanded("row:0", True)
    bounded = view.layouts.layout_of(0)
    assert [hit.label for hit in bounded.hits if hit.name == "row_show_all"] == ["30 earlier calls"]
    lines = [piece for piece in bounded.pieces if isinstance(piece, LinePiece)]
    assert len(lines) == 1 + MOST_CALLS
    view.hearing.take(log.call("late"))
    grown = view.layouts.layout_of(0)
    assert [hit.label for hit in grown.hits if hit.name == "row_show_all"] == ["31 earlier calls"]
    assert grown.height == bounded.height
    assert view.activate("row:0", "row_show_all")
    opened = view.layouts.layout_of(0)
    assert len([piece for piece in opened.pieces if isinstance(piece, LinePiece)]) == 1 + MOST_CALLS + 31
    assert "row_show_all" not in {hit.name for hit in opened.hits}


def test_an_earlier_call_that_was_found_is_shown(view: TranscriptView) -> None:
    log = Log()
    view.hearing.take([log.opened()])
    for number in range(MOST_CALLS + 30):
        view.hearing.take(log.call(f"c{number}", blocks=(TextBlock(text=f"result {number}"),)))
    (row,) = view.model.rows
    view.show_found(row.calls[-1].result_id)
    assert not view.is_expanded(row.key, EARLIER)
    view.show_found(row.calls[3].result_id)
    assert view.is_expanded(row.key, EARLIER)
    assert view.target(row.key, "call_4") is not None


def test_a_huge_single_line_blocks_nothing(view: TranscriptView) -> None:
    log = Log()
    log.call("c1", blocks=(CodeBlock(language="console", text="x" * 4_000_000),))
    view.hearing.take([log.opened()])
    view.set_expanded("row:0", True)
    assert view.layouts.layout_of(0).height < view.height()


# selecting and copying


def test_text_is_selected_over_rows_and_copied(view: TranscriptView) -> None:
    log = Log()
    log.user("first words")
    log.says("second **bold** words")
    view.hearing.take([log.opened()])
    left = view.column[0]
    drag(view, QPoint(left + 25, view.row_top(0) + 36), QPoint(left + 600, view.row_top(1) + 36))
    QTest.keyClick(view, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "first words\n\nsecond bold words"
    assert not view.grab().isNull()


def test_a_selection_survives_streaming(view: TranscriptView) -> None:
    log = Log()
    view.hearing.take([log.opened(), log.delta("The middleware clears the cookie")])
    key = view.model.rows[0].key
    view.selection.select_text(Position(key, 1, 4), Position(key, 1, 14))
    for number in range(20):
        view.hearing.take([log.delta(f" and {number}")])
        view.viewport().repaint()
    view.copy()
    assert QGuiApplication.clipboard().text() == "middleware"
    view.hearing.take([log.says(view.model.rows[0].text + ".")])
    assert view.selection.text() == "middleware"


def test_hidden_characters_are_copied_as_they_are_and_named(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    log.user("a\u200bb")
    view.hearing.take([log.opened()])
    view.selection.select_text(Position("row:0", 1, 0), Position("row:0", 1, 99))
    assert "⟦U+200B⟧" in view.selection.shown_text()
    with qtbot.waitSignal(view.copy_warning) as caught:
        view.copy()
    assert QGuiApplication.clipboard().text() == "a\u200bb"
    assert caught.args == ["Copied text contains hidden characters (U+200B)"]


def test_whole_rows_are_selected_by_keys_and_copied_with_their_heads(view: TranscriptView) -> None:
    log = Log()
    log.user("one")
    log.says("two")
    view.hearing.take([log.opened()])
    view.setFocus()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(view.column[0] + 30, view.row_top(0) + 5))
    QTest.keyClick(view, Qt.Key.Key_Down, SHIFT)
    view.copy()
    clock = f"{log.envelopes[0].at.astimezone():%H:%M}"
    assert QGuiApplication.clipboard().text() == f"You, {clock}\none\n\nAgent, {clock}\ntwo"


def test_select_all_copies_rows_that_were_never_laid_out(view: TranscriptView) -> None:
    long_chat(view, 60)
    QTest.keyClick(view, Qt.Key.Key_A, CTRL)
    view.copy()
    text = QGuiApplication.clipboard().text()
    assert "question 0" in text
    assert "answer 59" in text


def test_a_word_is_selected_by_a_double_click(view: TranscriptView) -> None:
    log = Log()
    log.user("cookie monster")
    view.hearing.take([log.opened()])
    spot = QPoint(view.column[0] + 40, view.row_top(0) + 36)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert view.selection.text() == "cookie"


def test_an_open_fence_is_code_and_its_button_copies_its_text(view: TranscriptView) -> None:
    log = Log()
    view.hearing.take([log.opened(), log.delta("Look:\n\n```python\nx = 1\n")])
    view.hearing.take([log.delta("y = 2\n")])
    key = view.model.rows[0].key
    click(view, key, "code_copy")
    assert QGuiApplication.clipboard().text() == "x = 1\ny = 2\n"
    labels = [hit.label for hit in view.layouts.layout_of(0).hits]
    assert labels == ["Copied"]


def test_a_link_tells_where_it_leads(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    log.says("[the docs](https://example.org/x)")
    view.hearing.take([log.opened()])
    spot = QPoint(view.column[0] + 40, view.row_top(0) + 38)
    with qtbot.waitSignal(view.link_activated) as caught:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == ["https://example.org/x"]


def test_the_menu_has_what_applies(view: TranscriptView) -> None:
    log = Log()
    log.user("one")
    log.says("two\n\n```\ncode\n```")
    view.hearing.take([log.opened()])
    user, agent = ([title for _, title, _ in entries(view, row)] for row in view.model.rows)
    assert user == ["Copy", "Select all in chat", "Fork from here", "Remove from context"]
    assert agent[:4] == ["Copy", "Copy as Markdown", "Copy code block", "Select all in chat"]
    assert agent[4:] == ["Fork from here", "Rewind to here…", "Remove from context"]


# keys, words, quiet


def test_rows_are_walked_and_opened_by_keys(view: TranscriptView) -> None:
    log = Log()
    log.call("c1", evidence=(CodeBlock(language="python", text="x"),))
    view.hearing.take([log.opened()])
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current_row == "row:0"
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.is_expanded("row:0")
    QTest.keyClick(view, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.current_hit == "code_copy"
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == "x"
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert not view.is_expanded("row:0")
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.current_row == ""


def test_markup_in_data_is_shown_as_it_is(view: TranscriptView) -> None:
    log = Log()
    log.user("<b>&x</b>")
    log.call("c1", "<b>&x</b>")
    view.hearing.take([log.opened()])
    view.selection.select_text(Position("row:0", 1, 0), Position("row:0", 1, 99))
    assert view.selection.text() == "<b>&x</b>"
    assert "<b>&x</b>" in view.layouts.layout_of(1).hits[0].label


def test_the_live_line_stands_under_the_last_row(view: TranscriptView) -> None:
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    line = view.findChild(QLabel, "transcript_live_line")
    assert line is not None
    assert not line.isVisible()
    view.hearing.take(
        [ActivityChanged(session_id=SESSION, activity=Activity.RUNNING, detail="<b>pytest</b>", since=START)]
    )
    assert line.isVisible()
    assert line.text() == "Running <b>pytest</b>"
    assert line.textFormat() is Qt.TextFormat.PlainText
    assert line.y() >= view.row_top(0) + view.layouts.heights[0]


def test_nothing_ticks_when_nothing_runs(view: TranscriptView) -> None:
    long_chat(view)
    QApplication.processEvents()
    assert [timer for timer in view.findChildren(QTimer) if timer.isActive()] == []


def test_a_hidden_view_lays_nothing_out(view: TranscriptView) -> None:
    log = long_chat(view)
    view.hide()
    view.hearing.take([log.user("new")])
    assert not view.layouts.settled(len(view.model.rows) - 1)


def test_a_new_theme_keeps_the_place_and_the_selection(view: TranscriptView) -> None:
    long_chat(view)
    wheel(view, 900)
    key = view.first_visible[0]
    view.selection.select_text(Position(key, 1, 0), Position(key, 1, 5))
    text = view.selection.text()
    theme().choose("dark")
    view.viewport().repaint()
    assert view.first_visible[0] == key
    assert view.selection.text() == text


def test_an_empty_and_a_loading_chat_say_so(view: TranscriptView) -> None:
    loading = view.grab().toImage()
    view.hearing.take([SessionOpened(session_id=SESSION, envelopes=())])
    assert isinstance(view.model, TranscriptModel)
    assert not view.model.loading
    assert view.grab().toImage() != loading


def test_the_files_of_a_message_without_words_stand_right_under_its_head(view: TranscriptView) -> None:
    log = Log()
    log.add(UserMessage(parts=(), attachments=("a.png",)))
    log.add(UserMessage(parts=({"type": "text", "text": "Look"},), attachments=("a.png",)))
    view.hearing.take([log.opened()])
    alone, said = (view.layouts.layout_of(index) for index in range(2))
    line = said.pieces[-2].height
    assert alone.height <= said.height - line
    assert len(alone.pieces) == len(said.pieces) - 1
