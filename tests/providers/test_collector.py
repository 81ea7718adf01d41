from typing import Any

import pytest

from desktop.domain.core.usage import Usage
from desktop.providers.base import Delta, TextDelta
from desktop.providers.collector import MessageCollector, parse_input
from desktop.providers.errors import BadEvent

Event = dict[str, Any]
STOP = {"type": "message_stop"}


def start(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def text(value: str, **place: int) -> Event:
    return {"type": "content_block_delta", "delta": {"type": "text_delta", "text": value}, **place}


def stop(index: int, **fields: Any) -> Event:
    return {"type": "content_block_stop", "index": index, **fields}


def collect(*events: Event) -> tuple[MessageCollector, str]:
    collector, deltas = MessageCollector(), list[Delta]()
    for event in events:
        deltas += collector.feed(event)
    return collector, "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_deltas_without_an_index_go_to_the_part_that_is_open() -> None:
    collector, shown = collect(start(0, type="text", text=""), text("a"), text("b"), stop(0), STOP)
    assert collector.message().parts == ({"type": "text", "text": "ab"},)
    assert shown == "ab"


def test_a_delta_without_a_started_part_makes_one() -> None:
    collector, _ = collect(text("hello"), STOP)
    assert collector.message().parts == ({"type": "text", "text": "hello"},)


def test_a_snapshot_adds_only_the_tail_that_was_missing() -> None:
    for whole, tail in (("hello", ""), ("hello world", " world"), ("something else", "")):
        collector, shown = collect(
            start(0, type="text", text=""),
            text("hello", index=0),
            stop(0, content_block={"type": "text", "text": whole}),
            STOP,
        )
        assert collector.message().parts == ({"type": "text", "text": "hello" + tail},)
        assert shown == "hello" + tail


def test_a_snapshot_of_the_whole_message_is_used_for_what_did_not_come() -> None:
    call = {"type": "tool_use", "id": "c", "name": "grep", "input": {"pattern": "x"}}
    message = {"content": [{"type": "text", "text": "hello"}, call]}
    collector, shown = collect(start(0, type="text", text=""), text("hel", index=0), {**STOP, "message": message})
    assert collector.message().parts == ({"type": "text", "text": "hello"}, call)
    assert shown == "hello"


def test_a_call_that_starts_between_two_text_deltas_keeps_its_place() -> None:
    collector, _ = collect(
        start(0, type="text", text=""),
        text("one ", index=0),
        start(1, type="tool_use", id="c", name="grep", input={}),
        text("two", index=0),
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
        stop(1),
        stop(0),
        STOP,
    )
    assert collector.message().parts == (
        {"type": "text", "text": "one two"},
        {"type": "tool_use", "id": "c", "name": "grep", "input": {"a": 1}},
    )


def test_parts_stand_in_the_order_of_their_index() -> None:
    collector, _ = collect(start(1, type="text", text="b"), start(0, type="text", text="a"), STOP)
    assert [part["text"] for part in collector.message().parts if isinstance(part, dict)] == ["a", "b"]


def test_a_text_delta_at_the_index_of_a_call_makes_a_part_of_its_own() -> None:
    collector, _ = collect(start(0, type="tool_use", id="c", name="g", input={}), text("words", index=0), STOP)
    kinds = [part["type"] for part in collector.message().parts if isinstance(part, dict)]
    assert kinds == ["tool_use", "text"]


def test_unknown_events_deltas_and_blocks_are_no_obstacle() -> None:
    odd = {"type": "server_tool_use", "id": "s", "name": "web", "input": {}}
    collector, _ = collect(
        {"type": "novelty"},
        start(0, **odd),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "novel_delta", "x": 1}},
        stop(0),
        stop(7),
        {"type": "message_delta", "delta": {"stop_reason": "novel_reason"}},
        STOP,
    )
    message = collector.message()
    assert message.parts == (odd,)
    assert message.stop_reason == "novel_reason"


def test_redacted_thinking_is_kept_verbatim() -> None:
    collector, _ = collect(start(0, type="redacted_thinking", data="abc=="), stop(0), STOP)
    assert collector.message().parts == ({"type": "redacted_thinking", "data": "abc=="},)


def test_whole_only_after_the_end_or_a_stop_reason_with_all_parts_closed() -> None:
    collector = MessageCollector()
    collector.feed(start(0, type="text", text="x"))
    assert not collector.complete
    collector.feed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    assert not collector.complete
    collector.feed(stop(0))
    assert collector.complete
    assert not collector.stopped


def test_numbers_that_are_none_are_unknown() -> None:
    usage = {"input_tokens": None, "output_tokens": "7", "cache_read_input_tokens": True}
    collector, _ = collect({"type": "message_start", "message": {"usage": usage}}, STOP)
    assert collector.message().usage == Usage()


def test_a_later_count_replaces_an_earlier_one() -> None:
    collector, _ = collect(
        {"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 9}},
        STOP,
    )
    assert collector.message().usage == Usage(input=5, output=9)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message_start"},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_delta", "index": 0, "delta": "x"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}},
    ],
)
def test_an_event_of_the_wrong_form_is_refused(event: Event) -> None:
    with pytest.raises(BadEvent):
        MessageCollector().feed(event)


def test_of_a_broken_answer_only_text_and_the_thinking_before_it_are_kept() -> None:
    collector, _ = collect(
        start(0, type="thinking", thinking="t", signature="s"),
        start(1, type="text", text="words"),
        start(2, type="thinking", thinking="more", signature="s"),
        start(3, type="tool_use", id="c", name="g", input={}),
    )
    partial = collector.partial()
    assert partial is not None
    assert [part["type"] for part in partial.parts if isinstance(part, dict)] == ["thinking", "text"]
    assert partial.interrupted


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_blank_text_is_nothing_to_keep(blank: str) -> None:
    collector, _ = collect(start(0, type="thinking", thinking="t"), start(1, type="text", text=blank))
    assert collector.partial() is None


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": "\\ud83d"}', {"a": "\ud83d"}),
        ('{"a": "{[\\"{["}', {"a": '{["{['}),
        ("{" * 500, "{" * 500),
        ('{"a":' + "[" * 100 + "]" * 100 + "}", None),
        ('{"a": "' + "{" * 300 + '"}', {"a": "{" * 300}),
        ('{"a": Infinity}', '{"a": Infinity}'),
        ("null", "null"),
    ],
)
def test_input_is_an_object_or_the_text_it_was(raw: str, value: Any) -> None:
    parsed = parse_input(raw)
    assert parsed == value if value is not None else isinstance(parsed, dict)
