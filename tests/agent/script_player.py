"""A person who does anything in any order, in several chats at once: what random scripts of the engine are made of."""

import asyncio
import random
from pathlib import Path

from desktop.domain import commands as c
from desktop.domain.chats.commands import (
    ApplyCompaction,
    ClearContext,
    Compact,
    ExportSession,
    ForkSession,
    MakeCheckpoint,
    MoveQueued,
    PinSession,
    PutBackInContext,
    RaiseLimits,
    RemoveFromContext,
    RemoveQueued,
    RestoreCheckpoint,
    ResumeQueue,
    RewindSession,
    SendQueuedNow,
    SetLimits,
    UndoRewind,
)
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import CompactionOffered
from desktop.domain.context.events import Rewound
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, InputRequested
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.services.processes.tree import SESSION_VARIABLE, end_marked
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

MODES = {"plan": PermissionMode.PLAN, "edit": PermissionMode.EDIT, "full": PermissionMode.FULL_AUTO}
BROKEN = ("internal", "turn_failed", "frozen")
STEPS = (
    "allow", "allow", "always", "reject", "decline and stop", "send", "send", "send", "continue", "stop", "stop now",
    "plan", "edit", "full", "full", "wait", "wait", "interrupt", "send now", "remove queued", "move queued", "resume",
    "stop after step", "rewind", "rewind files", "rewind and say", "undo", "undo files", "fork", "fork head",
    "fork none", "fork and say", "compact", "apply", "clear", "remove", "put back", "limits", "raise", "checkpoint",
    "restore", "pin", "rename", "archive", "open", "restart", "other chat", "export",
)  # fmt: skip


class Player:
    """Plays steps in the chats of one store. `chance`: chooses entries and chats.

    A step in the background is not waited for, so that the next one meets it half-way.
    """

    def __init__(self, rig: Rig, repository: Path, seed: int) -> None:
        self.rig = rig
        self.repository = repository
        self.chance = random.Random(seed)  # a test's dice
        self.chats: list[str] = []
        self.at = ""
        self.broken: list[str] = []
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def log(self) -> list[Envelope]:
        return self.rig.engine.sessions.get(self.at).log

    async def begin(self, text: str) -> None:
        """One more chat; the steps that follow happen in it."""
        self.at = await self.rig.new(text)
        if self.rig.engine.sessions.knows(self.at):
            self.chats.append(self.at)
        else:
            self.at = self.chats[0]

    async def play(self, step: str, *, background: bool) -> None:
        """Do one thing."""
        if step == "restart":
            await self.restart()
            return
        if step == "other chat":
            self.at = self.chance.choice(self.chats)
            return
        commands = self.commands(step)
        task = asyncio.create_task(self._handle(commands))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        if not background:
            await asyncio.wait({task}, timeout=20)
        await asyncio.sleep(0.0 if step == "stop now" else 0.02)

    async def _handle(self, commands: list[Command]) -> None:
        for command in commands:
            await self.rig.engine.handle(command)
            if isinstance(command, ForkSession) and self.rig.engine.sessions.knows(command.new_session_id):
                self.chats.append(command.new_session_id)
                self.at = command.new_session_id

    def commands(self, step: str) -> list[Command]:
        """What the person sends for a step, () where there is nothing to do it to."""
        at, entry = self.at, self.chance.choice(self.log).event_id
        if step in ("allow", "always", "reject", "decline and stop"):
            return self._answers(step)
        if step in MODES:
            return [c.SetMode(session_id=at, mode=MODES[step], without_sandbox=True)]
        if step.startswith("fork"):
            lane_from = {"fork head": "head", "fork none": "none"}.get(step, "checkpoint")
            values = {"session_id": at, "at_event_id": entry, "new_session_id": new_session_id()}
            text = "in the fork" if step == "fork and say" else ""
            return [ForkSession.model_validate({**values, "lane_from": lane_from, "text": text})]
        if step.startswith("undo"):
            gone = [e.event_id for e in self.log if isinstance(e.event, Rewound)]
            chosen = gone[-1] if gone else entry
            return [UndoRewind(session_id=at, rewound_event_id=chosen, restore_files=step == "undo files")]
        return [*self._queueing(step), *self._simple(step, at, entry)]

    def _answers(self, step: str) -> list[Command]:
        commands: list[Command] = []
        for opened in self.rig.engine.sessions.get(self.at).state.open_inputs.values():
            asked = InputRequested(input_id=opened.input_id, call_id=opened.call_id, request=opened.request)
            digest = opened.request.digest if isinstance(opened.request, ApprovalRequest) else ""
            answer = answer_for(step, asked)
            commands.append(c.AnswerInput(session_id=self.at, input_id=opened.input_id, answer=answer, digest=digest))
        return commands

    def _queueing(self, step: str) -> list[Command]:
        kinds = {"send now": SendQueuedNow, "remove queued": RemoveQueued}
        queue = self.rig.engine.sessions.get(self.at).state.queue[-1:]
        if step == "move queued":
            return [MoveQueued(session_id=self.at, queue_id=one.queue_id, position=0) for one in queue]
        return [kinds[step](session_id=self.at, queue_id=one.queue_id) for one in queue if step in kinds]

    def _simple(self, step: str, at: str, entry: str) -> list[Command]:
        offers = [u for u in self.rig.updates if isinstance(u, CompactionOffered) and u.session_id == at]
        made = [e.event.checkpoint_id for e in self.log if e.kind == "checkpoint_made"]
        folder = self.repository.parent
        simple: dict[str, list[Command]] = {
            "send": [c.SendMessage(session_id=at, text="go on")],
            "interrupt": [c.SendMessage(session_id=at, text="now this", interrupt=True)],
            "resume": [ResumeQueue(session_id=at)],
            "continue": [c.ContinueTurn(session_id=at)],
            "stop": [c.Interrupt(session_id=at)],
            "stop now": [c.Interrupt(session_id=at)],
            "stop after step": [c.Interrupt(session_id=at, after_step=True)],
            "rewind": [RewindSession(session_id=at, to_event_id=entry)],
            "rewind files": [RewindSession(session_id=at, to_event_id=entry, restore_files=True)],
            "rewind and say": [RewindSession(session_id=at, to_event_id=entry, text="instead")],
            "compact": [Compact(session_id=at)],
            "apply": [ApplyCompaction(session_id=at, staging_id=u.staging_id, summary="short") for u in offers[-1:]],
            "clear": [ClearContext(session_id=at)],
            "remove": [RemoveFromContext(session_id=at, target_id=entry)],
            "put back": [PutBackInContext(session_id=at, target_id=entry)],
            "limits": [SetLimits(session_id=at, limits=Limits(steps=2))],
            "raise": [RaiseLimits(session_id=at, limits=Limits(steps=9))],
            "checkpoint": [MakeCheckpoint(session_id=at, name="mine")],
            "restore": [RestoreCheckpoint(session_id=at, checkpoint_id=one) for one in made[:1]],
            "pin": [PinSession(session_id=at)],
            "rename": [c.RenameSession(session_id=at, title="Other")],
            "archive": [c.ArchiveSession(session_id=at), c.ArchiveSession(session_id=at, archived=False)],
            "open": [c.OpenSession(session_id=at)],
            "export": [ExportSession(session_id=at, path=str(folder / f"{len(self.log)}.jsonl"), format="jsonl")],
        }
        return simple.get(step, [])

    # Looking

    async def rest(self) -> None:
        """Stop everything that is under way."""
        async with asyncio.timeout(30):
            while self.rig.engine.sessions.running() or self._under_way:
                for session in self.rig.engine.sessions.running():
                    await self.rig.engine.handle(c.Interrupt(session_id=session.session_id))
                await asyncio.sleep(0.02)

    def look(self) -> None:
        """What holds for every chat whenever nothing is under way."""
        for session_id in self.chats:
            follows(self.rig, session_id)
            whole(self.rig, session_id)
            assert not self.rig.engine.sessions.get(session_id).state.open_inputs
        self.broken += [f"{one.code}: {one.text}" for one in self.rig.failures() if one.code in BROKEN]
        assert not self.broken

    async def restart(self) -> None:
        """Close the engine in the middle of everything, and start it again."""
        await self.rig.engine.stop()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self.broken += [f"{one.code}: {one.text}" for one in self.rig.failures() if one.code in BROKEN]
        assert await end_marked(SESSION_VARIABLE, self.chats) == {}
        self.rig = await Rig(self.rig.folders).open(self.repository)
        for session_id in self.chats:
            follows(self.rig, session_id)
            assert self.rig.engine.sessions.get(session_id).state.mode is not PermissionMode.FULL_AUTO


def answer_for(step: str, requested: InputRequested) -> Answer:
    """What a person may say to a request at this step."""
    if step in ("reject", "decline and stop"):
        return Answer(outcome="reject", note="no", stop_turn=step != "reject")
    if requested.request.kind in ("question", "structured_question"):
        return Answer(outcome="answered", note="the first")
    if step == "always" and isinstance(requested.request, ApprovalRequest):
        return Answer(outcome="allow_always", scope="session")
    return Answer(outcome="allow_once")
