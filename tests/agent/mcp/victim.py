"""A process to be killed: a chat in full auto whose call of a server is under way. A program to be forked.

Its words: HOME REPOSITORY CALLS. It prints the chat's id once the server was called, and then stands still.
"""

import asyncio
import time
from pathlib import Path

from desktop.domain.core.permissions import PermissionMode
from desktop.providers.builtin.anthropic import load_messages
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


async def live(home: Path, repository: Path, calls: Path) -> None:
    """Stand still in the middle of the call until killed."""
    rig = await Rig(folders_below(home)).open(repository)
    session_id = await rig.new("use it", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda _: calls.exists() and calls.read_text())
    print(session_id, flush=True)
    time.sleep(60)


def prepare() -> None:
    """What every such process needs is loaded once."""
    load_messages()
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life."""
    asyncio.run(live(*map(Path, words)))
    return 0
