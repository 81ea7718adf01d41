"""The Changes tab: scopes, files, states, and what a person does with them."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.domain.changes.commands import (
    CommitChanges,
    LoadCommitState,
    LoadDiff,
    LoadLaneChanges,
    MarkViewed,
    PushLane,
    RevertPicked,
    SaveComment,
    SendComments,
    SuggestMessage,
    UndoRevert,
)
from desktop.domain.changes.updates import (
    ChangeReverted,
    ChangesCommitted,
    CommitHeld,
    CommitStateLoaded,
    MessageSuggested,
    ViewedChanged,
)
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import ToolCallFinished, TurnEnded, TurnStarted
from desktop.domain.lanes.commands import OpenInEditor
from desktop.domain.lanes.lane import LaneFinding
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.changes.large_review import LargeReview
from desktop.ui.changes.review_actions import REVIEW_ACTIONS
from desktop.ui.changes.review_menu import fill_menu
from desktop.ui.core.actions import ACTIONS
from desktop.ui.core.panel import UNCOUNTED
from tests.ui.card_scenes import NOW, envelope
from tests.ui.review_place import AFTER, LANE, Place, changed, comment, diff, lane

TOUCHED = ToolCallFinished(call_id="c", outcome="ok", touched=(TouchedFile(path="a.py", kind="modify"),))
MANY = ("a/b/one.py", "a/b/two.py", "a/three.py", "z.md")


@pytest.fixture
def place(qtbot):
    return Place(qtbot)


def happened(place, seq, event):
    return envelope(seq, event).model_copy(update={"session_id": place.session})


def test_a_chat_that_was_opened_has_its_changes_asked_for_once(place):
    (asked,) = place.sent(LoadLaneChanges)
    assert (asked.lane_id, asked.session_id, asked.scope.kind) == (LANE, place.session, "lane")


def test_changes_are_asked_again_a_moment_after_files_were_touched(place, qtbot):
    place.show()
    place.apply(happened(place, 1, TOUCHED), happened(place, 2, TurnEnded(turn_id="t", status="completed")))
    qtbot.waitUntil(lambda: len(place.sent(LoadLaneChanges)) == 2)
    other = envelope(3, TOUCHED).model_copy(update={"session_id": new_session_id()})
    place.listed(changed())
    place.apply(other)
    qtbot.wait(350)
    assert len(place.sent(LoadLaneChanges)) == 2


def test_nothing_is_asked_while_a_comment_is_written_and_then_it_is(place, qtbot):
    place.show()
    place.view.go_to(3)
    place.press(place.view, Qt.Key.Key_C)
    place.apply(happened(place, 1, TOUCHED))
    qtbot.wait(350)
    assert len(place.sent(LoadLaneChanges)) == 1
    place.press(place.get("changes_comment_field"), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(place.sent(LoadLaneChanges)) == 2)


def test_a_late_answer_to_another_scope_is_dropped(place):
    first = place.sent(LoadLaneChanges)[0]
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    place.listed(changed("old.py"), command_id=first.command_id)
    assert place.paths() == []
    place.listed(changed("new.py"))
    assert place.paths() == ["new.py"]


def test_files_stand_in_folders_or_flat_filtered_and_conflicts_first(place):
    files = [changed(path) for path in MANY]
    place.listed(*files, changed("m/torn.py", status="conflicted"))
    names = [(row.depth, row.name) for row in place.panel.tree.rows]
    assert names == [(0, "m/torn.py"), (0, "a"), (1, "b"), (2, "one.py"), (2, "two.py"), (1, "three.py"), (0, "z.md")]
    place.get("changes_flat").click()
    assert place.paths() == ["m/torn.py", *MANY]
    place.get("changes_filter_toggle").click()
    place.get("changes_filter").setText("a/ THREE")
    assert place.paths() == ["a/three.py"]
    assert place.get("changes_summary").text() == "1 of 5 files"
    place.get("changes_filter_toggle").click()
    assert len(place.paths()) == 5


def test_single_folders_are_joined_and_close(place):
    place.listed(changed("src/auth/web/a.py"), changed("src/auth/web/b.py"))
    tree = place.get("changes_tree")
    assert [row.name for row in place.panel.tree.rows] == ["src/auth/web", "a.py", "b.py"]
    tree.setCurrentIndex(tree.model().index(0, 0))
    place.press(tree, Qt.Key.Key_Left)
    assert [row.name for row in place.panel.tree.rows] == ["src/auth/web"]
    assert place.panel.tree.rows[0].sentence == "folder src/auth/web, 2 files, closed"
    place.press(tree, Qt.Key.Key_J)
    assert [row.name for row in place.panel.tree.rows] == ["src/auth/web", "a.py", "b.py"]


def test_counts_summary_and_the_tab(place):
    place.listed(changed("a.py"), changed("b.py"), more=38, counts=(("lane", 40), ("uncommitted", 2)))
    assert place.get("changes_summary").text() == "2 of 40 files"
    assert place.get("changes_figure").text() == "+6 −4"
    assert place.get("changes_figure").isVisible()
    place.panel.bar.resize(300, place.panel.bar.height())
    place.panel.bar.set_figure("+12,412 −2")
    assert not place.get("changes_figure").isVisible()
    assert place.get("changes_summary").toolTip() == "+12,412 −2"
    place.panel.bar.resize(400, place.panel.bar.height())
    assert place.get("changes_scope_lane").text() == "Lane 40"
    assert place.get("inspector_tabs").tabText(0) == "Changes 40"
    place.click("changes_more_files")
    assert place.sent(LoadLaneChanges)[-1].limit == 40


def test_j_and_k_walk_the_files_and_each_has_its_diff_asked_for(place):
    place.listed(*[changed(path) for path in MANY])
    tree = place.get("changes_tree")
    for key in (Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_K):
        place.press(tree, key)
    asked = [command.path for command in place.sent(LoadDiff)]
    assert asked == ["a/b/one.py", "a/b/two.py", "a/three.py", "a/b/two.py"]
    place.press(tree, Qt.Key.Key_Down)
    assert place.sent(LoadDiff)[-1].path == "a/three.py"


def test_a_refresh_keeps_the_file_and_asks_for_its_diff_only_when_it_differs(place):
    made = diff()
    place.show(made)
    place.panel.load()
    place.listed(changed("0.py"), changed(made.path, made))
    assert place.panel.chosen.path == made.path
    assert len(place.sent(LoadDiff)) == 1
    place.panel.load()
    place.listed(changed(made.path, made, sha256="f" * 64))
    assert len(place.sent(LoadDiff)) == 2


def test_viewed_files_are_ticked_and_counted(place):
    place.show()
    place.press(place.get("changes_tree"), Qt.Key.Key_V)
    (marked,) = place.sent(MarkViewed)
    assert marked.viewed
    assert marked.sha256 == diff().sha256
    place.apply(ViewedChanged(lane_id=LANE, paths=(marked.path,)))
    assert place.get("changes_viewed").isChecked()
    assert place.get("changes_seen").text() == "1 viewed"
    assert place.panel.tree.rows[-1].sentence.endswith("viewed")
    place.click("changes_viewed")
    assert not place.sent(MarkViewed)[-1].viewed
    told = []
    place.panel.notes.noted.connect(lambda *note: told.append(note))
    failed = place.sent(MarkViewed)[-1].command_id
    place.apply(CommandFailed(command_id=failed, code="frozen", text="The disk is full."))
    assert told == [("The disk is full.", True)]


def test_states_are_said(place, qtbot):
    qtbot.waitUntil(lambda: "Loading changes…" in place.words())
    place.listed()
    assert "No changes in this lane yet." in place.words()
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    counts = []
    place.panel.counted.connect(counts.append)
    place.listed(problem="fatal: bad object HEAD")
    assert "Could not read changes: fatal: bad object HEAD" in place.words()
    assert counts[-1] == UNCOUNTED
    place.click("changes_problem_again")
    failed = place.sent(LoadLaneChanges)[-1]
    place.apply(CommandFailed(command_id=failed.command_id, code="lane", text="The lane is gone."))
    assert "Could not read changes: The lane is gone." in place.words()
    finding = LaneFinding(lane_id=LANE, kind="gone", text="The lane folder is gone: /lanes/fix.")
    place.apply(LanesChanged(lanes=(lane(),), findings=(finding,)))
    place.panel.load()
    place.listed(problem="no")
    assert "The lane folder is gone: /lanes/fix." in place.words()


def test_a_diff_that_takes_long_or_fails_says_so(place, qtbot):
    place.listed(changed())
    place.panel.loader.waiting.emit("diff", "Still computing the diff…")
    assert "Still computing the diff…" in place.words()
    place.click("changes_diff_cancel")
    assert "The diff was not computed." in place.words()
    place.click("changes_diff_again")
    place.differs(diff(), problem="git took too long.")
    assert "Could not read the diff: git took too long." in place.words()


def test_a_large_diff_waits_for_a_click(place):
    long = diff(before="", after="x\n" * 6_000)
    assert long.large
    place.show(long)
    assert "This diff is large (6,000 lines)." in place.words()
    place.click("changes_show_large")
    assert place.sent(LoadDiff)[-1].anyway
    place.differs(diff(before="", after="x\n" * 6_000, anyway=True))
    assert place.view.isVisible()
    assert len(place.view.rows) == 6_002


def test_old_changes_say_as_of_when(place):
    place.listed(changed(), at=NOW - timedelta(seconds=61))
    assert place.get("changes_as_of").text().startswith("as of ")
    place.panel.load()
    place.listed(changed())
    assert place.get("changes_as_of").text() == ""


def test_turns_are_offered_as_scopes(place):
    place.apply(happened(place, 1, TurnStarted(turn_id="t1")), happened(place, 5, TurnStarted(turn_id="t2")))
    words = [words for words, _scope in place.panel.fold.others()]
    assert words == ["Turn 2", "Turn 1", "Changed outside a turn"]
    place.panel.choose_scope(ChangeScope(kind="turn", reference="t1"))
    assert place.sent(LoadLaneChanges)[-1].scope.reference == "t1"
    assert place.get("changes_scope_other").text() == "Turn 1"


def test_comments_are_written_listed_and_sent(place):
    place.show()
    place.view.go_to(next(n for n, row in enumerate(place.view.rows) if row.kind == "line" and row.left < 0))
    place.press(place.view, Qt.Key.Key_C)
    field = place.get("changes_comment_field")
    field.setPlainText("keep the fragment")
    place.press(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    (saved,) = place.sent(SaveComment)
    written = saved.comment
    assert (written.path, written.side, written.first, written.last) == ("auth/middleware.py", "new", 3, 3)
    assert written.quoted == ("    target = strip(request.url)",)
    assert written.before == ("def expire(request):", "    clear()")
    assert written.after[0] == "    keep()"
    place.comments(written, comment("cmt_2", first=5, last=5))
    assert place.get("changes_comments_count").text() == "2 comments not sent"
    assert [row.comment_id for row in place.view.rows if row.kind == "comment"] == [written.comment_id, "cmt_2"]
    place.click("changes_comments_send")
    assert place.sent(SendComments)[0].session_id == place.session
    place.comments(written.model_copy(update={"state": "sent"}), comment("cmt_2", first=5, last=5, state="resolved"))
    assert not place.get("changes_comments").isVisible()


@pytest.mark.parametrize(("files", "why"), [((), "There are no changes in this lane yet."), (("a.py",), "")])
def test_nothing_is_committed_where_the_lane_has_no_changes_and_the_button_says_so(place, files, why):
    place.listed(*map(changed, files))
    head = place.get("commit_open")
    assert (head.isEnabled(), head.toolTip()) == (not why, why)


def test_uncommitted_files_and_lines_are_ticked_and_committed(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    made = diff()
    place.listed(changed(made.path, made), changed("b.py"))
    place.differs(made)
    button = place.get("commit_button")
    assert (button.text(), button.isEnabled(), button.toolTip()) == ("Commit 2 files", False, "Write a message.")
    place.get("commit_message").setPlainText("auth: keep the target\n\nbody")
    assert button.isEnabled()
    tree = place.get("changes_tree")
    tree.setCurrentIndex(tree.model().index(place.panel.tree.index_of("b.py"), 0))
    place.press(tree, Qt.Key.Key_Space)
    tree.setCurrentIndex(tree.model().index(place.panel.tree.index_of(made.path), 0))
    place.differs(made)
    place.view.go_to(len(place.view.rows) - 3)
    place.press(place.view, Qt.Key.Key_Space)
    assert place.panel.tree.rows[place.panel.tree.index_of(made.path)].tick == 1
    assert button.text() == "Commit 1 file"
    button.click()
    (sent,) = place.sent(CommitChanges)
    (picked,) = sent.picked
    assert sent.head == "h" * 40
    assert sent.message.startswith("auth: keep")
    assert picked.hunks == (0,)
    assert len(picked.lines) == 1
    assert not button.isEnabled()
    place.apply(ChangesCommitted(command_id=sent.command_id, lane_id=LANE, oid="a" * 40, subject="auth: keep", files=1))
    assert place.get("commit_message").toPlainText() == ""


def test_ticks_of_lines_are_void_when_the_file_changed(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    made = diff()
    place.show(made)
    place.view.go_to(0)
    place.press(place.view, Qt.Key.Key_Space)
    assert place.panel.tree.rows[-1].tick == 1
    place.panel.load()
    place.listed(changed(made.path, made, sha256="e" * 64))
    assert place.panel.tree.rows[-1].tick == 0
    assert place.get("commit_button").toolTip() == "Tick what is to be committed."


def test_a_subject_over_72_characters_is_amber_and_a_message_can_be_suggested(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    place.show()
    place.get("commit_message").setPlainText("x" * 73)
    counter = place.get("commit_counter")
    assert (counter.text(), counter.property("role")) == ("73", "warning")
    place.click("commit_suggest")
    (asked,) = place.sent(SuggestMessage)
    place.apply(MessageSuggested(command_id=asked.command_id, lane_id=LANE, text="auth: say it well"))
    assert place.get("commit_message").toPlainText() == "auth: say it well"


def test_a_change_is_reverted_after_one_question_and_can_be_brought_back(place, qtbot):
    place.show()
    offered = []
    place.review.undo_offered.connect(lambda text, act: offered.append((text, act)))
    place.press(place.view, Qt.Key.Key_N)
    place.press(place.view, Qt.Key.Key_R)
    place.get("changes_revert_go").click()
    (sent,) = place.sent(RevertPicked)
    (picked,) = sent.picked
    assert (picked.hunks, picked.lines, picked.sha256) == ((0,), (), diff().sha256)
    place.apply(ChangeReverted(command_id=sent.command_id, lane_id=LANE, revert_id="r1", text="Reverted 3 lines."))
    (text, undo), = offered  # fmt: skip
    undo()
    assert text == "Reverted 3 lines."
    assert place.sent(UndoRevert)[0].revert_id == "r1"


def test_what_failed_is_told(place):
    place.show()
    told = []
    place.review.noted.connect(lambda text, error: told.append((text, error)))
    place.review.revert_file()
    place.get("changes_revert_go").click()
    text = "This file changed since the diff was made. Refresh and try again."
    place.apply(CommandFailed(command_id=place.sent(RevertPicked)[0].command_id, code="changed", text=text))
    assert told == [(text, True)]


def test_more_context_is_asked_for_and_picks_still_name_the_hunks_of_the_first_diff(place):
    place.show()
    assert [row.kind for row in place.view.rows].count("head") == 2
    place.view.context_asked.emit("whole")
    assert place.sent(LoadDiff)[-1].context < 0
    place.differs(diff(context=-1))
    assert [row.kind for row in place.view.rows].count("head") == 1
    last = max(n for n, row in enumerate(place.view.rows) if row.kind == "line")
    place.view.go_to(last - 1)
    place.view.go_to(last, extend=True)
    place.press(place.view, Qt.Key.Key_R)
    place.get("changes_revert_go").click()
    (picked,) = place.sent(RevertPicked)[0].picked
    assert picked.hunks == (1,)


def test_the_persons_checkout_is_only_shown(qtbot):
    place = Place(qtbot, type="primary")
    place.show()
    assert place.get("changes_primary_note").isVisible()
    assert not place.get("commit_box").isVisible()
    assert not place.view.shape_of.can_revert


def test_markup_and_hidden_characters_are_shown_as_they_are(place):
    place.listed(changed("<b>a</b>\u202e.py"))
    assert place.panel.tree.rows[-1].name == "b>\u27e6U+202E\u27e7.py"
    assert place.panel.tree.rows[0].name == "<b>a<"


def test_another_chat_shows_nothing_of_the_first(place):
    place.show()
    place.inspector.show_session(new_session_id())
    assert place.paths() == []
    assert place.panel.chosen.file is None
    assert place.get("inspector_tabs").tabText(0) == "Changes"


def test_copy_path_is_in_the_menu_with_what_can_be_done(place):
    place.show()
    menu = fill_menu(place.panel, place.review, place.panel.chosen.file, lines=False)
    names = [action.objectName() for action in menu.actions() if action.objectName()]
    assert names == [
        "changes_open_file", "changes_show_folder", "changes_copy_path", "changes_mark_viewed", "changes_revert_file",
    ]  # fmt: skip
    next(a for a in menu.actions() if a.objectName() == "changes_copy_path").trigger()
    assert QApplication.clipboard().text() == "auth/middleware.py"


def test_a_commit_is_named_to_be_looked_at(place):
    place.show()
    place.review.ask_commit()
    place.get("changes_commit_name").setText("HEAD~1")
    place.get("changes_commit_go").click()
    assert place.sent(LoadLaneChanges)[-1].scope == ChangeScope(kind="commit", reference="HEAD~1")
    place.show()
    assert place.get("changes_scope_other").full_text == "Commit HEAD~1"
    assert not place.view.shape_of.can_revert


def test_conflicts_are_said_first_and_lead_to_their_dialog(place):
    place.listed(changed("a.py"), changed("b.py", status="conflicted"))
    asked = []
    place.review.lane_asked.connect(lambda *what: asked.append(what))
    assert place.get("changes_conflict_words").text() == "1 file in conflict"
    place.click("changes_conflicts")
    assert asked == [("conflicts", LANE)]


def test_the_box_says_who_commits_and_why_not_and_what_can_be_pushed(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    place.show()
    asked = place.sent(LoadCommitState)[-1]
    state = CommitStateLoaded(
        command_id=asked.command_id, lane_id=LANE, author="Robin <r@example.org>", message="earlier\n",
        amend_problem="The last commit was pushed.", ahead=2, branch="lane/fix",
    )  # fmt: skip
    place.apply(state)
    assert place.get("commit_author").full_text == "as Robin <r@example.org>"
    assert (place.get("commit_push").text(), place.get("commit_amend").isEnabled()) == ("Push 2 commits", False)
    place.apply(state.model_copy(update={"amend_problem": "", "rewritten": True}))
    place.get("commit_amend").click()
    assert place.get("commit_message").toPlainText() == "earlier"
    place.click("commit_push")
    place.get("commit_push_go").click()
    assert place.sent(PushLane)[-1].force
    place.apply(state.model_copy(update={"author": "", "no_author": "Set a name and an e-mail."}))
    assert place.get("commit_reason").text() == "Pushing…"
    place.apply(CommandFailed(command_id=place.sent(PushLane)[-1].command_id, code="not_pushed", text="No."))
    assert place.get("commit_reason").text() == "Set a name and an e-mail."


def test_files_that_usually_hold_secrets_are_committed_only_on_order(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    place.show()
    place.get("commit_message").setPlainText("add the key")
    place.get("commit_button").click()
    first = place.sent(CommitChanges)[0]
    place.apply(CommitHeld(command_id=first.command_id, lane_id=LANE, secret=(".env",)))
    place.get("commit_held_go").click()
    again = place.sent(CommitChanges)[1]
    assert (again.allowed, again.picked) == ((".env",), first.picked)
    assert again.command_id != first.command_id


def test_a_folder_is_ticked_with_all_that_is_in_it(place):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    place.listed(changed("a/one.py"), changed("a/two.py"), changed("z.py"))
    tree = place.get("changes_tree")
    tree.setCurrentIndex(tree.model().index(0, 0))
    place.press(tree, Qt.Key.Key_Space)
    assert [row.tick for row in place.panel.tree.rows] == [0, 0, 0, 2]
    place.review.commits.tick_file("a/one.py", True)
    assert place.panel.tree.rows[0].sentence == "folder a, 2 files, open, to be committed in part"


def test_a_large_diff_lies_over_a_region_and_comes_back(place, qtbot):
    region = QWidget()
    qtbot.addWidget(region)
    region.resize(900, 600)
    region.show()
    LargeReview(region, place.review)
    place.show()
    place.click("changes_large")
    assert region.isAncestorOf(place.panel.pane)
    place.press(place.view, Qt.Key.Key_S)
    assert place.view.shape_of.split
    QTest.keyClick(place.view, Qt.Key.Key_Escape)
    assert place.panel.isAncestorOf(place.panel.pane)
    assert not place.view.shape_of.split


@pytest.fixture
def large(place, qtbot):
    """The diff of a file, laid over a region."""
    region = QWidget()
    qtbot.addWidget(region)
    region.resize(900, 600)
    region.show()
    LargeReview(region, place.review)
    place.show()
    place.click("changes_large")
    assert region.findChild(QWidget, "changes_large_page").isVisible()
    return region.findChild(QWidget, "changes_large_page")


def test_a_large_diff_gives_the_region_back_when_the_last_change_goes(place, large):
    place.panel.load()
    place.listed()
    assert not large.isVisible()
    assert "No changes in this lane yet." in place.words()
    place.panel.load()
    place.show()
    assert place.panel.pane.isVisible()
    assert place.panel.isAncestorOf(place.panel.pane)


def test_a_large_diff_stays_while_another_scope_is_read_and_leaves_when_that_fails(place, large):
    place.panel.choose_scope(ChangeScope(kind="uncommitted"))
    assert large.isVisible()
    place.panel.loader.waiting.emit("list", "Reading changes…")
    assert any(label.text() == "Reading changes…" and label.isVisible() for label in large.findChildren(QLabel))
    place.listed(problem="the index is locked")
    assert not large.isVisible()


def test_a_large_diff_leaves_when_the_lane_is_gone_and_when_the_chat_is_opened_again(place, large):
    place.inspector.show_session(place.session)
    assert not large.isVisible()
    place.click("changes_large")
    assert large.isVisible()
    place.apply(LanesChanged(lanes=()))
    assert not large.isVisible()


@pytest.mark.parametrize(
    "name", sorted(set(REVIEW_ACTIONS) - {"unified", "split", "filter", "commit", "push", "send_comments"})
)
def test_an_action_that_finds_no_change_says_so(place, name):
    noted = []
    place.review.noted.connect(lambda text, error: noted.append(text))
    LargeReview(place.inspector.window(), place.review)
    place.review.act(name)
    assert noted == ["The diff is being read. Try again in a moment."]
    place.listed()
    place.review.act(name)
    assert noted[1:] == ["There are no changes to do this with."]
    assert not place.inspector.window().findChild(QWidget, "changes_large_page").isVisible()


def test_an_action_on_a_change_says_when_none_is_chosen(place):
    noted = []
    place.review.noted.connect(lambda text, error: noted.append(text))
    place.show()
    place.view.current = -1
    for name in ("revert_change", "comment", "send_comments"):
        place.review.act(name)
    assert noted == [
        "Choose a change in the diff first.", "Choose a line in the diff first.", "There are no comments to send.",
    ]  # fmt: skip


def test_comments_that_could_not_be_sent_are_told(place):
    noted = []
    place.review.noted.connect(lambda text, error: noted.append((text, error)))
    place.show()
    place.comments(comment())
    place.click("changes_comments_send")
    asked = place.sent(SendComments)[0]
    place.apply(CommandFailed(command_id=asked.command_id, code="no_key", text="There is no key for Anthropic."))
    assert noted == [("There is no key for Anthropic.", True)]


def test_nothing_is_committed_or_pushed_in_the_persons_own_checkout(qtbot):
    place = Place(qtbot, type="primary")
    noted = []
    place.review.noted.connect(lambda text, error: noted.append(text))
    for name in ("commit", "push"):
        place.review.act(name)
    assert noted == ["This is your own checkout. Its changes are only shown here."] * 2
    assert not place.sent(PushLane)


def test_every_action_of_the_palette_is_known(place):
    place.show()
    ids = {spec.id.removeprefix("changes_") for spec in ACTIONS if spec.id.startswith("changes_")}
    assert ids == set(REVIEW_ACTIONS)
    for name in REVIEW_ACTIONS:
        place.review.act(name)
    assert place.sent(OpenInEditor)[0].path == "auth/middleware.py"


def test_what_is_written_when_another_file_is_chosen_stays_as_a_draft_of_its_file(place):
    made = diff()
    place.listed(changed(made.path, made), changed("b.py"))
    place.differs(made)
    place.view.go_to(2)
    place.view.open_field()
    place.get("changes_comment_field").setPlainText("unfinished")
    place.panel.choose_file("b.py")
    (saved,) = place.sent(SaveComment)
    assert (saved.comment.path, saved.comment.text) == (made.path, "unfinished")
    assert not place.view.writing


def test_lines_of_a_diff_that_is_not_the_files_any_more_are_neither_ticked_nor_reverted(place):
    place.show()
    place.view.context_asked.emit("whole")
    place.differs(diff(context=-1))
    told = []
    place.review.noted.connect(lambda text, _error: told.append(text))
    newer = diff(after="# one more\n" + AFTER)
    place.panel.load()
    place.listed(changed(newer.path, newer))
    place.differs(newer)
    place.press(place.view, Qt.Key.Key_N)
    place.press(place.view, Qt.Key.Key_R)
    assert told == ["The diff is being read. Try again in a moment."]
    place.differs(diff(after="# one more\n" + AFTER, context=-1))
    place.press(place.view, Qt.Key.Key_R)
    place.get("changes_revert_go").click()
    assert place.sent(RevertPicked)[0].picked[0].sha256 == newer.sha256


def test_of_a_deleted_lane_nothing_is_shown_but_that_it_is_gone_until_it_is_back(place):
    place.show()
    place.comments(comment())
    counts = []
    place.panel.counted.connect(counts.append)
    place.apply(LanesChanged(lanes=()))
    words = place.words()
    assert "The lane of this chat was deleted." in words
    assert "It can be restored for 30 days, from “Deleted lanes…” over the chat." in words
    assert (place.paths(), counts[-1]) == ([], 0)
    parts = (place.panel.bar, place.panel.commit, place.panel.notes_bar)
    assert not any(part.isVisible() for part in parts)
    asked = len(place.sent(LoadLaneChanges))
    place.panel.load()
    place.apply(happened(place, 1, TOUCHED))
    assert len(place.sent(LoadLaneChanges)) == asked, "nothing is asked of a lane that is gone"
    place.apply(LanesChanged(lanes=(lane(),)))
    assert len(place.sent(LoadLaneChanges)) == asked + 1
    place.show()
    assert place.paths() == ["auth/middleware.py"]
    assert place.panel.bar.isVisible()
    place.inspector.show_session("")
    place.apply(LanesChanged(lanes=()))
    asked = len(place.sent(LoadLaneChanges))
    place.inspector.show_session(place.session)
    place.apply(SessionOpened(session_id=place.session, envelopes=()))
    assert "The lane of this chat was deleted." in place.words(), "a chat that is opened after that says so as well"
    assert len(place.sent(LoadLaneChanges)) == asked
