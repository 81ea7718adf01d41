"""What was spent: the alarm's rule and the time in which people were waited for."""

from datetime import UTC, datetime, timedelta

from desktop.agent.turns.spend import DaySpend, alarm, dollars, waited
from desktop.domain.context.events import CompactionStaged
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    ProviderFailed,
    TitleChanged,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.gate.pending import Answer, Question, QuestionRequest
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state_of import SessionState

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED = QuestionRequest(call_id="c", questions=(Question(id="q", text="?"),))


def at(minutes: float, event: Event) -> Envelope:
    """An event so many minutes after the start."""
    return Envelope(
        event_id=f"evt_{minutes}", session_id="s", seq=0, parent_id=None, at=START + timedelta(minutes=minutes),
        event=event, prev_hash="", hash="",
    )  # fmt: skip


def spent(minutes: float, cents: int) -> Envelope:
    """An answer that cost so much."""
    return at(minutes, AssistantMessage(parts=(), cost_microusd=cents * 10_000))


def begun(minutes: float) -> Envelope:
    """A turn begins."""
    return at(minutes, TurnStarted(turn_id="t"))


def ended(minutes: float) -> Envelope:
    """A turn ends."""
    return at(minutes, TurnEnded(turn_id="t", status="completed"))


def told(log: list[Envelope], minutes: float) -> str:
    """The alarm at that time."""
    return alarm(log, START + timedelta(minutes=minutes))


def test_more_than_a_dollar_at_once_alarms_in_a_young_chat() -> None:
    assert told([begun(0), spent(1, 60), spent(2, 50)], 3) == "This chat spent $1.10 in its last 5 minutes of running."
    assert told([begun(0), spent(1, 50), spent(2, 50)], 3) == ""


def test_a_chat_that_always_spends_so_much_does_not_alarm() -> None:
    steady = [begun(0), *(spent(n, 50) for n in range(1, 61))]
    assert told(steady, 60) == ""
    assert "before, 5 minutes cost $2." in told([*steady, spent(61, 1500)], 62)


def test_the_time_between_turns_and_of_waiting_is_no_running_time() -> None:
    idle = [begun(0), spent(1, 60), ended(2), at(30, TitleChanged(title="x", by="person")), begun(600), spent(601, 60)]
    assert told(idle, 602)
    waits = [
        begun(0), spent(1, 60), at(1.5, InputRequested(input_id="i", call_id="c", request=ASKED)),
        at(90, InputResolved(input_id="i", answer=Answer(outcome="reject"))), spent(91, 60),
    ]  # fmt: skip
    assert told(waits, 92)
    busy = [begun(0), spent(1, 60), spent(91, 60)]
    assert told(busy, 92) == ""


def test_waiting_is_counted_also_while_it_lasts() -> None:
    asked = at(1, InputRequested(input_id="i", call_id="c", request=ASKED))
    looked_back = at(1, InputRequested(input_id="r", call_id="c", request=ASKED.model_copy(update={"blocking": False})))
    answered = at(4, InputResolved(input_id="i", answer=Answer(outcome="reject")))
    now = START + timedelta(minutes=10)
    state = SessionState.begin("s")
    assert waited(state, now) == timedelta()
    assert waited(fold_log(state, [begun(0), asked, looked_back, answered]), now) == timedelta(minutes=3)
    assert waited(fold_log(state, [begun(0), asked]), now) == timedelta(minutes=9)
    assert waited(fold_log(state, [begun(0), asked, answered, ended(5), begun(6)]), now) == timedelta()


class Log:
    """A log that counts how often it is read."""

    def __init__(self, events: list[Envelope]) -> None:
        self.events = events
        self.reads = 0
        self.tell = lambda envelope: None

    def recent(self, types: tuple[str, ...], since: datetime) -> list[Envelope]:
        self.reads += 1
        return [e for e in self.events if e.at >= since and e.event.type in types]

    def subscribe(self, listener: object) -> None:
        self.tell = listener  # type: ignore[assignment]


def test_a_day_is_read_once_and_followed_then() -> None:
    now = START
    log = Log([spent(-60 * 24, 999), spent(1, 3), at(2, ProviderFailed(attempt=1, max_attempts=5, category="x"))])
    day = DaySpend(log, lambda: now)
    log.tell(spent(3, 5))
    assert (day.total(), log.reads) == (30_000, 1)
    log.tell(spent(4, 5))
    log.tell(at(5, CompactionStaged(cost_microusd=7)))
    assert (day.total(), log.reads) == (80_007, 1)
    now = START + timedelta(days=1)
    log.tell(spent(60 * 24, 2))
    assert (day.total(), log.reads) == (0, 2)


def test_amounts_are_told_in_cents_and_small_ones_finer() -> None:
    assert (dollars(1_234_567), dollars(5_000), dollars(1_500_000_000)) == ("$1.23", "$0.0050", "$1,500.00")
