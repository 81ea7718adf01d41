"""Servers that an editor names: listed for its chat, started once a person accepted them as they are, gone with it."""

import shutil
import sys
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import NewSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpServerTested
from tests.agent.mcp_rig import FAKE, accept, configure, fake_server, listed, row
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
SAID = {"name": "Fake", "command": sys.executable, "args": ["server.py"], "env": [{"name": "TOKEN", "value": "s3cr3t"}]}


@pytest.fixture
def project(rig: Rig, repository: Path) -> str:
    shutil.copyfile(FAKE, repository / "server.py")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "server")
    assert rig.engine.project is not None
    return rig.engine.project.id


async def turn(rig: Rig, model_api: FakeModelApi, chat: str, *answers: object) -> None:
    model_api.script(*answers, text_turn("Done."))
    await rig.engine.handle(NewSession(session_id=chat, text="use it"))


async def tried(rig: Rig) -> str:
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    return [one for one in rig.updates if isinstance(one, McpServerTested)][-1].problem


@pytest.mark.promise("guests-R11")
async def test_it_starts_only_as_a_person_accepted_it_and_goes_with_the_editor(
    rig: Rig, project: str, model_api: FakeModelApi, folders: Folders
) -> None:
    chat = new_session_id()
    await rig.engine.handle(c.NameMcpServers(chat_id=chat, project_id=project, servers=(SAID,)))
    found = row(rig)
    assert found is not None
    assert (found.state, found.scope, found.place) == ("waiting", "editor", "an editor")
    assert await tried(rig) == "An editor names it for its chat, and nobody accepted it yet."
    await turn(rig, model_api, chat)
    await rig.ended()
    assert row(rig).tools == (), "it was not started"  # type: ignore[union-attr]
    assert "mcp__fake" not in str(model_api.requests[-1].body["tools"])

    await accept(rig)
    assert await tried(rig) == ""
    await accept(rig)
    model_api.script(tool_turn("mcp__fake__echo", text="hello"), text_turn("Done."))
    from_other = await rig.new("another chat")
    await rig.ended(2)
    (refused,) = rig.events(ToolCallFinished)
    assert refused.outcome == "refused", f"the chat {from_other} has no such server"
    pins = (folders.data / "mcp" / "pins.json").read_text()
    assert "s3cr3t" not in pins

    changed = {**SAID, "env": [{"name": "TOKEN", "value": "other"}]}
    await rig.engine.handle(c.NameMcpServers(chat_id=chat, project_id=project, servers=(changed,)))
    assert row(rig).state == "changed"  # type: ignore[union-attr]
    assert "other than what was accepted" in await tried(rig)

    await rig.engine.handle(c.NameMcpServers(chat_id=chat, project_id=project))
    assert row(rig) is None


async def test_a_tool_of_it_is_called_in_its_chat(rig: Rig, project: str, model_api: FakeModelApi) -> None:
    chat = new_session_id()
    await rig.engine.handle(c.NameMcpServers(chat_id=chat, project_id=project, servers=(SAID,)))
    await accept(rig)
    assert await tried(rig) == ""
    await accept(rig)
    await turn(rig, model_api, chat, tool_turn("mcp__fake__echo", text="hello"))
    asked = await rig.asked()
    await rig.answer(chat, asked, Answer(outcome="allow_once"))
    await rig.ended()
    (finished,) = rig.events(ToolCallFinished)
    assert str(finished.content) == '<untrusted source="mcp:fake">hello</untrusted>'


async def test_a_server_of_the_person_counts_in_its_place(rig: Rig, project: str, folders: Folders) -> None:
    configure(folders, fake_server())
    await rig.engine.handle(c.NameMcpServers(chat_id="ses_1", project_id=project, servers=(SAID, {"name": "no"})))
    found = row(rig)
    assert found is not None
    assert found.scope == "person"
    assert sorted(fault.server_id for fault in listed(rig).faults) == ["fake", "no"]
    await rig.engine.handle(c.NameMcpServers(chat_id="ses_2", project_id="prj_other", servers=(SAID,)))
    assert len(listed(rig).faults) == 2, "another project's server is none of this one"
