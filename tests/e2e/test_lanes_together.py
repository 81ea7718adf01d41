"""Work of lanes brought together in the window: an update in conflict that is resolved, and a merge into main."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel

from desktop.domain.lanes.lane import Lane
from tests.agent.rig import git
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn


def text(desk: Desk, name: str) -> str:
    widget = desk.see(name)
    assert isinstance(widget, QLabel)
    return widget.text()


def press(desk: Desk, name: str) -> None:
    """Click a button once it is on."""
    desk.until(lambda: isinstance(one := desk.find(name), QAbstractButton) and one.isEnabled(), name)
    widget = desk.see(name)
    assert isinstance(widget, QAbstractButton)
    widget.click()


def commit(folder: Path | str, subject: str, path: str, content: str) -> None:
    Path(folder, path).write_text(content)
    git(Path(folder), "commit", "-q", "-a", "-m", subject)


def lane_of(desk: Desk) -> Lane:
    found: list[Lane] = []

    def known() -> bool:
        facts = desk.window.page.facts
        found[:] = [one for one in desk.window.lane_host.lanes() if facts is not None and one.id == facts.lane_id]
        return bool(found)

    desk.until(known, "the lane of the chat")
    return found[0]


@pytest.fixture(autouse=True)
def person(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(repository, "config", "user.name", "Petra")
    git(repository, "config", "user.email", "petra@example.org")


def test_a_lane_in_conflict_is_resolved_with_the_agent_and_merged_into_main(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi
) -> None:
    desk = start()
    model_api.script(text_turn("Done."))
    desk.send("Change the total")
    desk.until(lambda: "Done." in desk.transcript_text())
    desk.idle()
    lane = lane_of(desk)
    commit(lane.worktree_path, "The lane's", "app.py", "def total():\n    return 42\n")
    commit(repository, "Main's", "app.py", "def total():\n    return 40\n")

    desk.window.lane_host.act("update", lane.id)
    press(desk, "stack_run")
    desk.until(lambda: desk.find("stack_resolve") is not None, "the conflict")
    assert git(Path(lane.worktree_path), "status", "--porcelain") == ""
    press(desk, "stack_resolve")
    desk.until(lambda: "1 file in conflict" in text(desk, "conflict_state"), "the file")
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content="def total():\n    return 42  # not 40\n"),
        text_turn("I kept both."),
    )
    press(desk, "conflict_ask_agent")
    desk.until(lambda: "I kept both." in desk.transcript_text(), "the agent")
    desk.idle()
    assert lane_of(desk).id == lane.id
    assert "stopped because files are in conflict. Please resolve them." in desk.transcript_text()

    press(desk, "operation_strip_show")
    press(desk, "conflict_as_is")
    press(desk, "conflict_continue")
    desk.gone("conflicts_dialog")
    desk.gone("operation_strip")
    assert git(repository, "log", "--format=%s", lane.branch).split("\n")[:2] == ["The lane's", "Main's"]

    desk.window.lane_host.act("merge", lane.id)
    press(desk, "lane_merge_checkout")
    press(desk, "lane_merge_go")
    desk.see("lane_merge_archive")
    assert (repository / "app.py").read_text() == "def total():\n    return 42  # not 40\n"
    assert git(repository, "status", "--porcelain") == ""
    press(desk, "lane_merge_cancel")

    desk.window.lane_host.act("try", lane.id)
    press(desk, "lane_try_go")
    desk.see("handover_strip")
    (repository / "readme.md").write_text("# Edited in the checkout\n")
    press(desk, "handover_bring_back")
    desk.gone("handover_strip")
    assert git(repository, "status", "--porcelain", "--branch") == "## main\n"
    assert Path(lane.worktree_path, "readme.md").read_text() == "# Edited in the checkout\n"
