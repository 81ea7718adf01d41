"""Work that a stop does not cut short."""

import asyncio
import threading

import pytest

from desktop.services.processes.stubborn import to_its_end

pytestmark = pytest.mark.asyncio


async def test_a_stop_waits_for_the_end_and_is_raised_then() -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait(10)
        done.set()

    task = asyncio.create_task(to_its_end(asyncio.to_thread(work)))
    await asyncio.sleep(0.05)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.02)
    assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done.is_set()


async def test_without_a_stop_it_is_the_result_or_the_error() -> None:
    assert await to_its_end(asyncio.sleep(0, "result")) == "result"
    with pytest.raises(ZeroDivisionError):
        await to_its_end(asyncio.to_thread(lambda: 1 / 0))
