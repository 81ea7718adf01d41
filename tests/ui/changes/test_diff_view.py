"""The diff view: keys, mouse, selection, comments between lines, colours, and what screen readers are told."""

import pytest
from PySide6.QtCore import QBuffer, QPoint, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget

from desktop.domain.changes.values import DiffImage, FileDiff
from desktop.domain.core.work import ChangedFile
from desktop.ui.changes.diff.canvas import DiffShape
from desktop.ui.changes.diff.colours import piece_colours
from desktop.ui.changes.diff.image_pair import ImagePair
from desktop.ui.changes.diff.review_pane import ReviewPane
from desktop.ui.changes.diff.rows import FieldPlace, columns_of
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.theme.theme import theme
from tests.ui.review_place import comment, diff

LONG = "".join(f"line {n}\n" for n in range(1, 301))
CHANGED = LONG.replace("line 50\n", "line fifty\n").replace("line 200\n", "two hundred\nand more\n")
SHIFT = Qt.KeyboardModifier.ShiftModifier


ASKED = ("comment_written", "comment_resolved", "tick_asked", "revert_asked", "context_asked", "editor_asked")


class Scene:
    def __init__(self, qtbot, width=500):
        self.ticked = []
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(width, 400)
        self.view = DiffView(self.window, ticked=lambda key: key in self.ticked)
        self.view.resize(width, 400)
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.told = []
        for name in (
            "comment_written",
            "comment_resolved",
            "tick_asked",
            "revert_asked",
            "context_asked",
            "editor_asked",
        ):
            getattr(self.view, name).connect(lambda *values, name=name: self.told.append((name, *values)))

    def show(self, made, *comments, **shape):
        self.view.show_file(made, comments, DiffShape(**shape))
        return self.view

    def press(self, *keys, modifiers=Qt.KeyboardModifier.NoModifier):
        self.view.setFocus()
        for key in keys:
            QTest.keyClick(self.view, key, modifiers)

    def current(self):
        row = self.view.rows[self.view.current]
        return self.view.line(row.hunk, row.line) if row.kind == "line" else row.kind

    def point(self, index, x):
        return QPoint(x, self.view.row_top(index) + self.view.layouts.line_height // 2)

    def row_with(self, text):
        view = self.view
        return next(
            n for n, row in enumerate(view.rows) if row.kind == "line" and view.line(row.hunk, row.line).text == text
        )


@pytest.fixture
def scene(qtbot, qapp):
    return Scene(qtbot)


def test_n_and_p_go_from_change_to_change_and_arrows_from_line_to_line(scene):
    scene.show(diff(before=LONG, after=CHANGED))
    scene.press(Qt.Key.Key_N)
    assert scene.current().text == "line 50"
    scene.press(Qt.Key.Key_N)
    assert scene.current().text == "line 200"
    scene.press(Qt.Key.Key_N, Qt.Key.Key_P)
    assert scene.current().text == "line 50"
    scene.press(Qt.Key.Key_Down)
    assert scene.current().text == "line fifty"
    scene.press(Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert scene.current().text == "line 49"
    scene.press(Qt.Key.Key_End)
    assert scene.view.current == len(scene.view.rows) - 1


def test_enter_asks_for_the_editor_at_the_line_and_on_a_head_for_more_lines(scene):
    scene.show(diff(before=LONG, after=CHANGED))
    scene.press(Qt.Key.Key_N, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert scene.told == [("editor_asked", 50)]
    scene.press(Qt.Key.Key_Home, Qt.Key.Key_Return)
    assert scene.told[-1] == ("context_asked", "more")


def test_several_lines_are_chosen_with_shift_and_commented(scene):
    scene.show(diff(before=LONG, after=CHANGED))
    scene.press(Qt.Key.Key_N, Qt.Key.Key_N)
    scene.press(Qt.Key.Key_Down, Qt.Key.Key_Down, modifiers=SHIFT)
    scene.press(Qt.Key.Key_C)
    field = scene.window.findChild(QPlainTextEdit, "changes_comment_field")
    assert field.hasFocus()
    assert field.accessibleName() == "Comment on lines 200–201"
    QTest.keyClicks(field, "why")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert scene.told == [("comment_written", FieldPlace("new", 200, 201), "why", "")]
    assert not scene.view.writing


def test_escape_keeps_what_was_written_as_a_draft_and_cancel_drops_it(scene):
    scene.show(diff())
    scene.view.go_to(2)
    for name in ("escape", "changes_comment_cancel"):
        scene.view.open_field()
        field = scene.window.findChildren(QPlainTextEdit, "changes_comment_field")[-1]
        QTest.keyClicks(field, name)
        if name == "escape":
            QTest.keyClick(field, Qt.Key.Key_Escape)
        else:
            scene.window.findChildren(QPushButton, name)[-1].click()
    assert [told[2] for told in scene.told] == ["escape"]


def test_a_number_is_clicked_or_dragged_over_to_comment(scene):
    view = scene.show(diff(before=LONG, after=CHANGED))
    view.go_to(scene.row_with("line fifty"), room=100)
    first, last = scene.row_with("line 50"), scene.row_with("line fifty")
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=scene.point(first, 20))
    QTest.mouseMove(view.viewport(), scene.point(last, 20))
    view.go_to(last, extend=True)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=scene.point(last, 20))
    assert view.field == FieldPlace("new", 50, 50)
    view.open_field(FieldPlace("old", 50, 50))
    assert scene.window.findChildren(QPlainTextEdit, "changes_comment_field")[-1].accessibleName() == (
        "Comment on line 50 before the change"
    )


def test_comments_stand_between_lines_and_can_be_edited_and_resolved(scene):
    view = scene.show(
        diff(),
        comment("one"),
        comment("two", first=4, last=4, state="sent"),
        comment("three", outdated=True, quoted=("gone()",)),
    )
    boxes = {box.property("item_id"): box for box in view.boxes().values()}
    assert list(boxes) == ["three", "one", "two"]
    assert boxes["three"].accessibleName() == "Comment, Outdated · line 3: keep the fragment"
    boxes["two"].findChild(QPushButton, "changes_comment_resolve").click()
    assert scene.told == [("comment_resolved", "two", True)]
    boxes["one"].findChild(QPushButton, "changes_comment_edit").click()
    field = scene.window.findChildren(QPlainTextEdit, "changes_comment_field")[-1]
    assert field.toPlainText() == "keep the fragment"
    view.show_file(diff(), (), DiffShape())
    assert not [row for row in view.rows if row.kind == "comment"]


def test_text_is_selected_and_copied_without_signs_and_as_it_was(scene):
    view = scene.show(diff(before="one\n\ttwo\u202e\nthree\n", after="one\nthree\nfour\n"))
    view.select_all()
    view.copy()
    assert QApplication.clipboard().text() == "one\n\ttwo\u202e\nthree\nfour"
    index = scene.row_with("\ttwo\u202e")
    x = view.columns.text + round(view.layouts.cell * 4)
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=scene.point(index, x))
    view.selection.head = view.selection.anchor._replace(offset=len(view.layouts.of(0, 1).shown.text))
    view.copy()
    assert QApplication.clipboard().text() == "two\u202e"


def test_side_by_side_one_side_is_selected(qtbot, qapp):
    scene = Scene(qtbot, width=900)
    view = scene.show(diff(before="a\nold\nz\n", after="a\nnew\nz\n"), split=True)
    view.select_all()
    view.copy()
    assert QApplication.clipboard().text() == "a\nnew\nz"


def test_a_refresh_keeps_the_line_on_top_where_it_was(scene):
    view = scene.show(diff(before=LONG, after=CHANGED, context=-1))
    view.go_to(scene.row_with("line 120"))
    view.verticalScrollBar().setValue(view.heights.top(scene.row_with("line 120")) - 7)
    more = CHANGED.replace("line 3\n", "line 3\nnew\nnew\n")
    view.show_file(diff(before=LONG, after=more, context=-1), (), DiffShape())
    assert view.row_top(scene.row_with("line 120")) == 7


def test_long_lines_break_where_that_is_asked_for(scene):
    text = "word " * 200
    view = scene.show(diff(before="", after=f"{text}\nshort\n"))
    one = view.layouts.line_height
    assert view.heights[1] == one
    assert view.horizontalScrollBar().maximum() > 0
    view.show_file(view.diff, (), DiffShape(wrap=True))
    assert view.heights[1] > 10 * one
    assert view.heights[2] == one
    assert view.horizontalScrollBar().maximum() == 0
    exact = view.layouts.of(0, 0).height
    assert abs(view.layouts.estimates([columns_of(text)])[0] - exact) <= one


def test_hunks_and_lines_are_ticked_by_click_and_space(scene):
    view = scene.show(diff(), can_tick=True)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(view.columns.tick // 2, 10))
    assert [kind for kind, _old, _new in scene.told[-1][1]] == ["-", "+", "+"]
    assert scene.told[-1][2]
    scene.ticked = scene.told[-1][1]
    scene.press(Qt.Key.Key_N, Qt.Key.Key_Space)
    name, keys, on = scene.told[-1]
    assert (name, [tuple(key) for key in keys], on) == ("tick_asked", [("-", 3, 0)], False)


def test_r_asks_to_revert_the_change_or_the_chosen_lines(scene):
    scene.show(diff(), can_revert=True)
    scene.press(Qt.Key.Key_N, Qt.Key.Key_R)
    assert len(scene.told[-1][1]) == 3
    scene.press(Qt.Key.Key_Down, Qt.Key.Key_Down)
    scene.press(Qt.Key.Key_Up, modifiers=SHIFT)
    scene.press(Qt.Key.Key_R)
    assert [key.new for key in scene.told[-1][1]] == [3, 4]
    scene.show(diff(), can_revert=False)
    scene.press(Qt.Key.Key_R)
    assert len(scene.told) == 2


def test_colours_arrive_after_the_text(scene, qtbot):
    view = scene.show(diff(before="", after="def f(x):\n    return 'a'  # b\n", path="a.py"))
    plain = view.layouts.of(0, 0).layout.formats()
    assert plain == []
    qtbot.waitUntil(lambda: bool(view.layouts.of(0, 0).layout.formats()))
    named = piece_colours("a.py", view.diff.hunks[0], 0, 2)
    assert named[0][0] == (0, 3, "code_keyword")
    assert list(dict.fromkeys(part[2] for part in named[1])) == ["code_keyword", "code_string", "code_comment"]
    assert piece_colours("unknown.zzz", view.diff.hunks[0], 0, 2) == {}


def test_changed_words_are_marked(scene):
    view = scene.show(diff(path="a.zzz"))
    index = scene.row_with("    target = strip(request.url)")
    row = view.rows[index]
    marked = [(one.start, one.length) for one in view.layouts.of(row.hunk, row.line).layout.formats()]
    assert marked == [(13, 6), (30, 1)]


def test_another_theme_is_taken_at_once(scene):
    view = scene.show(diff())
    image = view.grab().toImage()
    theme().choose("dark")
    try:
        assert view.grab().toImage() != image
    finally:
        theme().choose("system")


def test_rows_are_read_out(scene):
    view = scene.show(diff(), comment(), can_tick=True, can_revert=True)
    found = QAccessible.queryAccessibleInterface(view)
    assert (found.role(), found.text(QAccessible.Text.Name)) == (QAccessible.Role.List, "Difference")
    names = [found.child(n).text(QAccessible.Text.Name) for n in range(found.childCount())]
    assert names[1:5] == [
        "line 1: def expire(request):", "line 2: clear()", "removed, line 3: target = request.url",
        "added, line 3: target = strip(request.url)",
    ]  # fmt: skip
    assert names[5] == "Comment, Draft · line 3: keep the fragment"
    head = found.child(0)
    buttons = [head.child(n) for n in range(head.childCount())]
    assert [one.text(QAccessible.Text.Name) for one in buttons] == ["Commit this change", "Revert this change…"]
    assert buttons[0].role() == QAccessible.Role.CheckBox
    view.go_to(3)
    view.setFocus()
    assert found.focusChild().text(QAccessible.Text.Name) == names[3]
    assert found.child(3).state().focused


def test_a_head_offers_what_is_hidden_and_can_be_clicked(scene):
    view = scene.show(diff(before=LONG, after=CHANGED), can_revert=True)
    assert view.head_words(view.rows[0]) == "46 lines not shown · line 46"
    names = [hit.name for hit in view.hits(0)]
    assert names == ["changes_more", "changes_whole", "changes_revert_change"]
    for hit in view.hits(0):
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=hit.rect.center())
    assert [told[0] for told in scene.told] == ["context_asked", "context_asked", "revert_asked"]


def test_the_pane_shows_pictures_notes_and_needs_room_for_two_columns(qtbot, qapp):
    pane = ReviewPane(None, lambda _key: False)
    qtbot.addWidget(pane)
    pane.resize(500, 400)
    pane.show()
    image = QImage(20, 10, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    pane.show_diff(
        FileDiff("a.png", binary=True, note="1 KB before", new_image=DiffImage(png(image), 90)), (), DiffShape()
    )
    assert pane.findChild(QWidget, "changes_image_after").accessibleName() == "After: 90 B, 20 × 10"
    absent = pane.findChild(QWidget, "changes_image_before")
    assert (absent.accessibleName(), absent.isVisible()) == ("Before: no file", False)
    assert pane.findChild(QWidget, "changes_note").text() == "1 KB before"
    assert pane.findChild(ImagePair) is not None
    pane.show_diff(diff(), (), DiffShape())
    pane.set_split(True)
    assert (pane.view.shape_of.split, pane.style_button.isVisible()) == (False, False)
    pane.resize(700, 400)
    assert (pane.view.shape_of.split, pane.style_button.isVisible()) == (True, True)
    QTest.mouseClick(pane.findChild(QWidget, "changes_diff_style"), Qt.MouseButton.LeftButton)
    assert not pane.view.shape_of.split


def test_a_narrow_pane_names_the_file_without_its_folders_and_says_that_it_is_empty(qtbot, qapp):
    pane = ReviewPane(None, lambda _key: False)
    qtbot.addWidget(pane)
    pane.resize(300, 400)
    pane.show()
    pane.show_file(ChangedFile(path="a/folder/deep/down/main.py", status="added"))
    pane.show_diff(FileDiff("a/folder/deep/down/main.py"), (), DiffShape())
    assert (pane.name.text(), pane.name.toolTip()) == ("main.py", "a/folder/deep/down/main.py")
    assert pane.findChild(QWidget, "changes_instead").text() == "The file is empty."
    pane.resize(700, 400)
    assert (pane.name.text(), pane.name.toolTip()) == ("a/folder/deep/down/main.py", "")


def png(image):
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data())


def test_words_are_found_in_the_lines_that_are_shown(qtbot, qapp):
    pane = ReviewPane(None, lambda _key: False)
    qtbot.addWidget(pane)
    pane.resize(500, 400)
    with qtbot.waitExposed(pane):
        pane.show()
    pane.show_file(None)
    pane.show_diff(diff(before=LONG, after=CHANGED, context=-1), (), DiffShape())
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field, count = pane.findChild(QWidget, "changes_find_text"), pane.findChild(QWidget, "changes_find_count")
    assert field.hasFocus()
    QTest.keyClicks(field, "LINE 20")
    assert count.text() == "No matches"
    field.setText("line 20")
    assert count.text() == "1 of 11"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert count.text() == "2 of 11"
    row = pane.view.rows[pane.view.current]
    assert pane.view.line(row.hunk, row.line).text == "line 200"
    QTest.keyClick(field, Qt.Key.Key_Return, SHIFT)
    assert count.text() == "1 of 11"
    pane.view.copy()
    assert QApplication.clipboard().text() == "line 20"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert pane.view.hasFocus()
    assert pane.view.found == {}
