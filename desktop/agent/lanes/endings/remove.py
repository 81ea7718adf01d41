"""LaneRemove: archiving lanes, and deleting them as a person saw it planned (lanes-L26 to lanes-L31)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.endings.reviver import LaneReviver
from desktop.agent.lanes.endings.scopes import Scopes
from desktop.agent.lanes.use import LaneUse
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, StoreError
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import ArchiveLane, DeleteLanes, PlanDelete, UnarchiveLane
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, LaneCreated, LaneLoss, LanesDeleted
from desktop.domain.proofs.values import Proof
from desktop.domain.updates import CommandFailed
from desktop.services.lanes.endings.losses import LossReader, active_children, digest_of, word_to_type


class Leaving(Protocol):
    """What else goes with a lane, of a theme that keeps things of lanes."""

    def of_lane(self, lane_id: str) -> Sequence[Proof]:
        """Those that nothing else would have."""

    async def remove(self, proofs: Sequence[Proof]) -> str:
        """Remove these for good; a sentence when they are still there."""


class LaneLosses:
    """What would be lost with lanes of the open repository. `leaving`: what else goes with them."""

    def __init__(self, ground: Ground, use: LaneUse, leaving: Leaving) -> None:
        self._ground = ground
        self._use = use
        self.leaving = leaving

    def of(self, project: Project, lane_id: str) -> Lane:
        """The lane, if it is one of the repository that is open."""
        lane = self._ground.lane(lane_id)
        if lane.project_id != project.id:
            raise CommandError("unknown_lane", "This lane belongs to another repository.")
        return lane

    async def read(self, lane_ids: Sequence[str]) -> tuple[LaneLoss, ...]:
        """What stands against each, and what it holds.

        Raises:
            CommandError: there is no such lane in this repository, or none was chosen.
        """
        project = self._ground.the_project()
        lanes = [self.of(project, lane_id) for lane_id in dict.fromkeys(lane_ids)]
        if not lanes:
            raise CommandError("empty", "Choose a lane first.")
        every = self._ground.lanes.all_of_project(project.id)

        def read() -> tuple[LaneLoss, ...]:
            reader = LossReader(project, every, [lane.id for lane in lanes])
            return tuple(reader.read(lane, holders[lane.id]) for lane in lanes)

        holders = {lane.id: self._use.holders(lane.id) for lane in lanes}
        losses = await asyncio.to_thread(read)
        held = [len(self.leaving.of_lane(loss.lane.id)) for loss in losses]
        return tuple(loss.model_copy(update={"proofs": count}) for loss, count in zip(losses, held, strict=True))


class LaneRemove:
    """All on the engine thread. `look_again`: called when a lane should be compared with git."""

    def __init__(
        self,
        ground: Ground,
        telling: Telling,
        losses: LaneLosses,
        remover: LaneRemover,
        reviver: LaneReviver,
        look_again: Callable[[], None],
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._losses = losses
        self._remover = remover
        self._reviver = reviver
        self._look_again = look_again

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about lanes that go."""
        return {
            ArchiveLane: self._archive,
            UnarchiveLane: self._unarchive,
            PlanDelete: self._plan,
            DeleteLanes: self._delete,
        }

    async def _plan(self, command: PlanDelete) -> None:
        losses = await self._losses.read(command.lane_ids)
        self._telling.publish(_planned(command.command_id, losses))

    async def _delete(self, command: DeleteLanes) -> None:
        """Nothing happens unless the plan is still the one that was seen; then each lane gets its own result."""
        project = self._ground.the_project()
        losses = await self._losses.read(command.lane_ids)
        plan = _planned(command.command_id, losses)
        if plan.digest != command.digest:
            self._telling.publish(plan)
            raise CommandError("plan_changed", "What would be lost changed meanwhile. Look at it again.")
        if plan.typed and command.typed.strip() != plan.typed:
            raise CommandError("not_typed", f'Type "{plan.typed}" to delete this.')
        results: list[tuple[str, str, str]] = []
        for loss in _children_first(losses):
            results.append(await self._deleted(project, loss, command))
            self._telling.listed()
        self._telling.publish(LanesDeleted(command_id=command.command_id, results=tuple(results)))

    async def _deleted(self, project: Project, loss: LaneLoss, command: DeleteLanes) -> tuple[str, str, str]:
        lane = loss.lane
        if loss.refused:
            return lane.id, "", loss.refused
        keep = tuple(path for path, _ in loss.ignored if path in command.keep_paths)
        scopes = Scopes(command.with_branch, command.with_branch and command.with_remote, keep)
        leaving = () if command.keep_proofs else self._losses.leaving.of_lane(lane.id)
        try:
            if loss.unlink:
                await self._remover.unlink(lane)
                if left := await self._losses.leaving.remove(leaving):
                    self._telling.publish(CommandFailed(command_id="", code="proofs_left", text=left))
                return lane.id, "", ""
            trash_id, text = await self._remover.delete(project, loss, scopes)
            text = " ".join(filter(None, (text, await self._losses.leaving.remove(leaving))))
        except StoreError:
            raise
        except (BanksmanError, OSError) as error:
            return lane.id, "", f'"{lane.name}" was not deleted: {error}'
        return lane.id, trash_id, text

    async def _archive(self, command: ArchiveLane) -> None:
        project = self._ground.the_project()
        lane = self._losses.of(project, command.lane_id)
        if lane.type == "primary":
            raise CommandError("primary", "This is your own checkout. It cannot be archived.")
        if lane.state not in ("active", "broken"):
            raise CommandError("lane_state", f'The lane "{lane.name}" cannot be archived now.')
        if command.free_disk and lane.type == "attached":
            raise CommandError("attached", "The files of this lane are your own. Unlink it, or adopt it first.")
        family = self._family(project, lane)
        if len(family) > 1 and not command.with_children:
            named = ", ".join(f"“{child.name}”" for child in family[:-1])
            raise CommandError("children", f"Lanes stack on it: {named}. Archive them too, or first.")
        said = [await self._remover.archive(project, one, free_disk=command.free_disk) for one in family]
        self._telling.listed()
        if left := " ".join(filter(None, said)):
            raise CommandError("left_over", left)

    async def _unarchive(self, command: UnarchiveLane) -> None:
        project = self._ground.the_project()
        lane = self._losses.of(project, command.lane_id)
        if lane.state != "archived":
            raise CommandError("lane_state", f'The lane "{lane.name}" is not archived.')
        revived, notices = await self._reviver.unarchive(project, lane)
        if revived.state == "broken":
            self._look_again()
        self._telling.publish(LaneCreated(command_id=command.command_id, lane=revived, notices=notices))
        self._telling.listed()

    def _family(self, project: Project, lane: Lane) -> list[Lane]:
        """The lane with everything in use that stacks on it, children before their parents."""
        every = self._ground.lanes.all_of_project(project.id)
        below = [one for child in active_children(lane, every) for one in self._family(project, child)]
        return [*below, lane]


def _planned(command_id: str, losses: tuple[LaneLoss, ...]) -> DeletePlanned:
    return DeletePlanned(command_id=command_id, losses=losses, digest=digest_of(losses), typed=word_to_type(losses))


def _children_first(losses: Sequence[LaneLoss]) -> list[LaneLoss]:
    parents = {loss.lane.id: loss.lane.parent_id for loss in losses}

    def depth(lane_id: str) -> int:
        found = 0
        while parents.get(lane_id) and found < len(parents):
            lane_id, found = parents[lane_id], found + 1
        return found

    return sorted(losses, key=lambda loss: depth(loss.lane.id), reverse=True)
