"""LaneKeeper: checkpoints of lanes around turns and before calls that can change files (sessions-SC1, sessions-SC2)."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from desktop.agent.core.session import Session
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointReason, CheckpointSkipped
from desktop.domain.core.errors import BanksmanError, CommandError, StoreError
from desktop.domain.events import Event, Notice
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.lane_sight import LaneSight
from desktop.services.git.trees.fresh_index import FreshIndex
from desktop.services.history.checkpoints import LaneCheckpoints, Restored, Taken
from desktop.services.history.refs import CheckpointRef
from desktop.services.history.tree_id import checkpoint_tree_id
from desktop.services.lanes.identity import lane_moved

logger = logging.getLogger(__name__)

T = TypeVar("T")
PRUNE_EVERY = 200
NO_LANE = "This chat has no lane whose files could be kept."
END_WITHIN_S, STOP_WITHIN_S, COUNT_WITHIN_S = 20.0, 0.7, 2.0


@dataclass(frozen=True)
class Held:
    """What was kept of the lane at a moment. `problem`: why the files are not kept, or not all of them."""

    checkpoint_id: str = ""
    problem: str = ""
    ref: CheckpointRef | None = None


@dataclass
class _Lane:
    """The checkpoints of one lane. `lock`: whoever works with them; turns come before the calls that follow.
    `whole`: whoever looks first whether a crash cut a restore off. `unpruned`: how many were made since those that need
    not be kept were dropped. `returned`: a restore that a crash had cut off was taken back, and no chat was told of it
    yet."""

    checkpoints: LaneCheckpoints
    sight: LaneSight
    root: Path
    identity: tuple[int, int]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    whole: asyncio.Lock = field(default_factory=asyncio.Lock)
    unpruned: int = PRUNE_EVERY
    looked: bool = False
    returned: Restored | None = None


class LaneKeeper:
    """All on the engine thread; Git works on worker threads, one piece of work at a time for each lane.

    `needed_trees`: by lane, the ids of the files whose checkpoints something outside Git needs; for worker threads.
    `fresh`: by lane, what Git wrote when it was made just now.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        needed_trees: Callable[[str], frozenset[str]],
        fresh: Callable[[str], FreshIndex | None],
    ) -> None:
        self._clock = clock
        self._needed_trees = needed_trees
        self._fresh = fresh
        self._lanes: dict[str, _Lane] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._begun: dict[str, asyncio.Task[Held]] = {}
        self._changing: set[str] = set()
        self._unnamed: set[str] = set()
        self._trees: dict[str, tuple[str, str]] = {}
        self._watching: dict[str, Callable[[str, Held], None]] = {}

    async def work(self, session: Session, do: Callable[[LaneCheckpoints], T]) -> T:
        """What `do` gives on a worker thread, alone with the lane's checkpoints. A stop does not wait for its end.

        Raises:
            CommandError: `no_lane`.
            BanksmanError: whatever `do` raises.
        """
        lane = self._lane(session)
        return await self._to_its_end(self._worked(session, lane, do))

    async def sight(self, session: Session, files: LaneFiles, look: Callable[[LaneSight], T]) -> T:
        """What `look` gives on a worker thread, alone with what is told of the lane around commands. Whatever stands at
        its place is looked at, so nothing is asked of whether that is the lane still."""
        lane = self._lanes.get(session.state.lane_id)
        try:
            if lane is None or (lane.root, lane.identity) != (files.root, files.identity):
                lane = self._lane(session)
        except CommandError:  # it is no lane of a repository, so its files are not kept
            return await asyncio.to_thread(look, LaneSight(files))
        return await self._to_its_end(_alone_with(lane, lambda: look(lane.sight)))

    async def _to_its_end(self, work: Coroutine[object, object, T]) -> T:
        """What comes of it; a stop does not wait for its end."""
        task = asyncio.create_task(work, name="checkpoint")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def _worked(self, session: Session, lane: _Lane, do: Callable[[LaneCheckpoints], T]) -> T:
        """`do`, after a restore that a crash cut off half-way is taken back: it left files of two times."""
        await self._made_whole(lane)
        returned, lane.returned = lane.returned, None
        if returned is not None:
            told = returned.problem or "They are as they were before that."
            text = f"Banksman closed while files were put back. {told}"
            session.record(made_event(returned.safety, "restore"), Notice(kind="restore_cut_off", text=text))
        return await _alone(lane, do)

    async def _made_whole(self, lane: _Lane) -> None:
        async with lane.whole:  # who comes meanwhile waits for what is found
            if not lane.looked:
                lane.looked = True
                with contextlib.suppress(BanksmanError):
                    lane.returned = await _alone(lane, lambda checkpoints: checkpoints.finish_cut_off())

    async def work_in(self, lane: Lane, files: LaneFiles, do: Callable[[LaneCheckpoints], T]) -> T:
        """As `work`, for what no chat asked for. `files`: those of the lane.

        Raises:
            BanksmanError: whatever `do` raises.
        """
        return await self._to_its_end(self._worked_in(self._known(lane, files), do))

    async def _worked_in(self, lane: _Lane, do: Callable[[LaneCheckpoints], T]) -> T:
        await self._made_whole(lane)
        return await _alone(lane, do)

    async def take(
        self, session: Session, reason: CheckpointReason, *, call_id: str = "", name: str = ""
    ) -> CheckpointMade:
        """Keep the files now and record it; the record names the earlier checkpoint when nothing changed.

        Raises:
            CommandError: `no_lane`.
            BanksmanError: it could not be made; nothing was recorded.
        """
        taken = await self.work(session, lambda checkpoints: checkpoints.take(reason, name))
        made = made_event(taken, reason, call_id=call_id)
        session.append(made)
        return made

    def turn_began(self, session: Session) -> None:
        """Keep the files as they are at the start of a turn, beside its first request."""
        self._changing.discard(session.session_id)
        self._unnamed.discard(session.session_id)
        task = asyncio.create_task(self._kept(session, "turn_start"), name="turn start")
        self._tasks.add(task)
        self._begun[session.session_id] = task
        task.add_done_callback(self._done)

    async def before_call(self, session: Session, call_id: str, *, files_named: bool) -> Held:
        """Keep the files before a call that can change them; what was kept. `files_named`: its result says which."""
        await self._started(session)
        session.look_may_serve(call_id)
        self._changing.add(session.session_id)
        if not files_named:
            self._unnamed.add(session.session_id)
        held = await self._kept(session, "call", call_id)
        if (watching := self._watching.get(session.session_id)) is not None:
            watching(call_id, held)
        return held

    def watch(self, session_id: str, kept: Callable[[str, Held], None] | None) -> None:
        """Tell `kept` of each call of this chat that can change files, before it runs, with what was kept of them.
        None: tell nobody any more."""
        if kept is None:
            self._watching.pop(session_id, None)
        else:
            self._watching[session_id] = kept

    async def between_calls(self, session: Session, since: CheckpointRef | None = None) -> Held:
        """Keep the files at a moment at which no call of the turn runs. Where they differ from those that were kept
        before (`since`), the turn has changed files; None: it begins with these."""
        await self._started(session)
        first = since is None and session.session_id not in self._begun
        held = await self._kept(session, "turn_start" if first else "call", between=not first)
        if since is not None and held.ref is not None and checkpoint_tree_id(held.ref) != checkpoint_tree_id(since):
            self._changing.add(session.session_id)
            self._unnamed.add(session.session_id)
        return held

    def tree_before(self, session_id: str, call_id: str) -> str:
        """The id of the files as they were kept before this call, "" where they were not, or not all of them."""
        kept_for, tree = self._trees.get(session_id, ("", ""))
        return tree if call_id and kept_for == call_id else ""

    async def turn_ends(self, session: Session, *, stopped: bool) -> int | None:
        """Keep the files as a turn leaves them, if one of its calls could change them. Waits for a bounded time; what
        takes longer is recorded when it is done. How many files differ from its start, after calls that do not name
        the files they change; None where that was not told in time."""
        if session.session_id not in self._begun:
            return None
        task = asyncio.create_task(self._ended(session), name="turn end")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        await asyncio.wait({task}, timeout=STOP_WITHIN_S if stopped else END_WITHIN_S)
        return task.result() if task.done() and not task.cancelled() and task.exception() is None else None

    async def close(self) -> None:
        """Wait until everything that was begun is recorded."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ended(self, session: Session) -> int | None:
        before = await self._started(session)
        self._begun.pop(session.session_id, None)
        if session.session_id not in self._changing:
            return None
        self._changing.discard(session.session_id)
        after = await self._kept(session, "turn_end")
        if session.session_id not in self._unnamed or before.problem or after.problem:
            return None
        return await self._differing(session, before.ref, after.ref)

    async def _differing(
        self, session: Session, before: CheckpointRef | None, after: CheckpointRef | None
    ) -> int | None:
        """How many files differ between two checkpoints; None: one is missing, or it was not told soon."""
        if before is None or after is None:
            return None
        try:
            async with asyncio.timeout(COUNT_WITHIN_S):
                return len(await self.work(session, lambda kept: kept.paths_between(before, after)))
        except (BanksmanError, TimeoutError):
            return None

    async def _started(self, session: Session) -> Held:
        """What was kept at the turn's start, which is recorded before anything that comes after it."""
        begun = self._begun.get(session.session_id)
        if begun is None:
            return Held()
        await asyncio.wait({begun})
        return begun.result() if not begun.cancelled() and begun.exception() is None else Held()

    async def _kept(
        self, session: Session, reason: CheckpointReason, call_id: str = "", *, between: bool = False
    ) -> Held:
        """Take a checkpoint, or record why there is none. `between`: it is on record only where something changed."""
        try:
            taken = await self.work(session, lambda checkpoints: checkpoints.take(reason))
        except StoreError:
            raise
        except (BanksmanError, OSError) as error:
            _record(session, CheckpointSkipped(call_id=call_id, reason=str(error)))
            return Held(problem=str(error))
        except Exception as error:  # no call is lost because its lane could not be kept
            logger.exception("a checkpoint of %s failed", session.session_id)
            _record(session, CheckpointSkipped(call_id=call_id, reason=f"{type(error).__name__}: {error}"))
            return Held(problem=f"{type(error).__name__}")
        self._trees[session.session_id] = (call_id, checkpoint_tree_id(taken.ref))
        made = made_event(taken, reason, call_id=call_id)
        if reason == "call" and not between:
            session.hold(made)  # the start or the end of the call follows
        elif taken.made or not between:
            _record(session, made)
        if (lane := self._lanes.get(session.state.lane_id)) is not None:
            self._prune_sometimes(lane, session.state.lane_id, made=taken.made)
        return Held(taken.ref.checkpoint_id, taken.ref.partial, taken.ref)

    def _prune_sometimes(self, lane: _Lane, lane_id: str, *, made: bool) -> None:
        """Beside the turn: after the first checkpoint since the lane was opened, and again after many."""
        lane.unpruned += made
        if lane.unpruned >= PRUNE_EVERY:
            lane.unpruned = 0
            task = asyncio.create_task(self._prune(lane, lane_id), name="prune")
            self._tasks.add(task)
            task.add_done_callback(self._done)

    async def _prune(self, lane: _Lane, lane_id: str) -> None:
        now, needed = self._clock(), await asyncio.to_thread(self._needed_trees, lane_id)
        going = await asyncio.to_thread(lane.checkpoints.needless, now, lambda ref: checkpoint_tree_id(ref) in needed)
        if going:  # no call waits while they are only looked at
            await _alone(lane, lambda checkpoints: checkpoints.drop(going))

    def _lane(self, session: Session) -> _Lane:
        if session.lane is None or session.files is None or lane_moved(session.lane):
            raise CommandError("no_lane", NO_LANE)
        return self._known(session.lane, session.files)

    def _known(self, lane: Lane, files: LaneFiles) -> _Lane:
        known = self._lanes.get(lane.id)
        if known is None or (known.root, known.identity) != (files.root, files.identity):  # it may stand elsewhere now
            checkpoints = LaneCheckpoints(files, lane.id, fresh=self._fresh(lane.id))
            known = _Lane(checkpoints, LaneSight(files, checkpoints.view), files.root, files.identity)
            self._lanes[lane.id] = known
        return known

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.warning("%s of a checkpoint did not come to its end: %s", task.get_name(), error)


def made_event(taken: Taken, reason: CheckpointReason, *, call_id: str = "") -> CheckpointMade:
    """The record of a checkpoint; of an earlier one that is named again, with nothing changed."""
    ref = taken.ref
    return CheckpointMade(
        checkpoint_id=ref.checkpoint_id,
        ref=ref.ref,
        commit=ref.commit,
        tree=ref.tree,
        parent_checkpoint_id=taken.before if taken.made else "",
        reason=reason,
        call_id=call_id,
        name=ref.name if taken.made else "",
        changed=taken.changed,
        partial=ref.partial,
        not_restorable=taken.not_restorable,
    )


def _record(session: Session, event: Event) -> None:
    with contextlib.suppress(StoreError):
        session.record(event, lazy=True)


async def _alone(lane: _Lane, do: Callable[[LaneCheckpoints], T]) -> T:
    return await _alone_with(lane, lambda: do(lane.checkpoints))


async def _alone_with(lane: _Lane, do: Callable[[], T]) -> T:
    async with lane.lock:
        return await asyncio.to_thread(do)
