"""Scenes of bringing work together: a merge with its plan, a run of rebases, conflicts, a lane in the checkout."""

import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtWidgets import QCheckBox

from desktop.domain.core.ids import new_lane_id
from desktop.domain.lanes.commands import CreateLane, RebaseLanes, RefreshLanes, TryInCheckout
from desktop.domain.lanes.lane import Lane
from tests.fakes.fake_model_api import text_turn
from tests.screens.samples import NEW, OLD, TASK, TEST
from tests.screens.stage import Stage

_WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Robin"), ("EMAIL", "robin@example.org"))
}
MIDDLEWARE = "auth/middleware.py"


def _git(folder: Path | str, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **_WHO}, check=True, capture_output=True, text=True
    )
    return done.stdout


def _commit(folder: Path | str, subject: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", subject)


def _root(stage: Stage) -> Path:
    project = stage.window.engine.project
    assert project is not None
    return Path(project.path)


async def _lane(stage: Stage) -> Lane:
    """A lane with a chat and two commits."""
    chat = await stage.chat(TASK, text_turn("The loop is gone. A test covers it."), title="Fix login redirect loop")
    await stage.ended(chat)
    lane_id = stage.window.book.facts(chat).lane_id
    lane = next(lane for lane in stage.window.book.lanes if lane.id == lane_id)
    text = Path(lane.worktree_path, MIDDLEWARE).read_text(encoding="utf-8")
    _commit(lane.worktree_path, "Stop redirecting the login page to itself", {MIDDLEWARE: text.replace(OLD, NEW)})
    _commit(lane.worktree_path, "Test the redirects", {"tests/test_redirects.py": TEST})
    await _read(stage, lane)
    return lane


async def _read(stage: Stage, lane: Lane, operation: str = "") -> None:
    """Until the window knows how the lane stands."""
    stage.send(RefreshLanes(lane_ids=(lane.id,)))

    def known() -> bool:
        status = stage.window.book.lane_book.status(lane.id)
        return status is not None and status.operation == operation and status.dirty == bool(operation)

    await stage.until(known, "the lane's status")


def _against(stage: Stage) -> None:
    """main goes on with another change of the same lines."""
    root = _root(stage)
    text = (root / MIDDLEWARE).read_text(encoding="utf-8")
    _commit(
        root, "Send people home after login", {MIDDLEWARE: text.replace(OLD, OLD.replace("return", "return home or"))}
    )


async def lane_merge(stage: Stage) -> AsyncIterator[str]:
    """70"""
    lane = await _lane(stage)
    stage.window.lane_host.act("merge", lane.id)
    await stage.find("lane_merge_commits")
    tick = await stage.find("lane_merge_checkout")
    assert isinstance(tick, QCheckBox)
    tick.setChecked(True)
    await stage.rest(0.2)
    yield "70-merge-plan"
    await stage.click("lane_merge_go")
    await stage.find("lane_merge_archive")
    await stage.rest(0.2)
    yield "70-merged"
    await stage.click("lane_merge_cancel")


async def lane_merge_conflict(stage: Stage) -> AsyncIterator[str]:
    """71"""
    lane = await _lane(stage)
    _against(stage)
    stage.window.lane_host.act("merge", lane.id)
    await stage.find("lane_merge_conflicts")
    await stage.rest(0.2)
    yield "71-merge-conflict"
    await stage.click("lane_merge_cancel")


async def lane_stack_run(stage: Stage) -> AsyncIterator[str]:
    """72"""
    lane = await _lane(stage)
    child = CreateLane(lane_id=new_lane_id(), name="Remember the page", parent_id=lane.id, run_setup=False)
    stage.send(child)
    await stage.until(lambda: stage.window.book.lane_book.lane(child.lane_id), "the child")
    _commit(_root(stage), "Describe the shop", {"SHOP.md": "# Shop\n"})
    remote = _root(stage).parent / "remote.git"
    _git(_root(stage), "clone", "-q", "--bare", str(_root(stage)), str(remote))
    _git(_root(stage), "remote", "add", "origin", str(remote))
    _git(_root(stage), "fetch", "-q", "origin")
    stage.send(RefreshLanes(lane_ids=(lane.id,)))
    await stage.until(lambda: _behind(stage, lane), "the lane to be behind")
    stage.window.lane_host.act("update", lane.id)
    await stage.find("stack_run")
    push = await stage.find("stack_run_push")
    assert isinstance(push, QCheckBox)
    push.setChecked(True)
    yield "72-stack-run-asks"
    await stage.click("stack_run")
    await stage.find("push_lanes_list")
    await stage.rest(0.2)
    yield "72-stack-run-push"
    await stage.click("push_lanes_cancel")
    await stage.find("stack_undo")
    push.setChecked(False)
    await stage.rest(0.2)
    yield "72-stack-run-done"
    await stage.click("stack_undo")
    await stage.until(lambda: not stage.shown("stack_undo"), "the undo")
    _against(stage)
    _git(_root(stage), "push", "-q", "origin", "main")
    await stage.click("stack_run")
    await stage.find("stack_resolve")
    await stage.rest(0.2)
    yield "72-stack-run-conflict"
    await stage.click("stack_resolve")
    await stage.find("conflict_sides")
    await stage.until(lambda: stage.shown("conflict_take_theirs"), "the files")
    await stage.click("conflict_take_theirs")
    await stage.click("conflict_continue")
    await stage.find("stack_undo")
    await stage.rest(0.2)
    yield "72-stack-run-went-on"
    await stage.click("stack_run_cancel")


def _behind(stage: Stage, lane: Lane) -> bool:
    status = stage.window.book.lane_book.status(lane.id)
    return status is not None and bool(status.behind)


async def lane_conflicts(stage: Stage) -> AsyncIterator[str]:
    """73"""
    lane = await _lane(stage)
    _against(stage)
    stage.send(RebaseLanes(lane_id=lane.id, keep_conflict=True))
    await stage.find("operation_strip")
    yield "73-operation-strip"
    await stage.click("operation_strip_show")
    await stage.find("conflict_sides")
    await stage.until(lambda: stage.shown("conflict_take_ours"), "the files")
    await stage.rest(0.3)
    yield "73-conflicts"
    await stage.click("conflict_show_base")
    await stage.click("conflict_take_theirs")
    await stage.rest(0.3)
    yield "73-conflicts-resolved"
    await stage.click("conflict_abort")
    await stage.find("conflict_abort_dialog")
    await stage.rest(0.3)
    yield "73-conflicts-abort"
    await stage.click("conflict_abort_go")


async def lane_in_checkout(stage: Stage) -> AsyncIterator[str]:
    """74"""
    lane = await _lane(stage)
    stage.window.lane_host.act("try", lane.id)
    await stage.find("lane_try_dialog")
    yield "74-try-in-checkout"
    await stage.click("lane_try_cancel")
    stage.send(TryInCheckout(lane_id=lane.id))
    await stage.find("handover_strip")
    await stage.rest(0.2)
    yield "74-lane-in-checkout"
    await stage.click("handover_bring_back")
    await stage.until(lambda: not stage.shown("handover_strip"), "the return")


async def lane_parent(stage: Stage) -> AsyncIterator[str]:
    """75"""
    lane = await _lane(stage)
    other = CreateLane(lane_id=new_lane_id(), name="Remember the page", run_setup=False)
    stage.send(other)
    await stage.until(lambda: stage.window.book.lane_book.lane(other.lane_id), "the other lane")
    stage.window.lane_host.act("parent", lane.id)
    await stage.find("lane_parent_choice")
    yield "75-stack-on"
    await stage.click("lane_parent_cancel")
