"""Hooks that name hosts: they reach those and no others, and what they say afterwards is of strangers (guests-H1)."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.events import Notice, ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.hooks.events import HookRan
from desktop.services.hooks.running import NO_HOSTS
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.hooks.hook_files import hook, loaded, own_hooks, shared_hooks
from tests.agent.rig import Rig, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.egress.net import SITE, local_egress, web_server

pytestmark = pytest.mark.asyncio
bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="only bubblewrap keeps hosts apart")
WRITE = {"file_path": "new.txt", "content": "hello\n"}
LOOK = """
python3 -c '
import json, sys, urllib.request
said = []
for host in sys.argv[1:]:
    try:
        said.append(urllib.request.urlopen("http://" + host + "/", timeout=4).read().decode())
    except Exception as error:
        said.append("kept from " + host + " " + str(getattr(error, "code", error)))
print(json.dumps({"KEY": " ".join(said)}))
' """


def looking(*hosts: str, key: str = "note") -> str:
    """A script that asks hosts and tells what they said."""
    return LOOK.replace("KEY", key) + " ".join(hosts) + "\n"


async def rig_of(folders: Folders, tmp_path: Path, options: EngineOptions) -> Rig:
    return await Rig(folders, options).open(make_repository(tmp_path / "hosted"))


@bubblewrap
@pytest.mark.promise("guests-H2")
async def test_a_hook_reaches_the_hosts_that_it_names_and_no_others(
    folders: Folders, tmp_path: Path, model_api: FakeModelApi
) -> None:
    rig = await rig_of(folders, tmp_path, replace(EngineOptions(), egress=local_egress()))
    async with web_server(b"the page") as (port, _):
        site = f"{SITE}:{port}"
        named = looking(site, "other.example")
        own_hooks(folders, hook(named, f'network = ["{site}"]', on="after_call"))
        model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
        await rig.new("go", PermissionMode.FULL_AUTO)
        await rig.ended()
        recorded = await rig.until(lambda _: rig.events(EgressRecorded))
    (finished,) = rig.events(ToolCallFinished)
    assert '<untrusted source="hook:check">' in str(finished.content)
    assert "the page kept from other.example 403" in str(finished.content)
    assert [(mark.reason, mark.source) for mark in rig.events(SessionTainted)] == [("untrusted", "hook:check")]
    reached = {one.host: one for one in recorded[0].traffic}
    assert (reached[SITE].kind, reached[SITE].client, reached[SITE].connections) == ("hook", "check", 1)
    assert reached["other.example"].refused == 1
    assert "The hook check was kept from other.example:80" in rig.events(Notice)[-1].text
    await rig.engine.stop()


@bubblewrap
async def test_a_hook_without_hosts_has_no_way_out(folders: Folders, tmp_path: Path, model_api: FakeModelApi) -> None:
    rig = await rig_of(folders, tmp_path, replace(EngineOptions(), egress=local_egress()))
    async with web_server(b"the page") as (port, heads):
        own_hooks(folders, hook(looking(f"{SITE}:{port}", f"127.0.0.1:{port}"), on="after_call"))
        model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
        await rig.new("go", PermissionMode.FULL_AUTO)
        await rig.ended()
    assert "the page" not in str(rig.events(ToolCallFinished)[0].content)
    assert heads == []
    assert rig.events(SessionTainted) == []
    await rig.engine.stop()


@bubblewrap
async def test_what_a_hook_with_hosts_says_against_a_call_marks_the_chat(
    folders: Folders, tmp_path: Path, model_api: FakeModelApi
) -> None:
    rig = await rig_of(folders, tmp_path, replace(EngineOptions(), egress=local_egress()))
    own_hooks(folders, hook("echo 'not on a Friday' >&2; exit 2", f'network = ["{SITE}"]'))
    model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
    await rig.new("go", PermissionMode.FULL_AUTO)
    await rig.ended()
    assert rig.events(ToolCallFinished)[0].outcome == "refused"
    assert [mark.source for mark in rig.events(SessionTainted)] == ["hook:check"]
    await rig.engine.stop()


async def test_where_nothing_keeps_hosts_apart_such_a_hook_fails_with_the_reason(
    folders: Folders, tmp_path: Path, model_api: FakeModelApi
) -> None:
    bare = Sandbox({}, SandboxOptions(tiers=()))
    rig = await rig_of(folders, tmp_path, replace(EngineOptions(), egress=local_egress(), sandbox=bare))
    own_hooks(folders, hook("true", f'network = ["{SITE}"]'))
    model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
    session_id = await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    (ran,) = rig.events(HookRan)
    assert (ran.decision, ran.reason) == ("failed", NO_HOSTS)
    assert NO_HOSTS in str(rig.events(ToolCallFinished)[0].content)
    assert not (rig.lane(session_id) / "new.txt").exists()
    await rig.engine.stop()


async def test_what_a_repositorys_hooks_may_reach_is_told_before_they_are_trusted(
    folders: Folders, tmp_path: Path
) -> None:
    rig = await rig_of(folders, tmp_path, EngineOptions())
    shared_hooks(tmp_path / "hosted", hook("true", 'network = ["CI.example.org", ".ci.example:8080"]'))
    (file,) = (await loaded(rig)).files
    assert file.waits
    assert file.hosts == ("ci.example.org", ".ci.example:8080")
    await rig.engine.stop()
