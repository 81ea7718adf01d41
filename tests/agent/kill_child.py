"""A process to be killed at any moment: a real engine that works on and on, and a person who says yes to everything.

python -m tests.agent.kill_child: loads all of it once. Then each line on its stdin, [OUT, HOME, REPOSITORY, SESSION] in
JSON, forks a process that works there until it is killed; one started anew would spend most of its life on imports. It
writes to OUT, a pipe by name: its number, then each event as soon as it is committed: session, position, id and hash.
"""

import asyncio
import json
import os
import random
import signal
import sys
from contextlib import suppress
from pathlib import Path

from desktop.domain.chats.commands import ResumeQueue
from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.gate.pending import Answer
from desktop.providers.builtin.anthropic import load_messages
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
        if session.state.queue and not session.running:
            await rig.engine.handle(ResumeQueue(session_id=session_id))
        elif len(session.state.queue) < 3:
            await rig.engine.handle(SendMessage(session_id=session_id, text=f"message {number}"))
            number += 1
        await asyncio.sleep(random.uniform(0.05, 0.4))


def live(out: str, home: str, repository: str, session_id: str) -> None:
    """All of a forked process's life."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(out, os.O_WRONLY), sys.stdout.fileno())
    os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())
    random.seed()
    try:
        asyncio.run(main(Path(home), Path(repository), session_id))
    finally:
        os._exit(1)


def bury(_number: int, _frame: object) -> None:
    """Take note of the dead."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, bury)
    load_messages()
    for line in sys.stdin:
        if os.fork() == 0:
            live(*json.loads(line))
