"""AgentLoop: one turn from a prompt to its end. Ask the model, store its answer, carry out its calls, again."""

from collections.abc import Awaitable, Callable

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session, tool_uses
from desktop.agent.providers.ask_model import CUT_REASONS, ModelFailed
from desktop.agent.turns.call_runner import CallRunner
from desktop.agent.turns.driver import DriverAbilities
from desktop.agent.turns.follow_up import follow_up, start_reminder
from desktop.agent.turns.frame import LoopParts, TurnFrame
from desktop.agent.turns.turn import Turn
from desktop.domain.events import AssistantMessage, Event, Notice, TurnStarted, UserMessage

OUTPUT_LIMIT_RETRIES = 2
EMPTY_ANSWER_RETRIES = 1


CompactOverflow = Callable[[Session, Turn], Awaitable[bool]]


class AgentLoop(TurnFrame):
    """The `TurnDriver` that asks a model itself. `compact_overflow`: shortens a conversation that does not fit; whether
    it did."""

    def __init__(self, parts: LoopParts) -> None:
        super().__init__(parts.frame)
        self._model = parts.model
        self._context = parts.context
        self._orientation = parts.orientation
        self._calls = CallRunner(self._judge, self._caller, self._limits, self._guard)
        self.compact_overflow: CompactOverflow = parts.context.compact_overflow

    def abilities(self, session: Session) -> DriverAbilities:
        """All of them: what the model is sent is made from the log at each request."""
        return DriverAbilities(rewinds=True, compacts=True)

    def retry_now(self, session_id: str) -> None:
        """Do not wait for the next attempt of a request, if one is waited for."""
        self._model.retry_now(session_id)

    def _began(self, session: Session, started: TurnStarted, events: list[Event]) -> tuple[TurnStarted, list[Event]]:
        """With what the memory is for the turn, and a reminder of what is left to do."""
        guarded = started.model_copy(update={"memory_guard": self._orientation.guard_of(session, events)})
        reminder = start_reminder(session, self._judge.offered(session)) if started.kind != "continue" else None
        return guarded, [*([reminder] if reminder else []), *events]

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
