"""Copies: runs a command in a copy of a chat's lane and says what it did there; the lane is as it was."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.core.errors import BanksmanError
from desktop.domain.preview.effect import MOST_SECONDS, CopyTier, Effect
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.tree_id import with_large
from desktop.services.preview.copies import sweep_copies
from desktop.services.preview.effects import Difference, difference
from desktop.services.preview.tiers import TIERS, Tier, find_tier, kinds_from, run_in_first
from desktop.services.preview.trial import NoCopy, Ran, Trial
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.resource_watch import enough_disk
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.store.core.blobs import BlobStore
from desktop.tools.command_results import command_result
from desktop.tools.tool import ToolResult

MOST_PRINTED = 1024 * 1024
NOT_FINISHED = "The command was ended before it was done."
NOT_LOOKED_AT = "not all files of the lane can be looked at."
LANE_CHANGED = "the lane changed while the command ran in the copy. Try it again."


@dataclass(frozen=True)
class Wanted:
    """A command to try. `cwd`: lane-relative."""

    command: str
    cwd: str
    timeout_ms: int


@dataclass(frozen=True)
class Tried:
    """What a command did in a copy. `result`: what a model is told of such an end; `printed`: what it printed, b""
    where that is more than 1 MiB; `printed_sha256`: of all of it."""

    wanted: Wanted
    tier: CopyTier
    ran: Ran
    found: Difference
    started_at: datetime
    result: ToolResult
    printed: bytes
    printed_sha256: str


class Copies:
    """All on the engine thread. `parent`: the folder in which copies live. `tiers`: those that may be used."""

    def __init__(
        self,
        parent: Path,
        sessions: Sessions,
        keeper: LaneKeeper,
        blobs: BlobStore,
        tiers: tuple[CopyTier, ...] = TIERS,
    ) -> None:
        self._parent = parent
        self._sessions = sessions
        self._keeper = keeper
        self._blobs = blobs
        self._tiers = tiers
        self._tier: tuple[str, Tier] | None = None
        self._swept = False

    async def run(self, session: Session, wanted: Wanted, told: Callable[[str], None]) -> Tried:
        """Run it while nobody else changes the lane. `told` hears how far it is.

        Raises:
            BanksmanError, OSError: there is no effect to show; a sentence that says why.
        """
        lane, files = session.lane, session.files
        if lane is None or files is None:
            raise NoCopy("this chat has no lane.")
        async with session.write_lock.held_by(session.state.title):
            told("Making the copy…")
            sandbox = self._sessions.sandbox
            guard = await sandbox.ready()
            tier = await self._found(guard, sandbox)
            if tier.kind is None:
                raise NoCopy(tier.reason)
            now, tree = await self._keeper.work(session, lambda kept: kept.look_now())
            if now.partial or not tree:
                raise NoCopy(NOT_LOOKED_AT)
            self._need_room(sandbox)
            trial = _trial(wanted, files, self._sessions.variables(lane.id))
            kinds = kinds_from(tier.kind, guard, self._tiers)
            told("Running in the copy…")
            started_at = datetime.now(UTC)
            copying, ran = await run_in_first(trial, kinds, self._parent, now, guard, sandbox.watch)
            try:
                told("Looking at what it did…")
                found = await self._keeper.work(
                    session, lambda kept: difference(kept, files, copying.written(files.root))
                )
                told_of = command_result(ran.completed, self._blobs, cwd=wanted.cwd, timeout_s=trial.limit_s)
                raw = ran.completed.output.read()
                self._need_room(sandbox)
                if found.effect.tree_before != with_large(tree, now.large):
                    raise NoCopy(LANE_CHANGED)
            finally:
                await asyncio.to_thread(copying.folder.remove)
        printed = raw if len(raw) <= MOST_PRINTED else b""
        sha256 = hashlib.sha256(raw).hexdigest()
        return Tried(wanted, copying.kind, ran, _as_far_as_it_came(found, ran), started_at, told_of, printed, sha256)

    def _need_room(self, sandbox: Sandbox) -> None:
        """A command that finds the disk full does otherwise than in the lane, so nothing of it is shown."""
        self._parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not enough_disk(self._parent, sandbox.watch.limits):
            raise NoCopy("the disk is nearly full.")

    async def _found(self, guard: Guard, sandbox: Sandbox) -> Tier:
        """The tier that works, tried once for each report of the sandbox."""
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(sweep_copies, self._parent)
        report = sandbox.report.id if sandbox.report is not None else ""
        if self._tier is None or self._tier[0] != report:
            self._tier = (report, await find_tier(self._parent, guard, sandbox.watch, os.environ, self._tiers))
        return self._tier[1]


def _trial(wanted: Wanted, files: LaneFiles, variables: Mapping[str, str]) -> Trial:
    limit_s = min(wanted.timeout_ms / 1000, MOST_SECONDS)
    return Trial(wanted.command, files.root, files.root / wanted.cwd, os.environ, variables, limit_s)


def _as_far_as_it_came(found: Difference, ran: Ran) -> Difference:
    """What was cut off cannot be applied."""
    if ran.completed.ending == "exited":
        return found
    effect: Effect = found.effect.model_copy(update={"stops": (NOT_FINISHED, *found.effect.stops)})
    return replace(found, effect=effect)


def no_preview(error: BanksmanError | OSError) -> str:
    """The sentence for a card on which there is nothing to show."""
    words = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    return f"No preview: {words.rstrip('.')}."
