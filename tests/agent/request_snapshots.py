"""The system prompt and the first requests of a chat, per mode, as the files of tests/snapshots/requests."""

import asyncio
import json
import platform
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.agent.options import EngineOptions
from desktop.domain.core.permissions import PermissionMode
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, turn

CLOCK = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)


def snapshots() -> dict[str, str]:
    """File name to text: the first request per mode, with a person and without one, and one after tools ran."""
    made: dict[str, str] = {}
    for mode in PermissionMode:
        for options in (EngineOptions(), EngineOptions(can_ask=False, kind="hosted")):
            name = f"{mode.value}-{options.kind}"
            first, second = asyncio.run(_requests(mode, options))
            made[f"{name}.prompt.txt"] = _neutral(first["system"])
            made[f"{name}.request.json"] = _json({**first, "system": "as in the prompt's file"})
            if name == "edit-interactive":
                made[f"{name}.after-tools.json"] = _json({**second, "system": "", "tools": []})
    return made


async def _requests(mode: PermissionMode, options: EngineOptions) -> tuple[dict[str, Any], dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        calls = [Call("read_file", {"file_path": "app.py"}, id="call_1"), Call("no_such_tool", {"x": 1}, id="call_2")]
        api.script(turn("I read it.", calls), text_turn("Done."))
        folders = folders_below(Path(folder) / "home")
        write_settings(folders, api.url)
        rig = Rig(folders, options, clock=lambda: CLOCK)
        await rig.open(make_repository(Path(folder) / "shop"))
        try:
            await rig.new("Say what app.py does", mode, without_sandbox=True)
            await rig.ended()
        finally:
            await rig.engine.stop()
        first, second = api.requests
        return first.body, second.body


def _neutral(system: Any) -> str:
    text = system if isinstance(system, str) else "".join(part["text"] for part in system)
    return re.sub(rf"Platform: {platform.system()}", "Platform: Linux", text)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
