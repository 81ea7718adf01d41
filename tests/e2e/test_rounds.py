"""A round of work on a pull request in a real window: seen, given away with its exact prompt, allowed, converged."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.lanes.commands import RefreshLanes
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.rounds.resolve import ResolveDialog
from tests.agent.rig import git
from tests.e2e.test_pull_requests import forge as forge
from tests.e2e.test_pull_requests import sign_in
from tests.fakes.fake_model_api import text_turn, tool_turn

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def first_words(request):
    """How the chat of a request begins."""
    content = request.messages[0]["content"]
    return content if isinstance(content, str) else str(content[0].get("text", ""))


def test_a_failing_check_is_given_to_an_agent_and_fixed(start, model_api, github, forge, monkeypatch):
    monkeypatch.setattr("desktop.agent.rounds.rounds.POLL_S", 0.3)
    ends = iter(("failure", "success"))
    github.on_push(lambda push: forge.workflow(push.after, {"unit": next(ends)}))
    turns = iter((
        tool_turn("write_file", file_path="fixed.py", content="ok = True\n"),
        tool_turn("commit_changes", message="Mend the check"), tool_turn("push_lane"), text_turn("Pushed."),
    ))  # fmt: skip
    asked = []

    def answer(request):
        if not first_words(request).startswith("Resolve failing checks"):
            return text_turn("Done.")
        asked.append(first_words(request))
        return next(turns)

    model_api.answer_with(answer)
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
    header = f"http.extraHeader=Authorization: Bearer {github.token}"
    git(folder, "-c", header, "push", "-q", "-u", "origin", lane.branch)
    pull = forge.open_pull(lane.branch, title="Count right")
    desk.bridge.send(RefreshLanes(lane_ids=(lane.id,)))

    QTest.keyClick(desk.window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    panel = desk.window.findChild(PullPanel)
    desk.until(lambda: panel.shown.pull is not None, what="the request")
    panel.show_page("issues")
    desk.until(lambda: desk.see("issues_list").model().rowCount() == 1, what="the failing check")
    desk.until(desk.see("issue_fix").isEnabled)
    desk.click("issue_fix")
    dialog = desk.see("resolve_dialog")
    assert isinstance(dialog, ResolveDialog)
    desk.until(dialog.go.isEnabled, what="the prompt")
    shown = dialog.prompt.toPlainText()
    desk.click("resolve_launch")
    desk.until(lambda: bool(asked), what="the round's chat")
    assert asked[0] == shown

    desk.click("issues_view_rounds")
    desk.until(lambda: desk.see("rounds_table").model().rowCount() == 1)
    desk.click("round_chat")
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow)
    desk.answer("approval_allow_once")
    desk.until(lambda: git(folder, "rev-parse", "HEAD").strip() == pull.head_sha, what="the push")
    panel.show_page("issues")
    desk.until(lambda: desk.see("pr_round_state_text").text() == "Converged: nothing is left to fix.")
    assert desk.window.page.facts.title == "PR #1 round 1"
    desk.click("issues_view_items")
    desk.until(lambda: desk.see("issues_nothing").text().startswith("Nothing to fix. As of "))
