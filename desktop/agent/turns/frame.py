"""TurnFrame: what every driver does around the work of a turn: its begin, its places, its one end."""

import asyncio
import contextlib
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine

from desktop.agent.chats.queue import MessageQueue
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.judge import Judge
from desktop.agent.hooks.turns import TurnHooks
from desktop.agent.memory.orientation import Orientation
from desktop.agent.providers.ask_model import AskModel, ModelFailed
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.driver import DriverAbilities
from desktop.agent.turns.limits import LimitReached, LimitWatch
from desktop.agent.turns.slots import TurnSlots
from desktop.agent.turns.spend import waited
from desktop.agent.turns.turn import Turn, TurnKind, stopped
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.work import Activity
from desktop.domain.events import Event, TurnEnded, TurnStarted, UserMessage
from desktop.records import dataclass
from desktop.services.processes.stubborn import to_its_end

logger = logging.getLogger(__name__)

PostTurn = Callable[[Session], Awaitable[str]]


@dataclass(frozen=True)
class FrameParts:
    """What every driver works with, one of each for all sessions. `between`: each gives what is recorded, and what the
    model is told, between two steps. `heard`: each gives what follows from what is about to be recorded for it."""

    judge: Judge
    caller: ToolCaller
    settings: SettingsKeeper
    queue: MessageQueue
    limits: LimitWatch
    guard: LoopGuard
    slots: TurnSlots
    hooks: TurnHooks
    between: Voices[[Session], list[Event]]
    heard: Voices[[Session, list[Event]], list[Event]]


@dataclass(frozen=True)
class LoopParts:
    """What a driver that asks a model itself works with beside the rest."""

    frame: FrameParts
    model: AskModel
    context: ContextKeeper
    orientation: Orientation


class TurnFrame(ABC):
    """A `TurnDriver` but for what it does in a turn: `_passes`, and what it says at the begin. Runs turns of all
    sessions, one at a time in each.

    `post_turn`: work that is done after the last pass of a turn; what it gives is told to people and, with the next
    request, to the model. It is left out when the turn was stopped. A run that is not writable (`follow_up.writable`)
    writes nothing.
    """

    def __init__(self, parts: FrameParts) -> None:
        self._judge = parts.judge
        self._caller = parts.caller
        self._settings = parts.settings
        self._queue = parts.queue
        self._limits = parts.limits
        self._guard = parts.guard
        self._slots, self._told_between, self._heard = parts.slots, parts.between, parts.heard
        self._hooks = parts.hooks
        self.post_turn: list[PostTurn] = []

    @abstractmethod
    def _began(self, session: Session, started: TurnStarted, events: list[Event]) -> tuple[TurnStarted, list[Event]]:
        """The begin of a turn as it is recorded, and what is said in it, of which `events` are a part."""

    @abstractmethod
    async def _passes(self, session: Session, turn: Turn) -> None:
        """The work of a turn, until nothing is left of it or `turn.status` says how it ends."""

    @abstractmethod
    def abilities(self, session: Session) -> DriverAbilities:
        """What can be asked for in this chat, as far as that is known by now."""

    @abstractmethod
    def retry_now(self, session_id: str) -> None:
        """Do not wait for the next attempt of what failed, if one is waited for."""

    def begin(self, session: Session, events: list[Event], *, kind: TurnKind = "prompt", continues: str = "") -> Turn:
        """Record the start of a turn together with `events` (notes, then what the person says).

        Raises:
            StoreError: nothing was recorded, and no turn began.
        """
        turn = Turn(kind=kind, counted=len(session.log))
        limits = self._limits.in_force(session)
        started = TurnStarted(
            turn_id=turn.turn_id,
            kind=kind,
            continues_turn_id=continues,
            mode=session.mode,
            limits=limits.model_dump(),
        )
        started, said = self._began(session, started, events)
        session.append_many([started, *self._in_turn(session, turn, said)])
        return turn

    async def run(self, session: Session, turn: Turn) -> None:
        """Run a turn that has begun. Exactly one TurnEnded follows in any case; a stop is raised again after it."""
        try:
            await self._slots.take(lambda: session.set_activity(Activity.QUEUED))
            turn.has_slot = True
            session.set_activity(Activity.PREPARING)
            self._caller.turn_began(session)
            self._guard.begin(session.session_id)
            self._limits.begin(session, turn)
            await self._hooks.began(session)
            await self._passes(session, turn)
            turn.status = turn.status or "completed"
        except asyncio.CancelledError:
            stopped(session, turn)
            raise
        except LimitReached as reached:
            turn.status, turn.reason, turn.detail = "limit", reached.reason, str(reached)
            session.record(note(reached.note_kind, turn.detail, turn.turn_id))
        except ModelFailed as failed:
            turn.status, turn.reason, turn.detail = "failed", failed.category, str(failed)
        except CommandError as error:
            turn.status, turn.reason, turn.detail = "failed", error.code, str(error)
        except StoreError as error:
            turn.status, turn.reason, turn.detail = "failed", "store", str(error)
        finally:
            await self._after_passes(session, turn)
            await self._end_leftovers(session)
            with contextlib.suppress(asyncio.CancelledError):
                turn.files_changed = await self._caller.turn_ends(session, stopped=turn.status != "completed")
            self._end(session, turn)
            if turn.has_slot:
                self._slots.free()

    async def stop(self, session: Session, turn: Turn) -> None:
        """Cancel the task, which is heeded wherever it waits; a stop that it heeds already is left alone."""
        if session.task is not None and not session.task.cancelling():
            session.task.cancel()

    def end_unrun(self, session: Session, turn: Turn) -> None:
        """Record the end of a turn that was stopped before `run` did anything; of any other, nothing."""
        if not turn.ended:
            stopped(session, turn)
            self._end(session, turn)

    def _end(self, session: Session, turn: Turn) -> None:
        turn.ended = True
        ended, passed = self._ended(session, turn), self._hooks.ended(session, turn.turn_id)
        pause = turn.pause
        session.record(*passed, ended, *([QueuePaused(reason=pause)] if pause and session.state.queue else []))
        session.set_activity(Activity.IDLE)

    async def _after_passes(self, session: Session, turn: Turn) -> None:
        """The post-turn work; what came of it is one note. A stop ends it, and how the turn ends does not change."""
        told: list[str] = []
        try:
            for work in self.post_turn if turn.status not in (None, "interrupted") else ():
                told.append(await _told_by(work, session))
        except asyncio.CancelledError:
            told.append("Work after the turn was stopped.")
        finally:
            text = "\n".join(line for line in told if line.strip())
            if text:
                session.record(note("post_turn", text, turn.turn_id))

    async def _end_leftovers(self, session: Session) -> None:
        """What this turn's commands left running ends with it, however often somebody presses Stop meanwhile."""
        if session.processes is None:
            return
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await to_its_end(session.processes.end_leftovers())
                if session.guarded is not None:  # of a command that was stopped, or that goes on in the background
                    await to_its_end(self._caller.looks.after(session))
        except Exception:  # the end of the turn is recorded in any case
            logger.exception("what commands left running could not be ended")

    def _in_turn(self, session: Session, turn: Turn, events: list[Event]) -> list[Event]:
        """The same events, and what follows from the words in them; messages say to which turn they belong."""
        follows = [event for found in self._heard(session, events) for event in found]
        said = [
            event.model_copy(update={"turn_id": turn.turn_id}) if isinstance(event, UserMessage) else event
            for event in events
        ]
        return [*said, *follows]

    def _between(self, session: Session, turn: Turn) -> None:
        """The boundary of two steps: all results of the last one are stored, the next request is not yet made."""
        session.check_recorded()
        if turn.stop_after_step:
            stopped(session, turn)
            return
        if turn.send_now:
            queue_id, turn.send_now = turn.send_now, ""
            session.append_many(self._in_turn(session, turn, self._queue.delivery(session, queue_id)))
        if self._settings.current.deliver_queued == "after_step" and not session.state.queue_paused:
            session.append_many(self._in_turn(session, turn, self._queue.delivery(session)))
        told = [event for events in self._told_between(session) for event in events]
        if told:
            session.append_many(self._in_turn(session, turn, told))
        if session.state.children:
            turn.count(session.log)
        self._limits.before_request(session, turn)

    async def _step(self, session: Session, turn: Turn, work: Coroutine[None, None, bool]) -> bool:
        """Do `work`; True: the model came to an end, or the turn is ended. A message that is sent now stops it and is
        handed over (sessions-SQ4)."""
        turn.in_step = True
        try:
            over = await work
        except asyncio.CancelledError:
            if not turn.send_now or turn.stop_asked:
                raise
            over = False
        finally:
            turn.in_step = False
        task, queue_id, turn.send_now = asyncio.current_task(), turn.send_now, ""
        if not queue_id:
            return over
        if task is not None and (task.uncancel() > 0 or turn.stop_asked):
            raise asyncio.CancelledError
        session.append_many(self._in_turn(session, turn, self._queue.delivery(session, queue_id)))
        return False

    def _ended(self, session: Session, turn: Turn) -> TurnEnded:
        if turn.status is None:
            turn.status, turn.reason, turn.detail = "failed", "internal", "The turn stopped because of an error."
        duration_ms = round((time.monotonic() - turn.began) * 1000)
        waited_ms = round(waited(session.state, session.now()).total_seconds() * 1000)
        return TurnEnded(
            turn_id=turn.turn_id,
            status=turn.status,
            reason=turn.reason,
            detail=turn.detail,
            steps=turn.steps,
            passes=turn.passes,
            usage=turn.usage,
            cost_microusd=turn.cost_microusd,
            duration_ms=duration_ms,
            waited_ms=min(waited_ms, duration_ms),
            open_todos=sum(1 for todo in session.state.todos if todo.status != "completed"),
            files_changed=turn.files_changed,
            claimed_tokens=turn.claimed,
        )


async def _told_by(work: PostTurn, session: Session) -> str:
    """What a piece of post-turn work says, or that it failed."""
    try:
        await session.barrier()
        return await work(session)
    except Exception as error:  # how the turn ends does not depend on it; it is told
        logger.exception("post-turn work failed")
        reason = next(iter(str(error).splitlines()), "")[:300]
        return f"Work after the turn failed: {type(error).__name__}: {reason}"
