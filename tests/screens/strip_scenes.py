"""Scenes of what stays over window and chat, of limits, of folders, and of instruction files."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from PySide6.QtWidgets import QScrollArea

from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.releases.updates import ReleasesOffered, ReleasesStand
from desktop.domain.releases.values import Release
from desktop.domain.updates import CommandFailed
from desktop.store.sqlite.connection import write_failure
from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import NOW, Stage

_STORE = "/home/me/.local/share/banksman/store"
_DAMAGED = (
    f"The chats in {_STORE} cannot be written: Read-only file system.",
    "Make that folder writable, or name another one with BANKSMAN_HOME, then start Banksman again.",
)
_FROZEN = write_failure(Path(_STORE), OSError("disk is full"))
_CHANGED = "The record of this chat was changed outside Banksman (entry 214)."
_NOTES = "Quicker with many files.\nThe inbox opens in short steps, whatever waits there."
_NOT_SIGNED = "The list of versions is not signed as it should be. Nothing was done."
_NOTE = """---
description: Write what changed in a few lines
---
Write a note about {{args}}.
"""


async def store_strip(stage: Stage) -> AsyncIterator[str]:
    """41, the store cannot be written"""
    await stage.ended(await stage.chat("Describe the cart", text_turn("It holds products.")))
    stage.window.apply_updates([StoreDamaged(problems=_DAMAGED)])
    await stage.rest()
    yield "41-store-damaged"
    failed = CommandFailed(command_id="", code="frozen", text=_FROZEN, session_id=stage.window.page.session_id)
    stage.window.apply_updates([StoreDamaged(problems=()), failed])
    await stage.rest()
    yield "41-store-full"


async def update_strip(stage: Stage) -> AsyncIterator[str]:
    """41, the offer to look for updates, a newer version, and the About page"""
    await stage.ended(await stage.chat("Describe the cart", text_turn("It holds products.")))
    told = ReleasesStand(host="releases.example.org", page="https://example.org/banksman")
    stage.window.apply_updates([told, ReleasesOffered()])
    await stage.rest()
    yield "41-updates-offered"
    await stage.click("update_daily_yes")
    await stage.until(lambda: stage.window.engine.settings.look_for_releases, "the switch")
    newer = Release(version="0.2.0", at=NOW - timedelta(days=2), notes=_NOTES)
    stage.window.apply_updates([told.model_copy(update={"looked_at": NOW, "newer": newer})])
    await stage.rest()
    yield "41-updates-newer"
    stage.window.show_settings("about")
    await stage.find("update_state")
    await stage.rest()
    yield "41-updates-about"
    stage.window.apply_updates([told.model_copy(update={"problem": _NOT_SIGNED})])
    await stage.rest()
    yield "41-updates-not-signed"


async def record_strip(stage: Stage) -> AsyncIterator[str]:
    """41, a record was changed outside"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    stage.window.apply_updates([CommandFailed(command_id="", code="chain", text=_CHANGED, session_id=chat)])
    await stage.rest()
    yield "41-record-changed"
    await stage.type("composer_text", "Now write a test")
    await stage.click("composer_send")
    await stage.find("record_changed_dialog")
    yield "41-record-changed-asks"
    await stage.click("record_changed_leave")


async def settings_limits(stage: Stage) -> AsyncIterator[str]:
    """33, limits, one refused, and the Advanced page"""
    stage.window.show_settings("general")
    await stage.type("settings_general_limit_tokens", "9000")
    await stage.type("settings_general_limit_chat_microusd", "5")
    page = await stage.find("settings_general")
    assert isinstance(page, QScrollArea)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "33-settings-limits"
    stage.window.show_settings("advanced")
    await stage.click("settings_advanced_find")
    await stage.find("settings_advanced_find_state")
    await stage.rest(0.3)
    yield "33-settings-advanced"


async def instruction_files(stage: Stage) -> AsyncIterator[str]:
    """42, instruction files and commands"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(chat)
    lane = next(lane for lane in stage.window.book.lanes if lane.id == stage.window.book.facts(chat).lane_id)
    root = stage.home / lane.worktree_path
    (root / "AGENTS.md").write_text("Run the tests with `pytest -q`.\n" * 40, encoding="utf-8")
    (root / "CLAUDE.md").write_text("Keep functions short.\n" * 2500, encoding="utf-8")
    commands = root / ".banksman" / "commands"
    commands.mkdir(parents=True, exist_ok=True)
    (commands / "note.md").write_text(_NOTE, encoding="utf-8")
    next(action for action in stage.window.actions() if action.objectName() == "action_instructions").trigger()
    await stage.find("instructions_files")
    await stage.rest(0.3)
    yield "42-instruction-files"
