"""A process to be killed while it takes over the work of a child. Forked: HOME REPOSITORY SESSION."""

import asyncio
from pathlib import Path

from desktop.domain.commands import SendMessage
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


async def live(home: Path, repository: Path, session_id: str) -> None:
    """Have the chat take it, and wait."""
    rig = await Rig(folders_below(home)).open(repository)
    await rig.engine.handle(SendMessage(session_id=session_id, text="take it"))
    await asyncio.sleep(60)


def prepare() -> None:
    """What every such process needs is loaded once."""
    load_messages()
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life."""
    home, repository, session_id = words
    asyncio.run(live(Path(home), Path(repository), session_id))
    return 0
