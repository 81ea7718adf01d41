"""LaneEdit: the words, colour, icon and branch of a lane, and taking over worktrees that were there before."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.folders import typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.commands import AdoptLane, EditLane, ImportLane, LoadWorktrees, SwitchLaneBranch
from desktop.domain.lanes.lane import Lane, LaneIcon
from desktop.domain.lanes.names import checked_name, require_free_color, require_free_name
from desktop.domain.lanes.updates import FoundWorktree, LaneCreated, WorktreesListed
from desktop.services.lanes.branch import rename_branch, switch_branch
from desktop.services.lanes.identity import require_own_folder
from desktop.services.lanes.imports import importable, plan_import

MAX_DESCRIPTION_CHARS, MAX_TAGS, MAX_TAG_CHARS = 500, 24, 30
_WORKING = frozenset({"turn", "shell", "setup", "run"})


class LaneEdit:
    """All on the engine thread."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, clock: Callable[[], datetime], settings: SettingsKeeper
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._clock = clock
        self._settings = settings

    def handlers(self) -> dict[type[Command], Handler]:
        """Its commands."""
        return {
            EditLane: self._edit,
            SwitchLaneBranch: self._switch,
            LoadWorktrees: self._load_worktrees,
            ImportLane: self._import,
            AdoptLane: self._adopt,
        }

    async def _edit(self, command: EditLane) -> None:
        lane = self._own_lane(command.lane_id)
        changed = lane.model_copy(update=self._changes(lane, command))
        if changed == lane and not command.rename_branch:
            return
        async with self._acts.log.operation(
            "edit", lane.id, changes=_told(lane, changed), was=_told(changed, lane)
        ) as operation:
            if command.rename_branch:
                changed = await self._with_branch(lane, changed)
                operation.result["branch"] = changed.branch
            self._ground.lanes.save(changed)
        self._telling.listed()

    def _changes(self, lane: Lane, command: EditLane) -> dict[str, object]:
        others = [one for one in self._ground.lanes.known(lane.project_id) if one.id != lane.id]
        changes: dict[str, object] = {}
        if command.name is not None and command.name != lane.name:
            changes["name"] = checked_name(command.name)
            require_free_name(checked_name(command.name), others)
        if command.description is not None:
            if len(command.description) > MAX_DESCRIPTION_CHARS:
                raise CommandError("too_long", f"A description has at most {MAX_DESCRIPTION_CHARS} characters.")
            changes["description"] = command.description.strip()
        if command.tags is not None:
            changes["tags"] = _tags(command.tags)
        if command.color is not None and command.color.casefold() != lane.color.casefold():
            require_free_color(command.color.casefold(), lane.id, others)
            changes["color"] = command.color.casefold()
        if command.icon is not None:
            changes["icon"] = _icon(command.icon)
        return changes

    async def _with_branch(self, lane: Lane, changed: Lane) -> Lane:
        """The lane with its branch named after it; lanes that stand on it follow the new name."""
        project = self._ground.the_project()
        self._acts.use.require_quiet(lane.id)
        async with self._acts.use.repository(project.id), self._acts.use.lane(lane.id):
            await require_own_folder(lane, Path(project.path))
            renamed = await rename_branch(changed, changed.name, self._settings.current.lane_prefix)
            self._ground.lanes.save(renamed)
            for child in self._ground.lanes.known(lane.project_id):
                if child.parent_id == lane.id and child.base_ref == lane.branch:
                    self._ground.lanes.save(child.model_copy(update={"base_ref": renamed.branch}))
        return renamed

    async def _switch(self, command: SwitchLaneBranch) -> None:
        lane, project = self._own_lane(command.lane_id), self._ground.the_project()
        if lane.state != "active":
            raise CommandError("lane_unusable", f"Lane '{lane.name}' is {lane.state}.")
        self._acts.use.require_quiet(lane.id, kinds=_WORKING)
        others = self._ground.lanes.known(lane.project_id)
        async with (
            self._acts.use.repository(project.id),
            self._acts.use.lane(lane.id),
            self._acts.log.operation("switch_branch", lane.id, to=command.branch, was=lane.branch) as operation,
        ):
            await require_own_folder(lane, Path(project.path))
            switched = await switch_branch(project, lane, command.branch, others)
            self._ground.lanes.save(switched)
            operation.result["branch"] = switched.branch
        self._telling.listed()

    # Worktrees that were there before

    async def _load_worktrees(self, command: LoadWorktrees) -> None:
        project = self._ground.the_project()
        found = await importable(project, self._ground.lanes.known(project.id))
        listed = tuple(
            FoundWorktree(
                path=str(one.worktree.path), branch=one.worktree.branch, head=one.worktree.head, problem=one.problem
            )
            for one in found
        )
        self._telling.publish(WorktreesListed(command_id=command.command_id, worktrees=listed))

    async def _import(self, command: ImportLane) -> None:
        project = self._ground.the_project()
        if self._ground.lanes.get(command.lane_id) is not None:
            raise CommandError("lane_exists", "This lane exists already.")
        path = typed_path(command.path).absolute()
        async with (
            self._acts.use.repository(project.id),
            self._acts.log.operation("import", command.lane_id, path=str(path)),
        ):
            known = self._ground.lanes.known(project.id)
            lane = await plan_import(project, path, command.name, command.lane_id, known, self._clock())
            self._ground.lanes.save(lane)
        await self._ground.lanes.tell_made(lane, run_setup=False)
        self._telling.listed()
        self._telling.publish(LaneCreated(command_id=command.command_id, lane=self._ground.lane(lane.id)))

    async def _adopt(self, command: AdoptLane) -> None:
        lane = self._own_lane(command.lane_id)
        if lane.type != "attached":
            raise CommandError("adopted", f"Lane '{lane.name}' is one of Banksman's own already.")
        async with self._acts.log.operation("adopt", lane.id, path=lane.worktree_path):
            await require_own_folder(lane, Path(self._ground.the_project().path))
            self._ground.lanes.save(lane.model_copy(update={"type": "worktree"}))
        self._telling.listed()

    def _own_lane(self, lane_id: str) -> Lane:
        lane = self._ground.lane(lane_id)
        if lane.type == "primary":
            raise CommandError("primary", "This is your own checkout, which is no lane to be changed.")
        if lane.state in ("creating", "deleting"):
            raise CommandError("lane_unusable", f"Lane '{lane.name}' is {lane.state}.")
        return lane


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags without white space around them, each once."""
    found = tuple(dict.fromkeys(tag for tag in (" ".join(tag.split()) for tag in tags) if tag))
    if len(found) > MAX_TAGS or any(len(tag) > MAX_TAG_CHARS for tag in found):
        raise CommandError("tags", f"A lane has at most {MAX_TAGS} tags of at most {MAX_TAG_CHARS} characters.")
    return found


def _icon(icon: str) -> LaneIcon:
    known: tuple[LaneIcon, ...] = ("none", "star", "flag", "bolt", "shield", "tag")
    found = next((one for one in known if one == icon), None)
    if found is None:
        raise CommandError("icon", f"There is no icon '{icon}'. Choose one of: {', '.join(known)}.")
    return found


def _told(before: Lane, after: Lane) -> dict[str, JsonValue]:
    fields = ("name", "description", "color", "icon")
    now, then = after.model_dump(), before.model_dump()
    return {field: str(now[field]) for field in fields if now[field] != then[field]}
