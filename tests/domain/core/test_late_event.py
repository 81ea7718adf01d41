"""An envelope whose event is read late is the same in every respect as one that holds it."""

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import Envelope, UnknownEvent, UserMessage

AT = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = {"event_id": "e", "session_id": "s", "seq": 3, "parent_id": None, "at": AT, "prev_hash": "p", "hash": "h"}
EVENT = UserMessage(parts=({"type": "text", "text": "\ud83d"},))
BODY = dump_event(EVENT, "e", None)


def early():
    return Envelope(**PLACE, event=EVENT)


def late(read=load_event):
    return Envelope.late(dict(PLACE), "user_message", BODY, read)


def test_event_is_read_once_and_not_before_it_is_asked_for():
    read = []
    envelope = late(lambda text: read.append(text) or load_event(text))
    assert (envelope.seq, envelope.kind, envelope.hash) == (3, "user_message", "h")
    assert read == []
    assert envelope.event == EVENT
    assert envelope.event is envelope.event
    assert read == [BODY]
    assert envelope.kind == "user_message"


def test_late_and_early_are_equal_both_ways_and_in_sets():
    assert late() == early()
    assert early() == late()
    assert late() != early().model_copy(update={"seq": 4})
    assert late() != "e"
    assert {late(), early()} == {early()}


def test_copies_and_dumps_hold_the_event():
    assert late().model_copy(update={"seq": 9}) == early().model_copy(update={"seq": 9})
    assert late().model_dump() == early().model_dump()
    plain = UserMessage(parts=())
    envelope = Envelope.late(dict(PLACE), "user_message", dump_event(plain, "e", None), load_event)
    assert json.loads(envelope.model_dump_json()) == json.loads(Envelope(**PLACE, event=plain).model_dump_json())
    assert copy.copy(late()) == early()


def test_kind_of_an_unknown_event_is_its_own():
    unknown = UnknownEvent(original_type="zz", raw="{}", reason="unknown_type")
    assert Envelope(**PLACE, event=unknown).kind == "zz"
    assert early().kind == "user_message"


def test_copy_with_another_event_has_its_kind():
    other = UnknownEvent(original_type="zz", raw="{}", reason="unknown_type")
    assert late().model_copy(update={"event": other}).kind == "zz"


def test_nothing_else_is_made_up():
    with pytest.raises(AttributeError):
        _ = late().nothing


def test_what_is_shown_of_it_has_its_event():
    assert repr(EVENT) in repr(late())


def test_who_asks_while_another_has_just_read_it_gets_the_event_that_was_read():
    envelope = late()
    assert envelope.event == EVENT
    assert envelope.__getattr__("event") is envelope.event


def test_two_threads_may_ask_at_once():
    for _ in range(50):
        envelope = late()
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda e: e.event, [envelope] * 8)) == [EVENT] * 8
