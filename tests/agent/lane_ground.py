"""Lanes that are there before an engine starts, and what came of commands about them."""

from pathlib import Path
from typing import TypeVar

from desktop.config.folders import Folders
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import DeleteLanes, LoadTrash, PlanDelete
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, LanesChanged, LanesDeleted, TrashListed
from desktop.store.database import open_store
from tests.agent.rig import Rig
from tests.services.lane_place import add_lane

T = TypeVar("T")


def with_lanes(folders: Folders, repository: Path, *names: str, **changes: object) -> list[Lane]:
    """Lanes of these names, made by hand and recorded."""
    root = folders.lanes / "shop"
    root.mkdir(parents=True, exist_ok=True)
    lanes = [
        add_lane(repository, root / name, name, abs(hash((name, str(root)))) % (1 << 47), **changes) for name in names
    ]
    record(folders, *lanes)
    return lanes


def record(folders: Folders, *lanes: Lane) -> None:
    """The store knows these lanes; no engine has it open."""
    store = open_store(folders.store)
    for lane in lanes:
        store.lanes.save(lane)
    store.close()


def last(rig: Rig, kind: type[T]) -> T:
    """The newest update of a type."""
    found: list[T] = [update for update in rig.updates if isinstance(update, kind)]
    assert found, f"no {kind.__name__}"
    return found[-1]


async def plan(rig: Rig, *lanes: Lane) -> DeletePlanned:
    """What deleting these would lose."""
    await rig.engine.handle(PlanDelete(lane_ids=tuple(lane.id for lane in lanes)))
    return last(rig, DeletePlanned)


async def delete(rig: Rig, *lanes: Lane, **scopes: object) -> tuple[tuple[str, str, str], ...]:
    """Delete them as planned; what came of each."""
    planned = await plan(rig, *lanes)
    fields = {"lane_ids": tuple(lane.id for lane in lanes), "digest": planned.digest, "typed": planned.typed}
    await rig.engine.handle(DeleteLanes.model_validate({**fields, **scopes}))
    return last(rig, LanesDeleted).results


async def trash(rig: Rig) -> TrashListed:
    """The deleted lanes."""
    await rig.engine.handle(LoadTrash())
    return last(rig, TrashListed)


async def listed(rig: Rig, lane_id: str, state: str) -> Lane:
    """The lane, once the window was told that it is in this state."""

    def find(updates: list[Update]) -> Lane | None:
        told = [update for update in updates if isinstance(update, LanesChanged)]
        return next((one for one in told[-1].lanes if one.id == lane_id and one.state == state), None) if told else None

    return await rig.until(find)
