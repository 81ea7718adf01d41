"""A packed log holds few events as values, gives each back, and lets go of what was read."""

import gc
import tracemalloc
from datetime import UTC, datetime

from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import Envelope, Event, ToolCallDecided, UnknownEvent, UserMessage
from desktop.domain.history.builder import to_messages
from desktop.domain.history.packing import KEPT, PackedLog
from desktop.domain.history.picked import picked

AT = datetime(2026, 1, 1, tzinfo=UTC)
COUNT = KEPT * 5


def envelope(seq: int, event: Event) -> Envelope:
    """An event with its place."""
    return Envelope(event_id=f"evt_{seq}", session_id="s", seq=seq, parent_id=None, at=AT, event=event)


def decided(seq: int) -> ToolCallDecided:
    """What is recorded of a call, with facts."""
    call: dict[str, object] = {"paths": [{"raw": f"file-{seq}-{n}", "op": "list", "exists": True} for n in range(9)]}
    return ToolCallDecided.model_validate({
        "call_id": f"call_{seq}", "name_called": "bash", "tool": "bash", "input": {"command": f"touch {seq}"},
        "verdict": Verdict.ALLOW, "rule": "mode", "mode": PermissionMode.EDIT, "facts": {"call": call},
    })  # fmt: skip


def stored(seq: int) -> Envelope:
    """What a person said, as the store gives it."""
    parent = f"evt_{seq - 1}" if seq else None
    event = UserMessage(parts=({"type": "text", "text": f"message {seq}"},))
    place = envelope(seq, event).model_copy(update={"parent_id": parent}).model_dump(exclude={"event"})
    return Envelope.late(place, "user_message", dump_event(event, f"evt_{seq}", parent), load_event)


def held(kind: type[Event]) -> int:
    """How many events of a kind are alive."""
    gc.collect()
    return sum(type(one) is kind for one in gc.get_objects())


def test_a_long_log_holds_its_newest_events_alone() -> None:
    before = held(ToolCallDecided)
    log = PackedLog()
    for seq in range(COUNT):
        log.add(envelope(seq, decided(seq)))
    assert held(ToolCallDecided) - before < KEPT * 1.25
    assert [one.event for one in log] == [decided(seq) for seq in range(COUNT)]
    assert held(ToolCallDecided) - before < KEPT * 1.25


def test_the_message_list_of_a_stored_log_keeps_no_event() -> None:
    log = PackedLog([stored(seq) for seq in range(COUNT)])
    before = held(UserMessage)
    assert len(to_messages(log)[0]["content"]) == COUNT
    assert held(UserMessage) == before


def test_a_packed_event_takes_a_fraction_of_its_memory() -> None:
    tracemalloc.start()
    try:
        whole = [envelope(seq, decided(seq)) for seq in range(COUNT)]
        as_values, _ = tracemalloc.get_traced_memory()
        log = PackedLog(kept=0)
        for one in whole:
            log.add(one)
        with_both, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert with_both - as_values < as_values / 4


def test_one_that_crosses_to_the_window_reads_its_event_once() -> None:
    log = PackedLog(kept=0)
    log.add(envelope(0, UserMessage(parts=({"type": "text", "text": "\ud83d"},))))
    again = log[0].unpacked()
    assert again == log[0]
    assert again.event is again.event
    assert log[0].event is not log[0].event
    assert again.unpacked() is again
    assert repr(log[0]) == repr(again)


def test_picking_from_a_log_reads_the_wanted_kinds_alone() -> None:
    log = PackedLog([stored(seq) for seq in range(4)])
    told = envelope(4, decided(4))
    log.add(told)
    assert list(picked(reversed(log), ToolCallDecided)) == [(told, told.event)]
    assert [one.unread is None for one in log] == [False] * 4 + [True]
    assert [entry.seq for entry, _ in picked(log, UserMessage)] == [0, 1, 2, 3]
    unreadable = UnknownEvent(original_type="user_message", raw="{", reason="invalid")
    assert list(picked([envelope(5, unreadable)], UserMessage)) == []
