"""LogsAhead: long logs, read on a worker thread before somebody needs them on the loop."""

import asyncio
from collections.abc import Callable

from desktop.collecting import uncollected
from desktop.domain.core.errors import BanksmanError
from desktop.domain.events import Envelope
from desktop.store.core.events import EventStore, OpenedChat
from desktop.store.core.readings import Readings

LONG_LOG = 2_000
"""Reading so many events takes some 10 ms, and 100,000 most of a second."""


class LogsAhead:
    """`is_far`: whether the log of a chat is long and not at hand, so that it has to be read."""

    def __init__(self, events: EventStore, readings: Readings, is_far: Callable[[str], bool]) -> None:
        self._events = events
        self._readings = readings
        self._is_far = is_far
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._read_chats: dict[str, OpenedChat] = {}

    async def ready(self, session_id: str) -> None:
        """Return when the log was read, if it has to be. Those who wait for the same log go on in
        the order in which they came. What cannot be read is not there; whoever needs it then says why."""
        if session_id not in self._reading:
            if not self._is_far(session_id):
                return
            self._reading[session_id] = asyncio.create_task(self._get(session_id), name="log")
        await asyncio.shield(self._reading[session_id])

    async def end(self, session_id: str, most: int) -> list[Envelope]:
        """The newest events of a log that has to be read, with nothing recorded behind them; at most so many, all of
        the chat's own. [] where the log is at hand, or was by the time that they were here."""
        if not self._is_far(session_id):
            return []
        try:
            newest = await asyncio.to_thread(self._end, session_id, most)
        except BanksmanError:
            return []
        head = self._events.head(session_id) if self._is_far(session_id) else None
        return newest if newest and head is not None and head.event_id == newest[-1].event_id else []

    def take(self, session_id: str) -> OpenedChat | None:
        """What was read, once; None if nothing was."""
        return self._read_chats.pop(session_id, None)

    async def close(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    async def _get(self, session_id: str) -> None:
        try:
            with uncollected():
                chat = await asyncio.to_thread(self._readings.chat, session_id)
            if chat.path:
                self._read_chats[session_id] = chat
        except BanksmanError:
            return
        finally:
            del self._reading[session_id]

    def _end(self, session_id: str, most: int) -> list[Envelope]:
        """Their events are read here too, so that the window need not."""
        newest = self._readings.newest(session_id, most)
        for envelope in newest:
            _ = envelope.event
        return newest
