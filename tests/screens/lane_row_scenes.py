"""Scenes of the rows of lanes in the sidebar: every state, badges, stacks, archived ones, overlaps."""

import contextlib
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from desktop.domain.core.ids import new_lane_id
from desktop.domain.lanes.commands import ArchiveLane, CreateLane, EditLane, RefreshLanes
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.services.files.pointers import git_folders
from desktop.ui.lanes.dialogs.overlaps import show_overlaps
from tests.agent.rig import git
from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import Stage

_LINES = "".join(f"line {n}\n" for n in range(12))


async def lane_rows(stage: Stage) -> AsyncIterator[str]:
    """61, the rows of lanes, and which files two of them share"""
    project = stage.window.engine.project
    assert project is not None
    root = Path(project.path)
    _commit(root, "prices.py", _LINES)
    lanes = {name: await _lane(stage, name) for name in ("Fix login loop", "bump-sqlglot", "checkout-flow", "old-idea")}
    lanes["checkout-tests"] = await _lane(stage, "checkout-tests", lanes["checkout-flow"].id)
    for name in ("flaky-timer", "unreadable"):
        lanes[name] = await _lane(stage, name)
    chat = await stage.chat("Bump sqlglot to 30", text_turn("Done."), lane_id=lanes["bump-sqlglot"].id)
    await stage.ended(chat)
    stage.send(EditLane(lane_id=lanes["Fix login loop"].id, icon="star", tags=("urgent",)))
    stage.send(EditLane(lane_id=lanes["bump-sqlglot"].id, icon="bolt"))
    stage.send(ArchiveLane(lane_id=lanes["old-idea"].id))
    for name, words in (("Fix login loop", "mine\n"), ("bump-sqlglot", "yours\n")):
        (Path(lanes[name].worktree_path) / "prices.py").write_text(_LINES.replace("line 4\n", words), encoding="utf-8")
    _commit(Path(lanes["checkout-flow"].worktree_path), "prices.py", _LINES.replace("line 9\n", "ours\n"))
    _commit(root, "prices.py", _LINES.replace("line 9\n", "theirs\n"))
    with contextlib.suppress(subprocess.CalledProcessError):
        git(Path(lanes["checkout-flow"].worktree_path), "rebase", "main")
    shutil.rmtree(lanes["flaky-timer"].worktree_path)
    (git_folders(Path(lanes["unreadable"].worktree_path))[0] / "index").write_bytes(b"nothing")
    stage.send(RefreshLanes(lane_ids=tuple(lane.id for lane in lanes.values())))
    await stage.until(lambda: _told(stage, lanes["unreadable"]).problem, "the lane that cannot be read")
    await stage.until(lambda: _told(stage, lanes["Fix login loop"]).overlaps, "the overlap")
    await stage.rest()
    yield "61-lane-rows"
    stage.window.sidebar.show_filter()
    filter_line = await stage.find("sidebar_filter")
    assert isinstance(filter_line, QLineEdit)
    filter_line.setText("#urgent")
    await stage.rest()
    yield "61-lane-rows-filtered"
    show_overlaps(stage.window.lane_host, lanes["Fix login loop"].id)
    await stage.find("lane_overlaps_dialog")
    await stage.rest()
    yield "61-lane-overlaps"


def _commit(folder: Path, path: str, text: str) -> None:
    (folder / path).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", path)


async def _lane(stage: Stage, name: str, parent_id: str = "") -> Lane:
    lane_id = new_lane_id()
    stage.send(CreateLane(lane_id=lane_id, name=name, parent_id=parent_id, allow_behind=True, run_setup=False))
    host = stage.window.lane_host
    await stage.until(lambda: (one := host.lane(lane_id)) is not None and one.state == "active", name)
    lane = host.lane(lane_id)
    assert lane is not None
    return lane


def _told(stage: Stage, lane: Lane) -> LaneStatus:
    status = stage.window.lane_host.status(lane.id)
    return status or LaneStatus(lane_id=lane.id, read_at=lane.created_at)
