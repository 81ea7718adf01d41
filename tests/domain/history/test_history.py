"""The message list, rule by rule."""

import json
import time
from datetime import UTC, datetime

import pytest

from desktop.domain.context.events import DeletionUndone, MessageDeleted
from desktop.domain.core.errors import CorruptLog, UnknownEventId, UnknownSession
from desktop.domain.events import AssistantMessage, Envelope, Notice, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.history.builder import (
    EMPTY_ERROR,
    NOT_EXECUTED,
    OPENING,
    RESULT_REMOVED,
    SUMMARY_ACK,
    SUMMARY_PREFIX,
    UNKNOWN_OUTCOME,
    HistoryBuilder,
    reconstruct,
    to_messages,
)
from desktop.domain.history.neutral import load_neutral
from tests.validity import faults

AT = datetime(2026, 1, 1, tzinfo=UTC)
BIG = {"path": "a.txt", "content": "x" * 9_000}
MARKER = {"_truncated": True, "_originalSize": 9_030, "_preview": '{"path":"a.t'}


def user(content):
    return {"type": "message.user", "content": content}


def assistant(*blocks):
    return {"type": "message.assistant", "content": list(blocks)}


def text(words):
    return {"type": "text", "text": words}


def call(call_id="c1", value=None, name="bash"):
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if value is None else value}


def thinking(words="hm", signature="c2ln"):
    return {"type": "thinking", "thinking": words, "signature": signature}


def started(call_id="c1", value=None):
    return {"type": "tool.call", "tool_use_id": call_id, "name": "bash", "input": value}


def result(content="ok", call_id="c1", **more):
    return {"type": "tool.result", "tool_use_id": call_id, "content": content, **more}


def deleted(target):
    return {"type": "message.deleted", "target": target}


def compacted(summary="S", keep_from=None):
    return {"type": "compaction.summary", "summary": summary, "keep_from": keep_from}


def log(*events):
    return load_neutral([{"seq": seq, **event} for seq, event in enumerate(events)])


def rebuilt(*events):
    done = reconstruct(log(*events))
    assert faults(done.messages) == []
    return done


def contents(*events):
    return [message["content"] for message in rebuilt(*events).messages]


def answers(*events):
    return [b for content in contents(*events) for b in content if b["type"] == "tool_result"]


def envelope(seq, event, parent="auto"):
    parent_id = (f"e{seq - 1}" if seq else None) if parent == "auto" else parent
    return Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=parent_id, at=AT, event=event)


# -- which events count ------------------------------------------------------------------------------------------------


def test_empty_log_gives_an_empty_list():
    assert to_messages([]) == []


def test_unknown_event_to_reconstruct_at_is_an_error():
    with pytest.raises(UnknownEventId):
        to_messages(log(user("a")), at="e9")


def test_unknown_session_is_an_error():
    with pytest.raises(UnknownSession):
        to_messages(log(user("a")), session_id="other")


def test_only_session_is_the_default_and_main_wins_among_several():
    one = load_neutral([{"seq": 0, "session": "s1", **user("a")}])
    two = load_neutral([{"seq": 0, "session": "s1", **user("a")}, {"seq": 0, **user("b")}])
    assert to_messages(one)[0]["content"] == [text("a")]
    assert to_messages(two)[0]["content"] == [text("b")]


def test_several_sessions_without_main_need_a_name():
    several = load_neutral([{"seq": 0, "session": name, **user(name)} for name in ("s1", "s2")])
    with pytest.raises(ValueError, match="several sessions"):
        to_messages(several)
    assert to_messages(several, session_id="s2")[0]["content"] == [text("s2")]


def test_cycle_of_parents_is_refused_quickly():
    ring = [envelope(n, UserMessage(parts=("x",)), parent=f"e{(n - 1) % 2_000}") for n in range(2_000)]
    begun = time.monotonic()
    with pytest.raises(CorruptLog):
        to_messages(ring)
    with pytest.raises(CorruptLog):
        to_messages([envelope(0, UserMessage(parts=()), parent="e0")])
    assert time.monotonic() - begun < 1


def test_missing_parent_starts_the_list_there_with_one_warning():
    done = reconstruct(load_neutral([{"seq": 5, **user("a"), "parent": "gone"}, {"seq": 6, **user("b")}]))
    assert [m["content"] for m in done.messages] == [[text("a"), text("b")]]
    assert len(done.warnings) == 1
    assert "gone" in done.warnings[0]


def test_reconstruction_leaves_the_events_as_they_were():
    events = log(user("a"), assistant(call()), result())
    before = json.dumps([e.model_dump(mode="json") for e in events])
    messages = to_messages(events)
    messages[0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    messages[1]["content"].clear()
    assert json.dumps([e.model_dump(mode="json") for e in events]) == before
    assert to_messages(events)[0]["content"] == [text("a")]


# -- results -----------------------------------------------------------------------------------------------------------


def test_call_and_result_recorded_before_the_answer_make_one_pair():
    assert answers(user("a"), started(), result("r"), assistant(call())) == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "r"}
    ]


def test_result_after_a_later_message_stands_first_in_that_message():
    assert contents(user("a"), assistant(call()), user("b"), result("r"))[2][0]["content"] == "r"


@pytest.mark.parametrize(
    ("content", "is_error", "expected"),
    [
        ("r", False, "r"),
        (" \n", False, " \n"),
        (None, False, ""),
        ([text(" ")], False, ""),
        (
            [text(" "), {"type": "image", "source": {}, "_x": 1}, "no block", 7],
            False,
            [{"type": "image", "source": {}}],
        ),
        ("r", True, "r"),
        (" \n", True, EMPTY_ERROR),
        (None, True, EMPTY_ERROR),
        ([text(" ")], True, EMPTY_ERROR),
        ([], True, EMPTY_ERROR),
    ],
)
def test_result_content_keeps_its_form(content, is_error, expected):
    block = answers(user("a"), assistant(call()), result(content, is_error=is_error))[0]
    assert block["content"] == expected
    assert block.get("is_error", False) is is_error


def test_missing_result_content_is_an_empty_string():
    bare = {"type": "tool.result", "tool_use_id": "c1"}
    assert answers(user("a"), assistant(call()), bare)[0]["content"] == ""


@pytest.mark.parametrize("content", [None, {"type": "text"}, 4])
def test_embedded_result_without_usable_content_is_empty(content):
    block = {"type": "tool_result", "tool_use_id": "c1", "content": content}
    assert answers(user("a"), assistant(call()), user([block]))[0]["content"] == ""


def test_real_result_wins_over_an_earlier_placeholder():
    assert answers(user("a"), assistant(call()), result("wait", interrupted=True), result("real"))[0] == {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": "real",
    }


def test_placeholder_counts_when_nothing_real_exists():
    done = rebuilt(user("a"), assistant(call()), result("cut", interrupted=True, is_error=True), result("x", "c9"))
    assert done.messages[2]["content"][0]["content"] == "cut"
    assert done.synthetic == {}


def test_embedded_placeholder_gives_way_to_a_real_result():
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "wait", "_meta": {"interrupted": True}}
    real = {**block, "content": "real", "_meta": {"interrupted": False}, "is_error": True, "cache_control": {}}
    assert answers(user("a"), assistant(call()), user([block]), user([real])) == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "real", "is_error": True}
    ]


def test_unanswered_calls_say_whether_they_were_started():
    done = rebuilt(user("a"), assistant(call("c1"), call("c2")), started("c2"))
    blocks = done.messages[2]["content"]
    assert [(b["tool_use_id"], b["content"], b["is_error"]) for b in blocks] == [
        ("c1", NOT_EXECUTED, True),
        ("c2", UNKNOWN_OUTCOME, True),
    ]
    assert done.synthetic == {"c1": "not_executed", "c2": "unknown_outcome"}


def test_removed_result_is_no_error():
    done = rebuilt(user("a"), assistant(call()), started(), result("secret"), deleted("e3"))
    assert done.messages[2]["content"] == [{"type": "tool_result", "tool_use_id": "c1", "content": RESULT_REMOVED}]
    assert done.synthetic == {"c1": "result_removed"}
    assert done.dropped_results == ()


def test_removing_one_of_two_results_leaves_the_other():
    assert answers(user("a"), assistant(call()), result("1"), result("2"), deleted("e2"))[0]["content"] == "2"


def test_results_nobody_asked_for_are_dropped_and_reported_once():
    done = rebuilt(user("a"), result("x", "ghost"), result("y", "ghost"), {**result(), "tool_use_id": "other"})
    assert [m["content"] for m in done.messages] == [[text("a")]]
    assert done.dropped_results == ("ghost", "other")


def test_result_from_before_a_compaction_answers_a_kept_call():
    done = rebuilt(user("a"), result("early"), assistant(call()), compacted(keep_from="e2"))
    assert done.messages[2]["content"][0]["content"] == "early"


def test_call_outside_the_context_is_gone_with_its_result():
    done = rebuilt(user("a"), assistant(call()), result("r"), {"type": "context.cleared"}, user("b"))
    assert [m["content"] for m in done.messages] == [[text("b")]]
    assert done.dropped_results == ()


# -- inputs ------------------------------------------------------------------------------------------------------------


def made_input(recorded, *starts):
    done = rebuilt(user("a"), assistant(call(value=recorded)), *(started(value=value) for value in starts))
    return done.messages[1]["content"][0]["input"], done.unrecoverable


def test_marker_is_replaced_by_the_full_input_in_either_order():
    assert made_input(MARKER, BIG) == (BIG, ())
    assert made_input({"_serializationError": True}, BIG) == (BIG, ())
    assert made_input(MARKER, None, MARKER, BIG, {"other": 1}) == (BIG, ())
    assert made_input(MARKER, json.dumps(BIG)) == (BIG, ())
    assert contents(user("a"), started(value=BIG), assistant(call(value=MARKER)))[1][0]["input"] == BIG


def test_marker_without_a_full_input_is_empty_and_reported():
    assert made_input(MARKER) == ({}, ("c1",))
    assert made_input(MARKER, MARKER) == ({}, ("c1",))
    assert made_input(json.dumps(MARKER)) == ({}, ("c1",))


@pytest.mark.parametrize(
    "value", [{**MARKER, "path": "a"}, {"_truncated": False}, {"_serializationError": True, "x": 1}, {"a": 1}]
)
def test_input_that_is_no_marker_is_never_replaced(value):
    assert made_input(value, BIG) == (value, ())


@pytest.mark.parametrize(
    ("recorded", "made", "lost"),
    [
        ('{"a": 1}', {"a": 1}, ()),
        ("not json", {}, ("c1",)),
        ('{"a": NaN}', {}, ("c1",)),
        ("[" * 100_000, {}, ("c1",)),
        ("[1]", {}, ("c1",)),
        (["x"], {}, ("c1",)),
        (3, {}, ("c1",)),
    ],
)
def test_input_that_is_not_an_object(recorded, made, lost):
    assert made_input(recorded, BIG) == (made, lost)


def test_null_input_is_empty():
    block = {"type": "tool_use", "id": "c1", "name": "bash", "input": None}
    done = rebuilt(user("a"), assistant(block))
    assert done.messages[1]["content"][0]["input"] == {}
    assert done.unrecoverable == ()


# -- blocks ------------------------------------------------------------------------------------------------------------


def test_what_no_service_takes_is_dropped():
    bad = [
        "words", 3, None, {}, {"type": 4}, {"type": "text"}, {"type": "text", "text": 1}, {"type": "tool_use", "id": 1},
        {"type": "tool_use", "id": "c1", "name": None}, {"type": "thinking", "signature": "s"},
        {"type": "redacted_thinking"}, {"type": "tool_result", "tool_use_id": "c1", "content": "x"},
    ]  # fmt: skip
    assert contents(user("a"), assistant(*bad, text("b"))) == [[text("a")], [text("b")]]
    assert contents(user([*bad, call(), thinking(), {"type": "redacted_thinking", "data": "x"}, text("b")])) == [
        [text("b")]
    ]


def test_fields_that_are_not_the_services_own_go():
    block = {**text("a"), "cache_control": {}, "_id": 3}
    image = {"type": "image", "source": {"type": "url", "url": "u"}, "_width": 3}
    assert contents(user([block, image])) == [[text("a"), {"type": "image", "source": {"type": "url", "url": "u"}}]]


def test_repeated_call_id_stands_once():
    cut = assistant(thinking(), call())
    done = rebuilt(user("a"), assistant(text("x"), call(), call()), cut, result("r"))
    assert [m["content"] for m in done.messages] == [
        [text("a")],
        [text("x"), call()],
        [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}],
    ]


def test_thinking_stays_only_where_a_service_takes_it():
    sealed = {"type": "redacted_thinking", "data": "RU5D"}
    assert contents(user("a"), assistant(sealed, thinking(), text("b"), thinking(), sealed))[1] == [
        sealed,
        thinking(),
        text("b"),
    ]
    assert contents(user("a"), assistant(text("b")), assistant(thinking(), text("c"))) == [
        [text("a")],
        [text("b"), text("c")],
    ]
    assert contents(user("a"), assistant(thinking(signature=""), {"type": "thinking", "thinking": "x"})) == [
        [text("a")]
    ]


# -- deletions, compactions, the beginning ----------------------------------------------------------------------------


def test_deletion_undone_is_as_if_never_deleted_and_the_last_of_both_counts():
    events = [UserMessage(parts=(text("a"),)), MessageDeleted(target_id="e0"), DeletionUndone(target_id="e0")]
    made = [envelope(seq, event) for seq, event in enumerate([*events, MessageDeleted(target_id="e0")])]
    assert to_messages(made[:1]) == to_messages(made[:3]) != []
    assert to_messages(made) == to_messages(made[:2]) == []


def test_deleting_a_start_or_an_unknown_event_changes_nothing():
    events = [user("a"), assistant(call()), started(), result("r")]
    assert contents(*events, deleted("e2"), deleted("nope")) == contents(*events)


@pytest.mark.parametrize(
    ("keep_from", "kept"),
    [("e1", [[text("b"), text("c")]]), ("e2", [[text("c")]]), ("e0", [[text("c")]]), (None, []), (["e1"], [])],
)
def test_compaction_keeps_what_is_still_in_context(keep_from, kept):
    """e0 left with the first compaction; e1 is in context; e2 is deleted but still marks the cut."""
    events = [user("a"), compacted("S1"), user("b"), user("x"), user("c"), deleted("e3")]
    ids = {"e0": "e0", "e1": "e2", "e2": "e3"}
    target = ids.get(keep_from, keep_from) if isinstance(keep_from, str) else keep_from
    made = contents(*events, compacted("S2", target))
    expected = [] if keep_from == "e0" else kept
    assert made == [[text(f"{SUMMARY_PREFIX}\n\nS2")], [text(SUMMARY_ACK)], *expected]


def test_keep_from_may_be_a_result():
    assert contents(user("a"), assistant(call()), result("r"), user("b"), compacted(keep_from="e2"))[2:] == [
        [text("b")]
    ]


@pytest.mark.parametrize("summary", ["", " \n", None, 4, ["S"]])
def test_blank_summary_commits_nothing(summary):
    assert contents(user("a"), compacted(summary)) == [[text("a")]]


def test_staged_summary_has_no_effect():
    assert contents(user("a"), {"type": "compaction.staged", "summary": "S"}) == [[text("a")]]


def test_summary_before_an_answer_needs_no_acknowledgement():
    assert contents(user("a"), compacted(" S "), assistant(text("b"))) == [
        [text(f"{SUMMARY_PREFIX}\n\n S ")],
        [text("b")],
    ]


def test_clear_after_a_compaction_forgets_the_summary_too():
    assert contents(user("a"), compacted(), {"type": "context.cleared"}, user("b")) == [[text("b")]]


def test_list_that_would_start_with_an_answer_gets_an_opening():
    assert contents(assistant(text("b"))) == [[text(OPENING)], [text("b")]]


def test_spans_name_the_event_of_each_block_and_none_for_synthetic_ones():
    done = rebuilt(user("a"), assistant(text("b"), call("c1"), call("c2")), result("r"), user("c"))
    assert done.spans == {
        (0, 0): "e0", (1, 0): "e1", (1, 1): "e1", (1, 2): "e1", (2, 0): "e2", (2, 1): None, (2, 2): "e3",
    }  # fmt: skip
    assert rebuilt(assistant(text("b"))).spans == {(0, 0): None, (1, 0): "e0"}
    assert rebuilt(user("a"), compacted()).spans == {(0, 0): "e1", (1, 0): None}


# -- the builder -------------------------------------------------------------------------------------------------------


def test_builder_without_events_is_empty():
    assert HistoryBuilder().messages() == []
    assert HistoryBuilder("ses_1").messages() == []


def test_builder_follows_rewinds_repeats_and_events_out_of_order():
    rewind = {"type": "session.rewind", "to": "e0"}
    events = log(user("a"), assistant(call()), started(), rewind, user("b"), deleted("e0"), user("c"))
    for order in (events, events[::-1], [*events, *events], events[3:] + events[:3]):
        builder = HistoryBuilder()
        for count, added in enumerate(order, start=1):
            builder.add(added)
            assert builder.reconstruction() == reconstruct(order[:count])


def test_builder_of_a_fork_takes_the_source_in_first():
    events = load_neutral(
        [
            {"seq": 0, **user("a")},
            {"seq": 1, **user("b")},
            {"seq": 0, "session": "f", "type": "session.fork", "from": "e0"},
            {"seq": 1, "session": "f", **user("c")},
        ]
    )
    builder = HistoryBuilder("f")
    for added in events:
        builder.add(added)
    assert builder.messages() == to_messages(events, session_id="f")
    assert builder.messages()[0]["content"] == [text("a"), text("c")]
    builder.add(load_neutral([{"seq": 2, **user("late in the source")}])[0])
    assert builder.messages()[0]["content"] == [text("a"), text("c")]


def test_builder_meets_the_missing_parent_later():
    first, second, third = log(user("a"), user("b"), user("c"))
    builder = HistoryBuilder()
    builder.add(second)
    assert builder.messages()[0]["content"] == [text("b")]
    builder.add(third)
    builder.add(first)
    assert builder.messages()[0]["content"] == [text("a"), text("b"), text("c")]


def test_builder_hands_out_lists_of_the_callers_own():
    builder = HistoryBuilder()
    builder.add(envelope(0, UserMessage(parts=(text("a"),))))
    builder.messages().clear()
    assert builder.messages() == [{"role": "user", "content": [text("a")]}]


def test_builder_makes_only_what_changed_anew():
    builder = HistoryBuilder()
    builder.add(envelope(0, UserMessage(parts=(text("a"),))))
    builder.add(envelope(1, AssistantMessage(parts=({"type": "tool_use", "id": "c", "name": "n", "input": {}},))))
    before = builder.messages()
    builder.add(envelope(2, ToolCallFinished(call_id="c", outcome="ok", content="late")))
    after = builder.messages()
    assert [one is other for one, other in zip(before, after, strict=True)] == [True, True, False]
    assert before[2]["content"][0]["content"] != "late"
    assert after[2]["content"][0]["content"] == "late"


def test_builder_names_messages_and_results_of_the_context():
    builder = HistoryBuilder()
    builder.add(envelope(0, UserMessage(parts=(text("a"),))))
    builder.add(envelope(1, UserMessage(parts=(text("b"),))))
    builder.add(envelope(2, MessageDeleted(target_id="e0")))
    builder.add(envelope(3, ToolCallFinished(call_id="c", outcome="ok", content="r")))
    assert [(entry.role, entry.answers) for entry in builder.entries()] == [("user", ()), ("", ("c",))]
    assert [one.event_id for one in builder.path()] == ["e0", "e1", "e2", "e3"]
    assert HistoryBuilder().path() == []


def test_long_session_is_rebuilt_in_proportion_to_its_length():
    def session(turns):
        made = []
        for n in range(turns):
            block = {"type": "tool_use", "id": f"c{n}", "name": "bash", "input": {"n": n}}
            made += [
                UserMessage(parts=(text("q"),)),
                AssistantMessage(parts=(text("a"), block)),
                ToolCallStarted(call_id=f"c{n}", tool="bash", input={"n": n}),
                ToolCallFinished(call_id=f"c{n}", outcome="ok", content="r"),
                Notice(kind="k", text="t"),
            ]
        return [envelope(seq, event) for seq, event in enumerate(made)]

    events = session(1_000)
    assert faults(to_messages(events)) == []
    builder = HistoryBuilder()
    for added in events:
        builder.add(added)
    assert builder.messages() == to_messages(events)
