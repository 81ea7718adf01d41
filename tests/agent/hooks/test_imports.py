"""Hooks of another program, looked at and taken over (guests-H8)."""

import json
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.hooks.commands import ImportHooks
from desktop.domain.hooks.updates import HooksImported
from tests.agent.hooks.hook_files import hook, loaded, own_hooks
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio
THEIRS = {
    "hooks": {
        "PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "make fmt"}]}],
        "PreToolUse": [{"hooks": [{"type": "command", "command": "jq ."}]}],
    }
}


async def test_what_means_the_same_is_shown_and_then_added(rig: Rig, folders: Folders, tmp_path: Path) -> None:
    own = own_hooks(folders, hook("true", name="imported-1"))
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(THEIRS))
    before = own.read_text()
    await rig.engine.handle(ImportHooks(place=str(file)))
    assert own.read_text() == before
    await rig.engine.handle(ImportHooks(place=str(file), save=True))

    assert rig.failures() == []
    shown, saved = (update for update in rig.updates if isinstance(update, HooksImported))
    assert (shown.saved, saved.saved, shown.text) == (False, True, saved.text)
    assert "lets the call run" in shown.others[0]
    assert own.read_text() == before + shown.text
    assert [row.hook.id for row in (await loaded(rig)).hooks] == ["imported-1", "imported-2"]


@pytest.mark.parametrize("content", [None, "{", "{}"])
async def test_a_file_that_has_none_is_refused(rig: Rig, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "settings.json"
    if content is not None:
        file.write_text(content)
    await rig.engine.handle(ImportHooks(place=str(file), save=True))
    assert [failure.code for failure in rig.failures()] == ["hooks"]
    assert not (rig.folders.config / "hooks.toml").exists()


async def test_nothing_is_added_to_a_file_that_cannot_be_read(rig: Rig, folders: Folders, tmp_path: Path) -> None:
    own = own_hooks(folders, "[[hook")
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(THEIRS))
    await rig.engine.handle(ImportHooks(place=str(file), save=True))
    assert "was not changed" in rig.failures()[0].text
    assert own.read_text() == "[[hook"
