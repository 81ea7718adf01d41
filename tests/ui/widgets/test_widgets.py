"""The small widgets: toasts, segmented switch, elided texts, pickers, fuzzy search."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget

from desktop.ui.text.fuzzy import fuzzy_score
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.chip import Chip, ChipButton
from desktop.ui.widgets.elided_label import ElidedLabel, plain_tooltip
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.picker import Picker, PickItem
from desktop.ui.widgets.toast import Toast, ToastArea
from tests.ui.shell_samples import find


@pytest.fixture
def host(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(800, 600)
    with qtbot.waitActive(host):
        host.show()
        host.activateWindow()
    return host


def test_three_toasts_are_shown_and_the_oldest_goes(host):
    area = ToastArea(host)
    area.show()
    for n in range(5):
        area.show_toast(f"Note {n}")
    assert [toast.accessibleName() for toast in area.toasts] == ["Note 2", "Note 3", "Note 4"]


def test_a_toast_is_closed_by_its_button_and_its_action(host, qtbot):
    area = ToastArea(host)
    ran = []
    area.show_toast("Deleted").add_action("Undo", lambda: ran.append(1))
    qtbot.mouseClick(find(area, "toast_action"), Qt.MouseButton.LeftButton)
    assert ran == [1]
    assert area.toasts == []
    area.show_toast("Broken", error=True)
    qtbot.mouseClick(find(area, "toast_close"), Qt.MouseButton.LeftButton)
    assert not area.isVisible()


def test_notes_stay_at_the_lower_end_of_the_messages_which_is_kept_free_for_them(host):
    area, messages, kept = ToastArea(host), QWidget(host), []
    messages.setGeometry(0, 100, 800, 300)
    messages.show()
    area.keep_within(messages, kept.append)
    note = area.show_toast("Another chat is waiting")
    top = note.mapTo(host, QPoint(0, 0)).y()
    assert top >= 400 - kept[-1] > 300
    messages.resize(800, 40)
    assert kept[-1] == 20, "half of a low room stays what it is"
    messages.resize(800, 200)
    assert 200 < area.geometry().bottom() < 320
    messages.hide()
    assert area.geometry().bottom() > 500
    note.dismiss()
    assert kept[-1] == 0


def test_a_note_that_appears_under_a_resting_pointer_goes_all_the_same(host, qtbot):
    area = ToastArea(host)
    corner = area.show_toast("Saved", error=True)
    middle = corner.mapTo(host, corner.rect().center())
    corner.dismiss()
    QTest.mouseMove(host, QPoint(5, 5))
    QTest.mouseMove(host, middle)
    qtbot.waitUntil(lambda: QCursor.pos() == host.mapToGlobal(middle))
    note = area.show_toast("Saved", shown_ms=30)
    QTest.mouseMove(note, note.mapFrom(host, middle))
    qtbot.waitUntil(lambda: area.toasts == [], timeout=2000)


def test_a_note_stays_while_it_is_pointed_at_or_has_the_focus(host, qtbot):
    area, rounds = ToastArea(host), []
    QCursor.setPos(host.mapToGlobal(QPoint(5, 5)))
    note = area.show_toast("Deleted", shown_ms=30)
    note.add_action("Undo", lambda: None)
    note.stayed.connect(lambda: rounds.append(1))
    QCursor.setPos(note.mapToGlobal(note.rect().center()))
    qtbot.waitUntil(lambda: len(rounds) > 1)
    find(note, "toast_action", QAbstractButton).setFocus()
    QCursor.setPos(host.mapToGlobal(QPoint(5, 5)))
    rounds.clear()
    qtbot.waitUntil(lambda: len(rounds) > 1)
    find(note, "toast_action", QAbstractButton).clearFocus()
    qtbot.waitUntil(lambda: area.toasts == [])


def test_a_note_goes_by_itself_and_an_error_stays(host):
    area = ToastArea(host)
    note, error = area.show_toast("Saved"), area.show_toast("Broken", error=True)
    assert isinstance(note, Toast)
    assert 0 < note.goes_in_ms() <= 6300  # a coarse timer may round up by 5 %
    assert error.goes_in_ms() == -1


def test_a_click_on_a_segment_asks_and_lights_nothing(host, qtbot):
    switch = Segmented("mode", "Mode", [("a", "First"), ("b-c", "Second")], host)
    switch.set_value("a")
    switch.show()
    second = find(switch, "mode_b_c", QAbstractButton)
    with qtbot.waitSignal(switch.chosen) as chosen:
        qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    assert chosen.args == ["b-c"]
    assert not second.isChecked()
    with qtbot.assertNotEmitted(switch.chosen):
        qtbot.mouseClick(find(switch, "mode_a"), Qt.MouseButton.LeftButton)
    find(switch, "mode_a").setFocus()
    qtbot.keyClick(find(switch, "mode_a"), Qt.Key.Key_Right)
    assert second.hasFocus()


def test_a_text_that_does_not_fit_is_whole_in_its_tooltip(host):
    label = ElidedLabel("a long path that does not fit", host)
    label.resize(60, 20)
    label.show()
    assert label.text().endswith("…")
    assert label.toolTip() == label.full_text
    label.resize(600, 20)
    assert label.text() == label.full_text
    assert label.toolTip() == ""


def test_data_in_buttons_and_tooltips_is_literal(host):
    assert ChipButton("<b>&x</b>", parent=host).text() == "<b>&&x</b>"
    assert ElidedButton("<b>&x</b>", host).accessibleName() == "<b>&x</b>"
    assert Chip("<b>&x</b>", parent=host).text() == "<b>&x</b>"
    assert plain_tooltip("<b>&x</b>") == "<qt>&lt;b&gt;&amp;x&lt;/b&gt;</qt>"
    assert plain_tooltip("a & b") == "a & b"


def test_an_empty_state_has_title_sentence_and_buttons(host, qtbot):
    state = EmptyState("folder", "Nothing planned.", "", host)
    button = state.add_button("Add…", "add_it", primary=True)
    assert state.accessibleName() == "Nothing planned."
    assert button.objectName() == "add_it"
    assert not state.sentence.isVisibleTo(state)


ITEMS = [PickItem(f"k:{title}", title) for title in ("Open repository", "New chat", "Settings")]


@pytest.fixture
def picker(host):
    before = QLineEdit(host)
    before.show()
    before.setFocus()
    picker = Picker(("p", "p_field", "p_list"), "Pick", "Search", host)
    picker.before = before
    picker.set_items(ITEMS)
    picker.open_at(QRect(host.mapToGlobal(QPoint(100, 10)), host.size() / 2))
    return picker


def test_a_picker_finds_moves_and_picks_and_gives_the_focus_back(picker, qtbot):
    qtbot.keyClicks(picker.field, "e")
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    second = picker.list.currentIndex().data()
    with qtbot.waitSignal(picker.picked) as picked:
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert picked.args == [f"k:{second}"]
    assert not picker.isVisible()
    assert picker.before.hasFocus()


def test_escape_and_a_click_elsewhere_close_a_picker_without_a_pick(picker, qtbot, host):
    with qtbot.assertNotEmitted(picker.picked):
        qtbot.keyClick(picker.field, Qt.Key.Key_Escape)
        assert not picker.isVisible()
        picker.open_at(QRect(host.mapToGlobal(QPoint(100, 10)), host.size() / 2))
        qtbot.mouseClick(host, Qt.MouseButton.LeftButton, pos=QPoint(790, 590))
    assert not picker.isVisible()


def test_a_picker_says_when_nothing_matches(picker, qtbot):
    qtbot.keyClicks(picker.field, "zzz")
    assert picker.nothing.text() == "Nothing matches “zzz”."
    assert picker.nothing.isVisible()
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert picker.isVisible()


def test_fuzzy_search_prefers_starts_of_words_and_letters_in_a_row():
    paths = ["data/umbrella_min.py", "auth/middleware.py", "a/u/m/i.py.bak"]
    assert max(paths, key=lambda path: fuzzy_score("aumi", path) or 0) in {"auth/middleware.py", "a/u/m/i.py.bak"}
    assert fuzzy_score("xyz", "auth/middleware.py") is None
    assert fuzzy_score("", "anything") == 0
    assert fuzzy_score("set", "Settings") > fuzzy_score("set", "Reset everything")


def test_a_cross_empties_a_field_and_is_there_only_while_it_has_text(qtbot):
    field = QLineEdit()
    field.setObjectName("filter")
    qtbot.addWidget(field)
    add_clear_button(field)
    field.show()
    (cross,) = field.actions()
    assert cross.objectName() == "filter_clear"
    assert not cross.isVisible()
    field.setText("half")
    assert cross.isVisible()
    former = theme().choice
    was = cross.icon().cacheKey()
    theme().choose("dark" if not theme().tokens.is_dark else "light")
    try:
        assert cross.icon().cacheKey() != was
    finally:
        theme().choose(former)
    cross.trigger()
    assert field.text() == ""
    assert not cross.isVisible()


def test_an_icon_that_says_that_something_is_on_has_a_line_too(qtbot):
    button = IconButton("list-filter", "Filter")
    qtbot.addWidget(button)
    before = button.property("role")
    button.set_icon("list-filter", "accent")
    assert (before, button.property("role")) == (None, "on")
    button.set_icon("list-filter")
    assert button.property("role") == ""
