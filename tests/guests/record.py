"""Records what agents of others say in a chat, for tests that replay it where they are not installed.

BANKSMAN_TEST_GUESTS=FOLDER python -m tests.guests.record [GUEST …]

Writes `tests/fakes/acp/traces/<guest>.jsonl`, a message a line: {"to": "guest" or "us", "message": …}, as it went over
the wire, with the lane, the home folder and the address of the model in other words, and long descriptions cut.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from pydantic import JsonValue, SecretStr

from desktop.agent.guests.chat import GuestChat
from desktop.domain.commands import SaveKey
from desktop.domain.gate.pending import Answer
from desktop.services.acp.wire import Wire
from tests.agent.credential_rig import file_keyring
from tests.agent.gate_rig import ONCE
from tests.agent.rig import folders_below, make_repository
from tests.fakes.model_dialects import ModelDialects
from tests.guests.ground import GUESTS, KEY, PROGRAMS, Ground

ROOT = Path(__file__).parents[2]
TRACES = Path(__file__).parents[1] / "fakes" / "acp" / "traces"
PASSING = re.compile(r'/[^"]*/banksman-passing-[^/"]*/')
"""The folder of a chat's socket, of another name each time."""
MOST_CHARS = 40
NO = Answer(outcome="reject", note="not on a Friday")


class Recorder:
    """Hears every message between an agent and the engine, but not of the agent and our bridge."""

    def __init__(self) -> None:
        self.heard: list[dict[str, JsonValue]] = []
        send, handle = Wire._send, Wire._handle

        def sent(wire: Wire, message: dict[str, JsonValue]) -> None:
            self._hear(wire, "guest", message)
            send(wire, message)

        async def handled(wire: Wire, message: dict[str, JsonValue], size: int) -> None:
            self._hear(wire, "us", message)
            await handle(wire, message, size)

        Wire._send, Wire._handle = sent, handled  # type: ignore[method-assign]  # this program alone records

    def _hear(self, wire: Wire, to: str, message: dict[str, JsonValue]) -> None:
        if isinstance(wire._handler, GuestChat):
            self.heard.append({"to": to, "message": message})

    def written(self, path: Path, words: dict[str, str]) -> None:
        """Keep it, with these words in place of others, the longest first."""
        lines = []
        for one in self.heard:
            line = json.dumps(_shorter(one), ensure_ascii=False)
            for word in sorted(words, key=len, reverse=True):
                line = line.replace(word, words[word])
            lines.append(PASSING.sub("/run/banksman/", line))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _shorter(value: JsonValue) -> JsonValue:
    """Without the long descriptions that agents give of their commands and options."""
    if isinstance(value, list):
        return [_shorter(one) for one in value]
    if not isinstance(value, dict):
        return value
    cut = {
        key: one[:MOST_CHARS] if key == "description" and isinstance(one, str) else one for key, one in value.items()
    }
    return {key: _shorter(one) for key, one in cut.items()}


async def record(guest_id: str, folder: Path) -> None:
    """One chat: a command that may run, a file, todos, a command that may not."""
    person = folder / "person"
    person.mkdir()
    os.environ |= {"HOME": str(person), "SHELL": "", "PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))}
    recorder = Recorder()
    async with ModelDialects() as model:
        with file_keyring(folder / "keyring.json"):
            ground = Ground(guest_id, folders_below(folder / "home"), model, person)
            await ground.rig.open(make_repository(folder / "shop"))
            try:
                await ground.rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
                await ground.say("Say that you are done.")
                await ground.ended()
                new = ground.lane / "new.txt"
                await ground.say(
                    "run-this: touch made; echo told", f"write-this: {new} => hello", "plan-this: look; do"
                )
                await ground.ended(ONCE)
                await ground.say("run-this: touch other")
                await ground.ended(NO)
                words = {str(ground.lane): "/lane", str(folder): "/home/robin", model.base: "http://127.0.0.1:4141"}
            finally:
                await ground.rig.engine.stop()
    real = {str(Path(one).resolve()): to for one, to in words.items() if one.startswith("/")}
    ours = {str(PROGRAMS.parent.parent): "/usr/lib", sys.executable: "/usr/bin/python3", str(ROOT): "/opt/banksman"}
    recorder.written(TRACES / f"{guest_id}.jsonl", {**words, **real, **ours})


def main(names: list[str]) -> None:
    """Record each in a process of its own folder."""
    TRACES.mkdir(exist_ok=True)
    for name in names or GUESTS:
        with tempfile.TemporaryDirectory(prefix="banksman-trace-") as folder:
            asyncio.run(record(name, Path(folder).resolve()))


if __name__ == "__main__":
    main(sys.argv[1:])
