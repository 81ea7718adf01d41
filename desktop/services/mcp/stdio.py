"""The transport of a server on this computer: its process in the sandbox, and the streams that the SDK talks through.

The SDK's own is not used: it starts servers outside the sandbox and reads lines of any length (guests-M3).
"""

import asyncio
import json
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import JsonValue

from desktop.late import late
from desktop.services.mcp.answers import answer_in
from desktop.services.mcp.launching import McpLauncher, McpPlace
from desktop.services.mcp.link import Way
from desktop.services.peers.child import PeerChild
from desktop.services.peers.ring import LogRing

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage
    from mcp.types.jsonrpc import JSONRPCMessage

LONG_LINE = 256 * 1024
MOST_JUNK_CHARS = 200


class StdioTransport:
    """One process, from `__aenter__` to `__aexit__`, which the same task awaits. `why` is asked once `gone` is set."""

    def __init__(self, launcher: McpLauncher, place: McpPlace, log: LogRing) -> None:
        self._launcher, self._place, self._log = launcher, place, log
        self._child: PeerChild | None = None
        self.gone = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "TransportStreams":
        """Start it. Raises PeerStartError: it cannot be started."""
        child = self._child = await self._launcher.start(self._place, self._log)
        self._ending = asyncio.create_task(self._wait(child), name="mcp server ends")
        return _Reading(child, self.gone), _Writing(child)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, with all it started."""
        if self._child is not None:
            await self._child.close()
        if self._ending is not None:
            await self._ending
        self.gone.set()

    @property
    def way(self) -> Way:
        """By its own input and output."""
        return "stdio"

    @property
    def why(self) -> str:
        """Why it ended by itself, a sentence."""
        child = self._child
        return (child.frames.problem or child.why_ended()) if child is not None else ""

    @property
    def own_why(self) -> str:
        """The same without its last words."""
        child = self._child
        return (child.frames.problem or child.how_ended()) if child is not None else ""

    async def _wait(self, child: PeerChild) -> None:
        await child.gone.wait()
        self.gone.set()


class _Reading:
    """The messages of a server; lines that are none go to its log."""

    def __init__(self, child: PeerChild, gone: asyncio.Event) -> None:
        self._child, self._gone = child, gone

    async def receive(self) -> "SessionMessage | Exception":
        """The next message. Raises anyio.EndOfStream: there are no more."""
        message = await self._next()
        if message is None:
            raise late("anyio").EndOfStream
        return message

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        message = await self._next()
        if message is None:
            raise StopAsyncIteration
        return message

    async def _next(self) -> "SessionMessage | None":
        while (line := await self._child.frames.take()) is not None:
            await asyncio.sleep(0)  # also one that floods leaves every other its turn between two lines (guests-M2)
            if not line.strip():
                continue
            try:
                message = await asyncio.to_thread(message_in, line) if len(line) > LONG_LINE else message_in(line)
            except ValueError:
                text = line[:MOST_JUNK_CHARS].decode("utf-8", "replace")
                self._child.log.add(f"[no message] {text}")
                continue
            found: SessionMessage = late("mcp.shared.message").SessionMessage(message)
            return found
        self._gone.set()
        return None

    async def aclose(self) -> None:
        """Read no more."""
        self._child.frames.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def message_in(line: bytes) -> "JSONRPCMessage":
    """The message of a line; an answer that is not as the protocol has it is one too. Raises ValueError: it is none."""
    try:
        message = _read(line)
    except ValueError:
        answer = answer_in(_whole(line))
        if answer is None:
            raise
        return answer
    if isinstance(message, late("mcp.types").JSONRPCError) and b'"result"' in line:
        return answer_in(_whole(line)) or message
    return message


def _whole(line: bytes) -> JsonValue:
    """The same as `_value` where it holds no half of a character and no number that JSON has not. Raises ValueError."""
    value = _value(line)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError as error:
        raise ValueError("It is nested too deeply.") from error
    return value


def _value(line: bytes) -> JsonValue:
    """What a line holds. Raises ValueError: it is no JSON."""
    try:
        value: JsonValue = json.loads(line.decode())
    except RecursionError as error:
        raise ValueError("It is nested too deeply.") from error
    return value


def _read(line: bytes) -> "JSONRPCMessage":
    """The message of a line as the library reads it. Raises ValueError: it is none.

    Of a long one the library would hold a copy for each kind of message that it tries, so it is given values; but not
    where half a character may stand, which it alone refuses."""
    adapter = late("mcp.types.jsonrpc").jsonrpc_message_adapter
    value: JSONRPCMessage
    if len(line) <= LONG_LINE or b"\\ud" in line or b"\\uD" in line:
        value = adapter.validate_json(line)
        return value
    value = adapter.validate_python(_value(line))
    return value


class _Writing:
    """What is sent to a server."""

    def __init__(self, child: PeerChild) -> None:
        self._child = child

    async def send(self, item: "SessionMessage", /) -> None:
        """Write a message. Raises anyio.BrokenResourceError: nobody reads it any more."""
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._child.send(text.encode("utf-8", "surrogatepass") + b"\n")
        except OSError as error:
            raise late("anyio").BrokenResourceError from error

    async def aclose(self) -> None:
        """Close the input of the process, which asks it to end."""
        self._child.end_input()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
