"""What tests of previews do over and over."""

import os
import stat
from pathlib import Path
from typing import Any

from desktop.domain.events import InputRequested
from desktop.domain.preview.commands import ApplyEffect, TryInCopy
from desktop.domain.preview.events import CommandTried
from tests.agent.gate_rig import approval
from tests.agent.rig import Rig, git, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

GEN = """\
#!/bin/bash
date +%s%N > made.txt
echo changed >> app.py
mkdir -p sub && echo one > sub/one.txt && echo two > sub/two.txt
"""
FILES = {
    "app.py": "print('hello')\n",
    "notes.md": "# Notes\n",
    "old.txt": "old\n",
    "Makefile": "clean:\n\trm -f old.txt\n",
    "gen.sh": GEN,
    ".gitignore": "*.o\nbuild/\n",
}


def shop(folder: Path) -> Path:
    """A repository with a script that changes five files together with `make clean`."""
    made = make_repository(folder, FILES)
    (made / "gen.sh").chmod(0o755)
    git(made, "commit", "-qam", "runs")
    return made


def state(lane: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything of a lane that a try must leave as it was, Git's own files too."""
    found = {}
    for folder, _, names in os.walk(lane):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            facts = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(facts.st_mode) else b""
            found[str(path.relative_to(lane))] = (facts.st_mode, facts.st_mtime_ns, content)
    return found


async def asked_about(
    rig: Rig, model_api: FakeModelApi, command: str, said: str = "Do it", **more: Any
) -> tuple[str, InputRequested]:
    """The card of a command, and its chat, in which a person said this."""
    model_api.script(tool_turn("bash", command=command, **more), text_turn("done"))
    session_id = await rig.new(said)
    return session_id, await rig.asked()


async def tried_in(rig: Rig, session_id: str, asked: InputRequested, number: int = 1) -> CommandTried:
    """What came of the n-th try."""
    await rig.engine.handle(TryInCopy(session_id=session_id, input_id=asked.input_id, digest=approval(asked).digest))
    await rig.until(lambda _: len(rig.events(CommandTried)) >= number)
    return rig.events(CommandTried)[number - 1]


async def apply(rig: Rig, session_id: str, asked: InputRequested, effect: str) -> None:
    """Answer with the effect of a try."""
    await rig.engine.handle(
        ApplyEffect(session_id=session_id, input_id=asked.input_id, digest=approval(asked).digest, effect=effect)
    )
