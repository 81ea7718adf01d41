"""Reports and evidence of a session are found without reading the rest of it, on the path that the chat is on."""

from datetime import UTC, datetime

from desktop.domain.chats.library_events import Imported
from desktop.domain.context.events import Rewound
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import Envelope, Notice, SessionForked, SessionStarted
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.store.database import SqliteStore
from desktop.store.history.evidence_rows import SqliteEvidenceRows

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def report(call_id: str) -> CompletionReported:
    return CompletionReported(call_id=call_id, summary="Done.", status="completed")


def run(number: int) -> EvidenceRecorded:
    return EvidenceRecorded(evidence_id=f"ev_{number}", started_at=AT)


def kept(store: SqliteStore, session_id: str) -> list[str]:
    """What is on the path, each by its name."""
    events = [envelope.event for envelope in store.evidence.on_path(session_id)]
    return [event.evidence_id if isinstance(event, EvidenceRecorded) else event.call_id for event in events]


def test_reports_are_those_of_the_path_and_runs_count_wherever_it_went(store: SqliteStore) -> None:
    one = new_session_id()

    def add(*events: object) -> list[Envelope]:
        return [store.events.append(one, event) for event in events]

    start, *_ = add(SessionStarted(), Notice(kind="x", text="x"))
    assert kept(store, one) == []
    first = add(run(1), report("r1"))[-1]
    second = add(run(2), report("r2"), ClaimChecked(report_id="r2", claim=0, call_id="c"))[-1]
    assert kept(store, one) == ["ev_1", "r1", "ev_2", "r2", "c"]
    add(Rewound(to_event_id=first.event_id), report("r3"))
    assert kept(store, one) == ["ev_1", "r1", "ev_2", "c", "r3"]
    add(Rewound(to_event_id=second.event_id))
    assert kept(store, one) == ["ev_1", "r1", "ev_2", "r2", "c"]
    add(Rewound(to_event_id=start.event_id))
    assert kept(store, one) == ["ev_1", "ev_2", "c"]
    assert store.evidence.reporting() == {one}
    forked = SessionForked(source_session_id=one, source_event_id=first.event_id)
    other = store.events.fork(one, first.event_id, forked).session_id
    assert kept(store, other) == []
    store.events.append(other, report("r9"))
    store.events.append(other, Rewound(to_event_id=start.event_id))
    assert kept(store, other) == []
    store.events.append(other, report("r10"))
    store.events.append(other, Imported(source_name="chat.jsonl"))
    store.events.append(other, run(7))
    assert kept(store, other) == ["ev_7"]
    plan = store.database.rows("EXPLAIN QUERY PLAN " + SqliteEvidenceRows.ON_PATH, (one,))
    assert "evidence_of_session" in str(plan)


def test_the_chats_of_a_lane_are_found(store: SqliteStore) -> None:
    one, two = new_session_id(), new_session_id()
    store.events.append(one, SessionStarted(lane_id="ln_a"))
    store.events.append(two, SessionStarted(lane_id="ln_b"))
    assert store.evidence.in_lane("ln_a") == [one]
