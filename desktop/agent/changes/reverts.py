"""RevertCommands: a person takes back parts of a lane's changes, and brings them back again."""

import asyncio
from collections import OrderedDict
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.lane_lock import LANE_BUSY
from desktop.agent.core.session import Publish
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.chats import LaneChats, record_kept, tell_changed
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import ChangeReverted
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, GitError
from desktop.domain.core.ids import new_id
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.changes.revert import Done, RevertError, RevertStep, carry_out, plan_revert, turned_round
from desktop.services.changes.sides import sha256_of
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import Taken
from desktop.services.lanes.identity import require_own_folder
from desktop.services.processes.stubborn import to_its_end

MAX_UNDOS = 20
MAX_UNDO_BYTES = 128 * 1024 * 1024
GONE = "This cannot be undone any more. What was there is in the checkpoint from before it."


@dataclass(frozen=True)
class _Undo:
    lane_id: str
    done: Done

    @property
    def size(self) -> int:
        return sum(step.size for step in self.done.steps)


class RevertCommands:
    """All on the engine thread; files are read and written on worker threads, under the lane's lock."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        acts: LaneActs,
        contents: LaneContents,
        chats: LaneChats,
        scopes: ChangeScopes,
    ) -> None:
        self._acts = acts
        self._ground = ground
        self._publish = publish
        self._contents = contents
        self._chats = chats
        self._scopes = scopes
        self._undos: OrderedDict[str, _Undo] = OrderedDict()

    def handlers(self) -> dict[type[Command], Handler]:
        """Taking back, and undoing that."""
        return {c.RevertPicked: self._revert, c.UndoRevert: self._undo}

    async def _revert(self, command: c.RevertPicked) -> None:
        """Raises CommandError `not_reverted`, `lane_busy`, `lane_broken`; nothing was changed then."""
        lane = self._ground.lane(command.lane_id)
        if not command.picked:
            raise CommandError("nothing_picked", "Nothing is chosen to be taken back.")
        lock = self._lock(lane)
        async with lock:
            files = await self._own_files(lane)
            sides = await self._scopes.sides(lane, files, command.scope, command.session_id)
            if sides.problem:
                raise CommandError("not_reverted", sides.problem)
            try:
                steps = await asyncio.to_thread(plan_revert, files, sides, command.picked)
            except (RevertError, GitError) as error:
                raise CommandError("not_reverted", str(error)) from error
            done = await self._do(lane, files, steps, name="revert")
        revert_id = new_id("rev_")
        self._keep(revert_id, _Undo(lane.id, done))
        self._publish(
            ChangeReverted(command_id=command.command_id, lane_id=lane.id, revert_id=revert_id, text=done.text)
        )

    async def _undo(self, command: c.UndoRevert) -> None:
        """Raises CommandError as `_revert`; `no_revert` when it is not known any more."""
        lane = self._ground.lane(command.lane_id)
        known = self._undos.get(command.revert_id)
        if known is None or known.lane_id != lane.id:
            raise CommandError("no_revert", GONE)
        async with self._lock(lane):
            files = await self._own_files(lane)
            await self._do(lane, files, turned_round(known.done), name="undo_revert")
        self._undos.pop(command.revert_id, None)
        self._publish(
            ChangeReverted(
                command_id=command.command_id,
                lane_id=lane.id,
                revert_id=command.revert_id,
                text=known.done.text,
                undone=True,
            )
        )

    async def _do(self, lane: Lane, files: LaneFiles, steps: list[RevertStep], *, name: str) -> Done:
        """Keep the files, record the intent, change them, tell the chats."""
        paths = [step.path for step in steps]
        chats = self._chats.of(lane)
        taken: Taken = await self._contents.keeper.work_in(lane, files, lambda kept: kept.take("revert"))
        record_kept(chats, taken)
        checkpoint = taken.ref.checkpoint_id
        async with self._acts.log.operation(name, lane.id, paths=list(paths), checkpoint=checkpoint) as operation:
            try:
                done: Done = await to_its_end(asyncio.to_thread(carry_out, files, steps))
            except RevertError as error:
                raise CommandError("not_reverted", str(error)) from error
            operation.text = done.text
            operation.result = {"trash": list(done.trash), "files": [_recorded(step) for step in done.steps]}
            said = "reverted" if name == "revert" else "brought back what was reverted"
            tell_changed(chats, f"The person {said}: {done.text}.", paths)
        return done

    def _lock(self, lane: Lane) -> asyncio.Lock:
        lock = self._acts.use.lane(lane.id)
        if lock.locked():
            raise CommandError("lane_busy", LANE_BUSY)
        return lock

    async def _own_files(self, lane: Lane) -> LaneFiles:
        """The lane's files, after a look that they are its own (lanes-G8)."""
        files = self._contents.files(lane)
        await require_own_folder(lane, Path(self._ground.the_project().path))
        return files

    def _keep(self, revert_id: str, undo: _Undo) -> None:
        self._undos[revert_id] = undo
        while len(self._undos) > MAX_UNDOS or sum(one.size for one in self._undos.values()) > MAX_UNDO_BYTES:
            self._undos.popitem(last=False)


def _recorded(step: RevertStep) -> JsonValue:
    return {"path": step.path, "before": sha256_of(step.now), "after": sha256_of(step.then)}
