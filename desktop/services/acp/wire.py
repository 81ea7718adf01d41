"""Wire: JSON-RPC 2.0 over lines, in both directions, for a guest's client and for a server of ours (guests-A5).

One task reads, and handles messages in their order. What comes is foreign: nothing in it can stop the reading but a
message that is too long, too deep, or a hundred lines in a row that are none (guests-A7).
"""

import asyncio
import json
import logging
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from desktop.domain.core.errors import BanksmanError
from desktop.services.acp.parsing import DEEPEST, TooDeep, is_message, parsed
from desktop.services.peers.answers import error_of
from desktop.services.peers.frames import MIB

logger = logging.getLogger(__name__)

LONGEST_MESSAGE = 16 * MIB
LONG_LINE = 256 * 1024
MOST_BAD_IN_A_ROW = 100
MOST_BAD_KEPT = 20
MOST_BAD_CHARS = 200
MOST_OPEN = 256
MOST_OPEN_BYTES = 64 * MIB
TURN = 250
"""After so many messages in one go others have their turn."""
FLOOD_S, REST_S = 0.1, 0.002
"""Where they came within so short a time, other threads have it too: a window is one of them."""

UNKNOWN_METHOD, WRONG_PARAMS, INTERNAL, CANCELLED = -32601, -32602, -32603, -32800
TOO_DEEP = f"It sent a message that is nested more than {DEEPEST} deep."
TOO_MANY_BAD = f"It sent {MOST_BAD_IN_A_ROW} lines in a row that are no messages."
TOO_MANY_OPEN = "It asked for more at once than can be answered."
_HINT_CHARS = 200


class WireError(BanksmanError):
    """The other side answered a request with an error; raised by `on_request`, it is how ours is answered."""

    def __init__(self, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class WireClosed(BanksmanError):
    """The connection ended before an answer came; the text says why, "" where nobody knows."""


class WireReader(Protocol):
    """Where lines come from, such as `Frames`. `problem`: why they ended before their end."""

    problem: str

    async def take(self) -> bytes | None:
        """The next line, None when there are no more."""

    def close(self) -> None:
        """Read no more."""


class WireWriter(Protocol):
    """Where lines go, such as `PeerChild`."""

    def write(self, line: bytes) -> None:
        """Send a line, its end included. Raises OSError: nobody reads it."""

    def end_input(self) -> None:
        """Nothing more will be sent."""


class WireHandler(Protocol):
    """Who is told what the other side sends. It is called by the reading task, in order; nothing may be raised but
    WireError by `on_request`."""

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        """The answer. Each request has a task of its own, which may wait for a person; it is cancelled at the end of
        the wire. Raises WireError: the answer is that error; UNKNOWN_METHOD for a method it does not know."""

    def on_notification(self, method: str, params: JsonValue) -> None:
        """Something that wants no answer; unknown ones are to be ignored."""

    def on_bad(self, line: str) -> None:
        """A line that is no message, its first 200 characters. Only the first 20 are told."""


class Wire:
    """One connection, on the engine's loop. `run` reads until the end and must be awaited by one task. `problem` says
    then why the other side could not be read further, a sentence, "" where it just ended. `bad` counts lines that were
    no messages, `stray` answers to nothing that is waited for."""

    def __init__(self, reader: WireReader, writer: WireWriter, handler: WireHandler) -> None:
        self.problem = ""
        self.bad = self.stray = 0
        self._reader, self._writer, self._handler = reader, writer, handler
        self._count = self._bad_in_a_row = self._open_bytes = 0
        self._asked: dict[int, asyncio.Future[JsonValue]] = {}
        self._open: dict[asyncio.Task[JsonValue], JsonValue] = {}
        self._withdrawn: set[asyncio.Task[JsonValue]] = set()
        self._over = False

    async def request(
        self, method: str, params: JsonValue, *, limit_s: float | None, withdraws: bool = False
    ) -> JsonValue:
        """What the other side answers. All messages before the answer were handled by then, and none after it until
        the task that awaits this has gone on. Once cancelled or late, an answer is ignored; with `withdraws` the other
        side is told when it is cancelled.

        Raises:
            WireError: the answer is an error.
            WireClosed: the connection has ended, or ends meanwhile.
            TimeoutError: no answer within `limit_s`; None waits for ever.
        """
        self._count += 1
        number, answer = self._count, asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self._asked[number] = answer
        try:
            async with asyncio.timeout(limit_s):
                result: JsonValue = await answer
                return result
        except asyncio.CancelledError:
            if withdraws and not self._over:
                self.notify("$/cancel_request", {"requestId": number})
            raise
        finally:
            del self._asked[number]

    def notify(self, method: str, params: JsonValue) -> None:
        """Tell the other side. Raises WireClosed: the connection has ended."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def run(self) -> None:
        """Read until the end. Then open requests of ours raise WireClosed, and those of the other side are cancelled.
        Also when this is cancelled."""
        try:
            handled, rested = 0, asyncio.get_running_loop().time()
            while not self._over and (line := await self._reader.take()) is not None:
                message = await self._read(line)
                if message is not None:
                    await self._handle(message, len(line))
                handled += 1
                if handled % TURN == 0:
                    now = asyncio.get_running_loop().time()
                    await asyncio.sleep(REST_S if now - rested < FLOOD_S else 0)
                    rested = asyncio.get_running_loop().time()
        finally:
            self.problem = self.problem or self._reader.problem
            self.close()
            if self._open:
                await asyncio.wait(set(self._open))

    def close(self) -> None:
        """End the connection: nothing is sent or read any more, and the other side's input ends. `run` then returns."""
        if self._over:
            return
        self._over = True
        self._reader.close()
        self._writer.end_input()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(WireClosed(self.problem))
        for task in self._open:
            task.cancel()

    async def cancel_requests(self) -> None:
        """Cancel every request of the other side that is not answered; each is answered by the error CANCELLED unless
        its handler answers otherwise. All answers are sent when this returns, so what is sent next comes after them."""
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(set(self._open))

    def open_request(self, number: JsonValue) -> "asyncio.Task[JsonValue] | None":
        """What carries out the request of the other side that has this id, which is answered by the error CANCELLED
        where that is cancelled; None where there is none."""
        return next((task for task, own in self._open.items() if type(own) is type(number) and own == number), None)

    def withdraw(self, number: JsonValue) -> None:
        """Cancel the request of the other side that has this id, which is then not answered at all; nothing where there
        is none."""
        for task, own in self._open.items():
            if own == number:
                self._withdrawn.add(task)
                task.cancel()

    async def _read(self, line: bytes) -> dict[str, JsonValue] | None:
        """The message of a line, None where it is none."""
        try:
            if not line.strip():
                return None
            found = await asyncio.to_thread(parsed, line) if len(line) > LONG_LINE else parsed(line)
        except TooDeep:
            self._end(TOO_DEEP)
            return None
        except ValueError:
            found = None
        if isinstance(found, dict) and (is_message(found) or self._is_empty_answer(found)):
            self._bad_in_a_row = 0
            return found
        self._note_bad(line)
        return None

    def _note_bad(self, line: bytes) -> None:
        self.bad += 1
        self._bad_in_a_row += 1
        if self.bad <= MOST_BAD_KEPT:
            self._handler.on_bad(line[: 4 * MOST_BAD_CHARS].decode("utf-8", "replace")[:MOST_BAD_CHARS])
        if self._bad_in_a_row >= MOST_BAD_IN_A_ROW:
            self._end(TOO_MANY_BAD)

    async def _handle(self, message: dict[str, JsonValue], size: int) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            self._answered(message)
            await asyncio.sleep(0)  # who waited for it goes on before the next message is handled
        elif "id" not in message:
            self._handler.on_notification(method, message.get("params"))
        elif len(self._open) >= MOST_OPEN or self._open_bytes + size > MOST_OPEN_BYTES:
            self._end(TOO_MANY_OPEN)
        else:
            self._begin(method, message, size)

    def _begin(self, method: str, message: dict[str, JsonValue], size: int) -> None:
        task = asyncio.create_task(self._handler.on_request(method, message.get("params")), name="acp request")
        self._open[task] = message["id"]
        self._open_bytes += size
        task.add_done_callback(partial(self._answer, message["id"], method[:_HINT_CHARS], size))

    def _answer(self, number: JsonValue, method: str, size: int, task: "asyncio.Task[JsonValue]") -> None:
        del self._open[task]
        self._open_bytes -= size
        problem = None if task.cancelled() else task.exception()
        if task in self._withdrawn:
            self._withdrawn.discard(task)
            return
        answer: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": number}
        if task.cancelled():
            answer["error"] = {"code": CANCELLED, "message": "Cancelled."}
        elif isinstance(problem, WireError):
            said: dict[str, JsonValue] = {"code": problem.code, "message": problem.message}
            answer["error"] = said if problem.data is None else {**said, "data": problem.data}
        elif problem is not None:
            logger.error("Answering %s failed", method, exc_info=problem)
            answer["error"] = {"code": INTERNAL, "message": "This failed."}
        else:
            answer["result"] = task.result()
        try:
            self._send(answer)
        except WireClosed:
            logger.debug("Nobody hears the answer to %s", method)

    def _answered(self, message: dict[str, JsonValue]) -> None:
        waiting = self._waiting(message)
        if waiting is None:
            self.stray += 1
        elif (problem := error_of(message)) is not None:
            waiting.set_exception(_error(problem, message.get("error")))
        else:
            waiting.set_result(message["result"])

    def _is_empty_answer(self, message: dict[str, JsonValue]) -> bool:
        """Whether it answers a request of ours with nothing (tools-T38)."""
        return message.get("jsonrpc") == "2.0" and "method" not in message and self._waiting(message) is not None

    def _waiting(self, message: dict[str, JsonValue]) -> "asyncio.Future[JsonValue] | None":
        """What waits for this answer, None where nothing does."""
        number = message.get("id")
        waiting = self._asked.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        return waiting if waiting is not None and not waiting.done() else None

    def _send(self, message: dict[str, JsonValue]) -> None:
        if self._over:
            raise WireClosed(self.problem)
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
        try:
            self._writer.write(line)
        except OSError as error:
            raise WireClosed(self.problem) from error

    def _end(self, problem: str) -> None:
        self.problem = problem
        self.close()


def _error(text: str, said: JsonValue) -> WireError:
    if not isinstance(said, dict):
        return WireError(INTERNAL, text)
    code = said.get("code")
    return WireError(code if isinstance(code, int) else INTERNAL, text, said.get("data"))
