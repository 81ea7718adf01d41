"""What was spent, in microdollars: by all chats in a day, and how fast by one chat. Unknown costs count nothing."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Protocol

from desktop.domain.context.events import CompactionStaged, SideAnswered
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import AssistantMessage, Envelope, InputRequested, InputResolved, ProviderFailed
from desktop.domain.guests.events import GuestCounted
from desktop.domain.history.state import SessionState
from desktop.domain.mcp.events import McpSampled

SPENDING = (
    "assistant_message",
    "provider_failed",
    "compaction_staged",
    "side_answered",
    "mcp_sampled",
    "guest_counted",
)
ALARM_MICROUSD = 1_000_000
ALARM_FACTOR = 5
WINDOW_S = 300.0


class SpendLog(Protocol):
    """The part of the event store that tells what was spent."""

    def recent(self, types: tuple[str, ...], since: datetime) -> list[Envelope]:
        """The events of these types since then, of all sessions, newest first."""

    def subscribe(self, listener: Callable[[Envelope], None]) -> None:
        """Tell of each event after it is stored."""


def event_cost(event: EventBase) -> int:
    """What the model request behind an event cost, 0 if there was none or nobody knows (sessions-SK1)."""
    if isinstance(
        event, AssistantMessage | ProviderFailed | CompactionStaged | SideAnswered | McpSampled | GuestCounted
    ):
        return max(event.cost_microusd or 0, 0)
    return 0


class DaySpend:
    """What all chats spent today, in UTC. The store is read once a day at most, and only when somebody asks."""

    def __init__(self, log: SpendLog, clock: Callable[[], datetime]) -> None:
        self._log = log
        self._clock = clock
        self._day: date | None = None
        self._sum = 0
        log.subscribe(self._seen)

    def total(self) -> int:
        """Today's sum so far."""
        now = self._clock()
        if self._day != now.date():
            midnight = datetime.combine(now.date(), time(), now.tzinfo)
            self._sum = sum(event_cost(e.event) for e in _of_here(self._log.recent((*SPENDING, "imported"), midnight)))
            self._day = now.date()
        return self._sum

    def _seen(self, envelope: Envelope) -> None:
        if self._day is not None and envelope.at.date() == self._day:
            self._sum += event_cost(envelope.event)


def _of_here(newest_first: Iterable[Envelope]) -> Iterator[Envelope]:
    """Without what a file says was spent."""
    imported: set[str] = set()
    for envelope in newest_first:
        if envelope.kind == "imported":
            imported.add(envelope.session_id)
        elif envelope.session_id not in imported:
            yield envelope


def waited(state: SessionState, now: datetime) -> timedelta:
    """How long people were waited for in the turn that runs: while a card is open the clock stands."""
    before = timedelta(seconds=state.turn.waited_s if state.turn is not None else 0.0)
    return before + sum((max(now - opened.since, timedelta()) for opened in state.open_inputs.values()), timedelta())


def alarm(log: list[Envelope], now: datetime) -> str:
    """A sentence when the chat spends much faster than before, else "".

    The rule: in the last 5 minutes of running it spent more than 1 USD, and more than 5 times the mean of all 5 minutes
    of running before. Running is time within turns in which nobody was waited for. A chat that ran less than 5 minutes
    before counts as if it had run so long.
    """
    recent = earlier = 0
    running = timedelta()
    open_inputs: set[str] = set()
    later, in_turn = now, True
    window = timedelta(seconds=WINDOW_S)
    for envelope in reversed(log):
        if in_turn and not open_inputs:
            running += max(later - envelope.at, timedelta())
        later = envelope.at
        if envelope.kind in ("turn_started", "turn_ended"):
            in_turn = envelope.kind == "turn_ended"
        _look_for_waiting(envelope, open_inputs)
        cost = event_cost(envelope.event) if envelope.kind in SPENDING else 0
        if running <= window:
            recent += cost
        elif recent <= ALARM_MICROUSD:
            return ""
        else:
            earlier += cost
    mean = earlier / max((running - window) / window, 1.0)
    if recent <= ALARM_MICROUSD or recent <= ALARM_FACTOR * mean:
        return ""
    usual = f"; before, 5 minutes cost {dollars(round(mean))}" if earlier else ""
    return f"This chat spent {dollars(recent)} in its last 5 minutes of running{usual}."


def _look_for_waiting(envelope: Envelope, open_inputs: set[str]) -> None:
    """Going back: an answer, until the card that it answers. Records to look back on, one a call, are not read."""
    asks = envelope.kind == "input_requested" and open_inputs
    event = envelope.event if asks or envelope.kind == "input_resolved" else None
    if isinstance(event, InputResolved):
        open_inputs.add(event.input_id)
    elif isinstance(event, InputRequested):
        open_inputs.discard(event.input_id)


def dollars(microusd: int) -> str:
    """An amount for people, in whole cents from a cent on."""
    return f"${microusd / 1_000_000:,.2f}" if microusd >= 10_000 else f"${microusd / 1_000_000:.4f}"
