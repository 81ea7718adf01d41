"""The messages that wait, and the limits, as they follow from the events of a chat."""

from datetime import UTC, datetime

from desktop.domain.chats.queue_events import (
    Limits,
    LimitsChanged,
    MessageQueued,
    QueuedMessageEdited,
    QueuedMessageMoved,
    QueuedMessageRemoved,
    QueuePaused,
    QueueResumed,
)
from desktop.domain.events import Envelope, Event
from desktop.domain.history.state_of import SessionState, fold

AT = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)
WAITING = tuple(MessageQueued(queue_id=name, parts=(name,)) for name in "abc")


def after(*events: Event) -> SessionState:
    state = SessionState.begin("s")
    for seq, event in enumerate(events):
        state = fold(state, Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=AT, event=event))
    return state


def order(state: SessionState) -> str:
    return "".join(message.queue_id for message in state.queue)


def test_a_message_waits_behind_the_others_since_it_was_sent() -> None:
    state = after(*WAITING)
    assert order(state) == "abc"
    assert state.queue[0].since == AT


def test_an_edited_message_keeps_its_place() -> None:
    state = after(*WAITING, QueuedMessageEdited(queue_id="b", parts=("other",), attachments=("f",)))
    assert [message.parts for message in state.queue] == [("a",), ("other",), ("c",)]
    assert state.queue[1].attachments == ("f",)


def test_a_moved_message_stands_at_the_nearest_place_there_is() -> None:
    for position, expected in ((0, "cab"), (1, "acb"), (9, "abc"), (-4, "cab")):
        assert order(after(*WAITING, QueuedMessageMoved(queue_id="c", position=position))) == expected


def test_a_queue_stays_paused_until_it_goes_on_or_is_empty() -> None:
    stopped = (*WAITING[:2], QueuePaused(reason="stop"))
    taken = [QueuedMessageRemoved(queue_id=name, why="cancelled") for name in "ab"]
    assert after(*stopped).queue_paused == "stop"
    assert after(*stopped, QueueResumed()).queue_paused == ""
    assert after(*stopped, taken[0]).queue_paused == "stop"
    emptied = after(*stopped, *taken)
    assert (emptied.queue, emptied.queue_paused) == ((), "")


def test_limits_are_those_of_the_chat_or_of_the_next_turn_alone() -> None:
    state = after(LimitsChanged(limits=Limits(steps=5)), LimitsChanged(limits=Limits(steps=9), scope="turn"))
    assert (state.limits, state.turn_limits) == (Limits(steps=5), Limits(steps=9))
