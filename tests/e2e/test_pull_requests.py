"""A pull request from a commit in a lane to its merge, in a real window with its engine and a GitHub of ours."""

from pathlib import Path

import pytest
from pydantic import SecretStr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.github.commands import SaveGitHubHost, SignInWithToken
from desktop.domain.github.updates import SignInProgress
from desktop.domain.lanes.commands import RefreshLanes
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.sidebar.tree_model import DETAIL_ROLE
from tests.agent.rig import git
from tests.fakes.fake_model_api import text_turn
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def forge(github: FakeGitHub, repository: Path):
    """The repository of the window is at the stand-in too."""
    repo = github.add_repo("octo/shop", empty=True)
    repo.take(repository, by="octo")
    git(repository, "remote", "add", "origin", repo.clone_url)
    header = f"http.extraHeader=Authorization: Bearer {github.token}"
    git(repository, "-c", header, "fetch", "-q", "origin")
    return repo


def test_a_request_is_opened_discussed_and_merged(start, model_api, github, forge):
    pushed = []
    github.on_push(lambda push: pushed.append(forge.workflow(push.after, {"test": "failure"})))
    forge.collaborator("mona")
    model_api.answer_with(lambda _request: text_turn("Done."))
    desk = start()
    sign_in(desk, github)
    desk.send("Fix the total")
    lanes = lambda: [one for one in desk.window.book.lanes if one.type != "primary" and one.state == "active"]  # noqa: E731
    desk.until(lambda: bool(lanes()))
    desk.idle()
    [lane] = lanes()
    folder = Path(lane.worktree_path)
    (folder / "app.py").write_text("def total():\n    return 42\n")
    git(folder, "commit", "-qam", "Count right")
    desk.bridge.send(RefreshLanes(lane_ids=(lane.id,)))

    QTest.keyClick(desk.window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    desk.click("pr_create")
    desk.see("pr_where")
    field = desk.see("pr_title")
    desk.until(lambda: field.text() == "Count right")
    desk.see("pr_draft").setChecked(False)
    desk.until(desk.see("pr_submit").isEnabled)
    desk.click("pr_submit")
    desk.until(lambda: desk.find("pr_heading") is not None and desk.find("pr_heading").text() == "Count right #1")
    assert git(folder, "rev-parse", "@{upstream}") == git(folder, "rev-parse", "HEAD")
    assert forge.pull(1).state == "open"

    pull, panel = forge.pull(1), desk.window.findChild(PullPanel)
    thread = pull.thread("app.py", 2, "Why 42?", by="mona")
    desk.until(lambda: desk.see("pr_chip_checks").text() == "1 failing")
    panel.show_page("checks")
    desk.until(lambda: desk.see("pr_check_steps").model().rowCount() == 3)
    desk.click("pr_check_view_log")
    desk.until(lambda: desk.see("pr_check_log").model().rowCount() > 0)
    desk.click("pr_rerun_failed")
    desk.until(lambda: pushed[0].attempt == 2, what="another attempt")
    forge.finish(pushed[0].latest_jobs[0].check, "success")

    panel.show_page("threads")
    desk.until(lambda: desk.find("pr_thread_reply") is not None)
    reply = desk.see("pr_thread_reply")
    reply.setFocus()
    QTest.keyClicks(reply, "It is the answer")
    desk.click("pr_thread_send")
    desk.until(lambda: reply.toPlainText() == "", what="the reply at GitHub")
    assert [comment.body for comment in thread.comments] == ["Why 42?", "It is the answer"]
    desk.click("pr_thread_resolve")
    desk.until(lambda: thread.resolved_by is not None)
    desk.until(lambda: desk.see("pr_chip_checks").text() == "1 check passed")

    desk.until(desk.see("pr_main").isEnabled)
    desk.click("pr_main")
    desk.until(lambda: desk.find("pr_merge_confirm") is not None and desk.see("pr_merge_confirm").isEnabled())
    desk.click("pr_merge_confirm")
    desk.see("pr_merged_archive")
    assert forge.pull(1).state == "merged"
    desk.click("pr_merge_dialog_cancel")
    desk.until(lambda: desk.see("pr_state").text() == "Merged")
    model = desk.window.sidebar.model
    desk.until(lambda: "PR #1 merged" in model.find(f"lane:{lane.id}").data(DETAIL_ROLE), what="the lane's row")


def sign_in(desk, github):
    """Use the stand-in's token."""
    steps = []
    desk.bridge.batch.connect(lambda updates: steps.extend(u.step for u in updates if isinstance(u, SignInProgress)))
    desk.bridge.send(SaveGitHubHost(host=github.host))
    desk.bridge.send(SignInWithToken(host=github.host, token=SecretStr(github.token)))
    desk.until(lambda: "done" in steps, what="the sign-in")
