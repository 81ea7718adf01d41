"""A process to be killed at any moment: a real engine that works on and on, and a person who says yes to everything.

python -m tests.agent.kill_child HOME REPOSITORY [SESSION]

Each event is told on stdout as soon as it is committed: session, position, id and hash, one line each.
"""

import asyncio
import os
import random
import sys
from pathlib import Path

from desktop.domain.commands import ContinueTurn, ResumeQueue, SendMessage
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.pending import Answer
from desktop.domain.updates import Update
from tests.agent.rig import Rig, folders_below


class SaysYes(Rig):
    """Allows every call once."""

    def __init__(self, home: Path) -> None:
        super().__init__(folders_below(home))
        self._answering: set[asyncio.Task[None]] = set()

    def _take(self, update: Update) -> None:
        super()._take(update)
        if isinstance(update, Envelope) and isinstance(update.event, InputRequested) and update.event.request.blocking:
            task = asyncio.create_task(self.answer(update.session_id, update.event, Answer(outcome="allow_once")))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)


def acknowledge(envelope: Envelope) -> None:
    """Say that it is stored."""
    line = f"{envelope.session_id} {envelope.seq} {envelope.event_id} {envelope.hash}\n"
    os.write(sys.stdout.fileno(), line.encode())


async def main(home: Path, repository: Path, session_id: str) -> None:
    """Work until killed."""
    rig = SaysYes(home)
    rig.engine._store.events.subscribe(acknowledge)
    await rig.open(repository)
    if not session_id:
        session_id = await rig.new("Work on")
    session = rig.engine.sessions.get(session_id)
    if session.state.interrupted:
        await rig.engine.handle(ContinueTurn(session_id=session_id))
    number = 0
    while True:
        if session.state.queue_paused and not session.running:
            await rig.engine.handle(ResumeQueue(session_id=session_id))
        elif len(session.state.queue) < 3:
            await rig.engine.handle(SendMessage(session_id=session_id, text=f"message {number}"))
            number += 1
        await asyncio.sleep(random.uniform(0.05, 0.4))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""))
