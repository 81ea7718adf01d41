"""A guest in Banksman beside the same agent bare: `python -m tests.bench.bench_guests [RUNS] [FLOOD]`.

The agent is scripted, so what it costs itself is the same on both sides; both play the same in turn, own and bare
alternating, with the processor time of this process beside. In Banksman it works in the sandbox and with the real
engine: its start, 50 calls that the gate allows without a card, and 2,000 pieces of text; then its start where it
loads a session of 200 messages against one of none, and 20 idle seconds after the first half minute. FLOOD: so many
pieces in one more turn, with the memory that they cost.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from desktop.domain.commands import SendMessage
from desktop.domain.events import Envelope, TurnEnded
from desktop.domain.guests.commands import EndGuest
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.updates import TextDelta, Update
from tests.agent.guest_rig import PROGRAM, command, done
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.installed_guest import InstalledGuest

RUNS, CALLS, PIECES, LOADED = 7, 50, 2_000, 200
RESTS_AFTER_S, RESTS_S = 35, 20
MIB = 1024 * 1024
ASKS = [{"ask": command(f"head -n {n + 1} app.py", f"t{n}"), "then": [done(f"t{n}", "print()")]} for n in range(CALLS)]


async def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    flood = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ["SHELL"] = ""
        own = await Own.begun(place)
        try:
            await own.start()  # what is loaded at the first use is not the guest's
            for title, steps, per in (
                ("start to first text, ms", None, 1),
                (f"a call that is asked for, of {CALLS}, ms", ASKS, CALLS),
                (f"{PIECES:,} pieces of text, ms", [{"pieces": PIECES}], 1),
            ):
                own.busy.clear()
                both = [(await own.took(steps), await bare(place, steps)) for _ in range(runs)]
                tell(title, [one / per for one, _ in both], [other / per for _, other in both])
                print(f"  of which processor time of Banksman: {statistics.median(own.busy) / per * 1000:.1f} ms")
            await own.rested()
            if flood:
                await own.flooded(flood)
        finally:
            await own.rig.engine.stop()
        empty, full = [await loading(place / f"{count}", count, runs) for count in (0, LOADED)]
        print(f"start that loads {LOADED} messages, ms: {full:.1f}, {empty:.1f} that loads none: {full - empty:+.1f}")


async def loading(place: Path, messages: int, runs: int) -> float:
    """Milliseconds to the first text where the agent tells first of so many messages that were; the median."""
    place.mkdir()
    said = ["Do it", *["go on"] * (messages // 2)]  # each with its answer
    own = await Own.begun(place, init={"agentCapabilities": {"loadSession": True}}, load={"said": said})
    try:
        for _ in said[1:]:
            await own.took([{"say": "ready"}])
        took = [await own.start() for _ in range(runs + 1)][1:]
        assert own.rig.events(GuestSessionBegan)[-1].how == "load"
    finally:
        await own.rig.engine.stop()
    return statistics.median(took) * 1000


def tell(title: str, own: Sequence[float], other: Sequence[float]) -> None:
    """One line: both medians and what lies between them."""
    ours, theirs = (statistics.median(one) * 1000 for one in (own, other))
    print(f"{title}: {ours:.1f} in Banksman, {theirs:.1f} bare: {ours - theirs:+.1f}, {ours / theirs:.2f}x", flush=True)


class Own:
    """A chat of the agent in a real engine."""

    def __init__(self, rig: Rig, guest: InstalledGuest) -> None:
        self.rig, self.guest = rig, guest
        self.session_id = ""
        self.busy: list[float] = []

    @classmethod
    async def begun(cls, place: Path, **script: Any) -> "Own":
        """With its first turn over. `script`: more of what the agent plays."""
        os.environ["PATH"] = os.pathsep.join((str(place / "tools"), os.environ["PATH"]))
        folders = folders_below(place / "home")
        write_settings(folders, "http://127.0.0.1:1")
        guest = InstalledGuest(folders, place / "tools")
        guest.describe(**script)
        guest.install()
        made = cls(await Rig(folders).open(make_repository(place / "shop")), guest)
        guest.plays({"say": "ready"})
        made.session_id = await made.rig.new("Do it", driver="mine")
        await made._ended()
        return made

    async def took(self, steps: list[dict[str, Any]] | None) -> float:
        """Seconds of a turn with these steps; None: of a start to the first text."""
        if steps is None:
            return await self.start()
        self.guest.plays(*steps)
        began, busy = time.monotonic(), time.process_time()
        await self._say()
        await self._ended()
        self.busy.append(time.process_time() - busy)
        return time.monotonic() - began

    async def start(self) -> float:
        """Seconds from the message that starts the agent to its first text."""
        await self.rig.engine.handle(EndGuest(session_id=self.session_id))
        self.guest.plays({"say": "here"})
        began, busy = time.monotonic(), time.process_time()
        await self._say()
        await self.rig.until(lambda updates: any(isinstance(one, TextDelta) for one in updates))
        took = time.monotonic() - began
        self.busy.append(time.process_time() - busy)
        await self._ended()
        return took

    async def flooded(self, pieces: int) -> None:
        """A turn of so many pieces: what it takes, and how much more memory at most."""
        self.guest.plays({"pieces": pieces})
        process, before = psutil.Process(), psutil.Process().memory_info().rss
        began, most = time.monotonic(), 0
        await self._say()
        ended = asyncio.ensure_future(self.rig.until(lambda _: self.rig.events(TurnEnded), 600))
        while not ended.done():
            most = max(most, process.memory_info().rss - before)
            self.rig.updates = [one for one in self.rig.updates if not isinstance(one, TextDelta)]
            await asyncio.wait({ended}, timeout=0.2)
        print(f"{pieces:,} pieces: {time.monotonic() - began:.1f} s, at most {most / MIB:.0f} MiB more", flush=True)

    async def rested(self) -> None:
        """What this process does while the agent waits for its next turn."""
        await asyncio.sleep(RESTS_AFTER_S)
        busy = time.process_time()
        await asyncio.sleep(RESTS_S)
        took = time.process_time() - busy
        print(f"idle, processor time of Banksman: {took * 1000:.0f} ms in {RESTS_S} s, {took / RESTS_S:.2%}")

    async def _say(self) -> None:
        self.rig.updates.clear()
        await self.rig.engine.handle(SendMessage(session_id=self.session_id, text="go on"))

    async def _ended(self) -> None:
        """The turn is over. Looks at each update once: this is no time of Banksman."""
        ended, seen = None, 0

        def find(updates: list[Update]) -> TurnEnded | None:
            nonlocal ended, seen
            for one in updates[seen:]:
                ended = one.event if isinstance(one, Envelope) and isinstance(one.event, TurnEnded) else ended
            seen = len(updates)
            return ended

        assert (await self.rig.until(find)).status == "completed"


async def bare(place: Path, steps: list[dict[str, Any]] | None) -> float:
    """As `Own.took`, of the agent alone: every request is allowed at once."""
    script = json.dumps({"prompts": [steps or [{"say": "here"}]]})
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), script,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=place, limit=32 * MIB,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None

    def send(**message: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    send(id=1, method="initialize", params={"protocolVersion": 1})
    send(id=2, method="session/new", params={"cwd": str(place), "mcpServers": []})
    while (message := json.loads(await process.stdout.readline())).get("id") != 2:
        pass
    prompted = time.monotonic() if steps is not None else began
    send(id=3, method="session/prompt", params={"sessionId": message["result"]["sessionId"], "prompt": []})
    while (message := json.loads(await process.stdout.readline())).get("id") != 3:
        if message.get("method") == "session/request_permission":
            send(id=message["id"], result={"outcome": {"outcome": "selected", "optionId": "yes"}})
        elif steps is None:
            break
    took = time.monotonic() - prompted
    process.kill()
    await process.wait()
    return took


if __name__ == "__main__":
    asyncio.run(main())
