"""What people answered, from the record."""

from datetime import timedelta

import pytest

from desktop.domain.events import Envelope, Event, InputRequested, InputResolved, TurnStarted
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer
from desktop.domain.inbox.answered import MOST, answered
from tests.domain.inbox.test_ranking import NOW, QUESTION, approval


def entry(seq: int, event: Event, hours_ago: float = 1) -> Envelope:
    ids = {"event_id": f"evt_{seq}", "session_id": "ses_1", "at": NOW - timedelta(hours=hours_ago)}
    return Envelope(**ids, seq=seq, parent_id=None, event=event)


def asked(number: int, **fields: object) -> InputRequested:
    return InputRequested(input_id=f"inp_{number}", call_id=f"call_{number}", request=approval(**fields))


def closed(number: int, reason: str = "person") -> InputResolved:
    return InputResolved.model_validate(
        {"input_id": f"inp_{number}", "answer": Answer(outcome="allow_once"), "reason": reason, "digest": "d"}
    )


def test_the_newest_answer_comes_first_with_what_was_asked_last() -> None:
    question = InputRequested(input_id="inp_2", call_id="call_2", request=QUESTION)
    log = [
        entry(1, asked(1), 9), entry(2, InputRevised(input_id="inp_1", request=approval(reason="Now so."))),
        entry(3, question), entry(4, closed(1), 2), entry(5, closed(2), 1), entry(6, TurnStarted(turn_id="t")),
    ]  # fmt: skip
    found = answered(log, NOW - timedelta(hours=3))
    assert [(one.input_id, one.call_id, one.digest) for one in found] == [
        ("inp_2", "call_2", "d"),
        ("inp_1", "call_1", "d"),
    ]
    assert found[1].request == approval(reason="Now so.")


@pytest.mark.parametrize(
    "log",
    [
        [entry(1, asked(1)), entry(2, closed(1, "rule"))],
        [entry(1, asked(1)), entry(2, closed(1), hours_ago=4)],
        [entry(1, asked(1, blocking=False)), entry(2, closed(1))],
        [entry(1, InputRevised(input_id="inp_9", request=approval())), entry(2, closed(9))],
    ],
    ids=["a rule answered", "before", "it ran unasked", "nobody knows what was asked"],
)
def test_what_no_person_answered_since_then_is_left_out(log: list[Envelope]) -> None:
    assert answered(log, NOW - timedelta(hours=3)) == ()


def test_no_more_than_two_hundred_are_given() -> None:
    log = [entry(n, event) for n in range(MOST + 5) for event in (asked(n), closed(n))]
    assert len(answered(log, NOW - timedelta(hours=3))) == MOST
