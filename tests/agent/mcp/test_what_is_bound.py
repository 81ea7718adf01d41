"""What a yes to a server binds beside its words: the scripts that they name, wherever they lie."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpServersListed, McpServerTested
from tests.agent.mcp_rig import FAKE, accept, configure, row
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
OTHER = "What would be started is other than what was accepted."


def shared(repository: Path, **more: object) -> None:
    """A server of the repository whose script stands in it."""
    shutil.copy(FAKE, repository / "server.py")
    said = {"command": sys.executable, "args": ["server.py"], **more}
    (repository / ".mcp.json").write_text(json.dumps({"mcpServers": {"fake": said}}))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "servers")


async def tried(rig: Rig) -> str:
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    return [one for one in rig.updates if isinstance(one, McpServerTested)][-1].problem


async def accepted(rig: Rig) -> None:
    await accept(rig)
    assert await tried(rig) == ""
    await accept(rig)


@pytest.mark.promise("gate-M2")
async def test_a_script_of_the_repository_that_changed_is_not_started(rig: Rig, repository: Path) -> None:
    shared(repository)
    await accepted(rig)
    (repository / "server.py").write_text("print('other')\n")
    await rig.engine.handle(c.LoadMcpServers())
    found = row(rig)
    assert found is not None
    assert (found.state, found.accepted) == ("changed", False)
    assert '"server.py"' in found.difference
    await rig.engine.handle(c.RestartMcpServer(server_id="fake"))
    assert OTHER in rig.failures()[-1].text
    assert await tried(rig) == OTHER


@pytest.mark.promise("gate-M3")
async def test_what_an_agent_puts_in_place_of_a_script_in_its_lane_is_not_started(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    shutil.copy(FAKE, repository / "server.py")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "server")
    configure(folders, {"id": "fake", "command": ["${lane}/server.py"]})
    await rig.engine.handle(c.LoadMcpServers())
    found = row(rig)
    assert found is not None
    assert "${lane}/server.py" in str((found.basis or {}).get("scripts")), "its first word too"
    configure(folders, {"id": "fake", "command": [sys.executable, "${lane}/server.py"], "network": "open"})
    assert await tried(rig) == ""
    await accept(rig)
    changes = tool_turn("bash", command="echo 'import os; os.mkdir(\"ran\")' > server.py")
    model_api.script(changes, text_turn("Done."))
    session_id = await rig.new("change it", mode=PermissionMode.FULL_AUTO)
    await rig.ended()
    assert rig.events(ToolCallFinished)[-1].outcome == "ok"
    model_api.script(tool_turn("mcp__fake__echo", text="x"), text_turn("Done."))
    await rig.engine.handle(SendMessage(session_id=session_id, text="use it"))
    await rig.ended(2)
    last = rig.events(ToolCallFinished)[-1]
    assert (last.outcome, "waits for review" in str(last.content)) == ("refused", True)


async def test_a_lane_that_writes_another_server_leaves_that_of_the_others_running(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared(repository)
    await accepted(rig)
    other = json.dumps({"mcpServers": {"fake": {"command": "false"}}})
    model_api.script(
        tool_turn("bash", command=f"printf '%s' '{other}' > .mcp.json"),
        tool_turn("mcp__fake__echo", text="x"),
        text_turn("Done."),
    )
    await rig.new("change it", mode=PermissionMode.FULL_AUTO)
    await rig.ended()
    assert [end.outcome for end in rig.events(ToolCallFinished)] == ["ok", "refused"]
    await rig.engine.handle(c.LoadMcpServers())
    found = row(rig)
    assert found is not None
    assert (found.state, found.accepted) == ("ready", True)
    model_api.script(tool_turn("mcp__fake__echo", text="y"), text_turn("Done."))
    session_id = await rig.new("use it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended(2)
    assert rig.events(ToolCallFinished)[-1].outcome == "ok"


@pytest.mark.promise("guests-M9")
async def test_a_variable_that_a_pull_brings_asks_with_its_difference_and_a_foreign_one_is_refused(
    rig: Rig, folders: Folders, repository: Path, tmp_path: Path, model_api: FakeModelApi
) -> None:
    shared(repository)
    git(tmp_path, "clone", "-q", "--bare", str(repository), "origin.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(repository, "fetch", "-q")
    git(repository, "branch", "-q", "--set-upstream-to=origin/main", "main")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), "theirs")
    await accepted(rig)

    def pulled(**env: str) -> None:
        theirs = tmp_path / "theirs"
        said = {"command": sys.executable, "args": ["server.py"], "env": env}
        (theirs / ".mcp.json").write_text(json.dumps({"mcpServers": {"fake": said}}, indent=1))
        git(theirs, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qam", "env")
        git(theirs, "push", "-q")
        git(repository, "pull", "-q", "--ff-only")

    pulled(NODE_EXTRA="x")
    model_api.script(tool_turn("mcp__fake__echo", text="x"), text_turn("Done."))
    await rig.new("use it")
    await rig.ended()
    assert [end.outcome for end in rig.events(ToolCallFinished)] == ["refused"], "nobody is asked to let it run"
    await rig.engine.handle(c.LoadMcpServers())
    found = row(rig)
    assert found is not None
    assert (found.state, found.accepted) == ("changed", False)
    assert '+    "NODE_EXTRA": "x"' in found.difference
    assert await tried(rig) == OTHER
    await accepted(rig)

    pulled(NODE_EXTRA="${HOME}")
    await rig.engine.handle(c.LoadMcpServers())
    (fault,) = [update for update in rig.updates if isinstance(update, McpServersListed)][-1].faults
    assert (fault.server_id, "${HOME}, which you did not allow" in fault.text) == ("fake", True)
    assert row(rig) is None, "it is no server any more"
    await rig.engine.handle(c.RestartMcpServer(server_id="fake"))
    assert "no server 'fake' any more" in rig.failures()[-1].text
