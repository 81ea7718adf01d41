"""FileTaker: the files of a lane as they were before a call, from the checkpoints around it or the bytes it kept."""

from desktop.agent.core.lane_lock import LANE_BUSY
from desktop.agent.core.session import Session
from desktop.agent.gate.look_back import LookBack
from desktop.agent.history.rewinds import restored_events
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.domain.core.errors import CommandError
from desktop.domain.ledger.fold import named
from desktop.domain.ledger.updates import ThreeWay
from desktop.domain.undo.steps import TreeStep
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.restore import NotPutBack
from desktop.services.history.sides import Side, sides

NOT_KEPT = "The checkpoints around it are not kept any more."
CHANGED = "Changed since it was left: {paths}. Compare, and decide by hand which lines to keep."
MOST_COMPARED = 5


class FileTaker:
    """`look_back`: takes back by the bytes that a call kept, for files that no checkpoint holds."""

    def __init__(self, keeper: LaneKeeper, look_back: LookBack) -> None:
        self._keeper = keeper
        self._look_back = look_back

    async def look(self, session: Session, step: TreeStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        found = await self._sides(session, step)
        if found is None:
            return await self._by_bytes(session, step, ahead)
        open_ones = [side for side in found if ahead.files.get(side.path, side.now) != side.then]
        paths = tuple(side.path for side in open_ones)
        changed = tuple(side.path for side in open_ones if ahead.files.get(side.path, side.now) != side.left)
        if changed:
            compared = await self._compared(session, step, changed[:MOST_COMPARED])
            return Look("blocked", CHANGED.format(paths=named([*changed])), repr(found), changed, compared)
        ahead.files.update({side.path: side.then for side in found})
        if not open_ones:
            return Look("done", "The files are as they were before it.", repr(found))
        return Look("ready", f"Put back: {named([*paths])}.", repr(found), paths)

    async def take(self, session: Session, step: TreeStep) -> Took:
        """See `Taker`. Files come back all or none; a crash within it is taken back at the next start."""
        if session.write_lock.locked():
            raise CommandError("lane_busy", LANE_BUSY)
        async with session.write_lock:
            look = await self.look(session, step, Ahead())
            if look.verdict == "blocked":
                raise blocked(look)
            if look.key.startswith("bytes"):
                await self._look_back.take_back(session, step.call_id)
                return Took(look.text, None, look.paths)
            opposite = step.model_copy(update={"then": step.now, "now": step.then})
            if look.verdict == "ready":
                await self._put_back(session, step, look.paths)
            return Took(look.text, opposite, look.paths)

    async def _put_back(self, session: Session, step: TreeStep, paths: tuple[str, ...]) -> None:
        try:
            restored = await self._keeper.work(session, lambda kept: kept.restore(kept.find(step.then), paths))
        except NotPutBack as error:
            raise CommandError("not_undone", f"The files were not put back. {error}") from error
        session.record(*restored_events(restored, step.then))
        if restored.failed:
            raise CommandError("not_undone", f"The files were not put back. {restored.problem}")
        for path in paths:
            session.reads.sha256.pop(path, None)

    async def _sides(self, session: Session, step: TreeStep) -> tuple[Side, ...] | None:
        if not step.then or not step.now:
            return None
        return await self._keeper.work(session, lambda kept: sides(kept, step.then, step.now, step.paths))

    async def _compared(self, session: Session, step: TreeStep, paths: tuple[str, ...]) -> tuple[ThreeWay, ...]:
        """What the step's entry changed in these files, beside what changed since."""

        def compared(kept: LaneCheckpoints) -> tuple[ThreeWay, ...]:
            left = kept.find(step.now)
            did, since = kept.compare(kept.find(step.then), left), kept.compare(left)
            texts = [{file.path: file.unified for file in files} for files in (did, since)]
            return tuple(
                ThreeWay(path=path, did=texts[0].get(path, ""), since=texts[1].get(path, "")) for path in paths
            )

        return await self._keeper.work(session, compared)

    async def _by_bytes(self, session: Session, step: TreeStep, ahead: Ahead) -> Look:
        """By what the call itself kept; once, and not brought back. What comes before it in a plan may change the same
        file: then it is looked at when that is done."""
        if not step.paths:
            return Look("blocked", NOT_KEPT)
        if not ahead.by_bytes.isdisjoint(step.paths):
            return Look("ready", f"Put back: {named([*step.paths])}.", "bytes later", step.paths)
        ahead.by_bytes.update(step.paths)
        try:
            paths = await self._look_back.check(session, step.call_id)
        except CommandError as error:
            return Look("blocked", str(error), f"bytes {error}", step.paths)
        return Look("ready", f"Put back: {named([*paths])}.", f"bytes {paths}", paths)
