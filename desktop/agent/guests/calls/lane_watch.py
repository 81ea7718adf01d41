"""LaneWatch: which files of the lane changed while a guest worked, and which of them a call of it explains
(guests-A40)."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from desktop.agent.core.session import Session
from desktop.agent.gate.lane_look import LaneLooks
from desktop.agent.lanes.keeper import Held, LaneKeeper
from desktop.domain.children.events import ChildEnded
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.errors import BanksmanError, StoreError
from desktop.domain.events import Notice
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.history.picked import picked
from desktop.records import dataclass
from desktop.services.history.apart import FileApart, files_apart
from desktop.services.history.refs import CheckpointRef

logger = logging.getLogger(__name__)

MOST_FILES, MOST_BYTES = 200, 32 * 1024 * 1024
"""Of so many files what they held is read and kept."""
MOST_NAMED = 20
NOT_COMPARED = "What changes in the lane without a call cannot be told for now: {problem}"
MEANWHILE = "Changed while {label} was not asked for anything: {names}. It did it, or you or another program did."
Paths = frozenset[str]
Files = tuple[FileApart, ...]


@dataclass(frozen=True)
class Watching:
    """What a watch asks and tells. `label`: how people know the guest; `explains`: the paths that a call of ours may
    have changed, None: any; `found`: is told of files that no call explains."""

    label: str
    keeper: LaneKeeper
    looks: LaneLooks
    explains: Callable[[str], Paths | None]
    found: Callable[[Files], Awaitable[None]]


class LaneWatch:
    """Of one prompt. The lane is compared where nothing runs that may change it: before the first of a row of calls
    that do, after the last of them, and at the end of the prompt. What a call says it changes is explained by it, and
    anything is by a command while it runs. What is planted in protected places is put right first, as after commands.
    Where the files cannot be kept for a while, that is said, and what changed meanwhile is told once they can be.
    """

    def __init__(self, session: Session, watching: Watching) -> None:
        self._session, self._with = session, watching
        self._quiet: CheckpointRef | None = None
        self._seq = -1
        self._open: set[str] = set()
        self._ran: set[str] = set()
        self._apart: list[tuple[CheckpointRef, CheckpointRef]] = []
        self._claimed: Paths | None = frozenset()
        self._looking = asyncio.Lock()
        self._dark = False

    @property
    def left(self) -> CheckpointRef | None:
        """The lane as the last look found it, None where it could not be kept."""
        return self._quiet

    async def begin(self, left: CheckpointRef | None) -> None:
        """The lane is as it is now before the guest hears anything. `left`: as it was before the guest was started or
        after its last prompt, None: not known. What changed since is told."""
        session, keeper = self._session, self._with.keeper
        await self._with.looks.before(session, "")
        held = await keeper.between_calls(session)
        self._quiet, self._seq = held.ref, session.state.head_seq
        keeper.watch(session.session_id, self._kept)
        if held.ref is None:
            self._say_dark(held.problem)
        elif left is not None:
            await self._tell_meanwhile(left, held.ref)

    def _kept(self, call_id: str, held: Held) -> None:
        """A call that can change files is about to run. What changed since the last look is no doing of it."""
        if held.ref is None:
            self._say_dark(held.problem)
        elif not self._ran:
            if self._quiet is not None and not self._with_others():
                self._apart.append((self._quiet, held.ref))
            self._quiet = held.ref
        self._ran.add(call_id)
        self._open.add(call_id)

    async def over(self, call_id: str) -> None:
        """A call has ended; one that never ran changed nothing."""
        if call_id not in self._open:
            return
        self._open.discard(call_id)
        await self._look()

    async def claimed(self, paths: Paths | None) -> Files:
        """A call that nobody was asked about is over, and may have changed these paths (None: any). What became of
        them, where that can be told apart from what other calls do; else they are explained by it."""
        if self._open:
            self._claim(paths)
            return ()
        return await self._look(paths, claims=True)

    async def end(self) -> None:
        """The prompt is over. Never raises but for a stop."""
        self._with.keeper.watch(self._session.session_id, None)
        self._open.clear()
        try:
            await self._look()
        except (BanksmanError, OSError) as error:
            logger.warning("the lane of %s was not compared: %s", self._session.session_id, error)
            with contextlib.suppress(StoreError):
                self._say_dark(str(error))

    def _claim(self, paths: Paths | None) -> None:
        self._claimed = None if paths is None or self._claimed is None else self._claimed | paths

    async def _look(self, paths: Paths | None = frozenset(), *, claims: bool = False) -> Files:
        async with self._looking:
            session, keeper = self._session, self._with.keeper
            before = self._quiet
            held = Held()
            if not self._open:
                await self._with.looks.before(session, "")
                held = await keeper.between_calls(session, before) if session.lane is not None else held
            now = held.ref
            if self._open or (now is None and before is not None):
                if now is None and held.problem:
                    self._say_dark(held.problem)
                if claims:  # it is looked at later, together with others
                    self._claim(paths)
                return ()
            explained, others = self._explained(), self._with_others()
            apart, self._apart = self._apart, []
            self._ran, self._claimed, self._quiet, self._seq = set(), frozenset(), now, session.state.head_seq
            for one, other in apart:
                await self._tell(await self._between(one, other))
            if before is None or now is None or others or explained is None:
                return ()
            left = [one for one in await self._between(before, now) if one.path not in explained]
            own = [one for one in left if claims and (paths is None or one.path in paths)]
            await self._tell(tuple(one for one in left if one not in own))
            return tuple(own)

    def _explained(self) -> Paths | None:
        """What the calls since the last look may have changed, and what a person put back."""
        found = self._claimed
        for call_id in self._ran:
            paths = self._with.explains(call_id)
            found = None if found is None or paths is None else found | paths
        for envelope, event in picked(self._session.log, ReviewReverted, FilesRestored):
            if found is not None and envelope.seq > self._seq:
                back = (*event.restored, *event.removed) if isinstance(event, FilesRestored) else ()
                taken = tuple(file.path for file in event.files) if isinstance(event, ReviewReverted) else ()
                found |= {*back, *taken}
        return found

    def _with_others(self) -> bool:
        """Whether sub-agents that may work in the lane have run since the last look; each has a watch of its own."""
        children = self._session.state.children
        ended = (
            event.child_id for envelope, event in picked(self._session.log, ChildEnded) if envelope.seq > self._seq
        )
        ran = {one for one, child in children.items() if child.running} | set(ended)
        return any(children[one].lane == "same" for one in ran if one in children)

    async def _between(self, one: CheckpointRef, other: CheckpointRef, most_files: int = MOST_FILES) -> Files:
        files = self._session.files
        if files is None:
            return ()
        limits = {"most_files": most_files, "most_bytes": MOST_BYTES}
        return await asyncio.to_thread(files_apart, files.root, one, other, **limits)

    async def _tell_meanwhile(self, left: CheckpointRef, now: CheckpointRef) -> None:
        """Not as a row to be looked back on: between prompts people change files themselves."""
        paths = [one.path for one in await self._between(left, now, 0)]
        if paths:
            more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
            names = f"{', '.join(paths[:MOST_NAMED])}{more}"
            text = MEANWHILE.format(label=self._with.label, names=names)
            self._session.append(Notice(kind="guest", level="info", text=text))

    def _say_dark(self, problem: str) -> None:
        """Once of a prompt."""
        if not self._dark:
            self._dark = True
            text = NOT_COMPARED.format(problem=problem)
            self._session.append(Notice(kind="guest", level="warning", text=text))

    async def _tell(self, files: Files) -> None:
        if files:
            await self._with.found(files)
