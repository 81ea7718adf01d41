"""A process in which a person applies an effect, killed within. Forked: HOME REPOSITORY SESSION NTH.

It ends itself with SIGKILL just before the NTH record after the person's yes, or, for 0, as soon as the first of the
effect's files is seen in the lane. The model is asked over HTTP, as in any other process.
"""

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import Any

from desktop.domain.events import Envelope, Event
from desktop.domain.preview.commands import ApplyEffect
from desktop.tools.registry import builtin_tools
from tests.agent.gate_rig import approval
from tests.agent.preview.preview_rig import tried_in
from tests.agent.rig import Rig, folders_below


def kill_at(file: Path) -> None:
    """Die once the file is there."""
    while not file.exists():
        pass
    os.kill(os.getpid(), signal.SIGKILL)


async def live(home: Path, repository: Path, nth: int) -> None:
    """Work until killed."""
    rig = await Rig(folders_below(home)).open(repository)
    session_id = await rig.new("Do it")
    asked = await rig.asked()
    tried = await tried_in(rig, session_id, asked)
    store = rig.engine._store.events
    append, made = store.append_many, 0

    def counted(log_id: str, events: list[Event], **more: Any) -> list[Envelope]:
        nonlocal made
        made += 1
        if made == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return append(log_id, events, **more)

    store.append_many = counted
    if not nth:
        threading.Thread(target=kill_at, args=(rig.lane(session_id) / "made.txt",), daemon=True).start()
    await rig.engine.handle(
        ApplyEffect(session_id=session_id, input_id=asked.input_id, digest=approval(asked).digest, effect=tried.digest)
    )
    await rig.ended()
    await rig.engine.stop()


def prepare() -> None:
    """What every such process needs is loaded once."""
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life; 0: it came to its end before it was killed."""
    home, repository, nth = words
    asyncio.run(live(Path(home), Path(repository), int(nth)))
    return 0
