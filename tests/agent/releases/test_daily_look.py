"""The look for newer versions in the engine: off until a person wants it, offered once, once a day, and on record."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.config.releases import ReleaseSource
from desktop.domain.commands import SaveSettings
from desktop.domain.core.update import Update
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.updates import TrafficLoaded
from desktop.domain.releases.commands import LookForReleases
from desktop.domain.releases.updates import ReleasesOffered, ReleasesStand
from desktop.domain.updates import CommandFailed, SettingsChanged
from tests.agent.rig import Rig
from tests.fakes.web_host import WebHost
from tests.release_list import AT, answered, listed, new_key, public

pytestmark = [pytest.mark.asyncio]
PATH = "/releases.json"
KEY = new_key()
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
Begin = Callable[..., "asyncio.Future[Rig]"]


class Clock:
    """Stands until it is put on or back."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def host() -> Iterator[WebHost]:
    with WebHost({PATH: answered(listed(KEY), '"a1"')}) as host:
        yield host


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def begin(folders: Folders, repository: Path, host: WebHost, clock: Clock) -> AsyncIterator[Begin]:
    rigs: list[Rig] = []

    async def begun(*, has_window: bool = True, named: bool = True) -> Rig:
        for rig in rigs:
            await rig.engine.stop()
        rigs.clear()
        place = f"http://127.0.0.1:{host.port}"
        source = ReleaseSource(address=f"{place}{PATH}", page=f"{place}/page", key=public(KEY))
        options = EngineOptions(has_window=has_window, releases=lambda: source if named else None)
        rig = Rig(folders, options, clock=clock)
        rigs.append(rig)
        return await rig.open(repository)

    yield begun
    for rig in rigs:
        await rig.engine.stop()


def told(updates: list[Update]) -> list[ReleasesStand]:
    return [one for one in updates if isinstance(one, ReleasesStand)]


async def settled(rig: Rig, count: int = 1) -> ReleasesStand:
    """The n-th time that the engine told of newer versions."""
    found = await rig.until(lambda updates: told(updates)[count - 1 : count])
    return found[0]


async def switch(rig: Rig, *, on: bool) -> None:
    settings = rig.engine.settings.current.model_copy(update={"look_for_releases": on})
    await rig.engine.handle(SaveSettings(settings=settings))


async def looked(rig: Rig) -> ReleasesStand:
    """After a look that a person asks for, which waits for one that is under way."""
    command = LookForReleases()
    await rig.engine.handle(command)
    return next(one for one in told(rig.updates) if one.command_id == command.command_id)


async def quiet(rig: Rig) -> None:
    """Nothing that was begun goes on: what settings woke has had its turn."""
    before = len(rig.updates)
    await switch(rig, on=rig.engine.settings.current.look_for_releases)
    await rig.until(lambda updates: [one for one in updates[before:] if isinstance(one, SettingsChanged)])
    for _ in range(20):
        await asyncio.sleep(0.01)


def offered(rig: Rig) -> bool:
    return any(isinstance(one, ReleasesOffered) for one in rig.updates)


async def test_it_is_off_and_offered_once_at_the_third_start(begin: Begin, host: WebHost) -> None:
    offers = []
    for _ in range(5):
        rig = await begin()
        await settled(rig)
        await quiet(rig)
        offers.append(offered(rig))
    assert offers == [False, False, True, False, False]
    assert host.asked == []


async def test_who_switched_it_on_before_is_never_asked(begin: Begin) -> None:
    for _ in range(4):
        rig = await begin()
        await switch(rig, on=True)
        await settled(rig)
        await quiet(rig)
        assert not offered(rig)


@pytest.mark.parametrize("way", ["no address", "no window"])
async def test_a_build_without_an_address_and_a_run_without_a_window_know_nothing_of_it(
    begin: Begin, host: WebHost, folders: Folders, way: str
) -> None:
    for _ in range(4):
        rig = await begin(has_window=way != "no window", named=way != "no address")
        await switch(rig, on=True)
        await quiet(rig)
    await rig.engine.handle(LookForReleases())
    assert not told(rig.updates)
    assert not offered(rig)
    assert [one.text for one in rig.failures()] == ["This Banksman does not look for newer versions."]
    assert host.asked == []
    assert not (folders.data / "releases.json").exists()


async def test_switched_on_it_asks_once_a_day_also_over_restarts(begin: Begin, host: WebHost, clock: Clock) -> None:
    rig = await begin()
    await switch(rig, on=True)
    newer = (await settled(rig, 2)).newer
    assert newer is not None
    assert newer.version == "9.1.0"
    for hours in (1, 22):
        clock.now += timedelta(hours=hours)
        rig = await begin()
        known = await settled(rig)
        assert known.newer == newer
        await quiet(rig)
        assert len(host.asked) == 1
    clock.now += timedelta(hours=1)
    await quiet(rig)
    await settled(rig, 2)
    assert len(host.asked) == 2
    assert host.asked[1].headers["if-none-match"] == '"a1"'


async def test_a_clock_that_is_put_back_neither_asks_at_once_nor_waits_for_ever(
    begin: Begin, host: WebHost, clock: Clock
) -> None:
    rig = await begin()
    await switch(rig, on=True)
    await settled(rig, 2)
    clock.now -= timedelta(days=400)
    await quiet(rig)
    assert len(host.asked) == 1
    clock.now += timedelta(days=1)
    await quiet(rig)
    await settled(rig, 3)
    assert len(host.asked) == 2


async def test_a_person_can_look_while_it_is_off(begin: Begin, host: WebHost) -> None:
    rig = await begin()
    found = await looked(rig)
    assert found.newer is not None
    assert (found.newer.version, found.problem, found.looked_at) == ("9.1.0", "", NOON)
    await quiet(rig)
    assert len(host.asked) == 1


async def test_an_old_list_that_is_played_again_is_named_and_changes_nothing(begin: Begin, host: WebHost) -> None:
    host.pages[PATH] = answered(listed(KEY, "9.2.0", AT + 5))
    rig = await begin()
    before = (await looked(rig)).newer
    host.pages[PATH] = answered(listed(KEY, "9.1.0", AT))
    rig = await begin()
    found = await looked(rig)
    assert found.newer == before
    assert "older than one that was seen before" in found.problem


async def test_without_a_network_it_says_so_and_a_later_look_of_the_day_may_come(
    begin: Begin, host: WebHost, clock: Clock
) -> None:
    rig = await begin()
    host.shutdown()
    host.server_close()
    await switch(rig, on=True)
    failed = await settled(rig, 2)
    assert "could not be read" in failed.problem
    assert failed.looked_at is None
    assert not [one for one in rig.updates if isinstance(one, CommandFailed)]


async def test_a_request_that_failed_counts_as_the_one_of_the_day(begin: Begin, host: WebHost) -> None:
    host.pages[PATH] = answered(b"{}")
    rig = await begin()
    await switch(rig, on=True)
    failed = await settled(rig, 2)
    assert "not signed" in failed.problem
    await quiet(rig)
    assert len(host.asked) == 1


async def test_every_request_is_on_record_of_the_repository(begin: Begin, host: WebHost) -> None:
    rig = await begin()
    await looked(rig)
    await rig.engine.handle(LoadTraffic())
    loaded = next(one for one in rig.updates if isinstance(one, TrafficLoaded))
    (seen,) = loaded.seen
    assert (seen.traffic.kind, seen.traffic.host, seen.traffic.port) == ("release", "127.0.0.1", host.port)
    assert seen.traffic.connections == 1
    assert seen.traffic.bytes_down > 100


async def test_what_is_kept_says_nothing_of_the_person(begin: Begin, folders: Folders) -> None:
    rig = await begin()
    await looked(rig)
    await quiet(rig)
    kept = json.loads((folders.data / "releases.json").read_text())
    assert set(kept) == {
        "starts", "offered", "looked_at", "etag", "newest", "built_in", "key", "next_key",
    }  # fmt: skip


async def test_a_disk_that_refuses_stops_nothing(begin: Begin, folders: Folders) -> None:
    (folders.data / "releases.json").mkdir(parents=True)
    rig = await begin()
    assert (await looked(rig)).newer is not None


async def test_the_end_of_the_program_waits_for_no_answer(begin: Begin, host: WebHost) -> None:
    waits = asyncio.Event()
    loop = asyncio.get_running_loop()

    def held() -> Iterator[bytes]:
        loop.call_soon_threadsafe(waits.set)
        yield b" "
        while loop.is_running() and not ended.is_set():
            yield b" "

    ended = asyncio.Event()
    host.pages[PATH] = answered(b"")._replace(body=held)
    rig = await begin()
    await switch(rig, on=True)
    await waits.wait()
    await rig.engine.stop()
    ended.set()
