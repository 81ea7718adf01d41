"""What a cut of power cannot take: what stands behind a barrier, or was not written lazily."""

import asyncio
import resource
import sqlite3
import sys
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreWriteFailed
from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.database import SqliteStore
from tests.store.failing_disk import lose_flushes, losing_commits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are led away through /proc")
NOT_THERE = "may not be on the disk"


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


@pytest.fixture
def begun(store: SqliteStore) -> SqliteStore:
    store.events.append("ses_a", SessionStarted(project_id="p"))
    return store


def lazily(store: SqliteStore, *texts: str) -> None:
    for text in texts:
        store.events.append_many("ses_a", [said(text)], lazy=True)


def texts(store: SqliteStore) -> list[str]:
    events = (envelope.event for envelope in store.events.read("ses_a")[1:])
    return [str(event.parts[0]["text"]) for event in events]


def test_an_append_waits_for_the_disk(begun: SqliteStore, folder: Path) -> None:
    with losing_commits(folder), pytest.raises(StoreWriteFailed, match=NOT_THERE):
        begun.events.append("ses_a", said("refused"))
    for lazy in (True, False):  # a second try could not bring back what was committed lazily before it
        with pytest.raises(StoreWriteFailed, match=NOT_THERE):
            begun.events.append_many("ses_a", [said("refused too")], lazy=lazy)
    with pytest.raises(StoreWriteFailed, match=NOT_THERE):
        asyncio.run(begun.events.barrier())
    assert texts(begun) == []


def test_a_lazy_append_does_not_wait_for_the_disk_and_its_barrier_does(begun: SqliteStore, folder: Path) -> None:
    with losing_commits(folder):
        lazily(begun, "of this process alone")
        with pytest.raises(StoreWriteFailed, match=NOT_THERE):
            asyncio.run(begun.events.barrier())


def test_a_barrier_that_fails_lets_nothing_follow(begun: SqliteStore, folder: Path) -> None:
    lose_flushes(folder)
    lazily(begun, "one")
    with pytest.raises(StoreWriteFailed, match=NOT_THERE):
        asyncio.run(begun.events.barrier())
    with pytest.raises(StoreWriteFailed, match="start Banksman again"):
        begun.events.append("ses_a", said("two"))
    with pytest.raises(StoreWriteFailed, match=NOT_THERE):
        asyncio.run(begun.events.barrier())
    assert texts(begun) == ["one"]


def test_all_who_wait_are_told_that_a_barrier_failed(begun: SqliteStore, folder: Path) -> None:
    async def together() -> list[BaseException | None]:
        return await asyncio.gather(*(begun.events.barrier() for _ in range(3)), return_exceptions=True)

    lazily(begun, "one")
    lose_flushes(folder)
    assert [type(one) for one in asyncio.run(together())] == [StoreWriteFailed] * 3


@pytest.mark.parametrize("how", ["barrier", "flush", "append"])
def test_what_is_on_the_disk_needs_no_second_barrier(begun: SqliteStore, folder: Path, how: str) -> None:
    lazily(begun, "one", "two")
    if how == "barrier":
        asyncio.run(begun.events.barrier())
    elif how == "flush":
        begun.events.flush()
    else:
        begun.events.append("ses_a", said("three"))
    lose_flushes(folder)
    asyncio.run(begun.events.barrier())
    begun.events.flush()
    lazily(begun, "four")
    with pytest.raises(StoreWriteFailed, match=NOT_THERE):
        begun.events.flush()


def test_what_is_appended_while_a_barrier_waits_needs_one_of_its_own(begun: SqliteStore, folder: Path) -> None:
    async def during() -> None:
        first = asyncio.create_task(begun.events.barrier())
        await asyncio.sleep(0)
        lazily(begun, "two")
        others = []
        while not first.done():  # one comes at every moment of the first one's end
            others.append(asyncio.create_task(begun.events.barrier()))
            await asyncio.sleep(0)
        await asyncio.gather(*others)

    for _ in range(5):
        lazily(begun, "one")
        asyncio.run(during())
    lose_flushes(folder)
    asyncio.run(begun.events.barrier())


def test_a_barrier_that_nobody_waits_for_any_more_disturbs_no_other(begun: SqliteStore) -> None:
    async def given_up() -> None:
        first = asyncio.create_task(begun.events.barrier())
        await asyncio.sleep(0)
        first.cancel()
        await begun.events.barrier()

    lazily(begun, "one")
    asyncio.run(given_up())


def test_a_barrier_of_a_log_that_was_taken_away_fails_until_it_is_back(begun: SqliteStore, folder: Path) -> None:
    lazily(begun, "one")
    for name in ("banksman.db-wal", "banksman.db"):
        (folder / name).rename(folder / "moved")
        with pytest.raises(StoreWriteFailed, match="removed, moved or replaced"):
            asyncio.run(begun.events.barrier())
        (folder / "moved").rename(folder / name)
    asyncio.run(begun.events.barrier())


def test_a_barrier_holds_after_the_log_was_begun_anew(begun: SqliteStore, folder: Path) -> None:
    lazily(begun, "one")
    begun.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    lazily(begun, "two")
    asyncio.run(begun.events.barrier())
    with sqlite3.connect(folder / "banksman.db") as other:
        assert other.execute("SELECT count(*) FROM event").fetchone() == (3,)


def test_bytes_put_lazily_are_on_the_disk_once_somebody_needs_them_there(begun: SqliteStore, folder: Path) -> None:
    begun.blobs.put(b"old content", "text/plain", lazy=True)
    lose_flushes(folder)
    assert begun.blobs.put(b"old content", "text/plain", lazy=True).size == 11
    with pytest.raises(StoreWriteFailed, match=NOT_THERE):
        begun.blobs.put(b"old content", "text/plain")


def test_a_barrier_without_a_descriptor_fails_and_can_be_tried_again(begun: SqliteStore) -> None:
    lazily(begun, "one")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        with pytest.raises(StoreWriteFailed, match="Too many open files"):
            begun.events.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    begun.events.flush()
    assert texts(begun) == ["one"]


def test_closing_tells_the_log_what_may_be_missing(
    begun: SqliteStore, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lazily(begun, "one")
    lose_flushes(folder)
    begun.close()
    assert "what was recorded last may be missing" in caplog.text
