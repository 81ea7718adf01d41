"""Scenes of hooks: how they stand in the settings, the chip of files that wait, and the card of a call that one asks
about."""

from collections.abc import AsyncIterator
from pathlib import Path

from desktop.domain.core.permissions import PermissionMode
from desktop.ui.settings.hooks.page import HooksPage
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

_OWN = """
[[hook]]
id = "no-migrations-on-friday"
on = "before_call"
match = [{ tool = "bash", tokens = ["alembic", "upgrade"] }, { kind = "write", glob = "migrations/**" }]
command = '''echo '{"decision":"ask","reason":"it is Friday; the shop is busy until Monday"}' '''

[[hook]]
id = "bell"
on = "on_card"
command = ["true"]
"""
_SHARED = """
[[hook]]
id = "lint"
on = "after_call"
match = [{ kind = "write", glob = "**/*.py" }]
command = ["sh", ".banksman/hooks/lint.sh"]
timeout_s = 30
network = ["ci.example.org", ".builds.example.org:8443"]
"""


_THEIRS = """
{"hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "make fmt"}]}],
 "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}}
"""


async def hooks(stage: Stage) -> AsyncIterator[str]:
    """Hooks in the settings, a file that waits for trust, and a card that a hook asked for"""
    stage.window.show_settings("hooks")
    await stage.find("settings_hooks_none")
    await stage.rest()
    yield "37-settings-hooks-none"
    await stage.click("settings_close")
    project = stage.window.engine.project
    assert project is not None
    scripts = Path(project.path) / ".banksman" / "hooks"
    scripts.mkdir(parents=True)
    (scripts / "lint.sh").write_text('#!/bin/sh\nruff check --quiet . || echo \'{"note": "ruff complains"}\'\n')
    (scripts.parent / "hooks.toml").write_text(_SHARED)
    (stage.folders.config / "hooks.toml").write_text(_OWN)
    chat = await stage.chat(
        "Add a column for the day of delivery.",
        tool_turn("write_file", file_path="migrations/0007_delivery.py", content="def upgrade():\n    pass\n"),
        text_turn("The column is there."),
        title="Delivery day",
        mode=PermissionMode.EDIT,
    )
    await stage.asked(chat)
    await stage.rest(0.6)
    yield "37-hook-card"
    stage.window.show_settings("hooks")
    await stage.find("settings_hooks_trust_repository")
    page = await stage.find("settings_hooks")
    assert isinstance(page, HooksPage)
    await stage.rest()
    yield "37-settings-hooks-waiting"
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "37-settings-hooks"
    theirs = stage.home / "settings.json"
    theirs.write_text(_THEIRS)
    await stage.click("settings_hooks_try")
    page.import_from(str(theirs))
    await stage.find("settings_hooks_imported_add")
    await stage.rest(0.5)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "37-settings-hooks-imported"
    await stage.click("settings_close")
    await stage.answer(chat)
    await stage.ended(chat)
