"""LogsAhead: long logs, read on a worker thread before somebody needs them on the loop."""

import asyncio
from collections.abc import Callable

from desktop.domain.core.errors import BanksmanError
from desktop.services.uncollected import uncollected
from desktop.store.core.events import OpenedChat

LONG_LOG = 2_000
"""Reading so many events takes some 10 ms, and 100,000 most of a second."""


class LogsAhead:
    """`read`: a session with its path, from any thread."""

    def __init__(self, read: Callable[[str], OpenedChat]) -> None:
        self._read = read
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._read_chats: dict[str, OpenedChat] = {}

    async def ready(self, session_id: str, *, is_long: Callable[[], bool]) -> None:
        """Return when the log was read, if `is_long` says that it has to be. Those who wait for the same log go on in
        the order in which they came. What cannot be read is not there; whoever needs it then says why."""
        if session_id not in self._reading:
            if not is_long():
                return
            self._reading[session_id] = asyncio.create_task(self._get(session_id), name="log")
        await asyncio.shield(self._reading[session_id])

    def take(self, session_id: str) -> OpenedChat | None:
        """What was read, once; None if nothing was."""
        return self._read_chats.pop(session_id, None)

    async def close(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    async def _get(self, session_id: str) -> None:
        try:
            with uncollected():
                chat = await asyncio.to_thread(self._read, session_id)
            if chat.path:
                self._read_chats[session_id] = chat
        except BanksmanError:
            return
        finally:
            del self._reading[session_id]
