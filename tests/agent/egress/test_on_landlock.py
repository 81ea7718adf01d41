"""The tier between all and nothing: what Landlock holds of commands, servers and hooks, and what is said of it."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.core.content import TextBlock
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.hooks.events import HookRan
from desktop.domain.mcp import commands as c
from desktop.services.processes.sandbox.landlock import LEAST_ABI, landlock_abi
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.hooks.hook_files import hook, own_hooks
from tests.agent.mcp_rig import accept, configure, fake_server, stands
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.egress.net import SITE, local_egress

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(landlock_abi() < LEAST_ABI, reason="this kernel has no Landlock of version 4"),
]
ONCE = Answer(outcome="allow_once")
NETWORK = """
import socket
try:
    socket.create_connection(("127.0.0.1", 1), 5)
except ConnectionRefusedError:
    print("reached the network")
except OSError as error:
    print("kept from the network", error)
"""
PROBE = (
    NETWORK
    + """
from pathlib import Path
for name, place in (("read", SETTINGS), ("write", OUTSIDE)):
    try:
        print(name, Path(place).read_text() if name == "read" else Path(place).write_text("out"))
    except OSError as error:
        print("kept from", name, error)
"""
)


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def folders(tmp_path: Path, model_api: FakeModelApi) -> Folders:
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    return folders


async def rig_of(tmp_path: Path, folders: Folders) -> Rig:
    """An engine whose sandbox is Landlock alone, which hides what the program's own does."""
    own = (folders.config, folders.data, folders.cache, folders.logs, folders.lanes)
    options = SandboxOptions(hidden=own, readonly=(folders.skills,), scratch=folders.data, tiers=("landlock",))
    engine = replace(EngineOptions(), sandbox=Sandbox(os.environ, options), egress=local_egress())
    probe = f"SETTINGS, OUTSIDE = {str(folders.settings_file)!r}, {str(tmp_path / 'outside')!r}\n{PROBE}"
    return await Rig(folders, engine).open(make_repository(tmp_path / "shop", {"app.py": "", "probe.py": probe}))


async def test_a_command_is_held_as_said_and_named_hosts_are_not_to_be_had(
    tmp_path: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    rig = await rig_of(tmp_path, folders)
    outside = tmp_path / "outside"
    model_api.script(
        tool_turn("bash", command="echo in > in; python3 probe.py"),
        tool_turn("bash", command="true", hosts=SITE),
        text_turn("done"),
    )
    session_id = await rig.new("look", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    report = rig.engine.parts.chats.gate.judge.sandbox.report
    assert report is not None
    assert (report.tier, report.level) == ("landlock", "limited")
    assert [one.name for one in report.probes if one.outcome != "passed"], "what it does not hold is named"
    first, second = rig.events(ToolCallFinished)
    assert (rig.lane(session_id) / "in").read_text() == "in\n"
    assert not outside.exists()
    for what in ("kept from the network", "kept from read", "kept from write"):
        assert what in str(first.content)
    assert second.outcome == "refused"
    assert "The sandbox here cannot keep hosts apart." in rig.events(ToolCallDecided)[1].reason
    assert not [one for one in rig.events(InputRequested) if one.request.blocking], "nobody is asked for what cannot be"
    await rig.engine.stop()


async def test_a_server_is_held_and_its_card_says_by_what(
    tmp_path: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    rig = await rig_of(tmp_path, folders)
    configure(folders, fake_server())
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    await stands(rig, "waiting")
    await accept(rig)
    model_api.script(
        tool_turn("mcp__fake__look", text=str(folders.settings_file)),
        tool_turn("mcp__fake__write", text=str(tmp_path / "shop" / "new")),
        text_turn("done"),
    )
    session_id = await rig.new("look")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    texts = [block.text for block in asked.request.card.blocks if isinstance(block, TextBlock)]
    assert "The server fake runs in a sandbox that does not hold everything (Landlock) and has" in "".join(texts)
    await rig.answer(session_id, asked, ONCE)
    await rig.answer(session_id, await rig.asked(2), ONCE)
    await rig.ended()
    assert ["no: " in str(end.content) for end in rig.events(ToolCallFinished)] == [True, True]
    assert not (tmp_path / "shop" / "new").exists()
    await rig.engine.stop()


async def test_a_hook_is_held_and_one_with_hosts_fails_with_the_reason(
    tmp_path: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    outside = tmp_path / "outside"
    code = "; ".join(NETWORK.strip().splitlines()[:1]) + "; s = socket.socket(); print(s.connect_ex(('127.0.0.1', 1)))"
    probe = (
        f"touch '{outside}' 2>/dev/null && exit 9; ls '{folders.config}' >/dev/null 2>&1 && exit 9; "
        f'touch by-hook 2>/dev/null && exit 9; python3 -c "{code}" | grep -q 111 && exit 9; exit 0'
    )
    reaches = (f"network = {json.dumps([SITE])}", 'match = [{ tool = "write_file" }]')
    rig = await rig_of(tmp_path, folders)
    own_hooks(folders, hook(probe), hook("exit 0", *reaches, name="reach"))
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="new.txt", content="x"),
        text_turn("done"),
    )
    session_id = await rig.new("look", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    read, written = rig.events(ToolCallFinished)
    assert read.outcome == "ok", read.content
    assert written.outcome == "refused"
    (ran,) = rig.events(HookRan)
    assert (ran.hook, ran.decision) == ("reach", "failed")
    assert not outside.exists()
    assert not (rig.lane(session_id) / "new.txt").exists()
    await rig.engine.stop()
