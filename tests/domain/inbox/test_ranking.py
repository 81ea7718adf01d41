"""The order of the inbox, by example and as properties."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.gate.pending import (
    ApprovalRequest,
    CredentialRequest,
    InputRequest,
    PictureReview,
    PlanReview,
    Question,
    QuestionRequest,
)
from desktop.domain.inbox.ranking import Reach, Standing, Undoing, age_step, ranked, reach_of, undoing_of
from desktop.domain.skills.review import SkillReview

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)


def approval(**fields: object) -> ApprovalRequest:
    values: dict[str, object] = {
        "call_id": "call_1", "card": Card(title="Run it", blocks=()), "category": Category.BASH, "reason": "",
        "rule": "", "mode": PermissionMode.EDIT, "digest": "ab" * 32, **fields,
    }  # fmt: skip
    return ApprovalRequest.model_validate(values)


QUESTION = QuestionRequest(call_id="c", questions=(Question(id="q", text="Which?"),))
PLAN = PlanReview(call_id="c", plan="# Do it")
PICTURE = PictureReview(call_id="c", target="window", width=1, height=1)
SKILL = SkillReview(skill_id="notes", source="x", sha256="a")
SECRET = CredentialRequest(call_id="c", provider="example")


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (approval(irreversible=True), Undoing.NEVER),
        (approval(risk="irreversible"), Undoing.NEVER),
        (approval(risk_flags=("irreversible",)), Undoing.NEVER),
        (approval(undoable="no"), Undoing.NOT_BY_BANKSMAN),
        (approval(undoable="partly"), Undoing.PARTLY),
        (approval(undoable="yes"), Undoing.WHOLLY),
        (approval(), Undoing.WHOLLY),
        (PICTURE, Undoing.NOT_BY_BANKSMAN),
        (SECRET, Undoing.NOT_BY_BANKSMAN),
        (PLAN, Undoing.WHOLLY),
    ],
)
def test_what_cannot_be_taken_back_weighs_most(request_: InputRequest, expected: Undoing) -> None:
    assert undoing_of(request_) is expected


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (approval(risk_flags=("production",)), Reach.WORLD),
        (approval(risk_flags=("leaves_computer", "outside_lane")), Reach.WORLD),
        (approval(subject="external"), Reach.WORLD),
        (PICTURE, Reach.WORLD),
        (SECRET, Reach.WORLD),
        (approval(risk_flags=("protected",)), Reach.COMPUTER),
        (approval(risk="high"), Reach.COMPUTER),
        (SKILL, Reach.COMPUTER),
        (approval(risk="medium"), Reach.LANE),
        (PLAN, Reach.LANE),
        (QUESTION, Reach.NOTHING),
    ],
)
def test_what_reaches_further_weighs_more(request_: InputRequest, expected: Reach) -> None:
    assert reach_of(request_) is expected


def test_a_minute_more_does_not_move_what_waits_for_an_hour() -> None:
    assert age_step(NOW - timedelta(minutes=61), NOW) == age_step(NOW - timedelta(minutes=62), NOW)
    assert age_step(NOW - timedelta(seconds=59), NOW) < age_step(NOW - timedelta(seconds=60), NOW)
    assert age_step(NOW + timedelta(minutes=9), NOW) == 0


def test_each_weight_counts_only_where_those_before_it_are_equal() -> None:
    old, new = NOW - timedelta(hours=2), NOW
    listed = [
        Standing("never", Undoing.NEVER, Reach.NOTHING, new),
        Standing("world", Undoing.WHOLLY, Reach.WORLD, new),
        Standing("old", Undoing.WHOLLY, Reach.LANE, old),
        Standing("blocks", Undoing.WHOLLY, Reach.LANE, new, blocks=2),
        Standing("first", Undoing.WHOLLY, Reach.LANE, new - timedelta(seconds=1), blocks=1),
        Standing("last", Undoing.WHOLLY, Reach.LANE, new, blocks=1),
    ]
    assert ranked(reversed(listed), NOW) == [one.key for one in listed]


standings = st.lists(
    st.builds(
        Standing,
        key=st.uuids().map(str),
        undoing=st.sampled_from(Undoing),
        reach=st.sampled_from(Reach),
        since=st.integers(0, 2000).map(lambda minutes: NOW - timedelta(minutes=minutes)),
        blocks=st.integers(0, 4),
    ),
    max_size=12,
    unique_by=lambda one: one.key,
)


@given(standings, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_they_are_given(listed: list[Standing], random: Random) -> None:
    mixed = list(listed)
    random.shuffle(mixed)
    assert ranked(listed, NOW) == ranked(mixed, NOW)


@given(standings)
def test_all_are_listed_once_and_none_that_can_be_undone_stands_before_one_that_cannot(listed: list[Standing]) -> None:
    order = ranked(listed, NOW)
    assert sorted(order) == sorted(one.key for one in listed)
    undoing = {one.key: one.undoing for one in listed}
    assert [undoing[key] for key in order] == sorted(undoing.values())


@given(standings, st.integers(0, 11))
def test_one_that_comes_moves_none_of_the_others(listed: list[Standing], at: int) -> None:
    if listed:
        gone = listed[at % len(listed)].key
        rest = [one for one in listed if one.key != gone]
        assert [key for key in ranked(listed, NOW) if key != gone] == ranked(rest, NOW)


@given(standings, st.integers(0, 11), st.integers(0, 3))
def test_what_becomes_worse_never_moves_down(listed: list[Standing], at: int, how: int) -> None:
    if listed:
        one = listed[at % len(listed)]
        worse = (
            Standing(one.key, Undoing.NEVER, one.reach, one.since, one.blocks),
            Standing(one.key, one.undoing, Reach.WORLD, one.since, one.blocks),
            Standing(one.key, one.undoing, one.reach, one.since - timedelta(days=9), one.blocks),
            Standing(one.key, one.undoing, one.reach, one.since, one.blocks + 1),
        )[how]
        after = [worse if other is one else other for other in listed]
        assert ranked(after, NOW).index(one.key) <= ranked(listed, NOW).index(one.key)
