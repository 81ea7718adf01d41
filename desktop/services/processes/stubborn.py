"""Awaiting what must come to its end although the task that waits for it is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`. A stop of the waiting task waits for its end and is raised then.

    Raises:
        CancelledError: the waiting task was stopped; `work` is over.
        Exception: whatever `work` raises.
    """
    task = asyncio.ensure_future(work)
    stop: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as stopped:
            stop = stopped
    if stop is not None and not task.cancelled() and task.exception() is None:
        raise stop
    return task.result()
