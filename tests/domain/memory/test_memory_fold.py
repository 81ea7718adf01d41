"""What a turn asks of the memory, as its events fold."""

from datetime import UTC, datetime

from desktop.domain.events import Envelope, Event, TurnEnded, TurnStarted
from desktop.domain.history.state import MemoryGuard
from desktop.domain.history.state_of import SessionState, fold
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.values import Entry

AT = datetime(2026, 11, 22, tzinfo=UTC)


def after(*events: Event) -> MemoryGuard:
    state = SessionState.begin("ses_1")
    for seq, event in enumerate(events):
        envelope = Envelope(event_id=f"evt_{seq}", session_id="ses_1", seq=seq, parent_id=None, at=AT, event=event)
        state = fold(state, envelope)
    return state.memory


def begun(turn_id: str = "trn_1", **more: object) -> TurnStarted:
    return TurnStarted(turn_id=turn_id, **more)  # type: ignore[arg-type]


def test_a_search_before_the_turn_satisfies_it_unless_it_could_not_run() -> None:
    failed = MemorySearched(automatic=True, guard="required", ran=False, satisfies=False)
    assert after(begun(memory_guard="required")) == MemoryGuard(needed="required")
    tried = MemoryGuard(needed="required", oriented="required")
    assert after(begun(memory_guard="soft"), failed) == tried
    assert after(begun(), failed, MemorySearched()) == tried.model_copy(update={"satisfied": True})


def test_a_turn_begins_anew_and_one_that_continues_keeps_what_it_had() -> None:
    first = (begun(memory_guard="required"), MemorySearched(automatic=True, guard="required"))
    ended = TurnEnded(turn_id="trn_1", status="interrupted")
    full = MemoryGuard(needed="required", oriented="required", satisfied=True)
    assert after(*first, ended) == full
    assert after(*first, ended, begun("trn_2")) == MemoryGuard()
    assert after(*first, ended, begun("trn_2", kind="continue", continues_turn_id="trn_1")) == full
    assert after(begun(), ended, begun("trn_2", kind="continue", continues_turn_id="trn_1", memory_guard="soft")) == (
        MemoryGuard(needed="soft")
    )


def test_when_an_entry_was_used_or_changed_last() -> None:
    entry = Entry(id="mem_1", content="x", created_at=AT, updated_at=AT)
    later = AT.replace(year=2027)
    assert (entry.last_at, entry.model_copy(update={"used_at": later}).last_at) == (AT, later)
