"""ChatFigures: what each chat did so far, folded from its log; only what is new since the last time is read."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime

from desktop.domain.compared.values import RunFigures
from desktop.domain.events import Envelope, ToolCallFinished, TurnEnded
from desktop.domain.history.state_of import SessionState, fold
from desktop.records import dataclass
from desktop.store.core.events import EventStore
from desktop.store.core.readings import Readings


@dataclass(frozen=True)
class _Folded:
    """Up to `state.head_seq`."""

    state: SessionState
    steps: int = 0
    worked_ms: int = 0
    declined: int = 0

    def after(self, envelopes: Iterable[Envelope], state: SessionState | None = None) -> "_Folded":
        """With these events; `state`: after them, where it is known."""
        now, steps, worked, declined = state or self.state, self.steps, self.worked_ms, self.declined
        for envelope in envelopes:
            if state is None:
                now = fold(now, envelope)
            if envelope.kind == "turn_started":
                declined = 0
            elif isinstance(envelope.event, ToolCallFinished):
                declined += envelope.event.outcome == "declined"
            if isinstance(envelope.event, TurnEnded):
                steps += envelope.event.steps
                worked += envelope.event.duration_ms - envelope.event.waited_ms
        return _Folded(now, steps, worked, declined)


class ChatFigures:
    """On the engine thread; a log is read whole once, on a worker thread."""

    def __init__(self, events: EventStore, readings: Readings, clock: Callable[[], datetime]) -> None:
        self._events, self._readings, self._clock = events, readings, clock
        self._known: dict[str, _Folded] = {}

    async def of(self, session_id: str) -> tuple[RunFigures, bool] | None:
        """The figures of a chat, and whether it is archived; None: there is no such chat.

        Raises:
            StoreError: its log cannot be read.
        """
        if self._events.head(session_id) is None:
            self._known.pop(session_id, None)
            return None
        known = self._known.get(session_id)
        if known is None:
            opened = await asyncio.to_thread(self._readings.chat, session_id)
            own = [one for one in opened.path if one.session_id == session_id]
            known = _Folded(SessionState()).after(own, opened.state)
        known = self._known[session_id] = known.after(self._events.read(session_id, known.state.head_seq))
        return self._figures(known), known.state.archived

    def _figures(self, known: _Folded) -> RunFigures:
        state, turn = known.state, known.state.turn
        steps, worked = known.steps, known.worked_ms
        if turn is not None:
            steps += turn.steps
            if not state.open_inputs:
                gone = (self._clock() - turn.started_at).total_seconds() - turn.waited_s
                worked += max(0, round(1000 * gone))
        return RunFigures(
            steps=steps,
            worked_ms=worked,
            cost_microusd=max(0, state.cost_microusd - state.inherited_microusd),
            cost_unknown=state.cost_unknown,
            status=state.last_turn.status if state.last_turn is not None and turn is None else "",
            declined=known.declined,
        )
