"""What was left behind and is not read gives the same list as if every event of the path were read."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    SessionStarted,
    ToolCallFinished,
    ToolCallStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.domain.history.builder import HistoryBuilder, reconstruct
from desktop.domain.history.fold import PathFold
from desktop.domain.history.render import Renderer
from tests.domain.product_logs import START, product_logs


def plain(body):
    """The text as it is."""
    return body


def stored(envelope, change=plain, read=load_event):
    """The envelope as the store gives it: its event is a text."""
    if isinstance(envelope.event, UnknownEvent):
        return envelope
    text = change(dump_event(envelope.event, envelope.event_id, envelope.parent_id))
    return Envelope.late(envelope.model_dump(exclude={"event"}), envelope.kind, text, read)


def was_read(envelope):
    """It, after somebody asked for its event."""
    _ = envelope.event
    return envelope


def same(log, changes=None, session_id=None):
    """The list of a stored log, which is the one of the same log when each of its events was read and folded."""
    changes = changes or [plain] * len(log)
    twins = {one.event_id: was_read(stored(one, change)) for one, change in zip(log, changes, strict=True)}
    builder = HistoryBuilder(session_id)
    for envelope, change in zip(log, changes, strict=True):
        builder.add(stored(envelope, change))
    found = builder.reconstruction()
    fold = PathFold()
    for envelope in builder.path():
        fold.add(twins[envelope.event_id])
    renderer = Renderer(fold)
    rendered = renderer.messages()
    assert json.dumps(found.messages) == json.dumps([one.message for one in rendered])
    assert found.synthetic == renderer.synthetic
    assert found.unrecoverable == renderer.unrecoverable
    assert found.dropped_results == renderer.unasked()
    assert list(found.spans.values()) == [origin for one in rendered for origin in one.origins]
    return found.messages


@given(product_logs(max_events=18, anywhere=True))
def test_a_stored_log_gives_the_list_of_one_that_was_read(log):
    same(log, session_id="main")


@given(product_logs(max_events=18, anywhere=True), st.integers(0, 18))
def test_what_follows_a_stored_log_is_added_as_to_one_that_was_read(log, count):
    builder = HistoryBuilder()
    for envelope in [stored(one) for one in log[:count]]:
        builder.add(envelope)
    builder.messages()
    for envelope in log[count:]:
        builder.add(envelope)
        builder.messages()
    assert builder.reconstruction() == reconstruct(log)


def log_of(*events):
    """These events, one after another."""
    return [
        Envelope(event_id=f"e{n}", session_id="s", seq=n, parent_id=f"e{n - 1}" if n else None, at=START, event=one)
        for n, one in enumerate(events)
    ]


def use(call_id, given=None):
    """A call in an answer."""
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": given or {"_truncated": True}}


FROZEN = (Path(__file__).parents[2] / "events_v1" / "log.jsonl").read_text(encoding="ascii").splitlines()
LEFT_BEHIND = (
    SessionStarted(),
    UserMessage(parts=({"type": "tool_result", "tool_use_id": "c3", "content": "told"},)),
    AssistantMessage(parts=(use("c1"), use("c2"))),
    ToolCallStarted(call_id="c1", tool="bash", input={"a": 1}),
    ToolCallFinished(call_id="c1", outcome="ok", content="out"),
    ToolCallStarted(call_id="c2", tool="bash", input={"a": 2}),
    ToolCallFinished(call_id="c5", outcome="ok", content="once"),
    UserMessage(parts=({"type": "text", "text": "and on"},)),
)
ASKED_AGAIN = (
    AssistantMessage(parts=(use("c1"), use("c2"), use("c3"), use("c4"), use("c5"))),
    ToolCallFinished(call_id="c2", outcome="ok", content="late"),
    ToolCallFinished(call_id="c1", outcome="ok", content="again"),
    UserMessage(parts=({"type": "tool_result", "tool_use_id": "c5", "content": "twice"},)),
)

CHANGES = {
    "nothing": plain,
    "an escaped letter": lambda body: body.replace("call_id", "call_\\u0069d").replace("l_res", "l_r\\u0065s"),
    "another call": lambda body: body[:-1] + ',"call_id":"c2"}',
    "another call, escaped": lambda body: body[:-1] + ',"call_\\u0069d":"c2"}',
    "a call that is none": lambda body: body[:-1] + ',"call_id":4}',
    "another type": lambda body: body[:-1] + ',"type":"tool_call_finished","outcome":"ok","content":"late"}',
    "a message": lambda body: body[:-1] + ',"type":"user_message","parts":[{"type":"text","text":"hello"}]}',
    "no event": lambda body: body[:-1],
    "room": lambda body: body.replace('"call_id":', '"call_id" : '),
}  # fmt: skip


@pytest.mark.parametrize("at", range(1, 8))
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_text_that_somebody_changed_deceives_nobody(change, at):
    log = log_of(*LEFT_BEHIND, Compacted(summary="S"), *ASKED_AGAIN)
    changes = [change if place == at else plain for place in range(len(log))]
    same(log, changes)
    same(log_of(*LEFT_BEHIND, *ASKED_AGAIN), changes[: len(LEFT_BEHIND)] + [plain] * len(ASKED_AGAIN))


def test_events_of_every_type_may_be_left_behind():
    every = [load_event(body) for body in FROZEN]
    same(log_of(SessionStarted(), *every, Compacted(summary="S"), *ASKED_AGAIN))
    same(log_of(SessionStarted(), *every, *ASKED_AGAIN))


def test_events_that_were_left_behind_are_not_read():
    read = []

    def note(text):
        read.append(json.loads(text)["type"])
        return load_event(text)

    said = ({"type": "text", "text": "hello"},)
    log = log_of(
        SessionStarted(),
        UserMessage(parts=said),
        AssistantMessage(parts=(use("c1"),)),
        ToolCallStarted(call_id="c1", tool="bash"),
        ToolCallFinished(call_id="c1", outcome="ok", content="out"),
        Compacted(summary="all of it"),
        UserMessage(parts=said),
    )
    builder = HistoryBuilder("s")
    for envelope in log:
        builder.add(stored(envelope, read=note))
    assert builder.messages() == reconstruct(log).messages
    assert set(read) == {"compacted", "user_message"}
    assert read.count("user_message") == 1


DROPPED = ({"type": "tool_result", "tool_use_id": "c1", "content": "out"}, {"type": "text", "text": "dropped"})
KEPT = ({"type": "text", "text": "kept"},)


@pytest.mark.parametrize("again", [Compacted(summary="S", keep_from="e1"), Compacted(summary="S", keep_from="e2")])
@pytest.mark.parametrize("first", [ContextCleared(), Compacted(summary="R")])
def test_what_was_dropped_stays_dropped_when_a_later_compaction_names_it(first, again):
    log = log_of(SessionStarted(), UserMessage(parts=DROPPED), first, UserMessage(parts=KEPT), again)
    assert "dropped" not in json.dumps(same(log))
    assert "kept" not in json.dumps(same(log))


@pytest.mark.parametrize("last", [Compacted(summary="S", keep_from="e2"), Compacted(summary=" ", keep_from="e3")])
def test_what_two_compactions_keep_is_kept(last):
    middle = Compacted(summary="R", keep_from="e1")
    log = log_of(SessionStarted(), UserMessage(parts=DROPPED), UserMessage(parts=KEPT), middle, last)
    assert "kept" in json.dumps(same(log))
    assert ("dropped" in json.dumps(same(log))) is (last.summary == " ")
