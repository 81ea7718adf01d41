"""Folding a long log at once, and keeping what came of it as text."""

import pytest
from hypothesis import given

from desktop.domain.events import Envelope, ToolCallFinished, ToolCallStarted, TurnEnded, TurnStarted
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.history.fold_state import dump_state, fold_log, load_state
from desktop.domain.history.state_of import SessionState, fold
from tests.domain.history.test_session import AT, after
from tests.domain.product_logs import product_logs


def folded(path):
    state = SessionState(session_id=path[-1].session_id)
    for envelope in path:
        state = fold(state, envelope)
    return state


@given(product_logs())
def test_folding_at_once_equals_folding_step_by_step(log):
    own = [envelope for envelope in log if envelope.session_id == "main"]
    for cut in (0, len(own) // 2):
        assert fold_log(fold_log(SessionState(), own[:cut]), own[cut:]) == folded(own)


@given(product_logs())
def test_state_reads_back_equal_or_is_not_kept(log):
    state = folded([envelope for envelope in log if envelope.session_id == "main"])
    text = dump_state(state)
    assert text is None or load_state(text) == state


def test_times_and_sets_come_back_and_what_a_newer_version_added_is_not_kept():
    events = (TurnStarted(turn_id="t"), ReviewReverted(call_id="b"), ReviewReverted(call_id="a"))
    state = after(*events)
    text = dump_state(state)
    assert text is not None
    assert load_state(text) == state
    newer = TurnEnded(turn_id="t", status="completed", unknown_fields={"later": 1})
    assert dump_state(after(*events, newer)) is None


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"title": 4}', "[]"])
def test_text_that_holds_no_state_is_told(text):
    assert load_state(text) is None


def test_calls_of_former_turns_are_passed_over():
    calls = (ToolCallStarted(call_id="c", tool="bash"), ToolCallFinished(call_id="c", outcome="ok"))
    log = [
        Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=AT, event=event)
        for seq, event in enumerate((TurnStarted(turn_id="1"), *calls, TurnStarted(turn_id="2"), *calls[:1]))
    ]
    assert fold_log(SessionState(), log) == folded(log)
