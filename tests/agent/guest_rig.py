"""An engine whose chats a scripted guest carries out: a process of its own that speaks the protocol."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.agent.guests.starting.launching import GuestEnd, GuestsFound, GuestWords
from desktop.agent.options import EngineOptions
from desktop.domain.core.errors import CommandError
from desktop.domain.gate.sandbox import SandboxLevel
from desktop.domain.guests.updates import GuestListing
from desktop.domain.guests.values import GuestGatewayWay, GuestSignIn
from desktop.policy.guests.controls import GuestKeeping
from desktop.services.acp.wire import Wire, WireHandler
from desktop.services.guests.launch import GatewaySignIn
from desktop.services.processes.tree import ProcessFacts, end_others, running_below

PROGRAM = Path(__file__).parents[1] / "fakes" / "fake_acp_agent.py"
MIB = 1024 * 1024


class _Pipe:
    """What a process writes and reads, as the wire wants it."""

    problem = ""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._closed = asyncio.Event()

    async def take(self) -> bytes | None:
        assert self._process.stdout is not None
        reading = asyncio.ensure_future(self._process.stdout.readline())
        closed = asyncio.ensure_future(self._closed.wait())
        await asyncio.wait({reading, closed}, return_when=asyncio.FIRST_COMPLETED)
        closed.cancel()
        if not reading.done():
            reading.cancel()
            return None
        return reading.result() or None

    def close(self) -> None:
        self._closed.set()

    def write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        if self._process.stdin.is_closing():
            raise BrokenPipeError
        self._process.stdin.write(line)

    def end_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()


class PlainGuest:
    """A guest without a sandbox."""

    program, program_sha256 = str(PROGRAM), "f" * 64

    def __init__(self, process: asyncio.subprocess.Process, handler: WireHandler) -> None:
        pipe = _Pipe(process)
        self.process = process
        self.wire = Wire(pipe, pipe, handler)
        self._reading = asyncio.create_task(self.wire.run())

    stamp: tuple[str, ...] = ()
    gateway: GatewaySignIn | None = None

    async def running(self) -> frozenset[ProcessFacts]:
        return await asyncio.to_thread(running_below, self.process.pid, "")

    async def end_others(self, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
        return await end_others(self.process.pid, "", kept)

    async def ended(self) -> GuestEnd:
        return GuestEnd(await self.process.wait(), "its last words")

    async def end(self) -> GuestEnd:
        if self.process.returncode is None:
            self.process.kill()
        self.wire.close()
        await self._reading
        return await self.ended()


class ScriptedGuests:
    """The `GuestStarter` of the test. `prompts`: what the guest plays at each prompt of each process that is started;
    `more`: the rest of its script; `sent`: what was sent to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prompts: list[list[dict[str, Any]]] = []
        self.more: dict[str, Any] = {}
        self.known = GuestWords(id="fake", label="Fake Agent")
        self.started: list[PlainGuest] = []
        self.level: SandboxLevel = "none"
        self.made_of: tuple[str, ...] = ()
        self.sha256 = "f" * 64
        self.way: GuestGatewayWay | None = None

    @property
    def options(self) -> EngineOptions:
        return EngineOptions(guests=lambda: self)

    def knows(self, **words: Any) -> None:
        """More of what is known of it before it runs."""
        self.known = replace(self.known, **words)

    def words(self, guest_id: str) -> GuestWords:
        if guest_id != self.known.id:
            raise CommandError("no_guest", "This agent is not installed here. Choose another one.")
        return self.known

    async def kept(self, guest_id: str) -> GuestKeeping:
        return GuestKeeping(self.level, "none", self.known.asks, through_gateway=False)

    async def stamp(self, guest_id: str) -> tuple[str, ...]:
        return self.made_of

    async def choose_model(self, guest_id: str) -> str:
        return ""

    async def introduced(self, guest_id: str, way: GuestGatewayWay | None) -> None:
        self.way = way

    async def program_sha256(self, guest_id: str) -> str:
        return self.sha256

    async def given_files(self, guest_id: str) -> dict[str, tuple[int, int, int]]:
        return {}

    async def sign_in(self, guest_id: str, told: GuestSignIn | None) -> None:
        return None

    async def listed(self) -> GuestsFound:
        listing = GuestListing(id=self.known.id, label=self.known.label, program=str(PROGRAM))
        return GuestsFound((listing,))

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: WireHandler, shown: tuple[Path, ...] = ()
    ) -> PlainGuest:
        script, log = self.folder / f"script{len(self.started)}.json", self.folder / "sent.jsonl"
        script.write_text(json.dumps({**self.more, "prompts": self.prompts}), encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(PROGRAM),
            str(script),
            str(log),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=lane_root,
            limit=32 * MIB,
        )
        guest = PlainGuest(process, handler)
        guest.stamp, guest.program_sha256 = self.made_of, self.sha256
        self.started.append(guest)
        return guest

    async def anew(self, prompts: list[list[dict[str, Any]]]) -> None:
        """The guest that runs ends; the next one plays this."""
        self.prompts = prompts
        await self.started[-1].end()

    def sent(self, method: str = "") -> list[dict[str, Any]]:
        """What was sent to it, in order: the answers, or the messages of one method."""
        return [one for one in self.messages() if one.get("method", "") == method]

    def messages(self) -> list[dict[str, Any]]:
        """All that was sent to it, in order."""
        log = self.folder / "sent.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [json.loads(line) for line in lines]

    def outcomes(self) -> list[str]:
        """What its requests for permission were answered, in order."""
        answers = [one.get("result") for one in self.sent()]
        found = [one["outcome"] for one in answers if isinstance(one, dict) and "outcome" in one]
        return [one.get("optionId", one["outcome"]) for one in found]


def command(text: str, key: str = "t1", **more: Any) -> dict[str, Any]:
    """A request to run a command, as a guest tells of it."""
    return {"toolCallId": key, "title": text, "kind": "execute", "rawInput": {"command": text}, **more}


def edit(path: Path | str, new: str, old: str | None = None, key: str = "t1") -> dict[str, Any]:
    """A request to change a file."""
    diff = {"type": "diff", "path": str(path), "oldText": old, "newText": new}
    return {"toolCallId": key, "title": "Edit", "kind": "edit", "content": [diff]}


def done(key: str = "t1", text: str = "", status: str = "completed") -> dict[str, Any]:
    """A step: it tells how a call ended."""
    content = [{"type": "content", "content": {"type": "text", "text": text}}] if text else []
    update = {"sessionUpdate": "tool_call_update", "toolCallId": key, "status": status, "content": content}
    return {"update": update}
