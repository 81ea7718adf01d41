"""Dialogs of pull requests: opening one, merging, linking, listing; and what the window does with its actions."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.domain.lanes.updates import LaneCreated
from desktop.domain.pulls.commands import (
    CreatePullRequest,
    LinkPullRequest,
    ListPullRequests,
    MergePullRequest,
    OpenPullAsLane,
    PlanPullMerge,
    PlanPullRequest,
    SuggestPullText,
    UseOwnFork,
)
from desktop.domain.pulls.pull_request import Author, Hindrance, PullSummary
from desktop.domain.pulls.updates import (
    OwnForkUsed,
    PullMergePlanned,
    PullRequestChanged,
    PullRequestCreated,
    PullRequestMerged,
    PullRequestPlanned,
    PullRequestsListed,
    PullTextSuggested,
)
from desktop.domain.updates import CommandFailed
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.pulls.dialogs.create import CreatePullDialog
from desktop.ui.pulls.dialogs.link import LinkPullDialog
from desktop.ui.pulls.dialogs.list import PullListDialog
from desktop.ui.pulls.dialogs.merge import MergePullDialog
from tests.ui.card_scenes import NOW, Sink
from tests.ui.pr_place import LANE, pull, snapshot
from tests.ui.review_place import lane

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Shown:
    """A dialog over a window, with what it sent and asked for."""

    def __init__(self, qtbot, make):
        self.sink, self.acted = Sink(), []
        self.requests = Requests(self.sink)
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(1000, 700)
        self.window.show()
        self.dialog = make(self)
        self.dialog.open()

    def get(self, name):
        found = self.window.findChildren(QWidget, name)
        assert found, f"no {name}"
        return next((one for one in found if one.isVisible()), found[-1])

    def click(self, name):
        widget = self.get(name)
        assert widget.isVisible(), name
        widget.click()

    def last(self, kind):
        return [one for one in self.sink.sent if isinstance(one, kind)][-1]

    def tell(self, kind, to, **fields):
        self.hear(kind(command_id=self.last(to).command_id, **{"lane_id": LANE, **fields}))

    def fail(self, to, text):
        self.hear(CommandFailed(command_id=self.last(to).command_id, code="x", text=text))

    def hear(self, update):
        hears = isinstance(self.dialog, CreatePullDialog | LinkPullDialog)
        self.requests.deliver([update], self.dialog.hearing if hears else Hearing())


# opening a request


@pytest.fixture
def create(qtbot):
    shown = Shown(
        qtbot, lambda one: CreatePullDialog(lane(), one.requests, one.acted.append, one.window, done=one.acted.append)
    )
    plan(shown)
    return shown


def plan(shown, **fields):
    values = {"title": "Fix login", "body": "## Summary\n", "base": "main", "bases": ("main", "next"), "files": 3,
              "branch": "lane/fix", "remote": "origin", "repository": "robin/shop-api", "private": False, "pushes": 2,
              "labels": ("bug",)}  # fmt: skip
    shown.tell(PullRequestPlanned, PlanPullRequest, **{**values, **fields})


def test_a_request_is_opened_as_it_was_written(create):
    assert create.get("pr_title").text() == "Fix login"
    assert create.get("pr_where").text() == "lane/fix → robin/shop-api (public) · 3 files · 2 commits to push"
    create.get("pr_title").setText("Stop the loop")
    create.get("pr_reviewers").setText("@mona, hubot")
    create.get("pr_draft").setChecked(False)
    create.click("pr_submit")
    sent = create.last(CreatePullRequest)
    assert (sent.title, sent.base, sent.draft, sent.reviewers, sent.labels) == (
        "Stop the loop", "main", False, ("mona", "hubot"), ("bug",),
    )  # fmt: skip
    assert not create.get("pr_submit").isEnabled()
    create.tell(PullRequestCreated, CreatePullRequest, number=214, url="u", notices=("Labels were not set: no right",))
    assert create.acted[0].number == 214
    assert not create.dialog.isVisible()


def test_a_failure_keeps_every_field(create):
    create.get("pr_title").setText("Mine")
    create.get("pr_body").setPlainText("My words")
    create.click("pr_submit")
    create.fail(CreatePullRequest, "The branch was pushed, the request was not opened: offline.")
    assert create.dialog.written == ("Mine", "My words")
    assert "was not opened" in create.get("pr_create_dialog_problem").text()
    assert create.get("pr_submit").isEnabled()


def test_the_own_fork_is_added_and_the_request_planned_anew(create):
    blocked = Hindrance(kind="not_pushed", text="You may not push to robin/shop-api.", action="use_fork")
    plan_again(create, (blocked,))
    assert not create.get("pr_submit").isEnabled()
    create.click("pr_create_hindrance_use_fork")
    create.fail(UseOwnFork, "The fork is gone.")
    assert "gone" in create.get("pr_create_dialog_problem").text()
    create.click("pr_create_hindrance_use_fork")
    create.tell(OwnForkUsed, UseOwnFork, repository="mona/shop-api", remote="fork")
    plan(create, remote="fork")
    assert create.get("pr_submit").isEnabled()
    assert create.acted == []


def test_another_base_is_planned_anew_and_replaces_nothing_that_was_written(create):
    create.get("pr_title").setText("Mine")
    create.dialog.base.chosen.emit("next")
    assert create.last(PlanPullRequest).base == "next"
    assert not create.get("pr_submit").isEnabled()
    plan(create, base="next", title="Other", body="Other body")
    assert create.dialog.written == ("Mine", "Other body")


def test_hindrances_block_or_want_a_tick_or_offer_an_action(create):
    rows = (Hindrance(kind="behind", text="3 behind main.", blocks=False, action="rebase"),
            Hindrance(kind="dirty", text="Not committed: a.py.", blocks=False, action="commit"))  # fmt: skip
    plan_again(create, rows)
    assert create.get("pr_submit").toolTip() == "Tick what you accept."
    create.click("pr_create_hindrance_tick_dirty")
    create.click("pr_submit")
    assert create.last(CreatePullRequest).leave_out
    create.fail(CreatePullRequest, "no")
    plan_again(create, (Hindrance(kind="nothing_ahead", text="Nothing to propose."), *rows))
    assert not create.get("pr_submit").isEnabled()
    create.click("pr_create_hindrance_rebase")
    assert create.acted == ["rebase"]
    assert not create.dialog.isVisible()


def plan_again(shown, rows):
    shown.dialog._ask("main")
    plan(shown, hindrances=rows)


def test_the_model_suggests_words_on_demand(create):
    create.click("pr_suggest")
    create.tell(PullTextSuggested, SuggestPullText, title="Better", body="**Why**")
    assert create.dialog.written == ("Better", "**Why**")
    create.click("pr_suggest")
    create.tell(PullTextSuggested, SuggestPullText, problem="No key.")
    assert create.get("pr_suggest_note").text() == "No key."


# merging


@pytest.fixture
def merge(qtbot):
    return Shown(qtbot, lambda one: MergePullDialog(lane(), pull(), one.requests, one.acted.append, one.window))


def merge_plan(shown, *hindrances, **fields):
    values = {"number": 214, "head_oid": "a" * 40, "methods": ("merge", "squash"), "method": "squash",
              "hindrances": hindrances, "can_delete_branch": True}  # fmt: skip
    shown.tell(PullMergePlanned, PlanPullMerge, **{**values, **fields})


def test_a_merge_is_bound_to_the_head_and_says_what_is_deleted(merge):
    assert not merge.get("pr_merge_confirm").isEnabled()
    merge_plan(merge, evidence="Report: 3 of 3 proved.")
    assert merge.get("pr_merge_confirm").text() == "Squash and merge"
    assert not merge.get("pr_merge_method_rebase").isEnabled()
    merge.click("pr_merge_delete")
    merge.click("pr_merge_confirm")
    sent = merge.last(MergePullRequest)
    assert (sent.head_oid, sent.method, sent.delete_branch, sent.archive_lane) == ("a" * 40, "squash", True, False)
    merge.tell(PullRequestMerged, MergePullRequest, number=214, merge_oid="f" * 40, notices=("Branch kept: no right",))
    assert merge.get("pr_merge_dialog_state").text() == "Merged. It stands at fffffff.\nBranch kept: no right"
    merge.click("pr_merged_archive")
    assert merge.acted == ["archive"]


def test_failing_checks_want_the_number_and_other_hindrances_a_tick(merge):
    rows = (Hindrance(kind="bypass", text="The rules are not met.", blocks=False),
            Hindrance(kind="checks_failing", text="Failed: lint.", blocks=False, action="checks"),
            Hindrance(kind="open_threads", text="2 threads.", blocks=False, action="threads"))  # fmt: skip
    merge_plan(merge, *rows, typed=True)
    go = merge.get("pr_merge_confirm")
    assert (go.property("kind"), go.property("role")) == ("danger", "filled")
    assert merge.get("pr_merge_hindrance_tick_bypass").property("role") == "danger"
    merge.click("pr_merge_hindrance_tick_bypass")
    merge.click("pr_merge_hindrance_tick_open_threads")
    assert go.toolTip() == "Type 214 first."
    assert merge.get("pr_merge_dialog_why").text() == "Type 214 first."
    QTest.keyClicks(merge.get("pr_merge_number"), "21")
    assert not go.isEnabled()
    QTest.keyClicks(merge.get("pr_merge_number"), "4")
    assert go.isEnabled()
    assert merge.get("pr_merge_dialog_why").isHidden()
    go.click()
    sent = merge.last(MergePullRequest)
    assert (sent.ticks, sent.typed_number) == (("bypass", "open_threads"), 214)
    merge.fail(MergePullRequest, "The branch changed while you looked. Refresh.")
    assert merge.get("pr_merge_dialog_problem").text() == "The branch changed while you looked. Refresh."
    merge_plan(merge, *rows, typed=True)
    assert merge.get("pr_merge_dialog_problem").isVisible()


def test_what_blocks_a_merge_offers_its_action(merge):
    merge_plan(merge, Hindrance(kind="draft", text="It is a draft.", action="ready"))
    assert not merge.get("pr_merge_confirm").isEnabled()
    merge.click("pr_merge_hindrance_ready")
    assert merge.acted == ["ready"]


# linking and listing


def test_a_number_is_linked_or_refused_with_the_sentence(qtbot):
    shown = Shown(qtbot, lambda one: LinkPullDialog(lane(), 214, one.requests, one.window))
    QTest.keyClicks(shown.get("pr_link_number"), "7")
    shown.click("pr_link_go")
    assert shown.last(LinkPullRequest).number == 7
    shown.fail(LinkPullRequest, "#7 is of another branch.")
    assert shown.get("lane_error").text() == "#7 is of another branch."
    shown.click("pr_link_none")
    assert shown.last(LinkPullRequest).number == 0
    shown.hear(PullRequestChanged(snapshot=snapshot()))
    assert not shown.dialog.isVisible()


def test_requests_are_filtered_and_opened_as_a_lane(qtbot):
    shown = Shown(qtbot, lambda one: PullListDialog(LANE, one.requests, lambda: NOW, one.window))
    wanted = []
    shown.dialog.lane_wanted.connect(wanted.append)
    requests = (
        PullSummary(number=3, title="Mine", state="open", base="main", head="a", author=Author(login="robin")),
        PullSummary(
            number=2, title="Theirs", state="draft", base="main", head="b", head_owner="mona", review_asked=True
        ),
        PullSummary(number=1, title="Of a lane", state="open", base="main", head="c", lane_id="lan_9"),
    )
    shown.tell(PullRequestsListed, ListPullRequests, requests=requests, viewer="robin")
    rows = lambda: [row.title for row in shown.dialog.rows.rows]  # noqa: E731
    assert rows() == ["Mine", "Theirs", "Of a lane"]
    for name, found in (("mine", ["Mine"]), ("review", ["Theirs"]), ("lanes", ["Of a lane"])):
        shown.click(f"pr_list_filter_{name}")
        assert rows() == found
    assert shown.get("pr_list_open").text() == "Show its lane"
    shown.click("pr_list_filter_review")
    assert shown.dialog.rows.rows[0].detail == "#2 · deleted account · main ← mona:b · your review is asked"
    shown.click("pr_list_open")
    sent = shown.last(OpenPullAsLane)
    assert sent.number == 2
    shown.fail(OpenPullAsLane, "The branch is open elsewhere.")
    assert shown.get("pr_list_problem").text() == "The branch is open elsewhere."
    shown.click("pr_list_open")
    made = lane(id=shown.last(OpenPullAsLane).new_lane_id)
    command_id = shown.last(OpenPullAsLane).command_id
    shown.hear(LaneCreated(command_id=command_id, lane=made))
    assert wanted == [made.id]
