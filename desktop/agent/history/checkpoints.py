"""CheckpointCommands: the timeline of a lane's files: listed, made by hand, compared, put back."""

import asyncio

from desktop.agent.core.commands import Handler
from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.history.path_checkpoints import FilesAt
from desktop.agent.history.rewinds import named, put_back, restored_events
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.reports.lane_evidence import LaneEvidence
from desktop.domain.chats.commands import CompareCheckpoints, LoadCheckpoints, MakeCheckpoint, RestoreCheckpoint
from desktop.domain.chats.updates import CheckpointInfo, CheckpointMark, CheckpointsCompared, CheckpointsListed
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.events import Event, ToolCallDecided, TurnStarted
from desktop.domain.gate.titles import title_of
from desktop.domain.history.picked import picked
from desktop.services.history.checkpoints import NOW, LaneCheckpoints
from desktop.services.history.refs import CheckpointRef
from desktop.services.history.tree_id import checkpoint_tree_id

Marks = dict[str, tuple[CheckpointMark, ...]]
_REASONS = ("turn_start", "turn_end", "call", "restore", "revert", "manual")


class CheckpointCommands:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, keeper: LaneKeeper, evidence: LaneEvidence, publish: Publish) -> None:
        self._sessions = sessions
        self._keeper = keeper
        self._evidence = evidence
        self._publish = publish

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about checkpoints."""
        return {
            LoadCheckpoints: self._load,
            MakeCheckpoint: self._make,
            CompareCheckpoints: self._compare,
            RestoreCheckpoint: self._restore,
        }

    async def _load(self, command: LoadCheckpoints) -> None:
        session = self._sessions.get(command.session_id)
        infos: tuple[CheckpointInfo, ...] = ()
        problem = ""
        try:
            listed = await self._keeper.work(session, lambda kept: kept.all())
            marks = await asyncio.to_thread(self._evidence.marks, session.state.lane_id)
            infos = self._infos(session, listed, marks)
        except BanksmanError as error:
            problem = str(error)
        self._publish(CheckpointsListed(session_id=session.session_id, checkpoints=infos, problem=problem))

    async def _make(self, command: MakeCheckpoint) -> None:
        session = self._sessions.get(command.session_id)
        await self._keeper.take(session, "manual", name=command.name.strip())
        await self._load(LoadCheckpoints(session_id=session.session_id))

    async def _compare(self, command: CompareCheckpoints) -> None:
        session = self._sessions.get(command.session_id)

        def compared(kept: LaneCheckpoints) -> CheckpointsCompared:
            before = kept.find(command.checkpoint_id)
            files = kept.compare(before, kept.find(command.other) if command.other else NOW)
            return empty.model_copy(update={"files": files})

        empty = CheckpointsCompared(
            session_id=session.session_id, checkpoint_id=command.checkpoint_id, other=command.other, files=()
        )
        try:
            self._publish(await self._keeper.work(session, compared))
        except BanksmanError as error:
            self._publish(empty.model_copy(update={"problem": str(error)}))

    async def _restore(self, command: RestoreCheckpoint) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        session.check_recorded()
        known = picked(session.log, CheckpointMade)
        commit = next((event.commit for _, event in known if event.checkpoint_id == command.checkpoint_id), "")
        restored = await put_back(self._keeper, session, FilesAt(command.checkpoint_id, commit), command.paths)
        changed = (*restored.restored, *restored.removed)
        events: list[Event] = restored_events(restored, command.checkpoint_id)
        if changed:
            text = f"The user put files back to an earlier state: {named(changed)}. Read them before you rely on them."
            events.append(note("reverted", text))
        session.record(*events)
        await self._load(LoadCheckpoints(session_id=session.session_id))

    def _infos(self, asked: Session, listed: list[CheckpointRef], marks: Marks) -> tuple[CheckpointInfo, ...]:
        """The checkpoints with what the open chats of the lane know of them, the asked one before the others."""
        known: dict[str, CheckpointInfo] = {}
        for session in (asked, *self._sessions.opened()):
            if session is asked or session.state.lane_id == asked.state.lane_id:
                for info in _recorded(session):
                    known.setdefault(info.checkpoint_id, info)
        found = [(_with_ref(known.get(ref.checkpoint_id), ref), ref) for ref in listed]
        return tuple(info.model_copy(update={"marks": marks.get(checkpoint_tree_id(ref), ())}) for info, ref in found)


def _recorded(session: Session) -> list[CheckpointInfo]:
    """Every checkpoint that this log recorded when it was made, with the turn and call it belongs to."""
    infos: dict[str, CheckpointInfo] = {}
    titles: dict[str, tuple[str, bool]] = {}
    turn = 0
    for envelope, event in picked(session.log, TurnStarted, ToolCallDecided, CheckpointMade):
        if isinstance(event, TurnStarted):
            turn += 1
        elif isinstance(event, ToolCallDecided):
            titles[event.call_id] = title_of(event)
        elif isinstance(event, CheckpointMade) and event.checkpoint_id not in infos:
            title, verbatim = titles.get(event.call_id, ("", False))
            infos[event.checkpoint_id] = CheckpointInfo(
                checkpoint_id=event.checkpoint_id,
                at=envelope.at,
                reason=event.reason,
                name=event.name,
                call_title=title,
                verbatim=verbatim,
                turn=turn,
                event_id=envelope.event_id,
                session_id=session.session_id,
                changed=event.changed,
                partial=event.partial,
            )
    return list(infos.values())


def _with_ref(known: CheckpointInfo | None, ref: CheckpointRef) -> CheckpointInfo:
    if known is not None:
        return known
    reason = ref.reason if ref.reason in _REASONS else "call"
    values = {"checkpoint_id": ref.checkpoint_id, "at": ref.at, "reason": reason}
    return CheckpointInfo.model_validate({**values, "name": ref.name, "partial": ref.partial})
