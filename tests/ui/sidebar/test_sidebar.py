"""The sidebar as a person uses it: shapes told apart without colour, keys, menu, filter, renaming."""

from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from desktop.ui.core.chat_state import ChatState
from desktop.ui.core.sidebar_row import CHAT_ICON, Lists, SidebarRow
from desktop.ui.core.ticker import AgeTicker
from desktop.ui.sidebar.delegate import age_kept, state_pixmap, whole_parts
from desktop.ui.sidebar.tree_model import ROW_ROLE
from desktop.ui.sidebar.view import Sidebar
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION
from desktop.ui.widgets.badge import badge_text
from tests.ui.shell_samples import IDLE, IN_LANE, LANE, NOW, WAITING, find, make_chat


@pytest.fixture
def sidebar(qtbot):
    ticker = AgeTicker()
    bar = Sidebar(lambda: NOW, ticker)
    bar.ticker = ticker
    qtbot.addWidget(bar)
    bar.resize(270, 600)
    bar.show_lists(Lists((IDLE, IN_LANE, WAITING), (LANE,)))
    bar.show()
    qtbot.waitExposed(bar)
    return bar


def choose(sidebar, key):
    index = sidebar.model.find(key)
    sidebar.tree.setCurrentIndex(index)
    return index


@pytest.mark.parametrize(("first", "second"), [*combinations(ChatState, 2)], ids=lambda s: s.name)
def test_the_shapes_of_two_states_differ_without_colour(qapp, first, second):
    def grey(state):
        image = state_pixmap(SidebarRow("k", "chat", "t", state=state, icon=CHAT_ICON)).toImage()
        return image.convertToFormat(QImage.Format.Format_Alpha8)

    a, b = grey(first), grey(second)
    different = sum(a.pixelColor(x, y).alpha() != b.pixelColor(x, y).alpha() for x in range(16) for y in range(16))
    assert different >= 8


def test_a_click_opens_the_chat(sidebar, qtbot):
    index = sidebar.model.find(f"session:{IDLE.session_id}")
    with qtbot.waitSignal(sidebar.opened) as opened:
        qtbot.mouseClick(
            sidebar.tree.viewport(), Qt.MouseButton.LeftButton, pos=sidebar.tree.visualRect(index).center()
        )
    assert opened.args == [IDLE.session_id]


def test_enter_opens_and_delete_asks_to_archive(sidebar, qtbot):
    choose(sidebar, f"session:{IDLE.session_id}")
    with qtbot.waitSignal(sidebar.opened):
        qtbot.keyClick(sidebar.tree, Qt.Key.Key_Return)
    with qtbot.waitSignal(sidebar.archive_asked) as asked:
        qtbot.keyClick(sidebar.tree, Qt.Key.Key_Delete)
    assert asked.args == [IDLE.session_id, True]


def test_f2_renames_in_place_and_escape_leaves_the_title(sidebar, qtbot):
    choose(sidebar, f"session:{IDLE.session_id}")
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    field = find(sidebar, "sidebar_rename_field", QLineEdit)
    assert field.isVisible()
    assert field.text() == IDLE.title
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_F2)
    field.setText("Retries")
    with qtbot.waitSignal(sidebar.renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == [IDLE.session_id, "Retries"]


def test_right_and_left_open_and_close_a_lane(sidebar, qtbot):
    index = choose(sidebar, f"lane:{LANE.id}")
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Right)
    assert sidebar.tree.isExpanded(index)
    qtbot.keyClick(sidebar.tree, Qt.Key.Key_Left)
    assert not sidebar.tree.isExpanded(index)


def test_the_filter_says_when_nothing_matches(sidebar, qtbot):
    qtbot.mouseClick(find(sidebar, "sidebar_search_toggle"), Qt.MouseButton.LeftButton)
    field = find(sidebar, "sidebar_filter", QLineEdit)
    field.setText("nowhere")
    assert find(sidebar, "sidebar_nothing", QLabel).text() == "Nothing matches “nowhere”."
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert sidebar.model.rowCount() > 0


def test_without_chats_it_says_how_to_start_one_where_one_can_be_started(qtbot):
    sidebar = Sidebar(lambda: NOW, AgeTicker())
    qtbot.addWidget(sidebar)
    sidebar.show_lists(Lists([], []))
    sidebar.show()
    assert find(sidebar, "sidebar_nothing", QLabel).text() == "No chats yet."
    sidebar.set_project_open(True)
    assert find(sidebar, "sidebar_start_title", QLabel).text() == "Start a chat."
    assert find(sidebar, "sidebar_start_sentence", QLabel).isVisible()
    assert not find(sidebar, "sidebar_nothing", QLabel).isVisible()
    with qtbot.waitSignal(sidebar.new_chat_asked):
        qtbot.mouseClick(find(sidebar, "sidebar_start", QPushButton), Qt.MouseButton.LeftButton)
    sidebar.show_lists(Lists((IDLE,), ()))
    assert not find(sidebar, "sidebar_start", QPushButton).isVisible()


def test_until_the_chats_are_listed_it_says_that_they_are_loading(qtbot):
    sidebar = Sidebar(lambda: NOW, AgeTicker())
    qtbot.addWidget(sidebar)
    sidebar.show()
    sidebar.set_project_open(False, listed=False)
    nothing, start = find(sidebar, "sidebar_nothing", QLabel), find(sidebar, "sidebar_start", QPushButton)
    assert not nothing.isVisible()
    qtbot.waitUntil(nothing.isVisible)
    assert nothing.text() == "Loading chats…"
    sidebar.set_project_open(True, listed=False)
    qtbot.waitUntil(lambda: nothing.text() == "Loading chats…")
    assert not start.isVisible()
    sidebar.show_lists(Lists((IDLE,), ()))
    sidebar.set_project_open(True)
    assert not nothing.isVisible()
    assert not start.isVisible()


def test_the_open_chat_keeps_its_mark_when_rows_move(sidebar):
    sidebar.set_current(IDLE.session_id)
    sidebar.show_lists(Lists((WAITING, make_chat(40, "New"), IDLE), (LANE,)))
    assert sidebar.tree.currentIndex().data(ROW_ROLE).session_id == IDLE.session_id


def test_the_timer_rests_when_nothing_waits_or_the_list_is_hidden(sidebar, qtbot):
    qtbot.waitUntil(lambda: sidebar.ticker.running)
    sidebar.show_lists(Lists((IDLE,)))
    assert not sidebar.ticker.running
    sidebar.show_lists(Lists((WAITING,)))
    assert sidebar.ticker.running
    sidebar.hide()
    qtbot.waitUntil(lambda: not sidebar.ticker.running)


def test_badges_stop_at_99():
    assert [badge_text(n) for n in (0, 1, 99, 100)] == ["", "1", "99", "99+"]


def test_a_lane_row_shows_the_waiting_shape_and_no_ring(sidebar):
    assert sidebar.model.find(f"lane:{LANE.id}").data(ROW_ROLE).state is ChatState.APPROVAL


@pytest.mark.parametrize(
    ("detail", "width", "shown"),
    [
        ("Approve: npm test · 2 min", 400, "Approve: npm test · 2 min"),
        ("Approve: python3 -m unittest -q tests.test_auth · 2 min", 180, "… · 2 min"),
        ("Approve: python3 -m unittest -q tests.test_auth · 2 min", 60, "test_auth · 2 min"),
        ("Plan to review of a very long name that has no age", 60, "no age"),
    ],
)
def test_a_row_that_waits_keeps_how_long_where_there_is_room(qapp, detail, width, shown):
    kept = age_kept(detail, width)
    assert kept.endswith(shown)
    assert kept == detail or QFontMetrics(theme().font(CAPTION)).horizontalAdvance(kept) <= width


def test_what_a_row_waits_for_is_kept_before_where_it_waits(qapp):
    detail = "retry policy haiku · Approve: python3 -m unittest -q · just now"
    width = QFontMetrics(theme().font(CAPTION)).horizontalAdvance("retry policy haiku · Ap… · just now")
    assert age_kept(detail, width).startswith("Approve: ")
    assert age_kept(detail, 2 * width).startswith("retry policy haiku · Approve:")


def test_beside_a_conflict_a_second_line_is_cut_between_its_parts(qapp):
    width = QFontMetrics(theme().font(CAPTION)).horizontalAdvance("1 behind main · 1")
    assert whole_parts("1 behind main · 12 files · 3 chats", width) == "1 behind main"
    assert whole_parts("1 behind main", 1) == "1 behind main"
