"""Scenes of making, importing and changing lanes."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from desktop.domain.core.ids import new_lane_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.lanes.lane import Lane
from desktop.ui.lanes.begin import edit_lane, switch_branch
from tests.agent.rig import GIT_ENVIRONMENT
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=GIT_ENVIRONMENT, check=True, capture_output=True)


def _checkout(stage: Stage) -> Path:
    project = stage.window.engine.project
    assert project is not None
    return Path(project.path)


def _act(stage: Stage, action: str) -> None:
    found = stage.window.findChild(QAction, f"action_{action}")
    assert isinstance(found, QAction)
    found.trigger()


async def _lane(stage: Stage, name: str) -> Lane:
    lane_id = new_lane_id()
    stage.send(CreateLane(lane_id=lane_id, name=name, allow_behind=True))
    await stage.until(lambda: (one := stage.window.lane_host.lane(lane_id)) is not None and one.state == "active", name)
    lane = stage.window.lane_host.lane(lane_id)
    assert lane is not None
    return lane


async def _pick(stage: Stage, button: str, words: str) -> None:
    await stage.click(button)
    await stage.type(f"{button}_search", words)
    QTest.keyClick(await stage.find(f"{button}_search"), Qt.Key.Key_Return)
    await stage.rest()


async def lane_new(stage: Stage) -> AsyncIterator[str]:
    """50, a new lane: its name, its base, what is not committed, a branch that is there"""
    checkout = _checkout(stage)
    (checkout / "notes.txt").write_text("Half an idea\n", encoding="utf-8")
    (checkout / "README.md").write_text("# Another title\n", encoding="utf-8")
    _git(checkout, "branch", "spare")
    await _lane(stage, "Try dark mode")
    _act(stage, "new_lane")
    await stage.type("lane_name", "Fix the login loop")
    await stage.rest(0.3)
    yield "50-lane-new"
    await stage.click("lane_base")
    await stage.rest()
    yield "50-lane-new-bases"
    await stage.type("lane_base_search", "spare")
    QTest.keyClick(await stage.find("lane_base_search"), Qt.Key.Key_Return)
    await stage.click("lane_start_changes")
    await stage.click("lane_move")
    yield "50-lane-new-changes"
    await stage.click("lane_create")
    await stage.find("lane_move_dialog")
    await stage.rest()
    yield "50-lane-new-move"
    await stage.click("lane_move_cancel")
    await stage.click("lane_start_branch")
    yield "50-lane-new-branch"
    await stage.click("lane_start_base")
    await _pick(stage, "lane_parent", "dark")
    yield "50-lane-new-stacked"
    await stage.click("lane_dialog_cancel")


async def lane_new_refused(stage: Stage) -> AsyncIterator[str]:
    """50, a new lane that cannot be made, and the page of a chat in one that was"""
    checkout = _checkout(stage)
    _git(checkout, "config", "user.name", "A")
    _git(checkout.parent, "clone", "-q", str(checkout), "elsewhere")
    _git(checkout.parent / "elsewhere", "commit", "-q", "--allow-empty", "-m", "later")
    _git(checkout, "remote", "add", "origin", str(checkout.parent / "elsewhere"))
    _git(checkout, "fetch", "-q")
    _git(checkout, "branch", "-u", f"origin/{_branch(checkout)}")
    _act(stage, "new_lane")
    await stage.rest(0.3)
    await stage.type("lane_name", "Fix the login loop")
    await _pick(stage, "lane_base", "commit")
    await stage.click("lane_create")
    await stage.until(lambda: stage.shown("lane_error"), "the engine's sentence")
    await stage.rest()
    yield "50-lane-new-behind"
    await stage.click("lane_allow_behind")
    await stage.click("lane_create")
    await stage.until(lambda: not stage.shown("lane_dialog"), "the lane")
    await stage.rest(0.4)
    yield "50-lane-new-chat"


async def lane_import(stage: Stage) -> AsyncIterator[str]:
    """51, worktrees that are there"""
    checkout = _checkout(stage)
    _git(checkout, "worktree", "add", "-q", "-b", "experiment", str(checkout.parent / "experiment"))
    _git(checkout, "worktree", "add", "-q", "-b", "old-idea", str(checkout.parent / "old-idea"))
    (checkout.parent / "old-idea" / ".git").unlink()
    _act(stage, "import_lane")
    listed = await stage.find("lane_import_list")
    assert isinstance(listed, QListWidget)
    await stage.until(lambda: listed.count() == 2, "the worktrees")
    await stage.rest()
    yield "51-lane-import"
    listed.setCurrentRow(0)
    await stage.type("lane_import_name", "!")
    await stage.click("lane_import")
    await stage.until(lambda: stage.shown("lane_error"), "the engine's sentence")
    await stage.rest()
    yield "51-lane-import-refused"
    await stage.click("lane_import_dialog_cancel")


async def lane_edit(stage: Stage) -> AsyncIterator[str]:
    """52, what can be changed of a lane; another branch; what the palette offers"""
    stage.script("Split the work", tool_turn("create_lane", name="Fix login"), text_turn("The lane is there."))
    _git(_checkout(stage), "branch", "spare")
    chat = await stage.chat("Split the work", mode=PermissionMode.EDIT)
    await stage.asked(chat)
    await stage.card()
    yield "52-card-create-lane"
    await stage.answer(chat)
    await stage.ended(chat)
    await _lane(stage, "Try dark mode")
    lane = next(one for one in stage.window.lane_host.lanes() if one.name == "Fix login")
    edit_lane(stage.window.lane_host, lane.id)
    await stage.type("lane_edit_tags", "login, this week")
    await stage.click("lane_edit_color_purple")
    await stage.click("lane_edit_icon_bolt")
    yield "52-lane-edit"
    await stage.click("lane_edit_save")
    await stage.until(lambda: not stage.shown("lane_edit_dialog"), "the end of the dialog")
    switch_branch(stage.window.lane_host, lane.id)
    await stage.find("lane_switch")
    await stage.rest(0.3)
    yield "52-lane-switch"
    await stage.click("lane_switch_dialog_cancel")
    await stage.click("top_search")
    await stage.type("palette_field", "> lane")
    yield "52-palette-lane"
    await stage.rest()


async def lane_models(stage: Stage) -> AsyncIterator[str]:
    """53, one prompt for several models"""
    await stage.check_models()
    stage.window.new_chat()
    await stage.type("composer_text", "Make the cart total right when a discount code is used twice")
    await stage.rest(0.6)
    _act(stage, "several_models")
    listed = await stage.find("lane_models_list")
    assert isinstance(listed, QListWidget)
    await stage.rest(0.3)
    yield "53-lane-models"
    for row in range(listed.count()):
        if listed.item(row).text().startswith(("Opus", "Haiku")):
            listed.item(row).setCheckState(Qt.CheckState.Checked)
    await stage.rest()
    yield "53-lane-models-chosen"
    await stage.click("lane_models_dialog_cancel")


async def lane_place(stage: Stage) -> AsyncIterator[str]:
    """54, a new chat in a lane that is there"""
    await _lane(stage, "Try dark mode")
    await _lane(stage, "Fix the login loop")
    stage.window.new_chat()
    await stage.click("composer_place_existing")
    await stage.find("lane_popup")
    yield "54-place-lanes"
    await stage.type("lane_search", "login")
    QTest.keyClick(await stage.find("lane_search"), Qt.Key.Key_Return)
    await stage.rest()
    yield "54-place-chosen"


def _branch(folder: Path) -> str:
    return subprocess.run(
        ["git", "branch", "--show-current"], cwd=folder, env=GIT_ENVIRONMENT, check=True, capture_output=True, text=True
    ).stdout.strip()
