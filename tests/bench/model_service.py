"""A model service without latency, in a process of its own, that plays the plan which a task is.

The task that a person sends is a plan (`plan_of`): calls, one after another, then so many words of text. The service
remembers nothing: which call is next it counts in the messages of the request. As a program, `python -m
tests.bench.model_service LOG` prints its address and serves until its standard input ends; LOG gets a line a request.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.model_turns import Turn, events_of, message_of, text_turn, tool_turn

PLAN = "PLAN\n"
ROOT = Path(__file__).parents[2]

Call = tuple[str, dict[str, Any]]
"""The name of a tool, and its arguments."""


@dataclass(frozen=True)
class Served:
    """One request: when it arrived and when its answer was written whole (of the clock `time.monotonic`), whether it
    was answered with a call, and whether it told of a call that failed."""

    at: float
    sent: float
    calls: bool
    failed: bool


def plan_of(calls: list[Call], words: int = 1) -> str:
    """The text of a task: these calls, each after the result of the one before, then an answer of so many words."""
    return PLAN + json.dumps({"calls": calls, "words": words})


@contextlib.contextmanager
def model_service(log: Path) -> Iterator[str]:
    """The address of a service that runs while this holds."""
    command = [sys.executable, "-m", "tests.bench.model_service", str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        assert process.stdin is not None
        process.stdin.close()


def served(log: Path) -> list[Served]:
    """What a service has logged, in order."""
    return [Served(*json.loads(line)) for line in log.read_text().splitlines()]


def answer_to(body: dict[str, Any]) -> Turn:
    """The next step of the newest plan among the messages."""
    done, plan = 0, ""
    for message in reversed(body.get("messages", [])):
        texts = [block["text"] for block in _blocks(message) if block["type"] == "text"]
        plan = next((text for text in texts if text.startswith(PLAN)), "")
        if plan and message["role"] == "user":
            break
        done += message["role"] == "assistant"
    if not plan:
        return text_turn("Done.")
    steps, _ = json.JSONDecoder().raw_decode(plan.removeprefix(PLAN))
    if done < len(steps["calls"]):
        name, arguments = steps["calls"][done]
        return tool_turn(name, **arguments)
    return text_turn("word " * steps["words"], piece=len("word "))


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _has_failed(body: dict[str, Any]) -> bool:
    """Whether the newest message tells of a call that failed or was refused."""
    return any(block.get("is_error", False) for message in body.get("messages", [])[-1:] for block in _blocks(message))


class _Service:
    def __init__(self, log: Path) -> None:
        self._log = log.open("a", buffering=1)
        self._number = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The requests of one connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                at = time.monotonic()
                await self._one(reader, writer, head, at)
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, at: float) -> None:
        lines = head.decode("latin-1").lower().split("\r\n")
        sizes = [line.partition(":")[2] for line in lines if line.startswith("content-length:")]
        raw = await reader.readexactly(int(sizes[0])) if sizes else b""
        if not lines[0].startswith("post "):
            await _send(writer, "application/json", [b'{"data": [], "has_more": false}'])
            return
        body = json.loads(raw)
        self._number += 1
        turn = answer_to(body)
        events = events_of(turn, message_of(turn, str(body.get("model", "")), self._number))
        wire = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
        await _send(writer, "text/event-stream", [b"".join(wire)] if turn.calls else wire)
        self._log.write(json.dumps([at, time.monotonic(), bool(turn.calls), _has_failed(body)]) + "\n")


async def _send(writer: asyncio.StreamWriter, kind: str, pieces: list[bytes]) -> None:
    """A call goes out in one piece, text word by word, so that its parts arrive as those of a service do."""
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
    for number, piece in enumerate(pieces):
        end = b"0\r\n\r\n" if number == len(pieces) - 1 else b""
        writer.write(b"%x\r\n%b\r\n%b" % (len(piece), piece, end))
        await writer.drain()


async def _main(log: Path) -> None:
    server = await asyncio.start_server(_Service(log).serve, "127.0.0.1", 0, limit=2**20)
    host, port = server.sockets[0].getsockname()[:2]
    sys.stdout.write(f"http://{host}:{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
