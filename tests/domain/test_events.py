"""Bodies of events: read without ever failing, written so that reading gives the same event."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.event_json import EVENT_TYPES, dump_event, load_event
from desktop.domain.events import (
    Envelope,
    KnownEvent,
    Notice,
    TodosChanged,
    ToolCallFinished,
    ToolCallStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.rules import Rule
from tests.domain.product_logs import EVENTS_WITHOUT_TARGET

STRANGE = [
    '{"a":1,"a":2}', '{"n":NaN}', '[Infinity,-Infinity]', '-0', '[1e400,1e-400,0.1,1E5,-1.5e+3]', '"\\ud83d"',
    "\ufeff{}", '"\x01"', "01", "[1,]", "9" * 4000, "9" * 5000, "[" * 150 + "]" * 150, "", " { } ", '"é\\u00e9"',
    "nul", "true", '{"a":"\ud83d"}', "[1.0,1,12345678901234567890]",
]  # fmt: skip
FROZEN = (Path(__file__).parents[1] / "events_v1" / "log.jsonl").read_text(encoding="ascii").splitlines()


def body(**fields):
    return json.dumps({"id": "e", "parent": None, "v": 1, **fields})


def test_every_known_event_is_registered_under_the_snake_case_of_its_name():
    for cls in get_args(KnownEvent):
        snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in cls.__name__).lstrip("_")
        assert EVENT_TYPES[snake] is cls
    assert len(EVENT_TYPES) == len(get_args(KnownEvent))


def test_body_is_one_line_of_ascii_that_begins_with_id_parent_version_and_type():
    written = dump_event(Notice(kind="k", text="é\n\u2028"), "evt_1", "evt_0")
    assert written.startswith('{"id":"evt_1","parent":"evt_0","v":1,"type":"notice","kind":"k",')
    assert written.isascii()
    assert "\n" not in written
    assert dump_event(Notice(kind="k", text=""), "evt_1", None).startswith('{"id":"evt_1","parent":null,')


@given(EVENTS_WITHOUT_TARGET)
def test_reading_what_was_written_gives_the_same_event(event):
    if isinstance(event, UnknownEvent):
        assert dump_event(event, "e", None) == event.raw
    else:
        written = dump_event(event, "e", "p")
        assert load_event(written) == event
        assert dump_event(load_event(written), "e", "p") == written


@pytest.mark.parametrize("text", STRANGE)
def test_a_stored_text_is_read_as_the_standard_library_reads_it(text):
    stored = f'{{"type":"notice","kind":"k","text":"t","later":{text}}}'
    try:
        value = repr(json.loads(stored)["later"])
    except ValueError:
        assert isinstance(load_event(stored), UnknownEvent)
    else:
        assert repr(load_event(stored).unknown_fields) == repr({"later": value}).replace(repr(value), value)


@settings(max_examples=500)
@given(st.data())
def test_a_body_as_we_write_it_is_read_as_any_other_text_with_the_same_words(data):
    """Also one that somebody changed: a field of another form or twice, a type, id or version said again."""
    frozen = json.loads(data.draw(st.sampled_from(FROZEN)))
    head = {"id": "evt_1", "parent": None, "v": frozen.pop("v"), "type": frozen.pop("type")}
    fields = {name: json.dumps(value) for name, value in frozen.items() if name not in ("id", "parent")}
    names = st.sampled_from([*fields, *head, "unknown_fields", "later"])
    values = st.sampled_from([*STRANGE, *fields.values(), '"notice"', "1", "1.5", "null", '{"id":1}'])
    changes = data.draw(st.lists(st.tuples(names, values, st.booleans()), max_size=2))
    again = [(name, value) for name, value, twice in changes if twice or name in head]
    fields |= {name: value for name, value, twice in changes if not twice and name not in head}
    said = ",".join(f"{json.dumps(name)}:{value}" for name, value in [*fields.items(), *again])
    text = json.dumps(head, separators=(",", ":"))[:-1] + (f",{said}}}" if said else "}")
    spaced = f" {text}"
    as_written, as_any = load_event(text), load_event(spaced)
    if isinstance(as_any, UnknownEvent) and isinstance(as_written, UnknownEvent):
        as_any = as_any.model_copy(update={"raw": text})
    assert repr(as_written) == repr(as_any)
    assert repr(as_written.unknown_fields) == repr(as_any.unknown_fields)


@pytest.mark.parametrize("number", ["9" * 400, "9" * 4000, "1e400", "NaN"])
def test_a_number_that_nothing_can_hold_makes_an_event_unknown_however_it_is_read(number):
    """None was ever written, and what is read must be writable."""
    head = '{"id":"evt_1","parent":null,"v":1,"type":"provider_failed"'
    text = f'{head},"attempt":1,"max_attempts":2,"category":"server","wait_s":{number}}}'
    assert isinstance(load_event(text), UnknownEvent)
    assert isinstance(load_event(f" {text}"), UnknownEvent)


def test_what_this_version_does_not_know_keeps_its_order():
    stored = '{"type":"notice","zz":1,"kind":"k","b":2,"text":"t","a":3,"parent":null}'
    assert list(load_event(stored).unknown_fields) == ["zz", "b", "a"]


def test_lone_surrogates_and_key_order_survive():
    parts = ({"type": "text", "text": "\ud83d"}, {"type": "tool_use", "input": {"z": 1, "a": {"y": 2, "b": 3}}})
    written = dump_event(UserMessage(parts=parts), "e", None)
    loaded = load_event(written)
    assert loaded.parts == parts
    assert list(loaded.parts[1]["input"]) == ["z", "a"]
    assert dump_event(loaded, "e", None) == written


def test_text_that_looks_like_a_reference_stays_an_object():
    parts = ({"type": "tool_use", "id": "c", "name": "n", "input": {"$blob": "00"}},)
    assert load_event(dump_event(UserMessage(parts=parts), "e", None)).parts == parts


def test_unknown_type_is_kept_with_its_exact_text():
    text = '{ "id":"e","parent":null, "v":1,"type":"lane_teleported","x":1.0}'
    loaded = load_event(text)
    assert loaded == UnknownEvent(original_type="lane_teleported", raw=text, reason="unknown_type")
    assert dump_event(loaded, "other", "other") == text


def test_unknown_fields_are_kept_and_written_back():
    loaded = load_event(body(type="notice", kind="k", text="t", later={"a": [1]}))
    assert isinstance(loaded, Notice)
    assert loaded.unknown_fields == {"later": {"a": [1]}}
    assert json.loads(dump_event(loaded, "e", None))["later"] == {"a": [1]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[1]",
        "3",
        '{"v":1}',
        '{"v":1,"type":4}',
        "[" * 100_000,
        body(type="notice", kind=4, text="t"),
        body(type="notice", text="kind is missing"),
        body(type="session_flag_changed", flag="lost", value=True),
    ],
)
def test_text_that_is_no_event_never_raises(text):
    loaded = load_event(text)
    assert isinstance(loaded, UnknownEvent)
    assert loaded.reason == "invalid"
    assert loaded.raw == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_json_has_no_name_for_are_not_written(number):
    with pytest.raises(ValueError, match="JSON"):
        dump_event(UserMessage(parts=({"n": number},)), "e", None)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_what_json_has_no_form_for_is_not_written_and_a_time_is():
    call = ToolCallStarted.model_construct(call_id="c", tool="t", input={"when": Decimal("1.5")})
    with pytest.raises(TypeError, match="Decimal is not JSON"):
        dump_event(call, "e", None)
    rule = Rule(id="r", decision="deny", kind="tool", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert '"created_at":"2026-01-01T00:00:00+00:00"' in dump_event(RuleSaved(rule=rule), "e", None)


def test_an_envelope_is_read_from_plain_data_or_takes_its_event_as_it_is():
    place = {"event_id": "e", "session_id": "s", "seq": 0, "parent_id": None, "at": "2026-01-01T00:00:00Z"}
    notice = Notice(kind="k", text="t")
    assert Envelope.model_validate({**place, "event": notice}).event is notice
    assert Envelope.model_validate({**place, "event": {"type": "notice", "kind": "k", "text": "t"}}).event == notice


def test_nested_values_come_back_as_their_types():
    todos = load_event(body(type="todos_changed", todos=[{"id": "1", "content": "a", "status": "pending"}]))
    assert isinstance(todos, TodosChanged)
    assert todos.todos[0].content == "a"
    blocks = [{"type": "text", "text": "a"}, {"type": "files", "paths": ["a"]}]
    finished = load_event(body(type="tool_call_finished", call_id="c", outcome="ok", content=[], blocks=blocks))
    assert isinstance(finished, ToolCallFinished)
    assert [block.type for block in finished.blocks] == ["text", "files"]
