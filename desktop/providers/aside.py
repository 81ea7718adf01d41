"""aside(): work on many messages, away from the loop that runs all chats."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
MANY = 50
"""A step brings two messages. More than these are new when a chat was opened or its list changed as a whole, and making
thousands would hold up the loop for a tenth of a second."""


async def aside(count: int, work: Callable[[], T]) -> T:
    """The result of work on so many messages, done on a worker thread if they are many."""
    return await asyncio.to_thread(work) if count > MANY else work()
