"""Session: one open session on the engine thread: its log folded, its lane, its commands, its running turn."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.foreign_input import recordable_parts
from desktop.agent.core.lane_lock import LaneLock
from desktop.agent.core.lane_register import Workplace
from desktop.agent.core.last_calls import last_calls
from desktop.agent.core.last_calls import tool_uses as tool_uses
from desktop.agent.core.log_at_hand import LogAtHand
from desktop.agent.core.named_ids import NamedIds
from desktop.domain.children.values import weakest
from desktop.domain.core.content import ToolUse
from desktop.domain.core.errors import CommandError, RefusedEvent, StoreError
from desktop.domain.core.event_base import Parts
from desktop.domain.core.ids import new_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    AssistantMessage,
    CallOutcome,
    Envelope,
    Event,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.gate.rules import Rule
from desktop.domain.history.builder import HistoryBuilder
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.packing import PackedLog
from desktop.domain.history.state_of import SessionState, fold
from desktop.domain.lanes.lane import Lane
from desktop.domain.updates import ActivityChanged, CommandFailed
from desktop.providers.base import ToolSchema
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.guarded_places import Guarded
from desktop.services.gate.lane_scan import LaneScan
from desktop.services.processes.session import Processes
from desktop.store.core.events import Beside
from desktop.store.core.store import Store
from desktop.tools.tool import ReadRecords

logger = logging.getLogger(__name__)

Publish = Callable[[Update], None]


class Session:
    """Made by Sessions. Everything that is said here goes through `append`: log first, then the folds, then the window.

    `grants_from`: session grants recorded at or before this position belong to an earlier process and are void.
    `guarded`: how the lane's protected places stood before a command. `last_at`: when its newest event was written;
    `at_hand`: its log.
    """

    def __init__(
        self,
        session_id: str,
        store: Store,
        publish: Publish,
        clock: Callable[[], datetime],
        path: list[Envelope],
        state: SessionState | None = None,
    ) -> None:
        self.session_id = session_id
        self.state = state if state is not None else fold_log(SessionState.begin(session_id), path)
        self.at_hand = LogAtHand(session_id, store.events, path)
        self.last_at = path[-1].at if path else clock()
        self.parent: Session | None = None
        self.lane: Lane | None = None
        self.files: LaneFiles | None = None
        self.processes: Processes | None = None
        self.reads = ReadRecords()
        self.scan: LaneScan | None = None
        self.git_sha256: str | None = None
        self.guarded: Guarded | None = None
        self._look_serves: tuple[str, float] = ("", 0.0)
        self.aside: Path | None = None
        self.task: asyncio.Task[None] | None = None
        self.activity = Activity.IDLE
        self._flush_stream: Callable[[], None] | None = None
        self.write_lock = LaneLock()
        self.last_prompt: tuple[str, tuple[ToolSchema, ...], int] | None = None
        self._ids = NamedIds()
        self._unwritten: list[Event] = []
        self._held: list[Event] = []
        self._store = store
        self._publish = publish
        self._clock = clock
        self.grants_from = self.state.head_seq

    @property
    def log(self) -> PackedLog:
        """The events of the chat, those of a fork's source included, in order of writing; read again after `rest`.

        Raises:
            StoreError: they had to be read, and could not be.
        """
        return self.at_hand.log

    @property
    def history(self) -> HistoryBuilder:
        """The message list of the log. Raises as `log`."""
        return self.at_hand.history

    def rest(self) -> None:
        """Let go of what the store holds too, until somebody asks for it; nothing while a turn runs."""
        if not self.running:
            if self._ids.seen:
                self._look()
            self.at_hand.rest()

    @property
    def running(self) -> bool:
        """A turn is under way in this process."""
        return self.task is not None and not self.task.done()

    @property
    def doing(self) -> Activity:
        """What it is busy with: nothing between its turns."""
        return self.activity if self.running else Activity.IDLE

    @property
    def session_grants(self) -> frozenset[str]:
        """What the person allowed for this session in this process; of a child also for those above it in its lane."""
        own = frozenset(key for key, grant in self.state.grants.items() if grant.seq > self.grants_from)
        return own | self.parent.session_grants if self.parent is not None and self._shares_lane else own

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of this chat, those of the chats above it included. One that allows counts only in the process that
        made it (gate-R5), and only in the lane for which it was made (memory-SU3)."""
        kept = (one for one in self.state.rules if one.rule.decision != "allow" or one.seq > self.grants_from)
        above = self.parent.rules if self.parent is not None else ()
        held = (rule for rule in above if rule.decision != "allow" or self._shares_lane)
        spoken = (rule for one in self.state.boundaries if one.holds for rule in one.rules)
        return (*(one.rule for one in kept), *spoken, *held)

    @property
    def above(self) -> Iterator["Session"]:
        """The chats above a child, its parent first."""
        one = self.parent
        while one is not None:
            yield one
            one = one.parent

    @property
    def root(self) -> "Session":
        """The chat that a person began: itself, or the one above all."""
        return next(iter([*self.above][-1:]), self)

    @property
    def mode(self) -> PermissionMode:
        """The mode in which calls are judged: of a child the weakest of its own, its agent's and those above it."""
        state = self.state
        if state.parent_session_id and self.parent is None:
            return PermissionMode.PLAN  # nobody knows any more what the parent may do
        cap = state.agent.cap if state.agent is not None else None
        return weakest(state.mode, cap, self.parent.mode if self.parent is not None else None)

    @property
    def taint(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What was read that must not leave or that nobody vouches for, here and above, and of which kinds it is."""
        chats = (self, *self.above)
        sources = dict.fromkeys(source for one in chats for source in one.state.tainted)
        return tuple(sources), tuple(dict.fromkeys(reason for one in chats for reason in one.state.taint_reasons))

    @property
    def _shares_lane(self) -> bool:
        return self.parent is not None and self.parent.state.lane_id == self.state.lane_id

    @property
    def ends_with_answer(self) -> bool:
        """Whether the conversation ends with words of the model, so that nothing asks it to go on."""
        messages = self.history.messages()
        return bool(messages) and messages[-1]["role"] == "assistant"

    def descend_from(self, parent: "Session") -> None:
        """This chat is a child of that one."""
        self.parent = parent

    def know_lane(self, lane: Lane | None) -> None:
        """The record of the lane as it is now, None: the chat has none."""
        self.lane = lane

    def enter(self, place: Workplace) -> None:
        """Work in the lane from here on."""
        self.files, self.processes = place.files, place.processes
        self.write_lock, self.git_sha256, self.aside = place.write_lock, place.git_sha256, place.aside

    def look_may_serve(self, call_id: str) -> None:
        """From now on nothing is to happen in the lane that the next look around this call must see, so another look,
        if one begins after this moment, serves for it. "": there is no such call."""
        self._look_serves = (call_id, time.monotonic())

    def look_serves(self, call_id: str) -> float:
        """The `time.monotonic()` from which on a look serves for the next one around this call; asked once."""
        known, since = self._look_serves
        self._look_serves = ("", 0.0)
        return since if call_id and known == call_id else time.monotonic()

    def streaming(self, flush: Callable[[], None] | None) -> None:
        """Text is streamed: `flush` publishes what of it was gathered, before anything else of the chat is. None: no
        more."""
        self._flush_stream = flush

    def append(self, event: Event, *, lazy: bool = False) -> Envelope:
        """Store one event, then fold it and tell the window. What `record` has kept is stored before it.

        It is on the disk then; `lazy`: after the next `barrier`, which stands before each effect and each request.

        Raises:
            StoreError: it was not stored; nothing changed.
        """
        return self.append_many([event], lazy=lazy)[-1]

    def append_many(self, events: list[Event], *, lazy: bool = False, beside: Beside | None = None) -> list[Envelope]:
        """Store events in one transaction, all or none, with what `beside` writes; then as `append`."""
        if self._flush_stream is not None:
            self._flush_stream()
        waiting = [*self._unwritten, *self._held]
        envelopes = self._store.events.append_many(self.session_id, [*waiting, *events], lazy=lazy, beside=beside)
        self._unwritten, self._held = [], []
        for envelope in envelopes:
            self._take(envelope)
            self._publish(envelope)
        return envelopes

    def hold(self, event: Event) -> None:
        """Store an event together with the next one of this chat, before it, which follows soon whatever happens."""
        self._held.append(event)

    async def barrier(self) -> None:
        """Return once all that was stored before is on the disk, of this chat and of all others.

        Raises:
            StoreError: it is not known to be there, so nothing may begin.
        """
        await self._store.events.barrier()

    def record(self, *events: Event, lazy: bool = False) -> None:
        """Store what has happened already. If the disk refuses, it is kept, in order, and people are told. `lazy`: as
        in `append`.

        Nothing else of this session can be stored before it, so no further effect begins until it is (sessions-ST11).

        Raises:
            RefusedEvent: no log can hold such an event.
        """
        try:
            self.append_many(list(events), lazy=lazy)
        except RefusedEvent:
            raise
        except StoreError as error:
            logger.error("events of %s could not be recorded: %s", self.session_id, error)
            if not self._unwritten:
                self._publish(CommandFailed(command_id="", code="frozen", text=str(error), session_id=self.session_id))
            self._unwritten += [*self._held, *events]
            self._held = []
            self._ids.finished.update(event.call_id for event in events if isinstance(event, ToolCallFinished))

    def refuse_imported(self) -> None:
        """Nothing, when this chat began here or a person continued it here.

        Raises:
            CommandError: `read_only`: it came from a file and is only read.
        """
        if self.state.imported:
            raise CommandError("read_only", "This chat was imported and is only read. Choose Continue here first.")

    def check_recorded(self) -> None:
        """Store what was kept, if anything was.

        Raises:
            StoreError: it still cannot be stored, so nothing may begin.
        """
        if self._unwritten:
            self.append_many([])

    def is_finished(self, call_id: str) -> bool:
        """Whether the result of this call is recorded, or kept to be recorded."""
        return call_id in self._look().finished

    async def look_aside(self) -> None:
        """Note what a long log names away from the loop, before somebody asks for it."""
        await self._ids.look_aside(self.log[self._ids.seen :])

    @property
    def blob_ids(self) -> frozenset[str]:
        """The digest of every blob that this log refers to."""
        return frozenset(self._look().blobs)

    @property
    def attachments(self) -> frozenset[str]:
        """The names of the files that were attached to this chat."""
        return frozenset(self._look().attachments)

    def publish(self, update: Update) -> None:
        """Tell the window something that is not stored."""
        self._publish(update)

    def now(self) -> datetime:
        """The time in UTC."""
        return self._clock()

    def set_activity(self, activity: Activity, detail: str = "") -> None:
        """Say what the session does now."""
        if self._flush_stream is not None:
            self._flush_stream()
        self.activity = activity
        self._publish(
            ActivityChanged(session_id=self.session_id, activity=activity, detail=detail, since=self._clock())
        )

    def turn_events(self) -> Iterator[Event]:
        """The events of the turn that runs now, newest first."""
        for envelope in reversed(self.log):
            yield envelope.event
            if envelope.kind == "turn_started":
                return

    def titles_of(self, outcome: CallOutcome) -> list[str]:
        """The calls of this turn that began and ended so, by their card's title, in order."""
        turn = self.state.turn
        if turn is None:
            return []
        ended = {e.call_id for e in self.turn_events() if isinstance(e, ToolCallFinished) and e.outcome == outcome}
        return [call.title for call_id, call in turn.calls.items() if call_id in ended]

    def open_calls(self) -> list[ToolUse]:
        """Calls of the last answer that have no result and whose effect never began, or that only read
        (sessions-SR4)."""
        return last_calls(self.log).to_run

    def with_own_call_ids(self, message: AssistantMessage) -> Parts:
        """The parts of an answer as they can be recorded (sessions-SE5), with new ids for calls whose id is empty or
        already used."""
        parts: list[JsonValue] = []
        known = self._look().calls
        for part in recordable_parts(message.parts):
            if isinstance(part, dict) and part.get("type") == "tool_use":
                call_id = str(part.get("id") or "")
                if not call_id or call_id in known:
                    part = {**part, "id": new_id("call_")}
                known.add(str(part["id"]))
            parts.append(part)
        return tuple(parts)

    def _take(self, envelope: Envelope) -> None:
        self.at_hand.add(envelope)
        self.last_at = envelope.at
        self.state = fold(self.state, envelope)
        if isinstance(envelope.event, TurnEnded):
            self._store.events.keep_state(self.state, envelope.hash)

    def _look(self) -> NamedIds:
        """The ids in what is recorded: nobody asks for them while a chat is only read."""
        if self._ids.seen < self.at_hand.count:
            self._ids.look(self.log[self._ids.seen :])
        return self._ids
