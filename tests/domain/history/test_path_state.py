"""What goes back with a rewind and what does not, for every log: the live fold is the fold from the beginning."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.chats.queue_events import Limits, LimitsChanged, MessageQueued
from desktop.domain.context.events import Rewound
from desktop.domain.core.errors import CorruptLog, UnknownEventId
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.events import (
    Envelope,
    Event,
    ModeChanged,
    ModelChanged,
    SessionForked,
    SessionStarted,
    TitleChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.rules import Rule, RuleDecision
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.path_state import back, path_to, todos_on
from desktop.domain.history.state_of import SessionState, fold

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Log:
    """A log in the making, with its live fold."""

    def __init__(self) -> None:
        self.events: list[Envelope] = []
        self.state = SessionState()
        self.add(SessionStarted(mode=PermissionMode.EDIT, title="T"))

    def add(self, event: Event) -> Envelope:
        seq = len(self.events)
        parent = self.events[-1].event_id if self.events else None
        if isinstance(event, Rewound):
            parent = event.to_event_id
        envelope = Envelope(
            event_id=f"evt_{seq}",
            session_id="ses_a",
            seq=seq,
            parent_id=parent,
            at=AT + timedelta(seconds=seq),
            event=event,
        )
        self.events.append(envelope)
        self.state = fold(self.state, envelope)
        return envelope

    def rewind(self, index: int) -> None:
        target = self.events[index % len(self.events)].event_id
        todos = todos_on(path_to(self.events, target))
        self.add(Rewound(to_event_id=target, abandoned_head_id=self.events[-1].event_id, todos=todos))


def todos(number: int) -> TodosChanged:
    return TodosChanged(todos=tuple(Todo(id=str(n), content=f"{number}.{n}") for n in range(number % 3)))


STEPS = st.lists(
    st.one_of(
        st.integers(0, 50).map(lambda n: ("rewind", n)),
        st.integers(0, 50).map(lambda n: ("todos", n)),
        st.sampled_from(list(PermissionMode)).map(lambda mode: ("mode", mode)),
        st.sampled_from(("title", "model", "limits", "queue", "turn", "say")).map(lambda kind: (kind, 0)),
    ),
    max_size=30,
)


def play(log: Log, steps: list[tuple[str, object]]) -> None:
    for number, (kind, value) in enumerate(steps):
        match kind, value:
            case "rewind", int():
                log.rewind(value)
            case "todos", int():
                log.add(todos(value))
            case "mode", PermissionMode():
                log.add(ModeChanged(mode=value, previous=log.state.mode, by="person"))
            case "title", _:
                log.add(TitleChanged(title=f"t{number}", by="person"))
            case "model", _:
                log.add(ModelChanged(endpoint_id="e", model=f"m{number}"))
            case "limits", _:
                log.add(LimitsChanged(limits=Limits(steps=number + 1)))
            case "queue", _:
                log.add(MessageQueued(queue_id=f"q{number}", parts=()))
            case "turn", _:
                log.add(TurnStarted(turn_id=f"t{number}"))
                log.add(TurnEnded(turn_id=f"t{number}", status="completed"))
            case _:
                log.add(UserMessage(parts=()))


@given(STEPS)
def test_the_live_fold_is_the_fold_from_the_beginning_and_the_todos_are_those_of_the_path(steps):
    log = Log()
    play(log, steps)
    assert fold_log(SessionState(), log.events) == log.state
    assert log.state.todos == todos_on(path_to(log.events, log.events[-1].event_id))


@given(STEPS)
def test_the_path_from_its_end_is_the_path_turned_round(steps):
    log = Log()
    play(log, steps)
    assert list(back(log.events))[::-1] == path_to(log.events, log.events[-1].event_id)
    assert list(back([])) == []


@given(STEPS, st.integers(0, 50))
def test_mode_model_limits_title_queue_and_spend_do_not_go_back(steps, at):
    log = Log()
    play(log, steps)
    before = log.state
    log.rewind(at)
    for name in ("mode", "model", "endpoint_id", "limits", "title", "queue", "queue_paused", "usage", "cost_microusd"):
        assert getattr(log.state, name) == getattr(before, name)


@pytest.mark.promise("sessions-SF1")
def test_a_rewind_ends_what_was_allowed_and_keeps_what_was_forbidden():
    log = Log()
    for decision in ("allow", "deny", "ask"):
        log.add(RuleSaved(rule=rule(decision)))
    log.rewind(0)
    assert [one.rule.decision for one in log.state.rules] == ["deny", "ask"]


def test_after_a_rewind_no_turn_counts_as_cut_off():
    log = Log()
    log.add(TurnStarted(turn_id="t1"))
    log.add(TurnEnded(turn_id="t1", status="interrupted", reason="restart"))
    assert log.state.interrupted
    log.rewind(0)
    assert not log.state.interrupted


def test_a_fork_has_no_spend_of_its_own_and_knows_what_it_inherited():
    state = SessionState(cost_microusd=840_000, inherited_microusd=100, titled_by_person=True, todos=todos(2).todos)
    forked = Envelope(
        event_id="evt_f", session_id="ses_f", seq=0, parent_id="evt_0", at=AT,
        event=SessionForked(mode=PermissionMode.PLAN, title="Fork"),
    )  # fmt: skip
    state = fold(state, forked)
    assert (state.cost_microusd, state.inherited_microusd, state.mode) == (0, 840_100, PermissionMode.PLAN)
    assert state.todos == todos(2).todos


def test_a_path_with_a_cycle_or_without_the_event_is_refused():
    log = Log()
    with pytest.raises(UnknownEventId):
        path_to(log.events, "evt_x")
    turned = [one.model_copy(update={"parent_id": "evt_0"}) for one in log.events]
    with pytest.raises(CorruptLog):
        path_to(turned, "evt_0")


def rule(decision: RuleDecision) -> Rule:
    """A session rule."""
    return Rule(id=f"r_{decision}", decision=decision, kind="tool", scope="session", name="write_file")
