"""ActTaker: lanes, memory, boundaries and requests taken back by the commands with which a person does the same."""

from collections.abc import Awaitable, Callable

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.lanes.endings.remove import LaneLosses
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.domain.boundaries.commands import DismissBoundary
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.commands import (
    ArchiveLane,
    DeleteLanes,
    EditLane,
    RestoreLane,
    SwitchLaneBranch,
    UnarchiveLane,
)
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneLoss
from desktop.domain.memory.commands import DeleteMemory, RestoreMemory
from desktop.domain.pulls.commands import DeleteReply, PutProofsBack, SetPullState, SetThreadResolved
from desktop.domain.undo.steps import Act, ActStep
from desktop.services.lanes.endings.losses import digest_of
from desktop.store.core.memory import MemoryStore

_OPPOSITES: dict[Act, Act] = {
    "delete_lane": "restore_lane",
    "restore_lane": "delete_lane",
    "archive_lane": "unarchive_lane",
    "unarchive_lane": "archive_lane",
    "close_pull": "reopen_pull",
    "reopen_pull": "close_pull",
    "unresolve_thread": "resolve_thread",
    "resolve_thread": "unresolve_thread",
}
_WORDS: dict[Act, str] = {
    "delete_lane": "The lane is deleted; it stays in the trash for 30 days.",
    "restore_lane": "The lane is restored.",
    "archive_lane": "The lane is archived again.",
    "unarchive_lane": "The lane is brought back.",
    "delete_memory": "The entry goes; its versions stay for 30 days.",
    "restore_memory": "The entry is as it was before.",
    "lift_boundary": "The boundary is lifted.",
    "close_pull": "The request is closed.",
    "reopen_pull": "The request is open again.",
    "unresolve_thread": "The thread is open again.",
    "resolve_thread": "The thread is resolved.",
    "delete_reply": "The reply is deleted.",
    "put_proofs_back": "The part with the proofs is what it was before.",
}
_STATES = {
    "restore_lane": ("deleted", "active"),
    "archive_lane": ("active", "archived"),
    "unarchive_lane": ("archived", "active"),
}
"""From which state of a lane to which."""


class ActTaker:
    """`run`: carries out a command as if a person had sent it, and raises what it cannot do."""

    def __init__(
        self, run: Callable[[Command], Awaitable[None]], ground: Ground, losses: LaneLosses, memory: MemoryStore
    ) -> None:
        self._run = run
        self._ground = ground
        self._losses = losses
        self._memory = memory

    async def look(self, session: Session, step: ActStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        if step.act in ("delete_memory", "restore_memory"):
            return self._look_memory(step)
        if step.act == "lift_boundary":
            there = any(one.boundary_id == step.subject for one in session.state.boundaries)
            return Look("ready" if there else "done", _WORDS[step.act], str(there))
        if step.act.endswith("_lane"):
            return await self._look_lane(step)
        return Look("ready", _WORDS[step.act])

    async def take(self, session: Session, step: ActStep) -> Took:
        """See `Taker`."""
        look = await self.look(session, step, Ahead())
        if look.verdict == "blocked":
            raise blocked(look)
        opposite = self._opposite(step)
        if look.verdict == "ready":
            await self._run(await self._command(session, step))
            if step.act == "delete_lane" and self._lane(step).state != "deleted":
                raise CommandError("not_undone", f"The lane '{self._lane(step).name}' could not be deleted.")
        return Took(look.text, opposite)

    async def _command(self, session: Session, step: ActStep) -> Command:
        subject = step.subject
        match step.act:
            case "delete_lane":
                losses = await self._losses.read((subject,))
                return DeleteLanes(lane_ids=(subject,), digest=digest_of(losses), with_branch=True)
            case "restore_lane":
                return RestoreLane(trash_id=_trash_id(self._lane(step)))
            case "archive_lane":
                return ArchiveLane(lane_id=subject)
            case "unarchive_lane":
                return UnarchiveLane(lane_id=subject)
            case "name_lane":
                return EditLane(lane_id=subject, name=step.text)
            case "delete_memory":
                return DeleteMemory(memory_id=subject)
            case "restore_memory":
                return RestoreMemory(memory_id=subject)
            case _:
                return _of_others(session, step)

    def _opposite(self, step: ActStep) -> ActStep | None:
        """What takes it back in turn, as things stand before it."""
        if step.act == "name_lane":
            return step.model_copy(update={"text": self._lane(step).name})
        if step.act == "switch_lane":
            return step.model_copy(update={"text": self._lane(step).branch})
        if step.act == "delete_memory":
            return ActStep(act="restore_memory", subject=step.subject)
        if step.act == "restore_memory":
            there, last = self._memory.get(step.subject), self._last(step.subject)
            act = "delete_memory" if there is None else "restore_memory"
            return ActStep.model_validate({"act": act, "subject": step.subject, "version": last + 1})
        known = _OPPOSITES.get(step.act)
        return step.model_copy(update={"act": known}) if known is not None else None

    def _look_memory(self, step: ActStep) -> Look:
        there = self._memory.get(step.subject)
        words, seen = _WORDS[step.act], str(there.version if there is not None else None)
        if there is None:
            if step.act == "delete_memory":
                return Look("done", "The entry is gone already.", seen)
            gone = not self._last(step.subject)
            return Look("blocked", "Its versions are not kept any more.", seen) if gone else Look("ready", words, seen)
        if step.version and there.version != step.version:
            return Look("blocked", "The entry was changed since. Look at it in the tab Memory.", seen)
        return Look("ready", words, seen)

    def _last(self, memory_id: str) -> int:
        return max((entry.version for entry in self._memory.versions(memory_id)), default=0)

    async def _look_lane(self, step: ActStep) -> Look:
        lane = self._lane(step)
        if step.act == "name_lane":
            same, words = lane.name == step.text, f"The lane is named '{step.text}' again."
            return Look("done" if same else "ready", words, lane.name)
        if step.act == "switch_lane":
            return _look_branch(lane, step.text)
        if step.act != "delete_lane":
            before, after = _STATES[step.act]
            if lane.state == after:
                return Look("done", _WORDS[step.act], lane.state)
            fits = lane.state == before
            return Look("ready" if fits else "blocked", _WORDS[step.act] if fits else _elsewhere(lane), lane.state)
        if lane.state == "deleted":
            return Look("done", _WORDS[step.act], lane.state)
        (loss,) = await self._losses.read((step.subject,))
        held = loss.refused or _held(loss)
        return (
            Look("blocked", held, digest_of((loss,))) if held else Look("ready", _WORDS[step.act], digest_of((loss,)))
        )

    def _lane(self, step: ActStep) -> Lane:
        lane = self._ground.lanes.get(step.subject)
        if lane is None:
            raise CommandError("unknown_lane", "This lane is gone for good.")
        return lane


def _of_others(session: Session, step: ActStep) -> Command:
    match step.act:
        case "switch_lane":
            return SwitchLaneBranch(lane_id=step.subject, branch=step.text)
        case "lift_boundary":
            return DismissBoundary(session_id=session.session_id, boundary_id=step.subject)
        case "close_pull" | "reopen_pull" as act:
            return SetPullState(lane_id=step.subject, to="closed" if act == "close_pull" else "open")
        case "put_proofs_back":
            posted, _, before = step.text.partition(" ")
            return PutProofsBack(lane_id=step.subject, posted=posted, before=before)
        case "delete_reply":
            thread_id, _, comment_id = step.text.partition(" ")
            return DeleteReply(lane_id=step.subject, thread_id=thread_id, comment_id=comment_id)
        case _:
            resolved = step.act == "resolve_thread"
            return SetThreadResolved(lane_id=step.subject, thread_id=step.text, resolved=resolved)


def _held(loss: LaneLoss) -> str:
    if loss.nothing:
        return ""
    return (
        f"The lane '{loss.lane.name}' is not empty. Delete it in the list of lanes, where what would be lost is shown."
    )


def _look_branch(lane: Lane, branch: str) -> Look:
    """What stands in the way in its files is told by the switch itself."""
    if lane.branch == branch:
        return Look("done", f"The lane is on {branch}.", lane.branch)
    fits = lane.state == "active"
    return Look(
        "ready" if fits else "blocked", f"The lane is on {branch} again." if fits else _elsewhere(lane), lane.branch
    )


def _elsewhere(lane: Lane) -> str:
    return f"The lane '{lane.name}' is {lane.state} now."


def _trash_id(lane: Lane) -> str:
    return lane.trash_ref.rpartition("/")[2]
