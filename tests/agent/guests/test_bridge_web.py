"""Pages of the web in the chat of a guest: fetched by Banksman over the bridge, or by the guest itself."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from desktop.config.web import WebSettings
from desktop.domain.events import AssistantMessage, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.history.state_of import message_text
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import ScriptedGuests, done
from tests.agent.rig import Rig, write_settings
from tests.agent.wholeness import whole
from tests.fakes.web_host import Told, WebHost

pytestmark = pytest.mark.asyncio
HOST = "wiki.example.com"


async def resolve(host: str, port: int) -> Sequence[str]:
    """Every host is here."""
    return ["127.0.0.1"]


@pytest.fixture
def site() -> Iterator[WebHost]:
    with WebHost({"/tokens": Told(b"<p>A token lasts a day.</p>")}) as host:
        yield host


@pytest_asyncio.fixture
async def rig(guests: ScriptedGuests, folders: Folders, repository: Path) -> AsyncIterator[Rig]:
    write_settings(folders, "http://127.0.0.1:1", web=WebSettings(enabled=True, private_hosts=(HOST,)))
    made = await Rig(folders, replace(guests.options, resolve=resolve)).open(repository)
    yield made
    await made.engine.stop()


@pytest.mark.promise("guests-A55")
async def test_a_page_is_fetched_here_over_the_bridge(rig: Rig, guests: ScriptedGuests, site: WebHost) -> None:
    url = f"http://{HOST}:{site.port}/tokens"
    guests.prompts = [[{"mcp": "tools/call", "params": {"name": "web_fetch", "arguments": {"url": url}}}]]
    session_id = await rig.new("Do it", driver="fake")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.rule == "net_host"
    await rig.answer(session_id, asked, ONCE)
    assert (await rig.ended()).status == "completed"
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok", finished.content
    assert [one.held_by for one in rig.events(ToolCallDecided)] == ["gate"]
    assert "A token lasts a day." in "".join(message_text(one) for one in rig.events(AssistantMessage))
    assert site.paths == ["/tokens"]
    assert [one.source for one in rig.events(SessionTainted)] == [f"web:{HOST}"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A17")
async def test_a_page_that_the_guest_fetches_itself_is_judged_by_its_host(
    rig: Rig, guests: ScriptedGuests, site: WebHost
) -> None:
    told = {"toolCallId": "t1", "title": "Fetch", "kind": "fetch", "rawInput": {"url": f"http://{HOST}/tokens"}}
    guests.prompts = [[{"ask": told, "then": [done(text="A token lasts a day.")]}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.answer(session_id, await rig.asked(), ONCE)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["yes"]
    (decided,) = rig.events(ToolCallDecided)
    assert (decided.tool, decided.rule) == ("web_fetch", "net_host")
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok"
    assert [one.held_by for one in rig.events(ToolCallDecided)] == ["guest"]
    assert site.paths == []
    whole(rig, session_id)
