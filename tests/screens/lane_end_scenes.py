"""Scenes of lanes that end, come back, or need a person."""

import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QLabel

from desktop.domain.commands import OpenProject
from desktop.domain.core.ids import new_lane_id
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.lanes.lane import Lane
from desktop.language import tr
from desktop.ui.lanes.ends import archive_lane, delete_lane, show_trash
from tests.agent.rig import GIT_ENVIRONMENT
from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import Stage


def _commit(lane: Lane, path: str, text: str, subject: str) -> None:
    (Path(lane.worktree_path) / path).write_text(text, encoding="utf-8")
    for words in (("add", "-A"), ("commit", "-qm", subject)):
        subprocess.run(["git", *words], cwd=lane.worktree_path, env=GIT_ENVIRONMENT, check=True)


async def _lane(stage: Stage) -> Lane:
    """The lane of a chat that has worked in it."""
    chat = await stage.chat("Fix the login loop", text_turn("The loop is gone."), title="Fix the login loop")
    await stage.ended(chat)
    lane = stage.window.lane_host.lane(stage.window.book.facts(chat).lane_id)
    assert lane is not None
    return lane


async def _another(stage: Stage, name: str, parent_id: str = "") -> Lane:
    lane_id = new_lane_id()
    stage.send(CreateLane(lane_id=lane_id, name=name, parent_id=parent_id, allow_behind=True))
    await stage.until(lambda: (one := stage.window.lane_host.lane(lane_id)) is not None and one.state == "active", name)
    lane = stage.window.lane_host.lane(lane_id)
    assert lane is not None
    return lane


async def lane_delete(stage: Stage) -> AsyncIterator[str]:
    """60, deleting lanes, and the list of those that were deleted"""
    lane = await _lane(stage)
    folder = Path(lane.worktree_path)
    _commit(lane, ".gitignore", ".env\n*.sqlite3\n", "Ignore local files")
    _commit(lane, "loop.py", "def loop(): ...\n", "Take the loop out")
    for name, text in ((".env", "TOKEN=abc\n"), ("shop.sqlite3", "x" * 40_000), ("notes.md", "later\n")):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "loop.py").write_text("def loop(): return None\n", encoding="utf-8")
    clean = await _another(stage, "Try dark mode")
    host = stage.window.lane_host
    delete_lane(host, lane.id)
    await stage.find("lane_delete_losses")
    await stage.rest()
    yield "60-lane-delete"
    await stage.type("lane_delete_confirm", lane.name)
    branch = await stage.find("lane_delete_branch")
    assert isinstance(branch, QCheckBox)
    branch.setChecked(True)
    await stage.rest()
    yield "60-lane-delete-typed"
    await stage.click("lane_delete")
    await stage.until(lambda: not stage.shown("lane_delete_dialog"), "the lane to go")
    await stage.rest()
    yield "60-lane-deleted"
    delete_lane(host, clean.id)
    await stage.find("lane_delete_nothing")
    await stage.rest()
    yield "60-lane-delete-clean"
    await stage.click("lane_delete")
    await stage.until(lambda: not stage.shown("lane_delete_dialog"), "the lane to go")
    show_trash(host)
    await stage.until(lambda: stage.shown("lane_restore") and stage.shown("lane_restore").isEnabled(), "the list")
    await stage.rest()
    yield "60-lane-trash"
    await stage.click("lane_trash_close")


async def lane_delete_several(stage: Stage) -> AsyncIterator[str]:
    """60, deleting a lane with those on top of it, and archiving one"""
    lane = await _lane(stage)
    above = await _another(stage, "Login tests", lane.id)
    await _another(stage, "Login docs", lane.id)
    _commit(above, "tests_login.py", "assert True\n", "Test the login")
    host = stage.window.lane_host
    delete_lane(host, lane.id)
    await stage.find("lane_delete_refused")
    await stage.rest()
    yield "60-lane-delete-refused"
    children = await stage.find("lane_delete_children")
    assert isinstance(children, QCheckBox)
    children.setChecked(True)
    await stage.find("lane_delete_table")
    await stage.rest()
    yield "60-lane-delete-several"
    await stage.click("lane_delete_cancel")
    next(action for action in stage.window.actions() if action.objectName() == "action_delete_lanes").trigger()
    await stage.find("lane_pick_list")
    await stage.rest()
    yield "60-lane-pick"
    await stage.click("lane_pick_cancel")
    archive_lane(host, lane.id)
    await stage.find("lane_archive_dialog")
    await stage.rest()
    yield "60-lane-archive"
    await stage.click("lane_archive_cancel")
    show_trash(host)
    nothing = tr("No lane was deleted in the last 30 days.")
    await stage.until(lambda: _text(stage, "lane_trash_state") == nothing, "the empty list")
    await stage.rest()
    yield "60-lane-trash-empty"
    await stage.click("lane_trash_close")


async def lane_broken(stage: Stage) -> AsyncIterator[str]:
    """61, a lane whose folder is gone"""
    lane = await _lane(stage)
    shutil.rmtree(lane.worktree_path)
    project = stage.window.engine.project
    assert project is not None
    stage.send(OpenProject(path=project.path))
    await stage.find("lane_repair_recreate")
    await stage.rest()
    yield "61-lane-gone"


def _text(stage: Stage, name: str) -> str:
    widget = stage.shown(name)
    return widget.text() if isinstance(widget, QLabel) else ""
