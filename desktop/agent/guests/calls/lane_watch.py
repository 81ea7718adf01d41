"""LaneWatch: which files of the lane changed while a guest worked, and which of them a call of it explains
(guests-A40)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from desktop.agent.core.session import Session
from desktop.agent.gate.lane_look import LaneLooks
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.errors import BanksmanError
from desktop.domain.events import Notice
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.history.picked import picked
from desktop.records import dataclass
from desktop.services.history.apart import FileApart, files_apart
from desktop.services.history.refs import CheckpointRef

logger = logging.getLogger(__name__)

MOST_FILES, MOST_BYTES = 200, 32 * 1024 * 1024
"""Of so many files what they held is read and kept."""
NOT_COMPARED = "What changes in the lane without a call cannot be told in this turn: {problem}"
Paths = frozenset[str]
Files = tuple[FileApart, ...]


@dataclass(frozen=True)
class Watching:
    """What a watch asks and tells. `explains`: the paths that a call of ours may have changed, None: any; `found`: is
    told of files that no call explains."""

    keeper: LaneKeeper
    looks: LaneLooks
    explains: Callable[[str], Paths | None]
    found: Callable[[Files], Awaitable[None]]


class LaneWatch:
    """Of one prompt. The lane is compared where nothing runs that may change it: before the first of a row of calls
    that do, after the last of them, and at the end of the prompt. What a call says it changes is explained by it, and
    anything is by a command while it runs. What is planted in protected places is put right first, as after commands.
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

    async def begin(self) -> None:
        """The lane is as it is now before the guest hears anything."""
        session, keeper = self._session, self._with.keeper
        await self._with.looks.before(session, "")
        held = await keeper.between_calls(session)
        self._quiet, self._seq = held.ref, session.state.head_seq
        keeper.watch(session.session_id, self._kept)
        if held.ref is None:
            session.append(Notice(kind="guest", level="warning", text=NOT_COMPARED.format(problem=held.problem)))

    def _kept(self, call_id: str, ref: CheckpointRef | None) -> None:
        """A call that can change files is about to run. What changed since the last look is no doing of it."""
        if not self._ran:
            if self._quiet is not None and ref is not None and not self._with_others():
                self._apart.append((self._quiet, ref))
            self._quiet = ref
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

    def _claim(self, paths: Paths | None) -> None:
        self._claimed = None if paths is None or self._claimed is None else self._claimed | paths

    async def _look(self, paths: Paths | None = frozenset(), *, claims: bool = False) -> Files:
        async with self._looking:
            session, keeper = self._session, self._with.keeper
            await self._with.looks.before(session, "")
            before = self._quiet
            held = await keeper.between_calls(session, before) if before is not None else None
            now = held.ref if held is not None else None
            if self._open:  # one began meanwhile, so they are looked at together once it is over
                if claims:
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
        """Whether sub-agents of ours that may work in the lane have run since the last look."""
        return any(child.running and child.lane == "same" for child in self._session.state.children.values())

    async def _between(self, one: CheckpointRef, other: CheckpointRef) -> Files:
        files = self._session.files
        if files is None:
            return ()
        limits = {"most_files": MOST_FILES, "most_bytes": MOST_BYTES}
        return await asyncio.to_thread(files_apart, files.root, one, other, **limits)

    async def _tell(self, files: Files) -> None:
        if files:
            await self._with.found(files)
