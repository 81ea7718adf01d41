"""Updating, merging, trying and resolving lanes as a person does: what the dialogs say, ask and send."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QListWidget, QPlainTextEdit, QWidget

from desktop.domain.changes.commands import PlanPushes, PushLane
from desktop.domain.changes.updates import LanePushed, PlannedPush, PushesPlanned
from desktop.domain.core.work import ChangedFile
from desktop.domain.lanes.commands import (
    ContinueOperation,
    LoadBehind,
    LoadConflicts,
    MergeLane,
    PlanMerge,
    RebaseLanes,
    ReparentLane,
    ResolveConflict,
    TryInCheckout,
    UndoStackRun,
)
from desktop.domain.lanes.lane import LaneStatus
from desktop.domain.lanes.updates import (
    BehindLoaded,
    ConflictFile,
    ConflictsLoaded,
    HandoverChanged,
    LaneMerged,
    LaneOperationChanged,
    LanesChanged,
    LaneStatusChanged,
    MergePlanned,
    StackLane,
    StackRunChanged,
)
from desktop.domain.updates import CommandFailed
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.menu import offered
from desktop.ui.lanes.stacks.conflict_sides import changed_lines
from desktop.ui.lanes.stacks.menu import (
    choose_parent,
    merge_into_base,
    show_conflicts,
    show_going_on,
    tell_of_checkout,
    try_in_checkout,
    update_from_base,
)
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.pick_list import PickList
from desktop.ui.window.mail import Standing
from tests.ui.shell_samples import LANE, NOW, Recorder, make_lane

CHILD = make_lane(7, "on-top").model_copy(update={"parent_id": LANE.id})
OTHER = make_lane(8, "other")
FILES = (ChangedFile(path="app.py", status="modified", added=2, removed=1), ChangedFile(path="<b>.py", status="added"))
CONFLICTS = ConflictsLoaded(
    lane_id=LANE.id, operation="rebase", ours_name="main 3fa9c1d", theirs_name="ab12cd3 Fix the <b>login</b>",
    files=(
        ConflictFile(path="app.py", base="a\nb\nc\n", ours="a\nMAIN\nc\n", theirs="a\nLANE\nc\n"),
        ConflictFile(path="gone.py", base="x\n", ours="y\n", note="Deleted on one side, changed on the other."),
    ),
)  # fmt: skip


class Hands:
    """A person's, over the dialogs of one window."""

    def __init__(self, qtbot, *lanes):
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.sink, self.chats = Recorder(), []
        self.book = LaneBook()
        self.book.hearing.take([LanesChanged(lanes=lanes)])
        self.host = WindowLanes(
            self.book, ChatCommands(Requests(self.sink), self.window), lambda _chat: "", self.window
        )
        self.host.chat_wanted.connect(lambda lane_id, text: self.chats.append((lane_id, text)))
        self.window.show()

    def apply(self, *updates):
        self.book.hearing.take(updates)
        self.host.requests.deliver(updates, self.host.hearing)

    def see(self, name, kind=QWidget):
        found = [one for one in self.window.findChildren(kind, name) if one.isVisible()]
        assert found, f"{name} is not shown"
        return found[-1]

    def shown(self, name):
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def click(self, name):
        button = self.see(name, QAbstractButton)
        assert button.isEnabled(), f"{name} is off"
        button.click()

    def enabled(self, name):
        return self.see(name).isEnabled()

    def text(self, name):
        widget = self.see(name)
        return widget.toPlainText() if isinstance(widget, QPlainTextEdit) else widget.text()

    def rows(self, name):
        model = self.see(name, PickList).model()
        role = Qt.ItemDataRole.AccessibleTextRole
        return [model.index(row, 0).data(role) for row in range(model.rowCount())]

    def last(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)][-1]


@pytest.fixture
def hands(qtbot):
    return Hands(qtbot, LANE, CHILD, OTHER)


def planned(hands, **fields):
    command = hands.last(PlanMerge)
    plan = {
        "command_id": command.command_id, "lane_id": LANE.id, "method": command.method, "base": "main", "digest": "d1",
        "commits": ("ab12cd3 Fix <b>it</b>", "bc23de4 More"), "files": FILES, "tree": "1234567890", **fields,
    }  # fmt: skip
    hands.apply(MergePlanned.model_validate(plan))


def test_a_merge_shows_its_plan_and_is_sent_with_what_was_seen(hands, qtbot):
    merge_into_base(hands.host, LANE.id)
    assert hands.last(PlanMerge).method == "merge"
    assert not hands.enabled("lane_merge_go")
    planned(hands)
    assert hands.text("lane_merge_commits") == "ab12cd3 Fix <b>it</b>\nbc23de4 More"
    assert "app.py is changed  +2 −1" in hands.text("lane_merge_files")
    assert not hands.shown("lane_merge_checkout")
    hands.click("lane_merge_method_squash")
    assert hands.last(PlanMerge).method == "squash"
    assert not hands.enabled("lane_merge_go")
    planned(hands, digest="d2")
    hands.click("lane_merge_go")
    sent = hands.last(MergeLane)
    assert (sent.digest, sent.method, sent.update_checkout) == ("d2", "squash", False)
    hands.apply(CommandFailed(command_id=sent.command_id, code="changed", text="Something changed."))
    assert hands.text("lane_merge_state") == "Something changed."
    assert hands.sink.sent[-1].type == "plan_merge"
    assert not hands.enabled("lane_merge_go")
    planned(hands, digest="d3")
    qtbot.waitUntil(lambda: hands.enabled("lane_merge_go"))
    hands.click("lane_merge_go")
    command_id = hands.last(MergeLane).command_id
    hands.apply(LaneMerged(command_id=command_id, lane_id=LANE.id, base="main", oid="9" * 40))
    assert hands.text("lane_merge_state") == "Merged. main stands at 9999999."
    hands.click("lane_merge_children")
    assert hands.last(ReparentLane).lane_id == CHILD.id
    assert not hands.enabled("lane_merge_children")
    hands.click("lane_merge_push")
    sent = hands.last(PlanPushes)
    assert (sent.lane_ids, sent.branch) == ((LANE.id,), "main")
    ahead = PlannedPush(
        lane_id=LANE.id, branch="main", remote="origin", known=True, commits=1, replaced=2, needed=True, digest="d"
    )
    hands.apply(PushesPlanned(command_id=sent.command_id, pushes=(ahead,)))
    assert "origin has 2 commits that yours lacks." in listed_pushes(hands)[0]
    assert not hands.enabled("push_lanes_go")
    hands.click("push_lanes_cancel")
    assert hands.shown("lane_merge_archive")


def test_a_plan_is_made_anew_while_it_is_on_screen_and_a_changed_one_is_not_agreed_to_at_once(hands, qtbot):
    merge_into_base(hands.host, LANE.id)
    planned(hands)
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=OTHER.id, read_at=NOW),)))
    plans = [command for command in hands.sink.sent if isinstance(command, PlanMerge)]
    assert len(plans) == 1
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW),)))
    assert hands.last(PlanMerge) is not plans[0]
    assert hands.enabled("lane_merge_go")
    planned(hands)
    assert (hands.enabled("lane_merge_go"), hands.shown("lane_merge_state")) == (True, False)
    renew = hands.see("lane_merge_dialog").findChild(QTimer, "lane_merge_renew")
    assert renew.isActive()
    renew.setInterval(0)
    qtbot.waitUntil(lambda: len([c for c in hands.sink.sent if isinstance(c, PlanMerge)]) == 3)
    planned(hands, digest="d2", commits=("cd34ef5 Unseen",))
    assert hands.text("lane_merge_commits") == "cd34ef5 Unseen"
    assert hands.text("lane_merge_state") == "The lane or its base changed. This is the new plan."
    assert not hands.enabled("lane_merge_go")
    qtbot.waitUntil(lambda: hands.enabled("lane_merge_go"))
    hands.apply(CommandFailed(command_id=hands.last(PlanMerge).command_id, code="x", text="It is gone."))
    assert (hands.enabled("lane_merge_go"), hands.text("lane_merge_state")) == (False, "It is gone.")


def test_a_base_that_is_open_in_the_checkout_moves_only_with_a_tick(hands):
    merge_into_base(hands.host, LANE.id)
    planned(hands, in_checkout=True)
    assert not hands.enabled("lane_merge_go")
    hands.click("lane_merge_checkout")
    hands.click("lane_merge_go")
    assert hands.last(MergeLane).update_checkout
    merge_into_base(hands.host, LANE.id)
    planned(hands, in_checkout=True, checkout="Your checkout has changes that are not committed: a.py.")
    assert not hands.enabled("lane_merge_checkout")
    assert not hands.enabled("lane_merge_go")
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW, behind=1),)))
    planned(hands, problem="It does not fit on main.", conflicts=("app.py",), digest="", files=(), tree="")
    assert hands.text("lane_merge_conflicts") == "app.py"
    assert not hands.enabled("lane_merge_go")


def run(state, *lanes, **more):
    return StackRunChanged(run_id="run_1", state=state, lanes=lanes, **more)


def test_a_run_tells_each_lane_and_can_be_undone_or_resolved(hands):
    status = LaneStatus(lane_id=LANE.id, read_at=NOW, behind=3)
    hands.apply(LaneStatusChanged(statuses=(status,)))
    update_from_base(hands.host, LANE.id)
    assert hands.text("stack_run_state") == "3 commits behind main."
    came = BehindLoaded(
        command_id=hands.last(LoadBehind).command_id,
        lane_id=LANE.id,
        base="main",
        commits=("ab12cd3 <b>One</b>",),
        more=2,
    )
    hands.apply(came)
    assert hands.text("stack_run_commits") == "ab12cd3 <b>One</b>\nand 2 more"
    assert hands.text("stack_run_state") == "3 commits behind main."
    hands.click("stack_run")
    sent = hands.last(RebaseLanes)
    assert (sent.lane_id, sent.with_children, sent.keep_conflict) == (LANE.id, True, False)
    elsewhere = StackLane(lane_id=OTHER.id, state="succeeded")
    hands.apply(StackRunChanged(run_id="run_0", state="undone", lanes=(elsewhere,)))
    assert hands.text("stack_run_state") == "Rebasing…"
    first = StackLane(lane_id=LANE.id, state="succeeded", text="Now on main 3fa9c1d.")
    hands.apply(run("running", first, StackLane(lane_id=CHILD.id, state="running")))
    assert hands.rows("stack_run_lanes")[1].startswith("on-top, being rebased")
    assert not hands.enabled("stack_run")
    second = StackLane(lane_id=CHILD.id, state="conflict", conflicts=("app.py",), text="It does not fit.")
    hands.apply(run("failed", first, second, can_undo=True))
    assert hands.rows("stack_run_lanes")[1] == "on-top, conflict, app.py. It does not fit."
    hands.click("stack_undo")
    assert hands.last(UndoStackRun).run_id == "run_1"
    hands.apply(run("undone", first, second, undo="The lane 'on-top' was pushed since."))
    assert "was pushed since" in hands.text("stack_run_state")
    assert not hands.shown("stack_undo")
    hands.apply(run("completed", first, can_undo=True))
    assert not hands.shown("stack_run"), "there is nothing left to update"
    hands.apply(run("failed", first, second, can_undo=True))
    assert hands.shown("stack_run")
    hands.click("stack_resolve")
    assert (hands.last(RebaseLanes).lane_id, hands.last(RebaseLanes).keep_conflict) == (CHILD.id, True)
    assert hands.shown("conflicts_dialog")


def loaded(hands, *commits, base="main"):
    return BehindLoaded(command_id=hands.last(LoadBehind).command_id, lane_id=LANE.id, base=base, commits=commits)


def test_how_far_a_lane_is_behind_is_what_the_list_says(hands):
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW, behind=1),)))
    update_from_base(hands.host, LANE.id)
    assert hands.text("stack_run_state") == "1 commit behind main."
    hands.apply(loaded(hands, "ab12cd3 Two", "cd12cd3 One", base="origin/main"))
    assert hands.text("stack_run_state") == "2 commits behind origin/main."


def test_commits_since_the_last_look_are_found_by_the_dialog(hands):
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW, behind=0),)))
    hands.apply(run("completed", StackLane(lane_id=LANE.id, state="succeeded"), can_undo=True))
    update_from_base(hands.host, LANE.id)
    assert hands.text("stack_run_state") == "It is up to date with main. The last run can still be undone."
    hands.apply(loaded(hands, "ab12cd3 Two"))
    assert hands.text("stack_run_state") == "1 commit behind main. The last run can still be undone."
    hands.click("stack_run")
    hands.apply(loaded(hands))
    assert hands.text("stack_run_state") == "Rebasing…"


def test_once_a_conflict_is_resolved_the_run_is_shown_going_on_and_can_be_undone(hands):
    first = StackLane(lane_id=OTHER.id, state="succeeded")
    conflict = StackLane(lane_id=LANE.id, state="conflict", conflicts=("app.py",))
    waiting = StackLane(lane_id=CHILD.id, state="pending", text="Goes on by itself once the conflict is resolved.")
    hands.apply(run("failed", first, conflict, waiting, can_undo=True))
    show_conflicts(hands.host, LANE.id)
    both = tuple(file.model_copy(update={"resolved": True}) for file in CONFLICTS.files)
    hands.apply(CONFLICTS.model_copy(update={"files": both}))
    hands.click("conflict_continue")
    ended = LaneOperationChanged(lane_id=LANE.id, operation="", text="The rebase is finished.", run_id="run_1")
    hands.apply(ended)
    show_going_on(hands.host, ended)
    assert not hands.shown("conflicts_dialog")
    assert hands.text("stack_run_state") == "Rebasing…"
    assert not hands.enabled("stack_run")
    done = conflict.model_copy(update={"state": "succeeded", "conflicts": ()})
    hands.apply(run("running", first, done, StackLane(lane_id=CHILD.id, state="running")))
    assert [row.split(",")[:2] for row in hands.rows("stack_run_lanes")] == [
        ["other", " rebased"], [LANE.name, " rebased"], ["on-top", " being rebased"],
    ]  # fmt: skip
    assert not hands.shown("stack_undo")
    hands.apply(run("completed", first, done, StackLane(lane_id=CHILD.id, state="succeeded"), can_undo=True))
    assert hands.text("stack_run_state") == "Every lane stands on its newest base."
    assert not hands.shown("stack_run")
    hands.click("stack_undo")
    assert hands.last(UndoStackRun).run_id == "run_1"


def listed_pushes(hands):
    pushes = hands.see("push_lanes_list", QListWidget)
    return [pushes.item(at).text() for at in range(pushes.count())]


def test_after_a_run_the_pushes_are_reviewed_and_each_is_sent_as_it_was_shown(hands):
    update_from_base(hands.host, LANE.id)
    hands.see("stack_run_push", QAbstractButton).setChecked(True)
    hands.click("stack_run")
    first = StackLane(lane_id=LANE.id, state="succeeded")
    hands.apply(run("running", first))
    assert not hands.shown("push_lanes_dialog")
    hands.apply(run("failed", first, StackLane(lane_id=CHILD.id, state="conflict"), can_undo=True))
    sent = hands.last(PlanPushes)
    assert sent.lane_ids == (LANE.id,)
    to = {"remote": "origin", "address": "https://example.org/<shop>", "needed": True}
    pushes = (
        PlannedPush(lane_id=LANE.id, branch="lane/a", known=True, commits=3, replaced=2, digest="d1", **to),
        PlannedPush(lane_id=OTHER.id, branch="lane/b", commits=1, digest="d2", **to),
        PlannedPush(lane_id=CHILD.id, branch="", problem="It has no <branch>."),
    )
    hands.apply(PushesPlanned(command_id=sent.command_id, pushes=pushes))
    assert listed_pushes(hands) == [
        "lane/a → origin\n3 commits, replaces 2 commits there",
        "lane/b → origin\n1 commit, new on the remote",
        "A lane\nIt has no <branch>.",
    ]
    assert hands.text("push_lanes_state") == "origin is https://example.org/<shop>"
    assert hands.text("push_lanes_go") == "Push 1 branch, replace 2 commits"
    listed = hands.see("push_lanes_list", QListWidget)
    listed.item(1).setCheckState(Qt.CheckState.Checked)
    hands.click("push_lanes_go")
    one, two = (command for command in hands.sink.sent if isinstance(command, PushLane))
    assert [(c.lane_id, c.force, c.digest) for c in (one, two)] == [(LANE.id, True, "d1"), (OTHER.id, False, "d2")]
    hands.apply(
        CommandFailed(command_id=one.command_id, code="not_pushed", text="origin refused."),
        LanePushed(command_id=two.command_id, lane_id=OTHER.id, remote="origin", branch="lane/b", text="It is there."),
    )
    assert [text.split("\n")[1] for text in listed_pushes(hands)[:2]] == ["origin refused.", "It is there."]
    assert not hands.enabled("push_lanes_go")
    listed.item(0).setCheckState(Qt.CheckState.Checked)
    hands.click("push_lanes_go")
    assert hands.last(PushLane).lane_id == LANE.id
    assert hands.last(PushLane).command_id != one.command_id
    hands.apply(CommandFailed(command_id=hands.last(PushLane).command_id, code="changed", text="It changed."))
    again = hands.last(PlanPushes)
    assert again.lane_ids == (LANE.id,)
    newer = pushes[0].model_copy(update={"commits": 4, "digest": "d3"})
    hands.apply(PushesPlanned(command_id=again.command_id, pushes=(newer,)))
    assert "It changed meanwhile: 4 commits, replaces 2 commits there" in listed_pushes(hands)[0]
    assert listed_pushes(hands)[1].endswith("It is there.")
    listed.item(0).setCheckState(Qt.CheckState.Checked)
    hands.click("push_lanes_go")
    assert hands.last(PushLane).digest == "d3"
    hands.click("push_lanes_cancel")
    assert hands.shown("stack_undo")


def test_what_came_of_the_checkout_is_said_once(hands):
    said = []
    hands.host.noted.connect(lambda text, _error: said.append(text))
    updates = (HandoverChanged(lane_id="", text="Your checkout is on main again."), HandoverChanged(lane_id=LANE.id))
    for update in updates:
        tell_of_checkout(hands.host, update)
    assert said == ["Your checkout is on main again."]
    standing = Standing()
    standing.note(updates[:1])
    assert standing.updates() == [HandoverChanged(lane_id="")]


def test_the_last_run_can_be_undone_later(hands):
    hands.apply(run("completed", StackLane(lane_id=LANE.id, state="succeeded"), can_undo=True))
    update_from_base(hands.host, LANE.id)
    assert "The last run can still be undone." in hands.text("stack_run_state")
    assert hands.shown("stack_run")
    hands.click("stack_undo")
    assert hands.last(UndoStackRun).run_id == "run_1"
    hands.apply(CommandFailed(command_id=hands.last(UndoStackRun).command_id, code="x", text="It was <pushed>."))
    assert hands.text("stack_run_state") == "It was <pushed>."


def test_conflicts_show_both_sides_and_are_resolved_continued_and_taken_back(hands):
    show_conflicts(hands.host, LANE.id)
    assert hands.last(LoadConflicts).lane_id == LANE.id
    assert not any(hands.enabled(f"conflict_{name}") for name in ("continue", "abort", "as_is", "ask_agent"))
    hands.apply(CONFLICTS)
    assert hands.text("conflict_title") == f"Rebase of lane “{LANE.name}” onto main 3fa9c1d"
    assert hands.text("conflict_state") == "2 files in conflict · ab12cd3 Fix the <b>login</b>"
    assert hands.see("conflict_state", QLabel).textFormat() is Qt.TextFormat.PlainText
    assert hands.rows("conflict_matrix")[0] == "app.py, in conflict"
    assert (hands.text("conflict_ours"), hands.text("conflict_theirs")) == ("a\nMAIN\nc\n", "a\nLANE\nc\n")
    for look in ("dark", "light"):  # another theme marks what differs in its own colours
        theme().choose(look)
        (mark,) = hands.see("conflict_ours", QPlainTextEdit).extraSelections()
        assert mark.format.background().color() == theme().color("diff_add")
    assert not hands.shown("conflict_base")
    hands.click("conflict_show_base")
    assert hands.text("conflict_base") == "a\nb\nc\n"
    assert not hands.enabled("conflict_continue")
    hands.click("conflict_take_theirs")
    sent = hands.last(ResolveConflict)
    assert (sent.path, sent.take) == ("app.py", "theirs")
    done = CONFLICTS.files[0].model_copy(update={"resolved": True})
    hands.apply(CONFLICTS.model_copy(update={"files": (done, CONFLICTS.files[1])}))
    assert hands.text("conflict_theirs") == "This side has no such file."
    hands.click("conflict_as_is")
    sent = hands.last(ResolveConflict)
    hands.apply(CommandFailed(command_id=sent.command_id, code="x", text="gone.py still has conflict marks."))
    assert hands.text("conflict_state") == "gone.py still has conflict marks."
    hands.click("conflict_ask_agent")
    lane_id, text = hands.chats[-1]
    assert lane_id == LANE.id
    assert "- gone.py (Deleted on one side, changed on the other.)" in text
    assert "main 3fa9c1d" in text
    assert "app.py" not in text
    assert not hands.shown("conflicts_dialog")
    show_conflicts(hands.host, LANE.id)
    both = tuple(file.model_copy(update={"resolved": True}) for file in CONFLICTS.files)
    hands.apply(CONFLICTS.model_copy(update={"files": both}))
    hands.click("conflict_continue")
    assert not hands.last(ContinueOperation).abort
    hands.apply(LaneOperationChanged(lane_id=LANE.id, operation="rebase", text="The next commit is in conflict: a.py."))
    assert hands.text("conflict_state") == "The next commit is in conflict: a.py."
    hands.click("conflict_abort")
    hands.click("conflict_abort_go")
    assert hands.last(ContinueOperation).abort
    hands.apply(LaneOperationChanged(lane_id=LANE.id, operation="", text="Taken back."))
    assert not hands.shown("conflicts_dialog")


def test_trying_a_lane_asks_first_and_another_parent_is_chosen_among_those_that_fit(hands):
    try_in_checkout(hands.host, LANE.id)
    QTest.keyClick(hands.see("lane_try_dialog"), Qt.Key.Key_Escape)
    assert hands.sink.sent == []
    try_in_checkout(hands.host, LANE.id)
    hands.click("lane_try_go")
    assert hands.last(TryInCheckout).lane_id == LANE.id
    choose_parent(hands.host, LANE.id)
    assert not hands.enabled("lane_parent_go")
    hands.click("lane_parent_choice")
    listed = hands.see("lane_parent_choice_list", PickList)
    assert [item.title for item in listed.items] == ["No lane: its base", "other"]
    listed.setCurrentIndex(listed.model().index(1, 0))
    QTest.keyClick(hands.see("lane_parent_choice_search"), Qt.Key.Key_Return)
    hands.click("lane_parent_go")
    assert hands.last(ReparentLane).parent_id == OTHER.id


def test_the_menu_offers_what_a_lane_can_do_now(hands):
    names = {entry.id: entry for entry in offered(LANE, None)}
    assert {"update", "merge", "try", "parent"} <= set(names)
    assert "conflicts" not in names
    dirty = LaneStatus(lane_id=LANE.id, read_at=NOW, unstaged=1)
    assert names["merge"].hindrance(LANE, dirty) == "It has changes that are not committed. Commit them first."
    assert names["try"].hindrance(LANE, dirty) == ""
    open_one = LaneStatus(lane_id=LANE.id, read_at=NOW, operation="rebase", conflicted=1)
    assert "conflicts" in {entry.id for entry in offered(LANE, open_one)}
    assert "A rebase is open" in names["update"].hindrance(LANE, open_one)
    primary = LANE.model_copy(update={"type": "primary"})
    assert not {"update", "merge", "try", "parent"} & {entry.id for entry in offered(primary, None)}


def test_lines_that_the_base_has_not_are_told():
    assert changed_lines("a\nb\nc", "a\nX\nc\nd") == [1, 3]
    assert changed_lines("x\n" * 5_000, "y\n") == []


REFUSED = "The lane cannot be updated: " + "a file of it is changed and not committed, " * 8 + "so nothing was done."


def overlapping(dialog):
    """What lies over something else in a dialog, or is cut by its own edge."""
    parts = [dialog.layout().itemAt(at) for at in range(dialog.layout().count())]
    shown = [
        one
        for one in dialog.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if one.isVisible()
    ]
    assert parts
    pairs = [(a, b) for n, a in enumerate(shown) for b in shown[n + 1 :] if a.geometry().intersects(b.geometry())]
    cut = [one for one in shown if isinstance(one, QLabel) and one.height() < one.heightForWidth(one.width())]
    outside = [one for one in shown if not dialog.rect().contains(one.geometry())]
    return [(a.objectName(), b.objectName()) for a, b in pairs], [one.objectName() for one in (*cut, *outside)]


def test_an_update_that_is_refused_or_has_many_lanes_lies_over_nothing(hands, qtbot):
    hands.apply(LaneStatusChanged(statuses=(LaneStatus(lane_id=LANE.id, read_at=NOW, behind=3),)))
    update_from_base(hands.host, LANE.id)
    dialog = hands.see("stack_run_dialog")
    hands.click("stack_run")
    hands.apply(CommandFailed(command_id=hands.last(RebaseLanes).command_id, code="dirty", text=REFUSED))
    assert hands.text("stack_run_state") == REFUSED
    qtbot.waitUntil(lambda: overlapping(dialog) == ([], []))
    hands.click("stack_run")
    text = "It does not fit, because the same lines were changed there in another way. " * 3
    lanes = [StackLane(lane_id=one.id, state="conflict", conflicts=("app.py",), text=text) for one in (LANE, CHILD)]
    hands.apply(run("failed", *lanes, can_undo=True, undo=REFUSED))
    qtbot.waitUntil(lambda: overlapping(dialog) == ([], []))
