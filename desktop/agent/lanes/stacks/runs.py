"""StackRuns: rebases of a lane and of those that stack on it, one after the other, each recorded, and undone again."""

import asyncio
from dataclasses import field, replace
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.kin import LaneKin
from desktop.agent.lanes.stacks.book import StackBook
from desktop.agent.lanes.stacks.locks import StackLocks
from desktop.agent.lanes.stacks.log import REBASE, RUN, UNDO, DoneRebase, logged_runs
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.event_base import By
from desktop.domain.core.ids import new_id
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import StackLane, StackRunChanged
from desktop.records import dataclass
from desktop.services.git.run import Git
from desktop.services.history.branch_move import undo_cut_off, was_cut_off
from desktop.services.lanes.identity import lane_moved, require_own_folder
from desktop.services.lanes.stacks.rebase import (
    Rebased,
    RebasePlan,
    hindrance,
    moved_onto,
    plan_rebase,
    rebase,
    take_back,
)
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.tool import RebasedLane


@dataclass(frozen=True)
class RunWish:
    """What a run is to do. `by`: who asked. `own_session`: the chat that asks from within its turn, "" for a person.
    `parent`: another parent for the first lane ("" for none), None to leave it."""

    lane_id: str
    with_children: bool = False
    onto: str = ""
    keep_conflict: bool = False
    by: By = "person"
    own_session: str = ""
    parent: str | None = None


@dataclass
class _Run:
    """A run under way. `lanes`: those that come now, parents first; `states`: of every lane of the run, those of an
    earlier part of it too; `heads`: where lanes stand by now; `first`: the lane that the wish names, "" when a run goes
    on; `why_not`: what stands against going on."""

    run_id: str
    wish: RunWish
    lanes: list[Lane]
    states: dict[str, StackLane]
    first: str = ""
    why_not: str = ""
    plans: dict[str, RebasePlan] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)

    def listed(self) -> tuple[StackLane, ...]:
        return tuple(self.states.values())

    def set(self, lane: Lane, **changes: object) -> None:
        self.states[lane.id] = self.states[lane.id].model_copy(update=changes)


class StackRuns:
    """All on the engine thread; git works on worker threads. `kin`: how lanes stack on one another;
    `book`: what is known of earlier runs."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, contents: LaneContents, sessions: Sessions
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._contents = contents
        self._sessions = sessions
        self.kin = LaneKin(ground.lanes)
        self.book = StackBook(ground.lanes, acts.log, self.kin)
        self._locks = StackLocks(acts.use, sessions, self.kin)

    async def run(self, wish: RunWish) -> StackRunChanged:
        """Rebase the lane, and those below it if that is wished; every step is told and recorded. With `keep_conflict`
        the run that left the lane in conflict goes on, if there is one.

        Raises:
            CommandError: something stands against it; nothing was changed.
            BanksmanError: as above, in git's words.
        """
        lane = self._ground.lane(wish.lane_id)
        if lane.type == "primary":
            raise CommandError("primary", "Your own checkout is not rebased.")
        with self._locks.alone(lane):
            if wish.keep_conflict and (left := await self.book.left_open(lane)) is not None:
                return await self.tell(left.run_id)
            run = self._begun(wish, lane)
            async with self._locks.of(run.lanes, wish.own_session):
                await self._check(run)
                self._tell(run)
                await to_its_end(self._recorded(run))
        if wish.keep_conflict and not wish.with_children and run.states[lane.id].state in ("succeeded", "skipped"):
            await self.go_on(run.run_id, lane)
        return await self.tell(run.run_id)

    async def go_on(self, run_id: str, lane: Lane) -> None:
        """Rebase the lanes of the run that wait for this one, which stands on its base now. What stands against it is
        told with them, and they stay as they are."""
        rest = self.book.waiting(run_id, lane)
        if not rest:
            return
        states = {one.lane_id: one for one in self.book.logged(run_id).lanes}
        states |= {one.id: StackLane(lane_id=one.id, state="pending") for one in rest}
        run = _Run(run_id, RunWish(lane.id), rest, states)
        try:
            with self._locks.alone(lane):
                async with self._locks.of(rest):
                    await self._check(run)
                    self._tell(run)
                    await to_its_end(self._recorded(run))
        except BanksmanError as error:
            run.why_not = str(error)
            await self._recorded(run)

    async def for_chat(self, session: Session, onto: str, with_children: bool) -> tuple[RebasedLane, ...]:
        """What the tool does from within a turn of its chat, which holds the lane.

        Raises:
            BanksmanError: something stands against it; nothing was changed.
        """
        wish = RunWish(
            session.state.lane_id, with_children=with_children, onto=onto, by="tool", own_session=session.session_id
        )
        run = await self.run(wish)
        return tuple(
            RebasedLane(
                name=self._ground.lane(lane.lane_id).name, state=lane.state, conflicts=lane.conflicts, text=lane.text
            )
            for lane in run.lanes
        )

    async def undo(self, run_id: str) -> StackRunChanged:
        """Set every lane of a run back that still stands where the run left it.

        Raises:
            CommandError: there is nothing to undo, or none of its lanes can be set back.
        """
        run = next((one for one in logged_runs(self._acts.log) if one.run_id == run_id), None)
        if run is None or run.undone or not run.done:
            raise CommandError("no_run", "There is no run to undo.")
        first = self._ground.lane(run.done[0].lane_id)
        with self._locks.alone(first):
            lock = self._acts.use.repository(first.project_id)
            async with lock, self._acts.log.operation(UNDO, first.id, run_id=run_id) as op:
                problems = [problem for one in reversed(run.done) if (problem := await self._take_back(one))]
                op.result["problems"] = list(problems)
                if len(problems) == len(run.done):
                    raise CommandError("not_undone", problems[0])
                op.text = " ".join(problems)
        self._telling.listed()
        told = replace(run, undone=True).update().model_copy(update={"undo": " ".join(problems)})
        self._telling.publish(told)
        return told

    async def undo_cut_off(self) -> None:
        """Set lanes back whose files a crash left at one commit and whose branch at another.

        Raises:
            BanksmanError: git failed; what stands there stays.
        """
        project = self._ground.project()
        for lane in self._ground.lanes.of_project(project.id) if project is not None else ():
            folder = Path(lane.worktree_path)
            if lane.type == "primary" or lane_moved(lane) or not was_cut_off(folder):
                continue
            log = self._acts.log.operation("undo_cut_off", lane.id, by="system")
            async with self._acts.use.repository(lane.project_id), self._acts.use.lane(lane.id), log as op:
                done = await asyncio.to_thread(undo_cut_off, Git(folder))
                op.text = "The lane stands as before the rebase that was cut off." if done else "Nothing was to do."
            self._telling.listed()

    async def latest(self) -> StackRunChanged | None:
        """The last run of the open repository that moved something, else the last; None when there was none."""
        runs = logged_runs(self._acts.log)
        moving = [run for run in runs if run.done and not run.undone]
        return await self.tell((moving or runs)[-1].run_id) if runs else None

    def _begun(self, wish: RunWish, lane: Lane) -> _Run:
        """A new run, or the one that left the lane in conflict."""
        lanes = [lane, *(self.kin.below(lane) if wish.with_children else [])]
        last = self.book.last_with(lane) if wish.keep_conflict and not wish.onto else None
        goes_on = last if last is not None and last.is_in_conflict(lane.id) else None
        states = {one.lane_id: one for one in goes_on.lanes} if goes_on is not None else {}
        states |= {one.id: StackLane(lane_id=one.id, state="pending") for one in lanes}
        return _Run(goes_on.run_id if goes_on is not None else new_id("run_"), wish, lanes, states, lane.id)

    # one run

    async def _recorded(self, run: _Run) -> None:
        wish = run.wish
        told: dict[str, JsonValue] = {"run_id": run.run_id, "lanes": [lane.id for lane in run.lanes]}
        told |= {"other_base": True} if wish.onto or wish.parent is not None else {}
        async with self._acts.log.operation(RUN, run.lanes[0].id, by=wish.by, **told) as op:
            for lane in run.lanes:
                await self._one(run, lane)
                self._tell(run)
            op.result["lanes"] = [state.model_dump(mode="json") for state in run.listed()]
            op.text = ", ".join(f"{lane.name}: {run.states[lane.id].state}" for lane in run.lanes)
        self._telling.listed()

    async def _one(self, run: _Run, lane: Lane) -> None:
        above = run.states.get(lane.parent_id)
        if run.why_not:
            run.set(lane, state="blocked", text=run.why_not)
            return
        if above is not None and lane.id != run.first and above.state in ("conflict", "blocked"):
            run.set(lane, state="blocked", text="The lane that it stacks on was not rebased.")
            return
        run.set(lane, state="running")
        self._tell(run)
        try:
            done = await self._rebased(run, lane)
        except BanksmanError as error:
            run.set(lane, state="blocked", text=str(error))
            return
        run.heads[lane.id] = done.after
        run.set(lane, state=done.state, before=done.before, after=done.after, conflicts=done.conflicts, text=done.text)

    async def _rebased(self, run: _Run, lane: Lane) -> Rebased:
        plan = run.plans[lane.id]
        if lane.parent_id in run.heads and lane.id != run.first:
            plan = moved_onto(plan, run.heads[lane.parent_id])
        await self._contents.keeper.work_in(lane, self._contents.files(lane), lambda kept: kept.take("call"))
        keep = run.wish.keep_conflict and lane.id == run.first
        arguments: dict[str, JsonValue] = {
            "run_id": run.run_id,
            "before": plan.head,
            "onto": plan.new,
            "old": plan.old,
            "base_before": lane.base_oid,
            "parent_before": lane.parent_id,
            "base_ref_before": lane.base_ref,
            "keep_conflict": keep,
        }
        async with self._acts.log.operation(REBASE, lane.id, by=run.wish.by, **arguments) as op:
            done = await asyncio.to_thread(rebase, plan, keep_conflict=keep)
            op.text = done.text
            if done.state == "succeeded":
                op.result["after"] = done.after
            if done.state != "conflict":
                self._save(run, lane, done)
        return done

    def _save(self, run: _Run, lane: Lane, done: Rebased) -> None:
        changes: dict[str, object] = {"base_oid": done.base} if done.base else {}
        if run.wish.parent is not None and lane.id == run.first:
            changes |= {"parent_id": run.wish.parent, "base_ref": self.kin.base_ref(lane, run.wish.parent)}
        self.save(lane, **changes)

    def save(self, lane: Lane, **changes: object) -> None:
        """Keep other values of a lane, for its open chats too."""
        known = self._ground.lane(lane.id).model_copy(update=changes)
        self._ground.lanes.save(known)
        for session in self._sessions.in_lane(lane.id):
            session.know_lane(known)
        self._telling.listed()

    # before anything changes

    async def _check(self, run: _Run) -> None:
        """Everything that must be so is so for all lanes (lanes-L38), and what each will be put on is known."""
        project = self._ground.the_project()
        for lane in run.lanes:
            kinds = frozenset({"turn", "setup"})
            held = [one for one in self._acts.use.holders(lane.id) if one.kind in kinds]
            if busy := [one for one in held if one.session_id != run.wish.own_session or not run.wish.own_session]:
                raise CommandError("lane_busy", f"Something works in the lane '{lane.name}': {busy[0].label}.")
            await require_own_folder(lane, Path(project.path))
            if why := await asyncio.to_thread(hindrance, lane):
                raise CommandError("not_ready", why)
            first = lane.id == run.first
            onto = run.wish.onto if first else ""
            run.plans[lane.id] = await asyncio.to_thread(plan_rebase, *self._planned(run, lane, first=first), onto)

    def _planned(self, run: _Run, lane: Lane, *, first: bool) -> tuple[Lane, Lane | None]:
        """The lane with its parent, as the run is to see them."""
        if not first or run.wish.parent is None:
            return lane, self.kin.parent(lane)
        if not run.wish.parent:
            return lane.model_copy(update={"base_ref": self.kin.base_ref(lane, "")}), None
        return lane, self._ground.lane(run.wish.parent)

    # undo

    async def _take_back(self, done: DoneRebase) -> str:
        """Why this lane was not set back, "" when it was."""
        try:
            lane = self._ground.lane(done.lane_id)
            self._acts.use.require_quiet(lane.id)
            await require_own_folder(lane, Path(self._ground.the_project().path))
            async with self._acts.use.lane(lane.id):
                await self._contents.keeper.work_in(lane, self._contents.files(lane), lambda kept: kept.take("call"))
                await to_its_end(asyncio.to_thread(take_back, lane, done.before, done.after))
        except BanksmanError as error:
            return str(error)
        self.save(
            lane,
            base_oid=done.base_before,
            parent_id=done.parent_before,
            base_ref=done.base_ref_before or lane.base_ref,
        )
        return ""

    async def tell(self, run_id: str) -> StackRunChanged:
        """Tell the window how a run stands."""
        told = await self.book.told(run_id)
        self._telling.publish(told)
        return told

    def _tell(self, run: _Run) -> None:
        self._telling.publish(StackRunChanged(run_id=run.run_id, state="running", lanes=run.listed()))
