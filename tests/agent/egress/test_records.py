"""What left is recorded every ten minutes, whichever turn runs, and told for the repository as a whole."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from desktop.agent.egress import keeper
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.updates import TrafficLoaded
from desktop.domain.egress.values import Traffic
from desktop.domain.events import Notice
from desktop.services.egress.client import USUAL
from desktop.services.egress.egress import Egress, KeptOut, Unreached
from tests.agent.mcp_rig import project_events
from tests.agent.rig import Rig
from tests.services.egress.net import SITE, allowed, ask, echo_server, local_egress

pytestmark = pytest.mark.asyncio


async def traffic(rig: Rig) -> list[Traffic]:
    await rig.engine.handle(LoadTraffic())
    return [one.traffic for one in [u for u in rig.updates if isinstance(u, TrafficLoaded)][-1].seen]


@pytest.mark.promise("guests-E5")
async def test_what_servers_exchange_is_recorded_now_and_then_and_summed_over_restarts(
    folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keeper.EVERY_S == 600
    monkeypatch.setattr(keeper, "EVERY_S", 0.01)
    egress = Egress()
    rig = await Rig(folders, EngineOptions(egress=egress)).open(repository)
    egress.note("", Traffic(kind="server", client="db", host="db.example", connections=1, bytes_up=10, bytes_down=20))
    async with asyncio.timeout(20):
        while egress.owners():
            await asyncio.sleep(0.01)
    await rig.engine.stop()

    more = Egress()
    again = await Rig(folders, EngineOptions(egress=more)).open(repository)
    more.note("", Traffic(kind="server", client="db", host="db.example", connections=2, bytes_up=1, refused=1))
    (seen,) = await traffic(again)
    assert (seen.connections, seen.bytes_up, seen.bytes_down, seen.refused) == (3, 11, 20, 1)
    await again.engine.stop()


async def test_a_host_that_something_was_kept_from_is_told_once_in_an_hour(
    folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(hours=1) == keeper.TOLD_AGAIN
    egress = Egress()
    rig = await Rig(folders, EngineOptions(egress=egress)).open(repository)

    def told() -> list[str]:
        return [one.text for one in project_events(rig) if isinstance(one, Notice) and one.kind == "egress"]

    for host in ("a.example", "a.example", "b.example", "a.example"):
        egress.kept_out(KeptOut("", "server", "db", host, 443))
    words = "The server db was kept from {}:443, which is not among its hosts."
    assert told() == [words.format("a.example"), words.format("b.example")]
    monkeypatch.setattr(keeper, "TOLD_AGAIN", timedelta(0))
    egress.kept_out(KeptOut("", "server", "db", "a.example", 443))
    assert told()[2:] == [words.format("a.example")]
    await rig.engine.stop()


async def test_an_allowed_host_that_cannot_be_reached_is_told_once_in_an_hour_where_it_is_of_no_chat(
    folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    egress = local_egress()
    rig = await Rig(folders, EngineOptions(egress=egress)).open(repository)
    async with echo_server() as port:
        pass
    words = f"{SITE}:{port} is allowed, and could not be reached: connection refused."

    def told() -> list[str]:
        return [one.text for one in project_events(rig) if isinstance(one, Notice) and one.kind == "egress"]

    with egress.client("server", "db", allowed(f"{SITE}:{port}")) as way:
        for _ in range(2):
            assert b"502" in await ask(way.socket, f"CONNECT {SITE}:{port} HTTP/1.1\n\n")
        assert told() == [words]
        monkeypatch.setattr(keeper, "TOLD_AGAIN", timedelta(0))
        await ask(way.socket, f"CONNECT {SITE}:{port} HTTP/1.1\n\n")
    assert told() == [words, words]
    await rig.engine.stop()


async def test_ever_more_hosts_that_cannot_be_reached_are_told_of_some(folders: Folders, repository: Path) -> None:
    egress = Egress()
    rig = await Rig(folders, EngineOptions(egress=egress)).open(repository)
    for number in range(keeper.MOST_TOLD + 5):
        egress.unreached(Unreached("", f"h{number}.example", 443, "no answer"))
    told = [one.text for one in project_events(rig) if isinstance(one, Notice) and one.kind == "egress"]
    assert len(told) == keeper.MOST_TOLD
    await rig.engine.stop()


async def test_the_limits_of_a_client_are_those_that_are_promised() -> None:
    assert (USUAL.connections, USUAL.bytes_a_day, USUAL.idle_s) == (64, 2 * 1024**3, 120)


async def test_without_a_repository_nothing_is_told(folders: Folders) -> None:
    rig = Rig(folders)
    assert await traffic(rig) == []
    await rig.engine.stop()
