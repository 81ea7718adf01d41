"""The PR tab: what it says of a request, of its absence and of failures, and what a person does there."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QPlainTextEdit, QTextEdit

from desktop.domain.pulls.commands import (
    ChooseRemote,
    EditPullRequest,
    LoadCheck,
    LoadCheckLog,
    LoadForeignPicture,
    PlanPullRequest,
    PostReview,
    RefreshPullRequest,
    ReplyToThread,
    RerunChecks,
    SetThreadResolved,
    ShowPullRequest,
)
from desktop.domain.pulls.pull_request import Annotation, CheckStep, ForgeProblem, Hindrance
from desktop.domain.pulls.updates import (
    CheckLoaded,
    CheckLogLoaded,
    ChecksRerun,
    ForeignPictureLoaded,
    OwnForkUsed,
    PullRequestPlanned,
    RerunResult,
)
from desktop.domain.updates import CommandFailed
from desktop.ui.pulls.lists import PullFiles
from desktop.ui.pulls.pages.checks import PullChecks
from desktop.ui.pulls.pages.comments import PullComments
from desktop.ui.pulls.pages.overview import PullOverview
from desktop.ui.pulls.pages.threads import PullThreads
from desktop.ui.text.format import clock_time
from tests.ui.card_scenes import NOW
from tests.ui.pr_place import (
    BODY,
    CHECKS,
    LANE,
    THREADS,
    PullPlace,
    ago,
    check,
    comment,
    nothing,
    pull,
    snapshot,
    thread,
)
from tests.ui.proofs.test_proofs_panel import png

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LOG = (
    "2026-11-21T13:53:00.1Z Current runner version",
    "2026-11-21T13:53:03.1Z ##[group]Run checkout", "2026-11-21T13:53:04.1Z ##[endgroup]",
    "2026-11-21T13:53:10.1Z ##[group]Run pytest -q", "2026-11-21T13:53:10.2Z ##[endgroup]",
    "2026-11-21T13:53:12.1Z \x1b[31mE   assert 3 == 1\x1b[0m", "2026-11-21T13:53:21.1Z ##[error]exit code 1.",
    "2026-11-21T13:53:22.1Z Post job cleanup.",
)  # fmt: skip


def steps():
    """The steps of that log."""
    found = (("Set up", "success", 0, 2), ("Checkout", "success", 3, 9), ("Tests", "failure", 10, 21),
             ("Post", "success", 22, 23))  # fmt: skip
    start = ago(minutes=9)
    return tuple(
        CheckStep(
            number=n, name=name, conclusion=how, started_at=start.replace(second=a), ended_at=start.replace(second=b)
        )
        for n, (name, how, a, b) in enumerate(found)
    )


@pytest.fixture
def place(qtbot):
    return PullPlace(qtbot)


@pytest.fixture
def opened(place):
    place.tell()
    return place


def text_of(place, name):
    return place.get(name).text()


# what is shown


def test_the_header_says_number_title_state_branches_author_and_how_it_stands(opened):
    assert text_of(opened, "pr_heading") == "Stop the login page redirecting to itself #214"
    assert text_of(opened, "pr_state") == "Open"
    assert opened.get("pr_branches").full_text == "main ← lane/fix-login"
    assert opened.get("pr_author").full_text == "robin · 3 h · 3 files"
    chips = {name: text_of(opened, f"pr_chip_{name}") for name in ("checks", "review", "merge", "threads", "behind")}
    assert chips == {"checks": "2 failing (1 still running)", "review": "Changes requested", "merge": "Blocked",
                     "threads": "2 open threads", "behind": "behind 3"}  # fmt: skip
    assert text_of(opened, "pr_reason") == "2 required checks are failing."
    assert opened.inspector.findChild(QAbstractItemView, "pr_checks") is None, "a page is made when it is shown"


@pytest.mark.promise("lanes-P9")
def test_no_checks_are_never_passing_and_unknown_ones_are_unknown(place):
    place.tell(snapshot(checks=()))
    assert text_of(place, "pr_chip_checks") == "No checks"
    place.tell(snapshot(checks=(), known=frozenset({"pull"}), missing=(("checks", "A right is missing: checks."),)))
    assert text_of(place, "pr_chip_checks") == "checks unknown"
    place.pull.show_page("checks")
    assert text_of(place, "pr_checks_note") == "A right is missing: checks."
    place.tell(snapshot(checks=(check(1, "a"), check(2, "b", "skipped"))))
    assert text_of(place, "pr_chip_checks") == "2 checks passed"
    assert place.get("pr_tab_checks").text() == "Checks", "nothing is to be done there"


@pytest.mark.parametrize(
    ("state", "main"), [("draft", "Ready for review…"), ("open", "Merge…"), ("merged", "Archive lane…"),
                        ("closed", "Open again…")],
)  # fmt: skip
def test_each_state_has_its_main_action(place, state, main):
    place.tell(snapshot(pull(state=state)))
    asked = []
    place.pull.shown.act_asked.connect(asked.append)
    place.click("pr_main")
    assert (text_of(place, "pr_main"), text_of(place, "pr_state")) == (main, state.capitalize())
    assert asked == [{"draft": "ready", "open": "merge", "merged": "archive", "closed": "reopen"}[state]]
    place.tell(snapshot(pull(state=state, mergeable="yes")))
    assert (place.get("pr_main").property("kind") == "primary") is (state == "open")
    place.tell(snapshot(pull(state=state, mergeable="blocked")))
    assert place.get("pr_main").property("kind") == "", "what is in the way comes first"


def test_foreign_text_is_shown_as_text(place):
    place.tell(snapshot(pull(title="<b>x</b> \u202egpj", body="<img src=x> [a](javascript:1) **bold**")))
    assert text_of(place, "pr_heading") == "<b>x</b> ⟦U+202E⟧gpj #214"
    shown = place.get("pr_body_text").toPlainText()
    assert "<img src=x>" in shown
    assert "bold" in shown
    asked = []
    place.pull.shown.link_asked.connect(asked.append)
    assert place.get("pr_body_text").document().allFormats()
    assert not asked


@pytest.mark.promise("lanes-G24")
def test_a_picture_is_named_with_its_address_and_loaded_when_a_person_clicks(opened):
    assert "before and after — https://example.org/loop.png" in opened.get("pr_body_text").toPlainText()
    button, view = opened.get("pr_picture_0"), opened.get("pr_picture_0_view")
    assert (button.text(), button.toolTip()) == ("Load picture", "https://example.org/loop.png")
    assert button.accessibleName() == "Load picture: before and after"
    assert (view.isVisible(), opened.sent(LoadForeignPicture)) == (False, []), "nothing is fetched by itself"
    opened.click("pr_picture_0")
    (asked,) = opened.sent(LoadForeignPicture)
    assert (asked.address, button.text()) == ("https://example.org/loop.png", "Cancel")
    opened.apply(ForeignPictureLoaded(command_id=asked.command_id, address=asked.address, data=png(90, 30)))
    assert (view.isVisible(), view.height(), view.accessibleName()) == (True, 30, "before and after")
    opened.tell(snapshot(pull(body=BODY + "\nMore.")))
    assert opened.get("pr_picture_0_view").isVisible(), "what was loaded stays"
    assert opened.inspector.findChild(QAbstractButton, "pr_picture_1") is None


def test_a_picture_that_does_not_come_says_why_and_can_be_asked_for_again(opened):
    links = []
    opened.pull.shown.link_asked.connect(links.append)
    opened.click("pr_picture_0")
    first = opened.sent(LoadForeignPicture)[-1]
    opened.click("pr_picture_0")
    opened.apply(ForeignPictureLoaded(command_id=first.command_id, address=first.address, data=png(90, 30)))
    assert not opened.get("pr_picture_0_view").isVisible(), "it was cancelled"
    opened.click("pr_picture_0")
    again = opened.sent(LoadForeignPicture)[-1]
    opened.apply(ForeignPictureLoaded(command_id=again.command_id, address=again.address, problem="It is gone\u202e."))
    assert text_of(opened, "pr_picture_0_note") == "It is gone⟦U+202E⟧."
    assert text_of(opened, "pr_picture_0") == "Try again"
    opened.click("pr_picture_0_browser")
    assert links == ["https://example.org/loop.png"]
    opened.click("pr_picture_0")
    opened.apply(CommandFailed(command_id=opened.sent(LoadForeignPicture)[-1].command_id, code="x", text="No."))
    assert text_of(opened, "pr_picture_0_note") == "No."


def test_pages_have_counts_and_those_that_do_not_fit_are_in_a_menu(qtbot):
    place = PullPlace(qtbot, width=320)
    place.tell()
    tabs = place.pull.pages.tabs
    qtbot.waitUntil(lambda: {"comments", "files", "commits"} <= set(tabs.hidden_keys))
    menu = tabs.showMenu()
    offered = {action.text(): action for action in menu.actions()}
    assert [words for words in offered if words[:2] in ("Co", "Fi")] == ["Comments 3", "Files 3", "Commits 2"]
    offered["Files 3"].trigger()
    menu.close()
    assert place.pull.pages.page == "files"
    assert place.rows(place.pull.pages.of(PullFiles)) == [
        "middleware.py",
        "test_auth.py",
        "changes.md",
    ]


def test_g_and_a_letter_go_to_a_page_and_brackets_to_rows(opened):
    opened.pull.setFocus()
    for key in "gt":
        QTest.keyClick(opened.pull.pages, key)
    assert opened.pull.pages.page == "threads"
    view = opened.pull.pages.of(PullThreads).list
    assert view.hasFocus()
    assert view.key == "thread:T1"
    QTest.keyClick(view, "]")
    assert view.key == "thread:T2"
    QTest.keyClick(view, "[")
    QTest.keyClick(view, "g")
    QTest.keyClick(view, "c")
    assert (view.key, opened.pull.pages.page) == ("thread:T1", "checks")


# nothing to show


def test_without_a_request_it_says_what_differs_and_what_is_in_the_way(place):
    place.tell(nothing())
    plan = place.sent(PlanPullRequest)[-1]
    place.apply(
        PullRequestPlanned(
            command_id=plan.command_id, lane_id=LANE, base="main", files=3,
            hindrances=(Hindrance(kind="behind", text="3 commits behind.", blocks=False, action="rebase"),),
        )
    )  # fmt: skip
    assert {"No pull request.", "3 files differ from main.", "3 commits behind."} <= set(place.words())
    asked = []
    place.pull.shown.act_asked.connect(asked.append)
    for name in ("pr_hindrances_rebase", "pr_create", "pr_link", "pr_list"):
        place.click(name)
    assert asked == ["rebase", "create", "link", "list"]
    place.tell(nothing())
    assert len(place.sent(PlanPullRequest)) == 1
    place.apply(OwnForkUsed(command_id="", lane_id=LANE, repository="mona/shop-api", remote="fork"))
    assert len(place.sent(PlanPullRequest)) == 2, "where branches go is another now"


@pytest.mark.parametrize(
    ("problem", "words", "button"),
    [
        (("not_connected", "Sign in first."), "GitHub is not connected.", "pr_connect"),
        (("no_remote", "This repository has no remote."), "This repository has no remote.", "pr_try_again"),
        (("other_host", "gitlab.com is none."), "This remote is not a GitHub host.", "pr_connect"),
        (("rate_limited", "GitHub limits requests."), "GitHub asks to wait until ", "pr_try_again"),
        (("offline", "GitHub cannot be reached."), "Offline", "pr_try_again"),
        (("forbidden", "The token may not read."), "A right is missing.", "pr_connect"),
        (("not_found", "Not found, or this token cannot see it."), "Not found", "pr_connect"),
        (("server", "GitHub failed: 502."), "GitHub failed.", "pr_try_again"),
    ],
)  # fmt: skip
def test_each_failure_has_its_words_and_a_way_on(place, problem, words, button):
    place.tell(nothing(*problem, until=NOW))
    assert any(word.startswith(words) for word in place.words()), place.words()
    assert place.get(button).isVisible()


@pytest.mark.parametrize("pull_known", [False, True])
def test_a_host_that_wants_a_pause_is_tried_again_only_after_it(place, qtbot, pull_known):
    limit = ForgeProblem(kind="rate_limited", text="GitHub asks to wait.", until=NOW + timedelta(minutes=5))
    place.tell(snapshot(problem=limit) if pull_known else nothing("rate_limited", limit.text, until=limit.until))
    again = place.get("pr_problem_again" if pull_known else "pr_try_again")
    assert again.isVisible()
    assert not again.isEnabled()
    assert again.text() == f"Try again at {clock_time(limit.until)}"
    soon = ForgeProblem(kind="rate_limited", text="GitHub asks to wait.", until=NOW + timedelta(milliseconds=20))
    place.tell(snapshot(problem=soon) if pull_known else nothing("rate_limited", soon.text, until=soon.until))
    assert not again.isEnabled()
    place.now = soon.until
    qtbot.waitUntil(again.isEnabled)
    assert again.text() == "Try again"
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    assert place.sent(RefreshPullRequest)


def test_a_remote_that_is_a_folder_is_named_in_a_sentence(place):
    place.tell(nothing("other_host", "This remote is not a GitHub host. origin is a folder."))
    assert {"This remote is not a GitHub host.", "origin is a folder."} <= set(place.words())


def test_a_remote_is_chosen_once(place):
    place.tell(nothing("choose_remote", "Two remotes are on GitHub."), remotes=("origin", "fork"))
    place.click("pr_remote_1")
    assert place.sent(ChooseRemote)[-1].remote == "fork"


@pytest.mark.promise("lanes-G23")
def test_offline_keeps_the_last_look_and_says_of_when(opened):
    offline = ForgeProblem(kind="offline", text="GitHub cannot be reached.")
    opened.tell(snapshot(problem=offline, as_of=ago(minutes=4)))
    assert any(word.startswith("Offline · as of ") for word in opened.words())
    assert not opened.get("pr_main").isEnabled()
    assert opened.get("pr_heading").isVisible()
    opened.click("pr_problem_again")
    assert opened.sent(RefreshPullRequest)


def test_words_come_after_a_while_and_cancel_after_five_seconds(place):
    wait = place.pull._wait
    assert place.sent(ShowPullRequest)[-1].shown
    assert "Loading pull request…" not in place.words()
    wait.said.emit("Loading pull request…")
    assert "Loading pull request…" in place.words()
    assert not place.get("pr_cancel").isVisible()
    wait._take_long()
    wait.said.emit("Still loading…")
    place.click("pr_cancel")
    assert "The pull request was not loaded." in place.words()
    place.click("pr_try_again")
    asked = place.sent(RefreshPullRequest)[-1]
    place.apply(CommandFailed(command_id=asked.command_id, code="git", text="The lane is broken."))
    assert {"The pull request could not be read.", "The lane is broken."} <= set(place.words())


def test_nothing_is_asked_while_nobody_looks(opened):
    opened.inspector.show_tab("Todos")
    opened.qtbot.waitUntil(lambda: not opened.sent(ShowPullRequest)[-1].shown)
    began, ended = opened.sent(ShowPullRequest)[0], opened.sent(ShowPullRequest)[-1]
    assert began.viewer == ended.viewer != ""
    assert not opened.pull._ages.isActive()


def test_the_checkout_has_no_request(qtbot):
    place = PullPlace(qtbot, type="primary")
    assert "Pull requests are opened from lanes." in place.words()
    assert not place.sent(ShowPullRequest)


# checks


def test_checks_are_grouped_and_the_chosen_one_is_asked_for(opened):
    opened.pull.show_page("checks")
    assert opened.rows(opened.pull.pages.of(PullChecks)) == [
        "Failing (2)", "lint", "tests (3.11)", "Running (1)", "tests (3.12)", "Passed (2)", "build", "docs",
        "Skipped (1)", "deploy preview",
    ]  # fmt: skip
    assert opened.sent(LoadCheck)[-1].check_id == 2
    opened.pull.pages.of(PullChecks).list.choose("check:run:1")
    row = opened.pull.pages.of(PullChecks).rows.rows[2]
    assert (row.detail, row.figures) == ("failed · required · CI · 2 annotations", "1 min 17 s")


def test_a_check_shows_steps_annotations_that_lead_to_changes_and_its_log(opened):
    opened.pull.show_page("checks")
    asked = opened.sent(LoadCheck)[-1]
    notes = (Annotation(path="auth/middleware.py", start_line=44, end_line=44, level="failure", message="loops"),)
    opened.apply(
        CheckLoaded(command_id=asked.command_id, lane_id=LANE, check_id=2, job_id=902, steps=steps(), annotations=notes)
    )
    detail = opened.pull.pages.of(PullChecks).detail
    assert [row.title for row in detail._steps.rows] == ["Set up", "Checkout", "Tests", "Post"]
    places = []
    opened.pull.shown.place_asked.connect(lambda path, line: places.append((path, line)))
    opened.click("pr_check_view_notes")
    view = opened.get("pr_check_annotations")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.model().index(0, 0)).center())
    assert places[-1] == ("auth/middleware.py", 44)
    opened.click("pr_check_view_log")
    log = opened.sent(LoadCheckLog)[-1]
    assert (log.job_id, log.whole) == (902, False)
    upper, lower = opened.get("pr_checks_splitter").sizes()
    assert upper <= (upper + lower) * 0.26
    opened.apply(CheckLogLoaded(command_id=log.command_id, lane_id=LANE, job_id=902, lines=LOG, total=9000))
    model = detail.log.model
    shown = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    assert shown == ["Set up", "Checkout", "Tests", "Run pytest -q", "E   assert 3 == 1", "exit code 1.", "Post"]
    assert text_of(opened, "pr_log_part") == "The last 8 of 9,000 lines"
    opened.click("pr_log_large")
    dialog = opened.get("pr_log_dialog")
    assert dialog.isAncestorOf(detail.log.list)
    window = detail.window()
    for more, higher in ((400, 200), (-400, -200), (400, 200)):
        window.resize(window.width() + more, window.height() + higher)
        assert dialog.width() == round(window.width() * 0.85)
        assert (dialog.geometry().center() - window.geometry().center()).manhattanLength() <= 4
    opened.click("pr_log_large")
    assert detail.isAncestorOf(detail.log.list)
    assert detail.log.list.isVisible()
    opened.click("pr_log_all")
    assert opened.sent(LoadCheckLog)[-1].whole


def test_the_log_is_searched_in_closed_steps_too_and_a_gone_one_says_so(opened):
    opened.pull.show_page("checks")
    asked = opened.sent(LoadCheck)[-1]
    opened.apply(CheckLoaded(command_id=asked.command_id, lane_id=LANE, check_id=2, job_id=902, steps=steps()))
    opened.click("pr_check_view_log")
    log = opened.sent(LoadCheckLog)[-1]
    opened.apply(CheckLogLoaded(command_id=log.command_id, lane_id=LANE, job_id=902, lines=LOG, total=8))
    QTest.keyClicks(opened.get("pr_log_find"), "RUN")
    assert text_of(opened, "pr_log_count") == "1 of 3"
    view = opened.pull.pages.of(PullChecks).detail.log.list
    assert view.currentIndex().data() == "Current runner version"
    view.copy()
    opened.tell(snapshot(checks=(check(7, "old", "failure"),)))
    opened.click("pr_check_view_log")
    gone = opened.sent(LoadCheckLog)[-1]
    opened.apply(CheckLogLoaded(command_id=gone.command_id, lane_id=LANE, job_id=907, gone=True, url="https://x.org/7"))
    assert text_of(opened, "pr_log_state") == "GitHub keeps this log no longer."
    assert opened.get("pr_log_browser").isVisible()


def test_what_came_of_each_check_that_was_run_again_is_told(opened):
    opened.pull.show_page("checks")
    said = []
    opened.pull.shown.noted.connect(lambda text, error: said.append((text, error)))
    opened.click("pr_rerun_failed")
    assert not opened.get("pr_rerun_failed").isEnabled()
    asked = opened.sent(RerunChecks)[-1]
    results = (RerunResult(name="lint"), RerunResult(name="tests (3.11)", problem="too old"))
    opened.apply(ChecksRerun(command_id=asked.command_id, lane_id=LANE, results=results))
    assert said == [("Asked for 1 check again.\ntests (3.11): too old", True)]
    assert opened.get("pr_rerun_failed").isEnabled()


# threads and comments


def test_threads_are_filtered_by_state_and_writer(opened):
    opened.pull.show_page("threads")
    threads = opened.pull.pages.of(PullThreads)
    assert opened.rows(threads) == ["this still loops when next is empty.", "Name it without_next."]
    assert threads.rows.rows[0].detail == "critical · mona · auth/middleware.py:44"
    menu = threads.show_menu()
    [bots] = [action for action in menu.actions() if action.text() == "Bots"]
    bots.trigger()
    menu.close()
    assert opened.rows(threads) == ["Name it without_next."]
    opened.click("pr_threads_state_all")
    assert len(threads.rows.rows) == 1
    threads.show_thread("T4")
    assert threads.list.key == "thread:T4"
    assert len(threads.rows.rows) == 4


def test_a_reply_stays_until_the_forge_shows_it_and_when_it_fails(opened):
    opened.pull.show_page("threads")
    field = opened.get("pr_thread_reply")
    field.setFocus()
    QTest.keyClicks(field, "Fixed, thank you")
    opened.click("pr_thread_send")
    command = opened.sent(ReplyToThread)[-1]
    assert (command.thread_id, command.body) == ("T1", "Fixed, thank you")
    assert not opened.get("pr_thread_send").isEnabled()
    opened.apply(CommandFailed(command_id=command.command_id, code="offline", text="GitHub cannot be reached."))
    assert field.toPlainText() == "Fixed, thank you"
    assert "GitHub cannot be reached." in opened.words()
    opened.pull.pages.of(PullThreads).list.choose("thread:T2")
    assert field.toPlainText() == ""
    opened.pull.pages.of(PullThreads).list.choose("thread:T1")
    assert field.toPlainText() == "Fixed, thank you"
    opened.click("pr_thread_send")
    mine = comment(20, "Fixed, thank you\r\n", mine=True)
    opened.tell(snapshot(threads=(THREADS[0].model_copy(update={"comments": (*THREADS[0].comments, mine)}),)))
    assert field.toPlainText() == ""
    assert opened.get("pr_thread_resolve").isEnabled()


def test_a_thread_is_resolved_only_when_the_forge_says_so(opened):
    opened.pull.show_page("threads")
    opened.click("pr_thread_resolve")
    command = opened.sent(SetThreadResolved)[-1]
    assert command.resolved
    assert text_of(opened, "pr_thread_resolve") == "Asking…"
    opened.tell(snapshot(as_of=ago(seconds=-5)))
    assert text_of(opened, "pr_thread_resolve") == "Asking…"
    done = THREADS[0].model_copy(update={"resolved": True})
    opened.tell(snapshot(threads=(done, *THREADS[1:])))
    assert opened.rows(opened.pull.pages.of(PullThreads)) == ["Name it without_next."]


def test_a_thread_is_answered_and_resolved_by_keys_alone(opened):
    opened.pull.setFocus()
    for key in "gt":
        QTest.keyClick(opened.inspector.window().focusWidget(), key)
    focused = opened.inspector.window().focusWidget
    QTest.keyClick(focused(), Qt.Key.Key_Down)
    QTest.keyClick(focused(), Qt.Key.Key_Return)
    assert focused().objectName() == "pr_thread_reply"
    QTest.keyClicks(focused(), "Done")
    QTest.keyClick(focused(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (opened.sent(ReplyToThread)[-1].thread_id, opened.sent(ReplyToThread)[-1].body) == ("T2", "Done")
    opened.apply(CommandFailed(command_id=opened.sent(ReplyToThread)[-1].command_id, code="x", text="no"))
    while focused().objectName() != "pr_thread_resolve":
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
    QTest.keyClick(focused(), Qt.Key.Key_Space)
    assert opened.sent(SetThreadResolved)[-1].thread_id == "T2"
    opened.get("pr_thread_reply").setFocus()
    QTest.keyClick(focused(), Qt.Key.Key_Escape)
    assert focused().objectName() == "pr_threads"


def test_a_thread_goes_to_changes_and_to_the_agent(opened):
    opened.pull.show_page("threads")
    places, texts = [], []
    opened.pull.shown.place_asked.connect(lambda path, line: places.append((path, line)))
    opened.pull.shown.agent_asked.connect(texts.append)
    opened.click("pr_thread_place")
    opened.click("pr_thread_agent")
    assert places == [("auth/middleware.py", 44)]
    assert "> mona:" in texts[0]
    assert "no instruction of mine" in texts[0]


def test_comments_and_reviews_stand_in_order_and_a_review_is_posted(opened):
    opened.pull.show_page("comments")
    bodies = [bubble.body.toPlainText() for bubble in opened.pull.pages.of(PullComments).conversation._bubbles]
    assert bodies[0].startswith("Can you say")
    assert bodies[1] == "One loop is left."
    assert len(bodies) == 3
    opened.tell(snapshot(viewer="hubot"))
    QTest.keyClicks(opened.get("pr_comment_field"), "Looks good")
    menu = opened.pull.pages.of(PullComments).show_menu()
    [approve] = [action for action in menu.actions() if action.text() == "Approve"]
    approve.trigger()
    menu.close()
    assert (opened.sent(PostReview)[-1].verdict, opened.sent(PostReview)[-1].body) == ("approve", "Looks good")


def test_a_thousand_threads_and_comments_make_few_widgets(place):
    many = [thread(n, comment(n, f"Finding {n}")) for n in range(1000)]
    place.tell(snapshot(threads=many, comments=[comment(n, "word " * 20) for n in range(1000)]))
    place.pull.show_page("threads")
    place.pull.show_page("comments")
    assert len(place.pull.pages.of(PullThreads).rows.rows) == 1000
    assert len(place.pull.findChildren(QLabel)) < 250
    place.click("pr_comments_earlier")
    assert text_of(place, "pr_comments_later") == "20 later"


# writing


def test_title_and_body_are_edited_with_a_preview_and_kept_when_saving_fails(opened):
    opened.pull.pages.of(PullOverview).edit()
    title, body = opened.get("pr_edit_title"), opened.get("pr_edit_body")
    title.setText("Better title")
    body.setPlainText("**new**")
    opened.click("pr_edit_view_preview")
    assert opened.get("pr_edit_preview").toPlainText() == "new"
    opened.click("pr_edit_save")
    command = opened.sent(EditPullRequest)[-1]
    assert (command.title, command.body, command.seen_body) == ("Better title", "**new**", pull().body)
    opened.apply(CommandFailed(command_id=command.command_id, code="changed", text="Somebody changed the description."))
    assert body.toPlainText() == "**new**"
    assert "Somebody changed the description." in opened.words()
    opened.click("pr_edit_save")
    opened.tell(snapshot(pull(title="Better title", body="**new**")))
    assert opened.get("pr_body_text").isVisible()


def test_every_control_and_row_has_a_name(opened):
    for kind in opened.pull.pages.kinds:
        opened.pull.show_page(kind.key)
        assert opened.get(f"pr_tab_{kind.key}")
        for control in opened.inspector.findChildren(QAbstractButton) + opened.inspector.findChildren(QLineEdit):
            if control.isVisible():
                assert QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name), control.objectName()
                assert control.objectName() or control.parent().objectName(), control
        for view in (*opened.inspector.findChildren(QAbstractItemView), *opened.inspector.findChildren(QTextEdit),
                     *opened.inspector.findChildren(QPlainTextEdit)):  # fmt: skip
            assert not view.isVisible() or view.accessibleName(), view
    assert opened.pull.pages.of(PullChecks).rows.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == (
        "lint, timed out, CI, 1 min 54 s"
    )
    assert len(CHECKS) == 6
