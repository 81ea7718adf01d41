"""A process to be killed at any moment: a chat that begins children on and on. Forked: HOME REPOSITORY SESSION.

It prints each event that it tells of, of whichever log: `SESSION SEQ HASH`; the first is of the chat.
"""

import asyncio
from pathlib import Path

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


class Told(Rig):
    """Prints what a window would be told of."""

    def _take(self, update: Update) -> None:
        super()._take(update)
        if isinstance(update, Envelope):
            print(update.session_id, update.seq, update.hash, flush=True)


async def live(home: Path, repository: Path, session_id: str) -> None:
    """Go on with the chat, or begin it, turn after turn."""
    rig = await Told(folders_below(home)).open(repository)
    session_id = session_id or await rig.new("Parent: begin")
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
    home, repository, session_id = words
    asyncio.run(live(Path(home), Path(repository), session_id))
    return 0
