"""A process to be killed at any moment: a chat that begins children on and on. Forked: HOME REPOSITORY SESSION EVENTS.

It stands still once so many events are stored, and prints the chat's id.
"""

import asyncio
import time
from pathlib import Path

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


class Counts(Rig):
    """Stands still after so many events."""

    left, session_id = 0, ""

    def _take(self, update: Update) -> None:
        super()._take(update)
        if isinstance(update, Envelope):
            Counts.session_id = self.session_id or update.session_id
            Counts.left -= 1
            if self.left == 0:
                print(self.session_id, flush=True)
                time.sleep(60)


async def live(home: Path, repository: Path, session_id: str) -> None:
    """Go on with the chat, or begin it, turn after turn."""
    rig = await Counts(folders_below(home)).open(repository)
    session_id = session_id or await rig.new("Parent: begin")
    Counts.session_id = session_id
    session = rig.engine.sessions.get(session_id)
    if session.state.interrupted:
        await rig.engine.handle(ContinueTurn(session_id=session_id))
    while True:
        await rig.until(lambda _: not session.running, timeout_s=60)
        await rig.engine.handle(SendMessage(session_id=session_id, text="more"))


def prepare() -> None:
    """What every such process needs is loaded once."""
    load_messages()
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life."""
    home, repository, session_id, events = words
    Counts.left, Counts.session_id = int(events), session_id
    asyncio.run(live(Path(home), Path(repository), session_id))
    return 0
