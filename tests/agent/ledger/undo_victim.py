"""A process that undoes a chat back to its start and is killed within. Forked: HOME REPOSITORY SESSION NTH.

It ends itself with SIGKILL just before the NTH record that it would make, from the begin of the undo on.
"""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from desktop.domain.events import Envelope, Event
from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.updates import LedgerLoaded, UndoPlanned
from desktop.domain.undo.events import UndoBegun
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, folders_below


async def live(home: Path, repository: Path, session_id: str, nth: int) -> None:
    """Work until killed."""
    rig = await Rig(folders_below(home)).open(repository)
    await rig.engine.handle(LoadLedger(session_id=session_id))
    oldest = [one for one in rig.updates if isinstance(one, LedgerLoaded)][-1].effects[-1].effect_id
    await rig.engine.handle(PlanUndo(session_id=session_id, effect_id=oldest, reach="back"))
    plan = [one for one in rig.updates if isinstance(one, UndoPlanned)][-1]
    store = rig.engine._store.events
    append, made = store.append_many, 0

    def counted(log_id: str, events: list[Event], **more: Any) -> list[Envelope]:
        nonlocal made
        made += bool(made) or any(isinstance(event, UndoBegun) for event in events)
        if made == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return append(log_id, events, **more)

    store.append_many = counted
    command = RunUndo(session_id=session_id, effect_id=oldest, reach="back", digest=plan.digest)
    await rig.engine.handle(command)
    await rig.engine.stop()


def prepare() -> None:
    """What every such process needs is loaded once."""
    builtin_tools()


def main(words: list[str]) -> int:
    """All of a process's life."""
    home, repository, session_id, nth = words
    asyncio.run(live(Path(home), Path(repository), session_id, int(nth)))
    return 0
