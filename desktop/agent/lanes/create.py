"""LaneCreate: what a new lane can begin at, and making it."""

import asyncio
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import CreateLane, LoadLaneBases
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneBase, LaneBasesListed, LaneCreated
from desktop.services.git.base_branches import Base, all_bases
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import Git
from desktop.services.lanes.making.carry import Uncommitted, uncommitted
from desktop.services.lanes.making.plan import BaseBehind, LaneWish
from desktop.services.lanes.worktrees import Worktree, list_worktrees, same_folder

MAX_DESCRIPTION_CHARS = 500


class LaneCreate:
    """All on the engine thread."""

    def __init__(
        self, ground: Ground, telling: Telling, log: ProjectLog, settings: SettingsKeeper, maker: LaneMaker
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._log = log
        self._settings = settings
        self._maker = maker
        self._under_way: set[str] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """The two commands."""
        return {LoadLaneBases: self._load_bases, CreateLane: self._create}

    async def _create(self, command: CreateLane) -> None:
        if command.lane_id in self._under_way:
            return
        project = self._ground.the_project()
        if self._ground.lanes.get(command.lane_id) is not None:
            raise CommandError("lane_exists", "This lane exists already.")
        wish = self._wish(command)
        self._under_way.add(command.lane_id)
        begun = self._log.operation(
            "create",
            command.lane_id,
            lane_name=command.name,
            base=command.base,
            parent_id=command.parent_id,
            start_from=command.start_from,
            allow_behind=command.allow_behind,
        )
        try:
            async with begun as operation:
                made = await self._maker.make(project, wish, run_setup=command.run_setup)
                operation.result |= {
                    "branch": made.lane.branch,
                    "path": made.lane.worktree_path,
                    "base_ref": made.lane.base_ref,
                    "base_oid": made.lane.base_oid,
                }
                operation.text = f"Created lane '{made.lane.name}' on {made.lane.branch}."
        except BaseBehind as error:
            raise CommandError("behind", str(error)) from error
        finally:
            self._under_way.discard(command.lane_id)
            self._telling.listed()
        self._telling.publish(LaneCreated(command_id=command.command_id, lane=made.lane, notices=made.notices))

    def _wish(self, command: CreateLane) -> LaneWish:
        if not command.name.strip():
            raise CommandError("no_name", "Give the lane a name with a letter or a digit.")
        if len(command.description) > MAX_DESCRIPTION_CHARS:
            raise CommandError("too_long", f"A description has at most {MAX_DESCRIPTION_CHARS} characters.")
        changes = {"copy_changes": "copy", "move_changes": "move"}.get(command.start_from, "none")
        parent = self._ground.lane(command.parent_id) if command.parent_id else None
        return LaneWish(
            name=command.name,
            lane_id=command.lane_id,
            description=command.description,
            base=command.base,
            parent=parent,
            existing_branch=command.start_from == "branch",
            changes="copy" if changes == "copy" else "move" if changes == "move" else "none",
            confirmed=command.confirmed_paths,
            allow_behind=command.allow_behind,
        )

    # What there is

    async def _load_bases(self, command: LoadLaneBases) -> None:
        """What is known here at once; then again with what a fetch brought."""
        project = self._ground.the_project()
        first = await self._bases(command.command_id, project)
        self._telling.publish(first)
        remotes = await asyncio.to_thread(RepoReader(Path(project.path)).remotes)
        default = first.bases[0].ref.partition("/")[0]
        remote = default if default in remotes else "origin" if "origin" in remotes else ""
        if not remote:
            return
        problem = await self._maker.fetch(project, remote)
        again = await self._bases(command.command_id, project)
        notice = f"{problem}. These are the branches as they were last known here." if problem else again.notice
        self._telling.publish(again.model_copy(update={"fetched": not problem, "notice": notice}))

    async def _bases(self, command_id: str, project: Project) -> LaneBasesListed:
        git = Git(Path(project.path))
        (default, bases), worktrees, (found, problem) = await asyncio.gather(
            all_bases(git, project.branch), list_worktrees(git), _uncommitted(project)
        )
        lanes = self._ground.lanes.known(project.id)
        listed = [_shown(default, worktrees, lanes, "default")]
        listed += [_shown(base, worktrees, lanes) for base in bases]
        return LaneBasesListed(
            command_id=command_id,
            bases=tuple(listed),
            prefix=self._settings.current.lane_prefix,
            uncommitted=found.paths,
            left_out=found.left_out,
            notice=problem,
        )


async def _uncommitted(project: Project) -> tuple[Uncommitted, str]:
    """What is not committed in the person's checkout, and why that cannot be told."""
    try:
        return await asyncio.to_thread(uncommitted, Path(project.path)), ""
    except BanksmanError as error:
        return Uncommitted("", ()), str(error)


def _shown(base: Base, worktrees: list[Worktree], lanes: list[Lane], kind: str = "") -> LaneBase:
    lane = next((one for one in lanes if one.type != "primary" and one.branch == base.name), None)
    where = next((one for one in worktrees if base.kind == "branch" and one.branch == base.name), None)
    open_in = ""
    if where is not None:
        here = next((one for one in lanes if same_folder(Path(one.worktree_path), where.path)), None)
        open_in = here.name if here is not None and here.type != "primary" else ""
        open_in = open_in or ("your checkout" if where is worktrees[0] else str(where.path))
    of_lane = lane is not None and base.kind == "branch"
    shown = "default" if kind else "lane" if of_lane else "remote" if base.kind == "remote" else "branch"
    return LaneBase.model_validate(
        {"ref": base.name, "oid": base.oid, "kind": shown, "behind": base.behind, "open_in": open_in}
    )
