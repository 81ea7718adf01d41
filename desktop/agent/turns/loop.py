"""AgentLoop: one turn from a prompt to its end. Ask the model, store its answer, carry out its calls, again."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine

from desktop.agent.chats.queue import MessageQueue
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.notes import note
from desktop.agent.core.session import Session, tool_uses
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.judge import Judge
from desktop.agent.hooks.turns import TurnHooks
from desktop.agent.memory.orientation import Orientation
from desktop.agent.providers.ask_model import CUT_REASONS, AskModel, ModelFailed
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.call_runner import CallRunner
from desktop.agent.turns.driver import DriverAbilities
from desktop.agent.turns.follow_up import follow_up, start_reminder
from desktop.agent.turns.limits import LimitReached, LimitWatch
from desktop.agent.turns.slots import TurnSlots
from desktop.agent.turns.turn import Turn, TurnKind, stopped
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.work import Activity
from desktop.domain.events import AssistantMessage, Event, Notice, TurnEnded, TurnStarted, UserMessage
from desktop.records import dataclass
from desktop.services.processes.stubborn import to_its_end

logger = logging.getLogger(__name__)

OUTPUT_LIMIT_RETRIES = 2
EMPTY_ANSWER_RETRIES = 1


CompactOverflow = Callable[[Session, Turn], Awaitable[bool]]
PostTurn = Callable[[Session], Awaitable[str]]


@dataclass(frozen=True)
class LoopParts:
    """What a loop works with, one of each for all sessions. `between`: each gives what is recorded, and what the model
    is told, between two steps. `heard`: each gives what follows from what is about to be recorded for the model."""

    judge: Judge
    caller: ToolCaller
    model: AskModel
    settings: SettingsKeeper
    queue: MessageQueue
    context: ContextKeeper
    limits: LimitWatch
    guard: LoopGuard
    orientation: Orientation
    slots: TurnSlots
    hooks: TurnHooks
    between: Voices[[Session], list[Event]]
    heard: Voices[[Session, list[Event]], list[Event]]


class AgentLoop:
    """The `TurnDriver` that asks a model itself. Runs turns of all sessions, one at a time in each.

    `compact_overflow`: shortens a conversation that does not fit; whether it did. `post_turn`:
    work that is done after the last pass of a turn; what it gives is told to people and, with the next request, to the
    model. It is left out when the turn was stopped. A run that is not writable (`follow_up.writable`) writes nothing.
    """

    def __init__(self, parts: LoopParts) -> None:
        self._judge = parts.judge
        self._caller = parts.caller
        self._model = parts.model
        self._settings = parts.settings
        self._queue = parts.queue
        self._context = parts.context
        self._limits = parts.limits
        self._guard = parts.guard
        self._orientation = parts.orientation
        self._calls = CallRunner(parts.judge, parts.caller, parts.limits, parts.guard)
        self._slots, self._told_between, self._heard = parts.slots, parts.between, parts.heard
        self._hooks = parts.hooks
        self.compact_overflow: CompactOverflow = parts.context.compact_overflow
        self.post_turn: list[PostTurn] = []

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
            memory_guard=self._orientation.guard_of(session, events),
            limits=limits.model_dump(),
        )
        reminder = start_reminder(session, self._judge.offered(session)) if kind != "continue" else None
        session.append_many([started, *self._in_turn(session, turn, [*([reminder] if reminder else []), *events])])
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

    def abilities(self, session: Session) -> DriverAbilities:
        """All of them: what the model is sent is made from the log at each request."""
        return DriverAbilities(rewinds=True, compacts=True)

    def retry_now(self, session_id: str) -> None:
        """Do not wait for the next attempt of a request, if one is waited for."""
        self._model.retry_now(session_id)

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

    async def _passes(self, session: Session, turn: Turn) -> None:
        """Steps until the model comes to an end of its own, with what follows from its todo list, or the turn is
        ended."""
        over = await self._step(session, turn, self._finish_open_calls(session, turn))
        while True:
            while not over:
                async with self._queue.read_ahead(session):
                    self._between(session, turn)
                over = turn.status is not None or await self._step(session, turn, self._request(session, turn))
            reminder = follow_up(session, turn, self._judge.offered(session))
            turn.followed_up = turn.followed_up or reminder is not None
            goes_on = reminder or await self._hooked_on(session, turn)
            if goes_on is None:
                return
            session.append(goes_on)
            over = False
            turn.next_pass()

    async def _hooked_on(self, session: Session, turn: Turn) -> UserMessage | None:
        """What a hook has the agent go on with, where it came to an end of its own."""
        waits = bool(session.state.queue) and not session.state.queue_paused
        if turn.status is not None or turn.reason or turn.stop_after_step or waits:
            return None
        return await self._hooks.came_to_end(session, turn.turn_id)

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

    async def _request(self, session: Session, turn: Turn) -> bool:
        """Ask the model and carry out its calls. True: it came to an end, or the turn is ended."""
        await self._orientation.before_request(session, turn.turn_id)
        await self._context.before_request(session, turn)
        provider = await self._settings.provider(session.state.endpoint_id)
        if session.processes is not None:
            session.processes.expect_commands()
        try:
            message = await self._model.ask(
                session,
                provider,
                turn.turn_id,
                widen=2**turn.output_limits,
                cap=lambda request: self._limits.max_tokens(session, turn, request),
            )
        except ModelFailed as failed:
            if failed.category == "context_overflow" and await self._shortened(session, turn):
                return False
            raise
        finally:
            turn.count(session.log)
        turn.steps += 1
        calls = tool_uses(message)
        over = await self._calls.carry_out(session, turn, calls) if calls else self._natural_end(session, turn, message)
        if turn.status is None and message.stop_reason in CUT_REASONS:
            await self._cut_off(session, turn, message)
            return False
        return over

    async def _cut_off(self, session: Session, turn: Turn, message: AssistantMessage) -> None:
        """The answer was cut where the output, or the window of the model, was full (sessions-SL5)."""
        if message.stop_reason == "max_tokens":
            turn.output_limits += 1
            if turn.output_limits > OUTPUT_LIMIT_RETRIES:
                raise ModelFailed("output_limit", "The answer reached the output limit three times.")
        elif not await self._shortened(session, turn):
            raise ModelFailed("context_overflow", "The chat no longer fits the model.")
        text = "Your answer reached the output limit. Continue where you stopped."
        session.append(note("output_limit", text, turn.turn_id))

    async def _shortened(self, session: Session, turn: Turn) -> bool:
        """Shorten a conversation that does not fit, once in a turn. Whether that was done."""
        if turn.shortened:
            return False
        turn.shortened = True
        return await self.compact_overflow(session, turn)

    def _natural_end(self, session: Session, turn: Turn, message: AssistantMessage) -> bool:
        """What an answer without calls means: the end, or one more request (sessions-SL5, sessions-SL6)."""
        if message.stop_reason == "pause_turn" or message.stop_reason in CUT_REASONS:
            return False
        if message.stop_reason == "refusal":
            turn.reason, turn.detail = "refusal", "The model declined to answer."
            session.append(note("refusal", "The model declined to answer this request.", turn.turn_id))
            session.append(Notice(kind="refusal", level="info", text=turn.detail))
            return True
        if not message.parts and not turn.has_text:
            turn.empty_answers += 1
            if turn.empty_answers > EMPTY_ANSWER_RETRIES:
                raise ModelFailed("empty", "The model returned an empty answer.")
            return False
        return True

    async def _finish_open_calls(self, session: Session, turn: Turn) -> bool:
        """Carry out calls of the last answer that a restart left without a result and that never started.

        One that had started is not run again: the model is told that its outcome is unknown (sessions-SR4).
        """
        if turn.kind != "continue":
            return False
        calls = session.open_calls()
        return await self._calls.carry_out(session, turn, calls) if calls else False

    def _ended(self, session: Session, turn: Turn) -> TurnEnded:
        if turn.status is None:
            turn.status, turn.reason, turn.detail = "failed", "internal", "The turn stopped because of an error."
        return TurnEnded(
            turn_id=turn.turn_id,
            status=turn.status,
            reason=turn.reason,
            detail=turn.detail,
            steps=turn.steps,
            passes=turn.passes,
            usage=turn.usage,
            cost_microusd=turn.cost_microusd,
            duration_ms=round((time.monotonic() - turn.began) * 1000),
            open_todos=sum(1 for todo in session.state.todos if todo.status != "completed"),
            files_changed=turn.files_changed,
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
