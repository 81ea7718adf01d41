"""A process to be killed: runs a chat with a child, and stands still as soon as an event of some kind is stored.

A program to be forked (tests/forking.py). Its words: HOME REPOSITORY WHOSE KIND, where WHOSE is parent or child.
"""

import asyncio
import time
from pathlib import Path

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


class StandsStill(Rig):
    """Does nothing any more, with everything in it, once that event is stored."""

    whose, kind, first = "", "", ""

    def _take(self, update: Update) -> None:
        super()._take(update)
        if not isinstance(update, Envelope):
            return
        type(self).first = self.first or update.session_id
        whose = "parent" if update.session_id == self.first else "child"
        if (whose, update.kind) == (self.whose, self.kind):
            print(self.first, flush=True)
            time.sleep(60)


async def live(home: Path, repository: Path, whose: str, kind: str) -> None:
    """Stand still at that moment until killed."""
    StandsStill.whose, StandsStill.kind = whose, kind
    rig = await StandsStill(folders_below(home)).open(repository)
    await rig.new("Parent: begin")
    await asyncio.sleep(60)


def prepare() -> None:
    """What every such process needs is loaded once."""
    load_messages()
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life."""
    home, repository, whose, kind = words
    asyncio.run(live(Path(home), Path(repository), whose, kind))
    return 0
