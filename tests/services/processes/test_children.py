"""The end of a child is noticed in whichever loop started it, without a thread."""

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

from desktop.services.processes.children import notice_ends_by_descriptor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors of processes are a part of Linux")


@pytest.fixture(autouse=True)
def _by_descriptor() -> Iterator[None]:
    notice_ends_by_descriptor()
    yield
    asyncio.set_event_loop_policy(None)


async def codes() -> list[int | None]:
    started = [await asyncio.create_subprocess_exec("sh", "-c", f"exit {number}") for number in (0, 3)]
    killed = await asyncio.create_subprocess_exec("sleep", "99")
    killed.kill()
    return [await one.wait() for one in (*started, killed)]


def test_ends_are_noticed_in_loops_of_two_threads_at_once() -> None:
    found: list[list[int | None]] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(codes())))
    thread.start()
    found.append(asyncio.run(codes()))
    thread.join()
    assert found == [[0, 3, -9], [0, 3, -9]]


def test_no_thread_waits_for_a_child() -> None:
    async def threads() -> set[str]:
        child = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
        names = {thread.name for thread in threading.enumerate()}
        await child.communicate(b"")
        return names

    before = {thread.name for thread in threading.enumerate()}
    assert asyncio.run(threads()) <= before
