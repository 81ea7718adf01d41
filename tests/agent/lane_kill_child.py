"""A process that does what it is told with lanes until it is killed: a real engine over pipes.

python -m tests.agent.lane_kill_child: loads all of it once. Each line on its stdin, [IN, OUT, HOME, REPOSITORY] in
JSON, forks a process that opens the repository, writes "up" to OUT, then carries out each line of IN and answers it.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from desktop.domain.core.command import Command
from desktop.domain.lanes.commands import (
    ArchiveLane,
    CreateLane,
    DeleteLanes,
    LoadTrash,
    PlanDelete,
    RepairLane,
    RestoreLane,
    UnarchiveLane,
)
from desktop.domain.lanes.updates import DeletePlanned, LanesChanged, LanesDeleted, TrashListed
from desktop.tools.registry import builtin_tools
from tests.agent.kill_child import bury
from tests.agent.rig import Rig, folders_below


async def do(rig: Rig, told: dict[str, Any]) -> dict[str, Any]:
    """Carry out one command of the test; what came of it."""
    before, kind, fields = len(rig.failures()), told.pop("do"), told
    del rig.updates[:-400]
    if kind == "delete":
        return await _delete(rig, **fields)
    if kind == "state":
        return await _state(rig)
    commands: dict[str, type[Command]] = {
        "create": CreateLane, "archive": ArchiveLane, "unarchive": UnarchiveLane, "restore": RestoreLane,
        "repair": RepairLane,
    }  # fmt: skip
    await rig.engine.handle(commands[kind].model_validate(fields))
    return {"failed": [one.text for one in rig.failures()[before:]]}


async def _delete(rig: Rig, lane_ids: list[str], with_branch: bool) -> dict[str, Any]:
    await rig.engine.handle(PlanDelete(lane_ids=tuple(lane_ids)))
    plans = [update for update in rig.updates if isinstance(update, DeletePlanned)]
    if not plans:
        return {"failed": [one.text for one in rig.failures()]}
    plan = plans[-1]
    keep = tuple(path for loss in plan.losses for path, _ in loss.ignored)
    chosen = {"with_branch": with_branch, "keep_paths": keep, "typed": plan.typed}
    command = {"lane_ids": tuple(lane_ids), "digest": plan.digest, **chosen}
    await rig.engine.handle(DeleteLanes.model_validate(command))
    results = [update.results for update in rig.updates if isinstance(update, LanesDeleted)]
    return {"results": results[-1] if results else [], "failed": [one.text for one in rig.failures()]}


async def _state(rig: Rig) -> dict[str, Any]:
    """The lanes as the window was told of them, what is wrong with some, and what is in the trash."""
    await rig.engine.handle(LoadTrash())
    trash = next(update for update in reversed(rig.updates) if isinstance(update, TrashListed))
    lists = [update for update in rig.updates if isinstance(update, LanesChanged)]
    told = lists[-1] if lists else LanesChanged(lanes=())
    return {
        "lanes": [lane.model_dump(mode="json") for lane in told.lanes],
        "offers": {finding.lane_id: finding.offers for finding in told.findings},
        "trash": [[one.trash_id, one.lane.id, one.ref] for one in trash.lanes],
    }


async def main(told: str, out: int, home: Path, repository: Path) -> None:
    """Work until killed."""
    rig = await Rig(folders_below(home)).open(repository)
    os.write(out, b'"up"\n')
    with open(told, encoding="utf-8") as lines:  # noqa: PTH123  # a pipe; opened before anything waits
        while line := await asyncio.to_thread(lines.readline):
            answer = await do(rig, json.loads(line))
            await asyncio.sleep(0.11)  # lists are sent a tenth of a second later
            os.write(out, f"{json.dumps(answer)}\n".encode())


def live(told: str, out: str, home: str, repository: str) -> None:
    """All of a forked process's life."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pipe = os.open(out, os.O_WRONLY)
    os.write(pipe, f"{os.getpid()}\n".encode())
    try:
        asyncio.run(main(told, pipe, Path(home), Path(repository)))
    finally:
        os._exit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, bury)
    builtin_tools()
    for line in sys.stdin:
        if os.fork() == 0:
            live(*json.loads(line))
