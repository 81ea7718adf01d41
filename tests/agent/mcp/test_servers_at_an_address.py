"""A server at an address in a real engine: reached over HTTP, signed in to by a person, called through the gate."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import httpx2
import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.core.update import Update
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.updates import TrafficLoaded
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpServerTested, McpSignInEnded, McpSignInWaits
from desktop.services.egress.egress import Egress
from tests.agent.mcp_rig import accept, configure, row, stands
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.mcp_http import FakeMcpHttp
from tests.fakes.oauth_http import FakeAuthority, SignedInMcpHttp

pytestmark = pytest.mark.asyncio
U = TypeVar("U", bound=Update)


@pytest.fixture
def authority() -> Iterator[FakeAuthority]:
    with FakeAuthority() as made:
        yield made


@pytest.fixture
def server(authority: FakeAuthority, folders: Folders) -> Iterator[SignedInMcpHttp]:
    with SignedInMcpHttp(authority) as made:
        configure(folders, {"id": "tools", "url": made.url})
        yield made


async def told(rig: Rig, kind: type[U]) -> U:
    """The newest update of this kind, once there is one that nobody took yet."""

    def find(updates: object) -> U | None:
        return next((one for one in reversed(rig.updates) if isinstance(one, kind)), None)

    found = await rig.until(find)
    rig.updates.remove(found)
    return found


@pytest.mark.promise("guests-M5")
async def test_a_server_of_the_older_kind_is_marked(rig: Rig, folders: Folders) -> None:
    for old in (True, False):
        with FakeMcpHttp(old=old) as server:
            configure(folders, {"id": "tools", "url": server.url})
            await rig.engine.handle(c.TestMcpServer(server_id="tools"))
            await rig.engine.handle(c.LoadMcpServers())
            found = row(rig, "tools")
            assert found is not None
            assert (found.by_events, [one.tool.name for one in found.tools]) == (old, ["echo"])


async def test_a_server_at_an_address_is_called_through_the_gate(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    with FakeMcpHttp() as server:
        configure(folders, {"id": "tools", "url": server.url, "headers": {"X-Team": "blue"}})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        assert (await told(rig, McpServerTested)).problem == ""
        assert (await accept(rig, "tools")).state == "ready"
        model_api.script(tool_turn("mcp__tools__echo", text="hello"), text_turn("Done."))
        session_id = await rig.new("use it")
        asked = await rig.asked()
        assert "tools/call" not in server.methods
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        await rig.ended()
        (finished,) = rig.events(ToolCallFinished)
        assert finished.outcome == "ok"
        assert server.methods.count("tools/call") == 1
        assert server.seen[-1].headers["x-team"] == "blue"


@pytest.mark.promise("guests-E5")
async def test_what_goes_to_a_server_at_an_address_is_counted(
    folders: Folders, model_api: FakeModelApi, repository: Path
) -> None:
    write_settings(folders, model_api.url)
    egress = Egress()
    rig = await Rig(folders, EngineOptions(egress=egress)).open(repository)
    with FakeMcpHttp() as server:
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        assert (await told(rig, McpServerTested)).problem == ""
        (sent,) = egress.take("")
        await rig.engine.stop()
    assert (sent.kind, sent.client, sent.port) == ("server", "tools", httpx2.URL(server.url).port)
    assert sent.connections > 0
    assert sent.bytes_up > 100
    assert sent.bytes_down > 100


async def test_an_address_that_may_not_be_asked_is_told(rig: Rig, folders: Folders) -> None:
    configure(folders, {"id": "tools", "url": "https://192.168.1.5/mcp"})
    await rig.engine.handle(c.TestMcpServer(server_id="tools"))
    assert "not an address of the public network" in (await told(rig, McpServerTested)).problem


async def test_a_person_signs_in_and_the_server_is_ready(rig: Rig, server: SignedInMcpHttp) -> None:
    await rig.engine.handle(c.TestMcpServer(server_id="tools"))
    assert "sign in" in (await told(rig, McpServerTested)).problem
    assert (await stands(rig, "waiting", "tools")).signs_in

    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    waits = await told(rig, McpSignInWaits)
    assert waits.authority == server.authority.origin
    assert waits.resource == server.url
    assert waits.scopes == ("read", "write")
    assert server.authority.exchanges == [], "nothing is exchanged before the browser came back"
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        assert (await browser.get(waits.address)).status_code == 200
    assert (await told(rig, McpSignInEnded)).problem == ""

    now = await accept(rig, "tools")
    assert (now.state, now.signs_in, now.signed_in) == ("ready", False, True)
    assert server.asked("/mcp")[-1].token == "access-1"
    assert "access-1" not in repr(rig.updates)


@pytest.mark.promise("guests-E5")
async def test_what_a_sign_in_asks_of_others_is_on_record(rig: Rig, server: SignedInMcpHttp) -> None:
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get((await told(rig, McpSignInWaits)).address)
    assert (await told(rig, McpSignInEnded)).problem == ""
    await rig.engine.handle(LoadTraffic())
    seen = (await told(rig, TrafficLoaded)).seen
    asked = {one.traffic.port: one.traffic for one in seen}[httpx2.URL(server.authority.origin).port]
    assert (asked.kind, asked.client) == ("server", "tools")
    assert asked.connections > 0
    assert asked.bytes_up > 100


async def test_signing_out_forgets_the_token(rig: Rig, server: SignedInMcpHttp) -> None:
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get((await told(rig, McpSignInWaits)).address)
    await told(rig, McpSignInEnded)
    await rig.engine.handle(c.SignOutOfMcpServer(server_id="tools"))
    now = row(rig, "tools")
    assert now is not None
    assert not now.signed_in
    await rig.engine.handle(c.TestMcpServer(server_id="tools"))
    assert "sign in" in (await told(rig, McpServerTested)).problem
    assert server.asked("/mcp")[-1].token == ""


async def test_a_sign_in_can_be_ended_and_begun_again(rig: Rig, server: SignedInMcpHttp) -> None:
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    first = await told(rig, McpSignInWaits)
    await rig.engine.handle(c.CancelMcpSignIn(server_id="tools"))
    assert (await told(rig, McpSignInEnded)).problem == "You ended the sign-in."
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    second = await told(rig, McpSignInWaits)
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        with pytest.raises(httpx2.ConnectError):
            await browser.get(first.address)
        await browser.get(second.address)
    assert (await told(rig, McpSignInEnded)).problem == ""


async def test_of_two_sign_ins_that_are_asked_for_at_once_the_last_one_goes_on(
    rig: Rig, server: SignedInMcpHttp
) -> None:
    asks = (c.AuthoriseMcpServer(command_id=one, server_id="tools") for one in ("first", "second"))
    await asyncio.gather(*map(rig.engine.handle, asks))
    waits = await rig.until(lambda updates: [one for one in updates if isinstance(one, McpSignInWaits)])
    await rig.until(lambda _: ends(rig))
    assert [one.command_id for one in waits][-1] == "second"
    assert ends(rig) == [("first", "You ended the sign-in.")]
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get(waits[-1].address)
    await rig.until(lambda _: len(ends(rig)) == 2)
    assert ends(rig)[1] == ("second", "")


async def test_a_sign_in_that_is_ended_before_it_has_begun_does_not_begin(rig: Rig, server: SignedInMcpHttp) -> None:
    asks = c.AuthoriseMcpServer(command_id="first", server_id="tools")
    await asyncio.gather(rig.engine.handle(asks), rig.engine.handle(c.CancelMcpSignIn(server_id="tools")))
    assert ends(rig) == [("first", "You ended the sign-in.")]
    assert not [one for one in rig.updates if isinstance(one, McpSignInWaits)]
    assert server.authority.exchanges == []


def ends(rig: Rig) -> list[tuple[str, str]]:
    return [(one.command_id, one.problem) for one in rig.updates if isinstance(one, McpSignInEnded)]


async def test_a_sign_in_that_cannot_be_begun_says_why(rig: Rig, server: SignedInMcpHttp) -> None:
    server.authority.metadata = {"token_endpoint": "http://login.example.org/token"}
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    assert "login.example.org would be asked without https" in (await told(rig, McpSignInEnded)).problem
    server.authority.metadata = {"registration_endpoint": None}
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools"))
    assert (await told(rig, McpSignInEnded)).needs_client
    await rig.engine.handle(c.AuthoriseMcpServer(server_id="tools", client_id="mine"))
    assert "client_id=mine" in (await told(rig, McpSignInWaits)).address


async def test_a_server_without_an_address_is_not_signed_in_to(rig: Rig, folders: Folders) -> None:
    with FakeMcpHttp() as server:
        configure(folders, {"id": "open", "url": server.url}, {"id": "local", "command": ["true"]})
        await rig.engine.handle(c.AuthoriseMcpServer(server_id="local"))
        await rig.engine.handle(c.AuthoriseMcpServer(server_id="open"))
    assert [failure.text for failure in rig.failures()] == [
        "It is a program on this computer, which nobody signs in to.",
        "It takes calls without a sign-in.",
    ]
