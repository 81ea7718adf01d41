"""The neutral form: defaults, kept foreign content, refusals, and what other readers see."""

import base64
import copy
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from desktop.domain.context.events import Compacted
from desktop.domain.core.errors import CorruptLog, NeutralError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    ModeChanged,
    Notice,
    SessionForked,
    SessionStarted,
    ToolCallFinished,
    ToolCallStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.domain.history.builder import to_messages
from desktop.domain.history.neutral import EPOCH, dump_neutral, load_neutral

AT = datetime(2026, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC)


def only(element):
    return load_neutral([{"seq": 0, **element}])[0]


def place(envelope):
    return envelope.session_id, envelope.seq, envelope.event_id, envelope.parent_id


def test_defaults_of_session_id_and_parent():
    log = load_neutral(
        [
            {"seq": 4, "type": "message.user", "content": "b"},
            {"seq": 1, "type": "session.start"},
            {"seq": 2, "type": "message.user", "content": "c", "session": "s2"},
            {"seq": 1, "type": "session.fork", "session": "s2", "from": "e4"},
            {"seq": 7, "type": "session.rewind", "to": "e1"},
            {"seq": 8, "type": "message.user", "content": "d", "id": "own", "parent": None},
        ]
    )
    assert [place(e) for e in log] == [
        ("main", 1, "e1", None),
        ("main", 4, "e4", "e1"),
        ("main", 7, "e7", "e1"),
        ("main", 8, "own", None),
        ("s2", 1, "s2.e1", "e4"),
        ("s2", 2, "s2.e2", "s2.e1"),
    ]


def test_input_is_not_changed():
    events = [{"seq": 0, "type": "message.user", "content": [{"type": "text", "text": "a", "_x": {}}], "k": [1]}]
    before = copy.deepcopy(events)
    to_messages(load_neutral(events))
    assert events == before


def test_integer_ids_of_other_programs_are_names():
    log = load_neutral(
        [
            {"seq": 0, "id": 10, "type": "message.user", "content": "a"},
            {"seq": 1, "id": 11, "type": "message.user", "content": "b", "parent": 10},
            {"seq": 2, "id": [], "type": "message.deleted", "target": 10},
        ]
    )
    assert [e.event_id for e in log] == ["10", "11", "e2"]
    assert to_messages(log) == [{"role": "user", "content": [{"type": "text", "text": "b"}]}]


@pytest.mark.parametrize(
    ("events", "index"),
    [
        (["x"], 0),
        ([{"type": "a"}], 0),
        ([{"seq": True, "type": "a"}], 0),
        ([{"seq": 1.0, "type": "a"}], 0),
        ([{"seq": 0, "type": "a"}, {"seq": 1}], 1),
        ([{"seq": 0, "type": 3}], 0),
        ([{"seq": 0, "type": "a"}, {"seq": 0, "type": "b", "id": "other"}], 1),
        ([{"seq": 0, "type": "a"}, {"seq": 1, "type": "b", "id": "e0"}], 1),
    ],
)
def test_malformed_list_is_refused_with_the_place(events, index):
    with pytest.raises(NeutralError) as caught:
        load_neutral(events)
    assert caught.value.index == index


def test_same_seq_in_two_sessions_is_fine():
    assert len(load_neutral([{"seq": 0, "type": "a"}, {"seq": 0, "type": "a", "session": "s"}])) == 2


@pytest.mark.parametrize(
    "element",
    [
        {"type": "message.user"},
        {"type": "message.user", "content": None},
        {"type": "message.user", "content": {"type": "text", "text": "a"}},
        {"type": "message.assistant", "content": 3},
        {"type": "message.assistant", "content": "a", "stop_reason": 5},
        {"type": "tool.call", "name": "bash", "input": {}},
        {"type": "tool.call", "tool_use_id": "c", "name": 4},
        {"type": "tool.result", "content": "x"},
        {"type": "tool.result", "tool_use_id": "c", "content": 7},
        {"type": "message.deleted"},
        {"type": "message.deleted", "target": ["e0"]},
        {"type": "session.rewind"},
        {"type": "session.rewind", "to": {}},
    ],
)
def test_known_type_with_wrong_fields_is_kept_without_effect(element):
    loaded = only(element)
    assert isinstance(loaded.event, UnknownEvent)
    assert loaded.event.reason == "invalid"
    assert loaded.event.original_type == element["type"]
    assert json.loads(loaded.event.raw) == {"seq": 0, **element}
    assert load_neutral(dump_neutral([loaded])) == [loaded]
    assert to_messages([loaded]) == []


def test_unknown_type_is_kept_whole_and_keeps_its_name_when_written():
    element = {"type": "zz.future", "x": {"b": 1, "a": 2}, "y": "\ud83d"}
    loaded = only(element)
    assert loaded.event.reason == "unknown_type"
    assert json.loads(loaded.event.raw) == {"seq": 0, **element}
    assert dump_neutral([loaded])[0]["type"] == "zz.future"
    assert load_neutral(dump_neutral([loaded])) == [loaded]


def test_unknown_fields_of_a_known_type_are_kept():
    loaded = only({"type": "message.assistant", "content": "a", "usage": {"input_tokens": 5}, "model": 3})
    assert isinstance(loaded.event, AssistantMessage)
    assert loaded.event.unknown_fields == {"x_neutral": {"usage": {"input_tokens": 5}, "model": 3}}
    assert load_neutral(dump_neutral([loaded])) == [loaded]


def test_optional_fields_that_are_null_count_as_absent():
    loaded = only({"type": "tool.result", "tool_use_id": "c", "content": None, "is_error": None, "interrupted": None})
    assert loaded.event == ToolCallFinished(call_id="c", outcome="ok")
    assert only({"type": "tool.call", "tool_use_id": "c"}).event == ToolCallStarted(call_id="c", tool="")


@pytest.mark.parametrize(
    ("fields", "outcome"), [({}, "ok"), ({"is_error": True}, "error"), ({"interrupted": True}, "interrupted")]
)
def test_outcome_of_a_foreign_result(fields, outcome):
    assert only({"type": "tool.result", "tool_use_id": "c", "content": "x", **fields}).event.outcome == outcome


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ("2026-02-03T04:05:06.789Z", AT),
        ("2026-02-03T05:05:06.789+01:00", AT),
        ("2026-02-03T04:05:06.789", AT),
        ("yesterday", EPOCH),
        ("0001-01-01T00:00:00+10:00", EPOCH),
        (4, EPOCH),
        (None, EPOCH),
    ],
)
def test_time_is_read_as_utc_or_is_the_epoch(given, at):
    assert only({"type": "session.start", "at": given}).at == at


def test_cycle_and_missing_parents_are_for_reconstruction_to_tell():
    ring = load_neutral(
        [
            {"seq": 0, "type": "message.user", "content": "a", "parent": "e1"},
            {"seq": 1, "type": "message.user", "content": "b"},
        ]
    )
    with pytest.raises(CorruptLog):
        to_messages(ring)
    stray = load_neutral(
        [{"seq": 0, "type": "message.user", "content": "a"}, {"seq": 1, "type": "session.rewind", "to": "nope"}]
    )
    assert to_messages(stray) == []


def envelope(event, **place):
    defaults = {"event_id": "e", "session_id": "s", "seq": 0, "parent_id": None, "at": AT}
    return Envelope(event=event, **{**defaults, **place})


def test_written_form_says_what_the_tables_know_and_the_rest_beside_it():
    event = ToolCallFinished(call_id="c", outcome="declined", content="no", is_error=True, duration_ms=3)
    written = dump_neutral([envelope(event, parent_id="p", hash="h", prev_hash="g")])[0]
    extra = written.pop("x_banksman")
    assert written == {
        "seq": 0,
        "type": "tool.result",
        "id": "e",
        "session": "s",
        "parent": "p",
        "at": "2026-02-03T04:05:06.789Z",
        "tool_use_id": "c",
        "content": "no",
        "is_error": True,
    }
    assert extra["fields"]["outcome"] == "declined"
    assert "call_id" not in extra["fields"]
    assert (extra["type"], extra["v"], extra["prev_hash"], extra["hash"]) == ("tool_call_finished", 1, "g", "h")


@pytest.mark.parametrize(
    ("event", "written"),
    [
        (Notice(kind="k", text="t"), "banksman.notice"),
        (UnknownEvent(original_type="lane_tainted", raw="{}", reason="unknown_type"), "banksman.lane_tainted"),
        (UnknownEvent(original_type="", raw="no json", reason="invalid"), "banksman.unknown_event"),
        (UnknownEvent(original_type="message.user", raw="{}", reason="invalid"), "banksman.unknown_event"),
        (UnknownEvent(original_type="banksman.notice", raw="{}", reason="invalid"), "banksman.unknown_event"),
        (Compacted(summary=" ", keep_from=None), "compaction.boundary"),
    ],
)
def test_type_as_written(event, written):
    made = envelope(event)
    assert dump_neutral([made])[0]["type"] == written
    assert load_neutral(dump_neutral([made])) == [made]


@pytest.mark.parametrize(
    "made",
    [
        envelope(SessionStarted(mode=PermissionMode.FULL_AUTO, title="\ud83d")),
        envelope(SessionForked(source_session_id="a", source_event_id="x"), parent_id="y"),
        envelope(SessionForked(source_session_id="a"), parent_id=None),
        envelope(ModeChanged(mode=PermissionMode.PLAN, previous=PermissionMode.EDIT, by="person")),
        envelope(UserMessage(parts=(1, None, {"type": "text", "text": "a"}))),
        envelope(ToolCallStarted(call_id="7", tool="", input=0, v=2)),
        envelope(ToolCallFinished(call_id="c", outcome="ok", content=())),
        envelope(Notice(kind="k", text="t"), at=AT + timedelta(microseconds=1)),
        envelope(Notice(kind="k", text="t"), at=AT.astimezone(timezone(timedelta(hours=5)))),
        envelope(UnknownEvent(original_type="a.b", raw="x", reason="invalid", v=3)),
    ],
    ids=lambda made: type(made.event).__name__,
)
def test_every_product_event_comes_back_equal(made):
    assert load_neutral(json.loads(json.dumps(dump_neutral([made])))) == [made]


@pytest.mark.parametrize(
    "extra", [3, {}, {"type": 4}, {"type": "user_message", "fields": {"parts": []}}, {"fields": 4}]
)
def test_unknown_type_cannot_pose_as_a_message(extra):
    loaded = only({"type": "zz.future", "x_banksman": extra})
    assert isinstance(loaded.event, UnknownEvent)
    assert loaded.event.original_type == "zz.future"


def test_extra_fields_that_do_not_fit_make_the_event_unusable_not_the_log():
    loaded = only({"type": "message.user", "content": "a", "x_banksman": {"fields": {"parts": 4}, "hash": 4}})
    assert loaded.event.reason == "invalid"
    assert loaded.hash == ""


def test_stored_bytes_are_written_out_for_other_readers():
    stored = {"t": "long \ud83d text".encode("utf-8", "surrogatepass"), "j": b'{"a": 1}', "b": b"\x89PNG"}
    data = {"$blob": "b", "form": "base64", "media_type": "image/png", "size": 4}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    call = {"type": "tool_use", "id": "c", "name": "bash", "input": {"$blob": "j", "form": "json"}}
    gone = {"type": "text", "text": {"$blob": "gone", "form": "text"}}
    parts = (image, call, gone, {"type": "text", "text": {"$blob": "t", "form": "text"}}, {"type": "x", "$blob": 4})
    made = envelope(AssistantMessage(parts=parts))
    written = dump_neutral([made], stored.get)
    assert written[0]["content"] == [
        {**image, "source": {**image["source"], "data": base64.b64encode(b"\x89PNG").decode()}},
        {**call, "input": {"a": 1}},
        gone,
        {"type": "text", "text": "long \ud83d text"},
        {"type": "x", "$blob": 4},
    ]
    assert load_neutral(written) == [made]
