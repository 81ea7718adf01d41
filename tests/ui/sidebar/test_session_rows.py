"""The sidebar's rows and their model: sections, order, second lines, and changes without a reset."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from desktop.domain.core.work import Activity
from desktop.ui.core.chat_state import ChatState
from desktop.ui.core.sidebar_row import Lists
from desktop.ui.sidebar.rows import sidebar_rows
from desktop.ui.sidebar.tree_model import DETAIL_ROLE, KEY_ROLE, ROW_ROLE, SessionTreeModel
from tests.ui.shell_samples import IDLE, IN_LANE, LANE, NOW, WAITING, ago, make_chat, make_lane, waits


def section(rows, title):
    return next((row for row in rows if row.title == title), None)


def test_needs_you_lists_the_longest_wait_first_and_is_absent_when_empty():
    young = make_chat(10, "Young", waiting=(waits(minutes=2),))
    old = make_chat(11, "Old", waiting=(waits("question", "which dialect?", 9),))
    cut = make_chat(12, "Cut", interrupted=True, last_activity_at=ago(hours=3))
    rows = section(sidebar_rows(Lists((young, old, cut))), "Needs you").children
    assert [row.title for row in rows] == ["Cut", "Old", "Young"]
    assert [row.before for row in rows] == ["Interrupted", "Question: which dialect?", "Approve: run SQL"]
    assert section(sidebar_rows(Lists((IDLE,))), "Needs you") is None


def places(rows, chat):
    """How often a chat stands in the lists."""
    below = [
        row for part in rows for row in (*part.children, *(child for one in part.children for child in one.children))
    ]
    return sum(row.session_id == chat.session_id and (row.kind == "chat" or row.single) for row in below)


def test_a_chat_that_waits_stands_once():
    running = make_chat(13, "Runs", LANE, activity=Activity.RUNNING)
    rows = sidebar_rows(Lists((WAITING,), (LANE,)))
    assert places(rows, WAITING) == 1
    assert section(rows, "Lanes") is None
    rows = sidebar_rows(Lists((WAITING, running), (LANE,)))
    assert places(rows, WAITING) == places(rows, running) == 1
    assert places(sidebar_rows(Lists((make_chat(14, "W", waiting=(waits(),)),))), make_chat(14, "W")) == 1


def test_a_lane_with_more_chats_shows_the_worst_state_and_says_where_that_one_stands():
    running = make_chat(13, "Runs", LANE, activity=Activity.RUNNING)
    lane = section(sidebar_rows(Lists((WAITING, running), (LANE,))), "Lanes").children[0]
    assert lane.state is ChatState.APPROVAL
    assert (lane.before, lane.badge) == ("1 of 2 above", 0)
    assert [child.session_id for child in lane.children] == [running.session_id]


def test_a_lane_with_one_chat_is_one_row_by_its_title():
    (row,) = section(sidebar_rows(Lists((IN_LANE,), (LANE,))), "Lanes").children
    assert (row.key, row.title, row.children, row.single) == (f"lane:{LANE.id}", IN_LANE.title, (), True)
    named = LANE.model_copy(update={"name": "Payments"})
    (row,) = section(sidebar_rows(Lists((IN_LANE,), (named,))), "Lanes").children
    assert (row.title, row.suffix) == (IN_LANE.title, "Payments")
    two = (IN_LANE, make_chat(13, "Runs", LANE))
    (row,) = section(sidebar_rows(Lists(two, (LANE,))), "Lanes").children
    assert (row.title, len(row.children), row.single) == ("fix-login", 2, False)


def test_a_row_is_found_by_what_it_stands_for():
    model = SessionTreeModel(lambda: NOW)
    model.show_lists(Lists((IN_LANE,), (LANE,)))
    assert model.find(f"session:{IN_LANE.session_id}").data(KEY_ROLE) == f"lane:{LANE.id}"
    model.show_lists(Lists((WAITING,), (LANE,)))
    assert model.find(f"lane:{LANE.id}").data(KEY_ROLE) == f"session:{WAITING.session_id}"


def test_titles_that_begin_alike_are_told_apart_and_others_keep_one_line():
    begin = "Make make_str handle "
    chats = [make_chat(70 + n, begin + end) for n, end in enumerate(("bytearray", "memoryview", "numbers", "None"))]
    rows = section(sidebar_rows(Lists((*chats, IDLE))), "Recent chats").children
    assert [row.crowded for row in rows if row.session_id != IDLE.session_id] == [True] * 4
    assert not any(row.crowded for row in rows if row.session_id == IDLE.session_id)


def test_chats_of_one_title_in_several_lanes_name_their_lane():
    title = "Write down how often a request is tried again"
    lanes = [make_lane(80 + n, name) for n, name in enumerate(("retry opus", "retry sonnet", "retry haiku"))]
    chats = [make_chat(80 + n, title, lane) for n, lane in enumerate(lanes)]
    chats[2] = chats[2].model_copy(update={"waiting": (waits(),)})
    rows = sidebar_rows(Lists(tuple(chats), tuple(lanes)))
    told = {row.before for part in ("Needs you", "Lanes") for row in section(rows, part).children}
    assert told == {"retry haiku · Approve: run SQL", "retry opus · idle", "retry sonnet · idle"}
    short = tuple(chat.model_copy(update={"title": "Retry"}) for chat in chats)
    rows = sidebar_rows(Lists(short, tuple(lanes)))
    assert section(rows, "Needs you").children[0].before == "retry haiku · Approve: run SQL"
    assert {(row.before, row.suffix) for row in section(rows, "Lanes").children} == {
        ("idle", "retry opus"),
        ("idle", "retry sonnet"),
    }


def test_a_lane_without_a_chat_names_the_chat_that_made_it():
    made = LANE.model_copy(update={"created_by": WAITING.session_id})
    elsewhere = make_chat(13, "Elsewhere")
    maker = WAITING.model_copy(update={"lane_id": "", "title": "Fix login loop"})
    (row,) = section(sidebar_rows(Lists((elsewhere, maker), (made,))), "Lanes").children
    assert row.before.startswith("made by Fix login loop")
    (row,) = section(sidebar_rows(Lists((elsewhere,), (made,))), "Lanes").children
    assert row.before.startswith("no chat")


def test_a_muted_chat_keeps_its_row_and_badge_with_a_crossed_bell():
    muted = make_chat(15, "Muted", waiting=(waits(),), muted=True)
    (row,) = section(sidebar_rows(Lists((muted,))), "Needs you").children
    assert (row.mark, row.badge, row.sentence) == ("bell-off", 1, "Notifications are muted")


@pytest.mark.promise("sessions-SL1")
def test_a_waiting_chat_is_never_running():
    for activity in Activity:
        chat = make_chat(14, "Waits", activity=activity, waiting=(waits(),))
        rows = sidebar_rows(Lists((chat,)))
        assert {row.state for part in rows for row in part.children} == {ChatState.APPROVAL}


def test_recent_chats_are_those_without_a_lane_twenty_at_first():
    chats = [make_chat(n, f"Chat {n}", last_activity_at=ago(hours=n)) for n in range(1, 31)]
    rows = section(sidebar_rows(Lists((*chats, IN_LANE), (LANE,))), "Recent chats").children
    assert [row.title for row in rows] == [f"Chat {n}" for n in range(1, 21)] + ["Show more"]


def test_a_chat_that_finished_unseen_says_so():
    seen = {IDLE.session_id: IDLE.last_activity_at - timedelta(minutes=1)}
    row = section(sidebar_rows(Lists((IDLE,), seen=seen)), "Recent chats").children[0]
    assert row.state is ChatState.UNSEEN
    assert row.bold


def test_the_filter_looks_at_title_lane_branch_and_state():
    lists = (IDLE, IN_LANE, WAITING)
    for text, wanted in (("retry", {IDLE}), ("FIX-LOGIN", {IN_LANE, WAITING}), ("waiting", {WAITING}), ("zz", set())):
        rows = sidebar_rows(Lists(lists, (LANE,), filter_text=text))
        shown = {row.session_id for part in rows for row in part.children if row.kind == "chat" or row.single}
        shown |= {child.session_id for part in rows for row in part.children for child in row.children}
        assert shown == {chat.session_id for chat in wanted}


def test_archived_chats_stand_in_a_section_of_their_own():
    archived = make_chat(15, "Old", archived=True)
    rows = sidebar_rows(Lists((archived,)))
    assert [row.title for row in rows] == ["Archived"]


def test_hidden_characters_of_a_title_become_visible():
    chat = make_chat(16, "safe\u202egpj.exe")
    assert section(sidebar_rows(Lists((chat,))), "Recent chats").children[0].title == "safe⟦U+202E⟧gpj.exe"


def keys(model, parent=None):
    index = parent if parent is not None else model.index(-1, -1)
    rows = [model.index(at, 0, index) for at in range(model.rowCount(index))]
    return [(row.data(KEY_ROLE), keys(model, row)) for row in rows]


def row_keys(rows):
    return [(row.key, row_keys(row.children)) for row in rows]


POOL = (
    IDLE, IN_LANE, WAITING, make_chat(20, "A", interrupted=True), make_chat(21, "B", failed="tests exit 1"),
    make_chat(22, "C", make_lane(2, "docs"), activity=Activity.STREAMING), make_chat(23, "D", archived=True),
)  # fmt: skip


@given(
    st.lists(st.permutations(POOL).flatmap(lambda p: st.integers(0, len(p)).map(lambda n: tuple(p[:n]))), max_size=6)
)
def test_the_model_shows_exactly_the_rows_after_any_changes(steps):
    model = SessionTreeModel(lambda: NOW)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    for chats in steps:
        lists = Lists(chats, (LANE, make_lane(2, "docs")))
        model.show_lists(lists)
        assert keys(model) == row_keys(sidebar_rows(lists))
    assert resets == []
    assert tester.model() is model


def test_while_held_rows_change_their_words_but_do_not_move():
    model = SessionTreeModel(lambda: NOW)
    model.show_lists(Lists((IDLE, IN_LANE), (LANE,)))
    before = keys(model)
    model.hold(True)
    model.show_lists(Lists((make_chat(1, "Renamed", waiting=(waits(),)), IN_LANE), (LANE,)))
    assert keys(model) == before
    assert model.find(f"session:{IDLE.session_id}").data() == "Renamed"
    model.hold(False)
    assert keys(model)[0][0] == "section:needs"


def test_second_lines_count_on_with_the_clock_and_never_go_below_zero():
    now = [NOW]
    model = SessionTreeModel(lambda: now[0])
    model.show_lists(Lists((WAITING,), (LANE,)))
    index = model.find(f"session:{WAITING.session_id}")
    assert index.data(DETAIL_ROLE) == "Approve: run SQL · 2 min"
    now[0] = NOW + timedelta(minutes=1)
    model.refresh_ages()
    assert index.data(DETAIL_ROLE) == "Approve: run SQL · 3 min"
    now[0] = NOW - timedelta(days=1)
    model.refresh_ages()
    assert index.data(DETAIL_ROLE) == "Approve: run SQL · just now"


def test_a_row_tells_its_state_in_a_sentence():
    model = SessionTreeModel(lambda: NOW)
    many = make_chat(30, "Many", waiting=tuple(waits(n=n) for n in range(1, 101)))
    model.show_lists(Lists((WAITING, many), (LANE,)))
    text = Qt.ItemDataRole.AccessibleTextRole
    assert model.find(f"session:{WAITING.session_id}").data(text) == "Bump sqlglot, waiting for you: Run SQL, 2 min"
    assert "99 more" in model.find(f"session:{many.session_id}").data(text)
    assert model.find(f"session:{many.session_id}").data(ROW_ROLE).badge == 100


def test_a_list_under_the_pointer_gets_its_first_rows_at_once(qapp):
    model = SessionTreeModel(lambda: NOW)
    model.hold(True)
    model.show_lists(Lists((IDLE,)))
    assert model.rowCount() == 1
