"""SetupCommands: the commands about making lanes ready, and the chats whose first message waits for it (lanes-L20)."""

import asyncio
import contextlib
from typing import Protocol

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.ready.lane_file import FoundLaneFile, LaneFileCommands
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.agent.lanes.ready.setup_record import NO_END
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.core.command import Command
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import BanksmanError, CommandError, StoreError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.work import Project
from desktop.domain.events import Event, UserMessage
from desktop.domain.lanes.commands import LoadSetupLog, RunSetup, SkipSetupWait, StopSetup, TrustLaneFile
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import SetupOutput
from desktop.domain.updates import CommandFailed
from desktop.tools.text import blob_name

AGAIN = "Setup was run again and ended well."


class WaitingTurns(Protocol):
    """The turns of chats, whose first message may wait. `waits` and `beforehand`: see `TurnCommands`."""

    closing: bool
    waits: Voices[[Session], bool]
    beforehand: Voices[[Session], list[Event]]

    async def begin_waiting(self, session: Session) -> None:
        """The first turn of a chat whose message waited. Raises CommandError."""


class SetupCommands:
    """All on the engine thread."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        sessions: Sessions,
        turns: WaitingTurns,
        files: LaneFileCommands,
        setups: LaneSetups,
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._sessions = sessions
        self._turns = turns
        self._files = files
        self._setups = setups
        self._not_waiting: set[str] = set()
        self._beginning: set[asyncio.Task[None]] = set()
        turns.waits.add(self.waits)
        turns.beforehand.add(self.beforehand)
        setups.ended.add(self._ended)
        setups.changed.add(self._changed)
        files.on_found.add(self._settle)

    def handlers(self) -> dict[type[Command], Handler]:
        """What a person can do about the setup of a lane."""
        return {
            TrustLaneFile: self._trust,
            RunSetup: self._run,
            StopSetup: self._stop,
            SkipSetupWait: self._skip,
            LoadSetupLog: self._load,
        }

    def waits(self, session: Session) -> bool:
        """Whether the first message of this chat waits for the setup of its lane."""
        state = session.state
        if state.turns or state.turn is not None or state.last_turn is not None:
            return False
        lane = self._lane_of(session)
        under_way = lane is not None and self._setups.is_under_way(lane.id)
        return under_way and session.session_id not in self._not_waiting

    def beforehand(self, session: Session) -> list[Event]:
        """What the model is told of a setup that failed, or that ended well since it was told of that; each once."""
        lane = self._lane_of(session)
        if lane is None or lane.setup not in ("failed", "ready"):
            return []
        last = _last_note(session)
        if lane.setup == "ready":
            return [note("setup", AGAIN)] if last is not None and not _says(last, AGAIN) else []
        record = self._setups.record(lane)
        words = (record.ending or NO_END).removesuffix(".")
        full = BlobRef(sha256=record.log, media_type="text/plain", size=len(record.text)) if record.log else None
        text = f"{words}; log: {blob_name(full)}." if full is not None else f"{words}."
        if last is not None and _says(last, text):
            return []
        return [note("setup", text).model_copy(update={"full": full})]

    # Commands

    async def _trust(self, command: TrustLaneFile) -> None:
        project = self._ground.the_project()
        await self._files.trust(command)
        if command.lane_id:
            await self._setups.prepare(project, self._usable(command.lane_id))

    async def _run(self, command: RunSetup) -> None:
        lane = self._usable(command.lane_id)
        project = self._ground.the_project()
        if self._setups.is_under_way(lane.id):
            raise CommandError("setup_running", "The setup of this lane is under way already.")
        found = await self._files.reader.found(project)
        if found.problem:
            raise CommandError("lane_file", found.problem)
        if found.usable is None:
            self._setups.save(lane.id, setup="needs_trust")
            raise CommandError("needs_trust", "Look at the lane file of this repository and trust it first.")
        if not found.usable.setup.command:
            raise CommandError("no_setup", "The lane file of this repository names no setup.")
        await self._setups.prepare(project, lane)

    async def _stop(self, command: StopSetup) -> None:
        await self._setups.stop(command.lane_id)

    async def _skip(self, command: SkipSetupWait) -> None:
        self._not_waiting.add(command.session_id)
        await self._turns.begin_waiting(self._sessions.get(command.session_id))

    async def _load(self, command: LoadSetupLog) -> None:
        self._changed(self._ground.lane(command.lane_id).id)

    def _settle(self, project: Project, found: FoundLaneFile) -> None:
        """Lanes that waited for the file to be trusted do not wait any more; their setup was not run."""
        waiting = [lane for lane in self._ground.lanes.of_project(project.id) if lane.setup == "needs_trust"]
        with contextlib.suppress(StoreError):  # a store that can only be read keeps them as they are
            for lane in waiting if found.trusted else ():
                self._setups.save(lane.id, setup="skipped")

    def _usable(self, lane_id: str) -> Lane:
        lane = self._ground.lane(lane_id)
        if lane.type == "primary":
            raise CommandError("primary", "Setup runs in lanes, never in your own checkout.")
        if lane.state != "active":
            raise CommandError("lane_state", "This lane is not in use. Bring it back first.")
        return lane

    # What follows

    def _changed(self, lane_id: str) -> None:
        lane = self._ground.lanes.get(lane_id)
        if lane is None:
            return
        record = self._setups.record(lane)
        if lane.setup == "failed" and not record.ending:
            record = record.model_copy(update={"ending": NO_END})
        fields = record.model_dump(include={"text", "exit_code", "copied", "skipped", "secrets", "command", "ending"})
        self._publish(SetupOutput(lane_id=lane_id, state=lane.setup, notices=record.notices, **fields))

    def _ended(self, lane_id: str) -> None:
        """Let the chats begin that waited. When the app closes they stay, and say so at the next start."""
        for session in self._sessions.in_lane(lane_id):
            if not session.state.queue or session.state.turns or session.running:
                continue
            if self._turns.closing:
                session.append(QueuePaused(reason="restart"))
                continue
            task = asyncio.create_task(self._begin(session))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)

    async def _begin(self, session: Session) -> None:
        try:
            await self._turns.begin_waiting(session)
        except BanksmanError as error:
            text = f"The message that waited for the setup was not sent: {error}"
            self._publish(CommandFailed(command_id="", code="turn_failed", text=text, session_id=session.session_id))

    def _lane_of(self, session: Session) -> Lane | None:
        return self._ground.lanes.get(session.lane.id) if session.lane is not None else None


def _last_note(session: Session) -> UserMessage | None:
    """The last note about a setup in this chat."""
    for envelope in reversed(session.log):
        event = envelope.event if envelope.kind == "user_message" else None
        if isinstance(event, UserMessage) and event.note_kind == "setup":
            return event
    return None


def _says(told: UserMessage, text: str) -> bool:
    return told.parts == note("setup", text).parts
