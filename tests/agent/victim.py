"""A process to be killed: runs one turn of a real engine, answers its first card, and says how far it is on stdout.

A program to be forked (tests/forking.py). Its words: HOME REPOSITORY MOMENT, which is asked, queued, started, answered,
planned or read.
"""

import asyncio
import time
from pathlib import Path

from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


class StopsAtFirstResult(Rig):
    """Stands still, with everything in it, as soon as one call has its result."""

    def _take(self, update: Update) -> None:
        super()._take(update)
        if isinstance(update, Envelope) and isinstance(update.event, ToolCallFinished):
            print(update.session_id, flush=True)
            time.sleep(60)


async def live(home: Path, repository: Path, moment: str) -> None:
    """Stand still at `moment` until killed."""
    kind = StopsAtFirstResult if moment == "read" else Rig
    rig = await kind(folders_below(home)).open(repository)
    mode = PermissionMode.PLAN if moment == "planned" else PermissionMode.EDIT
    session_id = await rig.new("Do the long thing", mode)
    asked = await rig.asked()
    if moment == "queued":
        await rig.engine.handle(SendMessage(session_id=session_id, text="one"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="two"))
    elif moment not in ("asked", "planned"):
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        await rig.until(lambda updates: rig.events(ToolCallStarted))
        while moment == "started" and not (rig.lane(session_id) / "begun").exists():
            await asyncio.sleep(0.01)
    print(session_id, flush=True)
    await asyncio.sleep(60)


def prepare() -> None:
    """Load what a turn needs."""
    builtin_tools()
    load_messages()


def main(words: list[str]) -> int:
    """Live until killed."""
    home, repository, moment = words
    asyncio.run(live(Path(home), Path(repository), moment))
    return 0
