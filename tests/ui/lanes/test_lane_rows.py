"""The rows of lanes: what they tell first, order and stacks, badges, words for tooltips, shapes without colour."""

from datetime import timedelta
from itertools import combinations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QDialog

from desktop.domain.core.work import Activity
from desktop.domain.lanes.lane import LaneStatus, Overlap
from desktop.domain.lanes.updates import LanesChanged, LaneStatusChanged
from desktop.ui.core.chat_state import SHAPES, ChatState
from desktop.ui.core.sidebar_row import LANE_ICON, Lists, SidebarRow
from desktop.ui.lanes.state import BEHIND, BROKEN, CONFLICT, DIRTY, FORETOLD, LANE_SHAPES, OPERATION, SETUP_FAILED
from desktop.ui.sidebar.delegate import clash_rect, clash_text, state_pixmap
from desktop.ui.sidebar.rows import sidebar_rows
from desktop.ui.sidebar.tree_model import DETAIL_ROLE, SessionTreeModel
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    LANE,
    NOW,
    WAITING,
    Recorder,
    ago,
    find,
    make_chat,
    make_lane,
    make_window,
    started,
)

OTHER = make_lane(2, "docs")
RUNNING = make_chat(50, "Runs", LANE, activity=Activity.RUNNING)
ALL = {
    "staged": 1, "conflicted": 2, "behind": 3, "ahead": 1, "operation": "rebase", "base": "conflict",
    "base_files": ("app.py",), "changed_files": 4,
}  # fmt: skip


def status(lane=LANE, **changes):
    return LaneStatus.model_validate({"lane_id": lane.id, "read_at": NOW, **changes})


def lane_row(chats=(), lane=LANE, of=None, lanes=(), **lists):
    statuses = {of.lane_id: of} if of is not None else {}
    rows = sidebar_rows(Lists(chats, (lane, *lanes), statuses=statuses, **lists))
    return next(row for part in rows for row in part.children if row.key == f"lane:{lane.id}")


@pytest.mark.promise("lanes-L3")
def test_the_most_pressing_thing_comes_first():
    told = dict(ALL)
    setup = LANE.model_copy(update={"setup": "failed", "state": "broken"})
    assert lane_row((RUNNING,), setup, status(**told)).before == "running"
    assert lane_row((IDLE,), setup, status(**told)).shape == SETUP_FAILED
    assert lane_row((), LANE.model_copy(update={"state": "broken"}), status(**told)).shape == BROKEN
    for without, shape, words in (
        ("", CONFLICT, "conflict in 2 files"),
        ("conflicted", FORETOLD, "conflicts with main"),
        ("base", OPERATION, "rebase in progress"),
        ("operation", BEHIND, "3 behind main"),
        ("behind", DIRTY, "not committed"),
    ):
        told.pop(without, None)
        row = lane_row((IN_LANE,), of=status(**told))
        assert (row.shape, row.before) == (shape, words)
    told.pop("staged")
    row = lane_row((IN_LANE,), of=status(**told))
    assert (row.shape, row.before, row.after) == (None, "idle", "4 files")


def test_behind_not_committed_stands_how_many_files_of_the_lane_are_not():
    rows = [lane_row((IN_LANE,), of=status(unstaged=1, uncommitted=n, changed_files=3)) for n in (1, 3)]
    assert [row.after for row in rows] == ["1 of 3 files", "3 files"]
    assert lane_row((IN_LANE,), of=status(unstaged=1, uncommitted=1)).after == "1 file", "put back to the base's text"
    assert lane_row((IN_LANE,), of=status(unstaged=1, uncommitted=1, changed_files=3, behind=1)).after == "3 files"


def test_behind_a_remote_branch_it_is_named():
    assert lane_row((IN_LANE,), of=status(behind=1, base_name="origin/main")).before == "1 behind origin/main"


def test_a_lane_says_that_its_chat_stopped_at_a_limit_or_is_tried_again():
    limited = make_chat(56, "L", LANE, limited=True)
    assert lane_row((limited,)).before == "stopped at a limit"
    assert lane_row((limited,), of=status(unstaged=1)).before == "stopped at a limit · not committed"
    assert lane_row((make_chat(57, "R", LANE, activity=Activity.RETRYING),)).before == "retrying"


def test_a_lane_that_waits_to_be_looked_after_has_a_mark_and_one_with_decisions_their_number():
    assert lane_row((WAITING, RUNNING)).badge == 0, "the decision is counted above"
    assert lane_row((), LANE.model_copy(update={"setup": "failed"})).badge == -1
    assert lane_row((), LANE.model_copy(update={"state": "broken"})).badge == -1
    assert lane_row((make_chat(52, "F", LANE, failed="auth"),)).badge == -1
    assert lane_row((RUNNING,), LANE.model_copy(update={"state": "broken"})).badge == 0


@pytest.mark.promise("lanes-L2")
def test_what_could_not_be_read_is_grey_keeps_its_values_and_says_since_when():
    row = lane_row((IN_LANE,), of=status(problem="git status failed: index file corrupt", behind=2, changed_files=3))
    assert row.greyed
    assert row.before == f"2 behind main · could not be read since {NOW.astimezone():%H:%M}"
    assert row.after == "3 files"
    assert "git status failed: index file corrupt" in row.sentence


def test_sizes_over_a_gigabyte_and_the_branch_that_the_name_does_not_say_are_shown():
    large = LANE.model_copy(update={"size_bytes": 1_400_000_000, "branch": "topic/other"})
    row = lane_row((), large)
    assert row.after == "1.4 GB"
    assert row.suffix == "topic/other"
    assert lane_row((), LANE.model_copy(update={"size_bytes": 900_000_000})).after == ""
    assert lane_row((), LANE).suffix == ""


def test_lanes_follow_the_one_that_they_stack_on():
    child = make_lane(3, "child").model_copy(update={"parent_id": LANE.id})
    grandchild = make_lane(4, "grandchild").model_copy(update={"parent_id": child.id})
    latest = make_chat(53, "Latest", grandchild, last_activity_at=NOW)
    chats = (latest, make_chat(54, "D", OTHER, last_activity_at=ago(minutes=1)))
    rows = sidebar_rows(Lists(chats, (OTHER, grandchild, LANE, child)))
    lanes = next(row for row in rows if row.title == "Lanes").children
    assert [(row.title, row.depth) for row in lanes] == [("fix-login", 0), ("child", 1), ("Latest", 2), ("D", 0)]


@pytest.mark.parametrize(("order", "wanted"), [("latest", "BCA"), ("name", "ABC"), ("need", "CAB")])
def test_lanes_stand_in_the_order_that_was_chosen(order, wanted):
    lanes = {name: make_lane(10 + n, name) for n, name in enumerate("abc")}
    chats = (
        make_chat(60, "A", lanes["a"], last_activity_at=ago(hours=3)),
        make_chat(61, "B", lanes["b"], last_activity_at=ago(hours=1)),
        make_chat(62, "C", lanes["c"], last_activity_at=ago(hours=2), failed="auth"),
    )
    statuses = {lanes["a"].id: status(lanes["a"], behind=1)}
    rows = sidebar_rows(Lists(chats, tuple(lanes.values()), order=order, statuses=statuses))
    assert "".join(row.title for row in next(row for row in rows if row.title == "Lanes").children) == wanted


def test_archived_lanes_are_put_aside_with_their_chats():
    archived = LANE.model_copy(update={"state": "archived"})
    rows = {row.title: row for row in sidebar_rows(Lists((IN_LANE, make_chat(55, "Old", archived=True)), (archived,)))}
    assert set(rows) == {"Archived"}
    assert [row.title for row in rows["Archived"].children] == [IN_LANE.title, "Old"]


def test_the_filter_finds_lanes_by_name_tag_and_state():
    tagged = OTHER.model_copy(update={"tags": ("urgent",)})
    statuses = {LANE.id: status(behind=2), OTHER.id: status(OTHER, untracked=1)}
    for text, wanted in (("#urg", ["docs"]), ("behind", ["fix-login"]), ("dirty", ["docs"]), ("fix", ["fix-login"])):
        rows = sidebar_rows(Lists((IN_LANE,), (LANE, tagged), filter_text=text, statuses=statuses))
        lanes = next(row for row in rows if row.title == "Lanes").children
        assert [lane.name for row in lanes for lane in (LANE, OTHER) if lane.id == row.lane_id] == wanted


def test_a_predicted_conflict_names_the_other_lane_and_further_ones_by_number():
    clash = Overlap(lane_id=OTHER.id, files=("app.py",), prediction="conflict")
    third = make_lane(3, "third")
    told = status(overlaps=(clash, Overlap(lane_id=third.id, files=("b",), prediction="clean")))
    row = lane_row((IN_LANE,), of=told, lanes=(OTHER, third))
    assert row.clash == "docs"
    assert "Would conflict with lane docs" in row.sentence
    both = told.model_copy(update={"overlaps": (clash, clash.model_copy(update={"lane_id": third.id}))})
    assert lane_row((IN_LANE,), of=both, lanes=(OTHER, third)).clash == "docs +1"
    unknown = told.model_copy(update={"overlaps": (clash.model_copy(update={"prediction": "unknown"}),)})
    assert lane_row((IN_LANE,), of=unknown, lanes=(OTHER,)).clash == ""


def test_the_sentence_of_a_lane_tells_all_that_is_painted():
    told = status(ahead=2, behind=1, only_here=2, changed_files=3, added=10, removed=2, by_setup=1)
    tagged = LANE.model_copy(update={"tags": ("a", "b")})
    row = lane_row((IN_LANE,), tagged, told)
    for words in ("Branch lane/fix-login", "3 files changed, +10", "2 commits ahead of main", "1 commit behind main",
                  "Not pushed", "2 commits only here", "1 file made by setup, not committed", "#a, #b"):  # fmt: skip
        assert words in row.sentence


def test_hidden_characters_of_a_lane_become_visible():
    odd = LANE.model_copy(update={"name": "safe\u202egpj"})
    assert lane_row((), odd).title == "safe⟦U+202E⟧gpj"


@pytest.mark.parametrize(("first", "second"), [*combinations([*LANE_SHAPES, *SHAPES.values()], 2)])
def test_the_shapes_of_two_states_differ_without_colour(qapp, first, second):
    if (first.icon, first.dot) == (second.icon, second.dot):
        assert first.word == second.word or {first.word, second.word} <= {"running", "setting up"}
        return

    def grey(shape):
        image = state_pixmap(SidebarRow("k", "lane", "t", state=ChatState.IDLE, icon=LANE_ICON, shape=shape)).toImage()
        return image.convertToFormat(QImage.Format.Format_Alpha8)

    a, b = grey(first), grey(second)
    assert sum(a.pixelColor(x, y).alpha() != b.pixelColor(x, y).alpha() for x in range(16) for y in range(16)) >= 8


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_the_badge_of_a_conflict_is_read_at_every_width_and_zoom(qapp, monkeypatch, zoom):
    monkeypatch.setattr(theme(), "zoom", zoom)
    named = OTHER.model_copy(update={"name": "the-lane-of-the-login"})
    clash = Overlap(lane_id=named.id, files=("app.py",), prediction="conflict")
    row = lane_row((IN_LANE,), of=status(overlaps=(clash,)), lanes=(named,))
    metrics = QFontMetrics(theme().font(CAPTION))
    for width in range(120, 700, 10):
        rect = QRect(0, 0, width, theme().px(46))
        said = clash_text(rect, row)
        assert said == "⚠ 1" or said.startswith("⚠ the-la"), (width, said)
        assert metrics.horizontalAdvance(said) < clash_rect(rect, row).width() < width * 0.6
    assert "the-lane-of-the-login" in row.sentence


@pytest.fixture
def window(qtbot, tmp_path):
    recorder = Recorder()
    window = make_window(tmp_path, recorder)
    window.recorder = recorder
    qtbot.addWidget(window)
    window.apply_updates(started(IN_LANE, lanes=(LANE, OTHER)))
    window.show()
    return window


def clashing(lane=LANE):
    overlap = Overlap(lane_id=OTHER.id, files=("app.py", "b\u202e.py"), prediction="conflict")
    told = status(lane, changed_files=2, overlaps=(overlap,), predicted_at=NOW)
    return LaneStatusChanged(statuses=(told,))


def test_a_click_on_the_badge_shows_which_files_and_leads_to_the_other_lane(window, qtbot):
    window.apply_updates([clashing()])
    tree = window.sidebar.tree
    index = window.sidebar.model.find(f"lane:{LANE.id}")
    at = clash_rect(tree.visualRect(index), tree.row_at(index)).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    dialog = find(window, "lane_overlaps_dialog")
    assert find(dialog, "lane_overlap").text() == "lane docs: would conflict"
    assert find(dialog, "lane_overlap_files").text() == "app.py\nb⟦U+202E⟧.py"
    qtbot.mouseClick(find(dialog, "lane_overlap_show"), Qt.MouseButton.LeftButton)
    assert window.sidebar.tree.row_at(window.sidebar.tree.currentIndex()).lane_id == OTHER.id


def test_f2_and_delete_on_a_lane_do_what_its_menu_offers(window, qtbot):
    tree = window.sidebar.tree
    tree.setCurrentIndex(window.sidebar.model.find(f"lane:{OTHER.id}"))
    qtbot.keyClick(tree, Qt.Key.Key_Delete)
    dialog = next(one for one in window.findChildren(QDialog) if one.isVisible())
    assert "docs" in dialog.windowTitle()
    dialog.reject()


def test_the_list_of_overlaps_follows_what_becomes_known(window, qtbot):
    window.apply_updates([clashing()])
    window.lane_host.act("overlaps", LANE.id)
    dialog = find(window, "lane_overlaps_dialog")
    window.apply_updates([LaneStatusChanged(statuses=(status(predicted_at=NOW),))])
    said = find(dialog, "lane_overlaps_state")
    assert said.text().startswith("No other lane changes the same files.")
    against = {"base": "conflict", "base_files": ("a.py", "b.py"), "predicted_at": NOW}
    window.apply_updates([LaneStatusChanged(statuses=(status(**against),))])
    assert said.text().startswith(
        "It would conflict with its base in 2 files. No other lane changes the same files. Uncommitted work counts."
    )
    window.apply_updates([LaneStatusChanged(statuses=(clashing().statuses[0].model_copy(update=against),))])
    assert "in 2 files. 1 lane shares files with this one." in said.text()


def test_filter_and_order_are_there_again_in_the_next_window(window, qtbot, tmp_path):
    find(window.sidebar, "sidebar_filter").setText("fix")
    menu = find(window.sidebar, "sidebar_orders")
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "By name").trigger()
    window.close()
    again = make_window(tmp_path, Recorder())
    qtbot.addWidget(again)
    assert again.sidebar.model.lists.order == "name"
    assert again.sidebar.model.lists.filter_text == "fix"
    assert not find(again.sidebar, "sidebar_filter").isHidden()


def test_the_lane_of_the_chat_on_screen_is_read_at_once(window, qtbot):
    sink = window.recorder
    window.open_chat(IN_LANE.session_id)
    window.apply_updates([LanesChanged(lanes=(LANE, OTHER))])
    asked = [command.lane_ids for command in sink.sent if command.type == "refresh_lanes" and command.lane_ids]
    assert asked == [(LANE.id,)]


def test_second_lines_of_lanes_are_parts_joined_by_points():
    model = SessionTreeModel(lambda: NOW + timedelta(minutes=1))
    model.show_lists(Lists((RUNNING, IN_LANE), (LANE,), statuses={LANE.id: status(changed_files=3)}))
    assert model.find(f"lane:{LANE.id}").data(DETAIL_ROLE) == "running · 3 files · 2 chats"
