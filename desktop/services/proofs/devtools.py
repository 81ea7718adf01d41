"""DevTools: a browser's own protocol over a pair of pipes: commands with their answers, and what the browser tells.

https://chromedevtools.github.io/devtools-protocol/; messages are JSON, each ended by a zero byte.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.core.errors import BanksmanError

MAX_MESSAGE_BYTES = 96 * 1024 * 1024
Fields = Mapping[str, JsonValue]
OnEvent = Callable[[str, Fields], None]


class DevToolsError(BanksmanError):
    """The browser refused a command, or is gone."""


class DevTools:
    """The connection to a browser. Every call belongs to the loop that made it; `close` ends the connection.

    `to`, `back`: named pipes that the browser reads from and writes to; both must exist. `on_event`: told every event
    with its fields, in order.
    """

    def __init__(self, to: Path, back: Path, on_event: OnEvent) -> None:
        self._writing = os.open(to, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._reading = os.fdopen(os.open(back, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0)
        self._on_event = on_event
        self._waiting: dict[int, asyncio.Future[Fields]] = {}
        self._number = 0
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.BaseTransport | None = None

    async def open(self) -> None:
        """Listen to the browser."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
        self._transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._reading)
        self._task = asyncio.create_task(self._listen(reader), name="devtools")

    async def ask(self, method: str, session: str = "", **parameters: JsonValue) -> Fields:
        """Send a command and wait for its answer.

        Raises:
            DevToolsError: the browser refused it, or cannot be reached.
        """
        self._number += 1
        number = self._number
        self._waiting[number] = asyncio.get_running_loop().create_future()
        message: dict[str, JsonValue] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            await self._write(json.dumps(message).encode() + b"\0")
            return await self._waiting[number]
        finally:
            self._waiting.pop(number, None)

    async def close(self) -> None:
        """Close the connection; nothing is read or written afterwards."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._transport is not None:
            self._transport.close()
        else:
            self._reading.close()
        with contextlib.suppress(OSError):
            os.close(self._writing)

    async def _write(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self._writing, data) :]
            except BlockingIOError:
                await asyncio.sleep(0.01)
            except OSError as error:
                raise DevToolsError(f"The browser cannot be reached: {error.strerror or error}.") from error

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                self._take(await reader.readuntil(b"\0"))

    def _take(self, raw: bytes) -> None:
        try:
            message = json.loads(raw[:-1])
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        waiting = self._waiting.get(message.get("id", 0))
        if waiting is None:
            method, fields = message.get("method"), message.get("params")
            if isinstance(method, str) and isinstance(fields, dict):
                self._on_event(method, fields)
        elif not waiting.done():
            error = message.get("error")
            if isinstance(error, dict):
                waiting.set_exception(DevToolsError(f"The browser refused: {str(error.get('message'))[:200]}"))
            else:
                result = message.get("result")
                waiting.set_result(result if isinstance(result, dict) else {})
