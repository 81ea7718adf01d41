"""ChildLanes: the lanes of children that work apart from their chat, and what is taken over of their work."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from weakref import WeakKeyDictionary

from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.session import Session
from desktop.agent.gate.rules import Refusing
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.stacks.locks import StackLocks
from desktop.domain.children.values import ChildState
from desktop.domain.core.errors import BanksmanError, GitError, LaneError
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import lane_name
from desktop.domain.lanes.updates import LanesChanged
from desktop.records import dataclass
from desktop.services.changes.agent_commit import CommitRequest, NothingToCommit, commit
from desktop.services.changes.commit_choice import LeftOut
from desktop.services.git.base_branches import head_base
from desktop.services.git.reads import own_repository
from desktop.services.git.run import Git
from desktop.services.lanes.identity import require_own_folder
from desktop.services.lanes.making.plan import LaneWish
from desktop.services.lanes.stacks.take import Taken, not_committed, take_commits, would_change
from desktop.services.processes.stubborn import to_its_end
from desktop.services.projects import open_project
from desktop.tools.offers import TakenChanges

Changes = tuple[tuple[str, bool], ...]
"""Files that would be changed, with whether each would be deleted."""
_SET_UP = ("pending", "running")


@dataclass(frozen=True)
class Taking:
    """What taking a child's work over needs. `refusing`: what the rules of a chat say against files; `asking`: about
    which of them they want a person to be asked."""

    locks: StackLocks
    refusing: Callable[[Session], Refusing]
    asking: Callable[[Session], Refusing]


class ChildLanes:
    """All on the engine thread; git works on worker threads."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, contents: LaneContents, taking: Taking
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._contents = contents
        self._taking = taking
        self._changed = asyncio.Event()
        self._foreseen: WeakKeyDictionary[Session, dict[str, Changes]] = WeakKeyDictionary()

    def saw(self, update: Update) -> None:
        """The lanes are told of, because something of one changed."""
        if isinstance(update, LanesChanged):
            self._changed.set()

    async def make(self, parent: Session, description: str) -> Lane:
        """A lane for a child of this chat, on top of its own, shown at once; its setup is over when this returns. A
        stop takes it back.

        Raises:
            BanksmanError: with what failed; nothing of the lane is left.
        """
        project = await open_project(Path(parent.state.project_path))
        above = self._ground.lane(parent.state.lane_id)
        start = None
        if above.type == "primary":
            head = await head_base(Git(Path(above.worktree_path)))
            start = (project.branch or head.name, head.oid)
        name = lane_name(description) or "task"
        wish = LaneWish(suggested=name, parent=above, start=start, created_by=parent.session_id)
        made: list[Lane] = []
        try:
            await to_its_end(self._made(project, wish, made))
            return await self._ready(made[0])
        except (BanksmanError, asyncio.CancelledError):
            for lane in made:
                await self.discard(lane)
            raise

    async def discard(self, lane: Lane) -> None:
        """Take back a lane in which no child began."""
        project = self._ground.the_project()
        await to_its_end(self._ground.lanes.discard(project, lane))
        self._telling.listed()

    async def foresee(self, parent: Session, state: ChildState, child: Session) -> None:
        """Look at which files a taking would change, for `asks_about`. Nothing is changed; what stands against the
        taking is told by itself."""
        into, lane = self._ground.lane(parent.state.lane_id), self._ground.lane(child.state.lane_id)
        foreseen = self._foreseen.setdefault(parent, {})
        foreseen.pop(state.task_id, None)
        if into.id != lane.id and lane.state == "active":
            with contextlib.suppress(LaneError, GitError):
                foreseen[state.task_id] = await asyncio.to_thread(would_change, into, lane)

    def asks_about(self, parent: Session, task_id: str) -> tuple[str, ...]:
        """Why a person is to be asked before a taking, by the rules of now, a sentence for each file."""
        return tuple(self._taking.asking(parent)(self._files_of(parent, task_id)))

    def _files_of(self, parent: Session, task_id: str) -> Changes:
        return self._foreseen.get(parent, {}).get(task_id, ())

    def _against(self, parent: Session, known: Changes) -> Refusing:
        """What stands against files; nobody is asked a second time about those that are known."""
        refusing, asking = self._taking.refusing(parent), self._taking.asking(parent)

        def against(files: Iterable[tuple[str, bool]]) -> Iterator[str]:
            listed = list(files)
            yield from refusing(listed)
            yield from asking(one for one in listed if one not in known)

        return against

    async def take(self, parent: Session, state: ChildState, child: Session, *, asked: bool) -> TakenChanges:
        """Commit what an ended child left in its lane, and bring its commits into the lane of its chat. `asked`: a
        person was told of the files that were foreseen, and allowed it.

        Raises:
            BanksmanError: something stands against it; the lane of the chat is as it was.
        """
        into, lane = self._ground.lane(parent.state.lane_id), self._ground.lane(child.state.lane_id)
        if into.id == lane.id:
            raise LaneError(f"{state.task_id} works in the lane of this chat, so its changes are here already.")
        if lane.state != "active":
            raise LaneError(f"The lane '{lane.name}' of {state.task_id} is {lane.state}.")
        self._acts.use.require_quiet(lane.id, kinds=frozenset({"turn", "setup"}))
        checkout = Path(self._ground.the_project().path)
        known = self._files_of(parent, state.task_id) if asked else ()
        async with self._taking.locks.of([into, lane], parent.session_id):
            for one in (into, lane):
                await require_own_folder(one, checkout)
            committed, left_out = await self._committed(lane, state)
            async with self._acts.log.operation("take", lane.id, by="tool", into=into.id, branch=lane.branch) as op:
                subject = f"Take {state.task_id}: {state.description}"
                against = self._against(parent, known)
                taken = await to_its_end(asyncio.to_thread(take_commits, into, lane, subject, against))
                op.result |= {"before": taken.before, "after": taken.after, "conflicts": len(taken.conflicts)}
                op.text = _words(taken, lane)
        self._telling.listed()
        return TakenChanges(
            branch=taken.branch,
            before=taken.before,
            commit=taken.after,
            commits=taken.commits,
            files=taken.files,
            conflicts=taken.conflicts,
            committed=committed,
            left_out=tuple(f"{one.path}, because {one.reason}" for one in left_out),
        )

    async def _made(self, project: Project, wish: LaneWish, made: list[Lane]) -> None:
        made.append((await self._ground.lanes.make(project, wish)).lane)
        self._telling.listed()

    async def _ready(self, lane: Lane) -> Lane:
        """The lane once nothing sets it up any more."""
        while (now := self._ground.lane(lane.id)).setup in _SET_UP:
            self._changed.clear()
            await self._changed.wait()
        return now

    async def _committed(self, lane: Lane, state: ChildState) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
        """Commit what the child left in its lane, whose files are kept before: what went in, and what stays out."""
        paths = await asyncio.to_thread(not_committed, lane)
        if not paths:
            return (), ()
        files = self._contents.files(lane)
        await self._contents.keeper.work_in(lane, files, lambda kept: kept.take("call"))
        repository = await own_repository(files, lane.name)
        message = f"{state.description}\n\nLeft uncommitted by {state.agent} ({state.task_id})."
        try:
            request = CommitRequest(message, paths)
            made = await to_its_end(asyncio.to_thread(commit, files.root, repository, request))
        except NothingToCommit as nothing:
            return (), nothing.left_out
        return made.paths, made.left_out


def _words(taken: Taken, lane: Lane) -> str:
    if taken.conflicts:
        return f"{lane.branch} does not fit on {taken.branch}; nothing was changed."
    return f"{taken.branch} stands at {taken.after[:7]}, with {lane.branch} in it."
