"""What a chat knows of its children, as it follows from its events."""

from datetime import UTC, datetime

import pytest

from desktop.domain.children.events import AgentGiven, ChildBegun, ChildEnded, ChildResultDelivered, GrantShared
from desktop.domain.children.values import ChildAgent, tokens_of, weakest
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, RuleHit, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    SessionForked,
    SessionStarted,
    TurnStarted,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest, Outcome
from desktop.domain.history.state_of import SessionState, fold

AT = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)
USED = Usage(input=900, output=100)
BEGUN = ChildBegun(child_id="c", task_id="t1", call_id="call", agent="explorer", description="look")
ENDED = ChildEnded(
    child_id="c",
    task_id="t1",
    call_id="call",
    outcome="completed",
    steps=3,
    usage=USED,
    cost_microusd=7,
    files_changed=2,
)


def after(*events: Event) -> SessionState:
    state = SessionState.begin("s")
    for seq, event in enumerate(events):
        state = fold(state, Envelope(event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=AT, event=event))
    return state


def test_a_child_runs_until_its_end_is_on_record() -> None:
    state = after(BEGUN).children["c"]
    assert (state.task_id, state.running, state.delivered, state.runs) == ("t1", True, False, 1)
    state = after(BEGUN, ENDED).children["c"]
    assert (state.running, state.outcome, state.steps, state.files_changed) == (False, "completed", 3, 2)
    assert after(BEGUN, ENDED, ChildResultDelivered(child_id="c", task_id="t1")).children["c"].delivered


def test_what_a_child_used_counts_for_the_chat_that_began_it() -> None:
    state = after(BEGUN, ENDED)
    assert (state.usage, state.cost_microusd, state.cost_unknown) == (USED, 7, False)
    assert tokens_of(state.usage) == 1000
    assert after(BEGUN, ENDED.model_copy(update={"cost_microusd": None})).cost_unknown


def test_a_child_that_goes_on_runs_again_and_its_sums_grow() -> None:
    again = BEGUN.model_copy(update={"again": True, "call_id": "call_2"})
    state = after(BEGUN, ENDED, ChildResultDelivered(child_id="c", task_id="t1"), again).children["c"]
    assert (state.running, state.delivered, state.runs, state.call_id) == (True, False, 2, "call_2")
    state = after(BEGUN, ENDED, again, ENDED).children["c"]
    assert (state.steps, state.cost_microusd) == (6, 14)


def test_a_second_end_and_one_of_a_stranger_change_no_child() -> None:
    assert after(BEGUN, ENDED, ENDED.model_copy(update={"outcome": "failed"})).children["c"].outcome == "completed"
    assert after(ENDED, ChildResultDelivered(child_id="x", task_id="t9")).children == {}


def test_a_child_knows_its_agent_and_who_began_it() -> None:
    agent = ChildAgent(name="explorer", tools=("grep",), denied=("bash",))
    state = after(
        SessionStarted(kind="subagent", parent_session_id="p", parent_call_id="call", depth=1), AgentGiven(agent=agent)
    )
    assert (state.parent_session_id, state.parent_call_id, state.depth) == ("p", "call", 1)
    assert state.agent == agent
    assert agent.lists("grep")
    assert agent.may_have("grep")
    assert not agent.may_have("write_file")
    assert not agent.may_have("bash")
    assert ChildAgent(name="any").may_have("bash")
    assert not ChildAgent(name="any").lists("bash")


def test_a_fork_is_nobodys_child_and_has_none() -> None:
    state = after(SessionStarted(parent_session_id="p", depth=1), BEGUN, SessionForked())
    assert (state.children, state.parent_session_id, state.depth, state.agent) == ({}, "", 0, None)


def test_what_was_allowed_in_a_child_is_allowed_here() -> None:
    state = after(BEGUN, GrantShared(child_id="c", remember_key="key", covers="Every change."))
    assert state.grants["key"].covers == "Every change."


@pytest.mark.parametrize(
    ("rule", "outcome", "allowed"),
    [("many_children", "allow_once", True), ("many_children", "reject", False), ("mode", "allow_once", False)],
)
def test_a_person_lets_a_turn_begin_many(rule: str, outcome: Outcome, allowed: bool) -> None:
    request = ApprovalRequest(
        call_id="call",
        card=Card(title="t"),
        category=Category.READ,
        reason="",
        rule=rule,
        hits=(RuleHit(rule=rule, verdict=Verdict.ASK, reason=""),),
        mode=PermissionMode.EDIT,
        digest="",
    )
    asked = InputRequested(input_id="i", call_id="call", request=request)
    answered = InputResolved(input_id="i", answer=Answer(outcome=outcome))
    state = after(TurnStarted(turn_id="t"), asked, answered)
    assert state.turn is not None
    assert state.turn.many_children is allowed
    state = after(TurnStarted(turn_id="t"), asked, answered, TurnStarted(turn_id="u"))
    assert state.turn is not None
    assert not state.turn.many_children, "for that turn alone"


def test_the_weakest_mode_is_the_one_that_allows_the_least() -> None:
    plan, edit, auto = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO
    assert weakest(auto, edit) is edit
    assert weakest(auto, None, plan) is plan
    assert weakest(None, auto) is auto
