"""The inventory follows the forge, changes nothing when nothing changed, and never forgets a person's word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.core.errors import CommandError
from desktop.domain.pulls.pull_request import Author, ForgeProblem, PullSnapshot, ReviewThread
from desktop.domain.rounds.inventory import (
    availability,
    came_back,
    changed_state,
    current_round,
    in_scope,
    sent,
    synced,
    taken_back,
)
from desktop.domain.rounds.items import IssueItem, ItemState, Scope
from tests.domain.pull_samples import ROBIN, check, minute, said, snapshot, thread

BUG = "**Close the file**\nIt stays open."


def _only(items: tuple[IssueItem, ...]) -> IssueItem:
    (item,) = items
    return item


def _states(items: tuple[IssueItem, ...]) -> dict[str, str]:
    return {item.id: item.state for item in items}


def _tracked(state: ItemState, *threads: ReviewThread) -> tuple[IssueItem, ...]:
    items = synced((), snapshot(threads=threads or (thread("T1", said("c1", BUG)),)), minute(1))
    return tuple(item.model_copy(update={"state": state}) for item in items)


# What can be given to an agent


@pytest.mark.promise("lanes-P10")
@pytest.mark.parametrize(
    ("checks", "offered", "why"),
    [
        ((check("a"), check("b", run=2), check("c", run=3, pending=True)), False, "Wait: 1 check is still running."),
        ((check("a"), check("b"), check("c", "success")), True, ""),
        ((check("a", "timed_out"),), True, ""),
        ((check("a", "success"), check("b", "skipped")), False, "No check fails."),
        ((), False, "No check fails."),
    ],
)  # fmt: skip
def test_checks_are_offered_when_some_fail_and_none_runs(checks: tuple[object, ...], offered: bool, why: str) -> None:
    found = availability(snapshot(checks=checks))
    assert (found.checks, found.why_checks, found.why("checks")) == (offered, why, why)


@pytest.mark.promise("lanes-P11")
def test_what_is_not_known_is_never_none() -> None:
    offline = ForgeProblem(kind="offline", text="Offline.")
    for known in (None, snapshot(known={"pull"}), snapshot(problem=offline, checks=(check("a"),)), snapshot(pull=None)):
        found = availability(known)
        assert (found.failing, found.pending, found.open_threads, found.default) == (None, None, None, "")
        assert found.why("both") == "How the checks stand is not known."
        assert "not known" in found.why("comments")


def test_the_default_scope_is_what_there_is() -> None:
    red, open_thread = (check("a"),), (thread("T1", said("c1", BUG)),)
    assert availability(snapshot(checks=red, threads=open_thread)).default == "both"
    assert availability(snapshot(checks=red)).default == "checks"
    assert availability(snapshot(threads=open_thread)).default == "comments"
    assert availability(snapshot()).default == ""
    said_alone = snapshot(comments=(said("c9", "Rename it", ROBIN),))
    items = synced((), said_alone, minute(1))
    assert availability(said_alone, items).default == "comments"
    assert availability(said_alone, items).why("both") == ""
    assert availability(said_alone, ()).why("both") == "No check fails."


# Checks


def test_a_failing_check_is_an_item_until_it_passes() -> None:
    items = synced((), snapshot(checks=(check("lint"), check("unit", "success"))), minute(1))
    assert (_only(items).id, _only(items).severity, _only(items).state) == ("check:lint", "major", "new")
    running = synced(items, snapshot(checks=(check("lint", run=2, pending=True),)), minute(2))
    assert running == items
    fixed = _only(synced(items, snapshot(checks=(check("lint", "success", run=2),)), minute(3)))
    assert (fixed.state, fixed.last_change) == ("fixed", minute(3))
    assert synced((fixed,), snapshot(), minute(4)) == (fixed,)


def test_a_fixed_check_that_fails_again_is_new_with_round_0() -> None:
    items = synced((), snapshot(checks=(check("lint"),)), minute(1))
    items = sent(items, {"check:lint"}, 2, "ses_1", minute(2))
    items = synced(items, snapshot(checks=(check("lint", "success", run=2),)), minute(3))
    again = _only(synced(items, snapshot(checks=(check("lint", run=3),)), minute(4)))
    assert (again.state, again.round, again.returned, again.seen_in, again.session_id) == ("new", 0, 1, 2, "")


def test_a_check_that_was_given_to_an_agent_is_new_again_when_it_failed_once_more() -> None:
    items = sent(synced((), snapshot(checks=(check("lint"),)), minute(1)), {"check:lint"}, 1, "ses_1", minute(2))
    assert synced(items, snapshot(checks=(check("lint"),)), minute(3)) == items
    mixed = snapshot(checks=(check("lint", run=2), check("lint", run=3, pending=True)))
    assert _only(synced(items, mixed, minute(3))).state == "sent_to_agent"
    failed = _only(synced(items, snapshot(checks=(check("lint", run=2),)), minute(3)))
    assert (failed.state, failed.round) == ("new", 1)


def test_an_ignored_check_stays_ignored() -> None:
    items = synced((), snapshot(checks=(check("lint"),)), minute(1))
    items = changed_state(items, {"check:lint"}, "dismissed", minute(2), "  flaky\nsince May ")
    assert _only(items).reason == "flaky since May"
    for conclusion in ("failure", "success", "timed_out"):
        items = synced(items, snapshot(checks=(check("lint", conclusion, run=9),)), minute(3))
        assert _only(items).state == "dismissed"


# Threads


def test_a_thread_is_an_item_while_it_is_open() -> None:
    done = said("c3", "Fixed in abc1234", ROBIN, 3)
    told = snapshot(
        threads=(
            thread("T1", said("c1", BUG)), thread("T2", said("c2", BUG), resolved=True),
            thread("T3", said("c4", BUG), outdated=True), thread("T4", said("c5", BUG), done), thread("T5"),
            thread("T6", said("c6", "<!-- x -->")),
        )
    )  # fmt: skip
    item = _only(synced((), told, minute(4)))
    assert (item.id, item.headline, item.path, item.line, item.source) == (
        "thread:T1", "Close the file", "a.py", 3, "coderabbit",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "author", "before", "after"),
    [
        ("Fixed in abc1234", ROBIN, "new", "fixed"), ("Fixed in abc1234", ROBIN, "sent_to_agent", "fixed"),
        ("Fixed in abc1234", ROBIN, "escalated", "fixed"), ("not fixed yet", ROBIN, "sent_to_agent", "new"),
        ("not fixed yet", ROBIN, "fixed", "new"), ("not fixed yet", ROBIN, "dismissed", "new"),
        ("Fixed in abc1234", Author(login="coderabbitai[bot]", bot=True), "fixed", "new"),
        ("Any news?", ROBIN, "escalated", "escalated"), ("Fixed", ROBIN, "dismissed", "dismissed"),
    ],
)  # fmt: skip
def test_a_reply_opens_an_item_again_unless_a_person_says_it_is_done(
    words: str, author: Author, before: ItemState, after: ItemState
) -> None:
    told = snapshot(threads=(thread("T1", said("c1", BUG), said("c2", words, author, 2)),))
    assert _only(synced(_tracked(before), told, minute(3))).state == after


@pytest.mark.parametrize("before", ["fixed", "dismissed"])
def test_an_edit_of_the_last_comment_opens_it_again_and_the_agents_own_reply_does_not(before: ItemState) -> None:
    edited = snapshot(threads=(thread("T1", said("c1", BUG, edited=5)),))
    assert _only(synced(_tracked(before), edited, minute(6))).state == "new"
    replied = snapshot(threads=(thread("T1", said("c1", BUG), said("c2", "I used with.", ROBIN, 4)),))
    assert _only(synced(_tracked(before), replied, minute(6), {"c2"})).state == before
    assert _only(synced(_tracked(before), replied, minute(6))).state == "new"
    changed = snapshot(threads=(thread("T1", said("c1", BUG), said("c2", "no", ROBIN, 4, edited=7)),))
    assert _only(synced(_tracked(before), changed, minute(8), {"c2"})).state == "new"


def test_a_thread_is_fixed_when_it_is_resolved_and_new_when_that_is_taken_back() -> None:
    closed = snapshot(threads=(thread("T1", said("c1", BUG), resolved=True),))
    fixed = synced(_tracked("sent_to_agent"), closed, minute(2))
    assert _only(fixed).state == "fixed"
    spoken = snapshot(threads=(thread("T1", said("c1", BUG), said("c2", "Still open", ROBIN, 3), resolved=True),))
    again = synced(fixed, spoken, minute(4))
    assert _only(again).state == "new"
    assert synced(again, spoken, minute(5)) == again
    reopened = synced(fixed, snapshot(threads=(thread("T1", said("c1", BUG)),)), minute(6))
    assert _only(reopened).state == "new"
    both = synced(_tracked("new"), spoken, minute(6))
    assert _only(both).state == "fixed"
    assert _only(synced(_tracked("dismissed"), closed, minute(7))).state == "dismissed"


def test_a_thread_that_is_gone_has_nothing_left_to_fix() -> None:
    gone = snapshot(threads=())
    assert _only(synced(_tracked("new"), gone, minute(2))).state == "fixed"
    assert _only(synced(_tracked("dismissed"), gone, minute(2))).state == "dismissed"
    capped = snapshot(threads=(), capped={"threads"})
    assert _only(synced(_tracked("new"), capped, minute(2))).state == "new"


def test_comments_without_times_are_told_apart_by_their_ids() -> None:
    bare = said("c1", BUG).model_copy(update={"created_at": None})
    items = synced((), snapshot(threads=(thread("T1", bare),)), minute(1))
    fixed = tuple(item.model_copy(update={"state": "fixed"}) for item in items)
    other = bare.model_copy(update={"id": "c2"})
    assert _only(synced(fixed, snapshot(threads=(thread("T1", bare),)), minute(2))).state == "fixed"
    assert _only(synced(fixed, snapshot(threads=(thread("T1", bare, other),)), minute(2))).state == "new"
    emptied = snapshot(threads=(thread("T1"),))
    assert _only(synced(items, emptied, minute(3))).state == "new"


# Comments on the request, findings that come back


def test_comments_are_items_unless_they_are_noise_or_the_agents_own() -> None:
    told = snapshot(comments=(
        said("k1", "Please rename it", ROBIN), said("k2", "@codex review", ROBIN), said("k3", "Done", ROBIN),
        said("k4", "I renamed it", ROBIN),
    ))  # fmt: skip
    items = synced((), told, minute(1), {"k4"})
    assert _states(items) == {"comment:k1": "new"}
    assert synced(items, told, minute(2), {"k4"}) == items
    fixed = tuple(item.model_copy(update={"state": "dismissed"}) for item in items)
    edited = snapshot(comments=(said("k1", "Please rename both", ROBIN, edited=4),))
    item = _only(synced(fixed, edited, minute(5)))
    assert (item.state, item.headline) == ("new", "Please rename both")
    assert _only(synced(items, snapshot(comments=()), minute(6))).reason == "It was taken away."


def test_a_finding_that_comes_back_twice_under_new_ids_needs_a_person() -> None:
    first = _tracked("fixed")
    first = tuple(item.model_copy(update={"round": 2, "closed": True}) for item in first)
    threads = [thread("T1", said("c1", BUG), resolved=True), thread("T2", said("c2", BUG, at=5))]
    second = synced(first, snapshot(threads=threads), minute(6))
    again = second[1]
    assert (again.state, again.returned, again.seen_in) == ("new", 1, 2)
    threads[1] = thread("T2", said("c2", BUG, at=5), resolved=True)
    third = synced(second, snapshot(threads=(*threads, thread("T3", said("c3", BUG, at=8)))), minute(9))
    assert (third[2].state, third[2].returned) == ("escalated", 2)
    apart = synced((), snapshot(threads=(thread("A", said("c1", BUG)), thread("B", said("c2", BUG)))), minute(1))
    assert _states(apart) == {"thread:A": "new", "thread:B": "new"}


# A person's word, and rounds


def test_a_person_ignores_with_a_reason_restores_and_escalates() -> None:
    items = _tracked("new", thread("T1", said("c1", BUG)), thread("T2", said("c2", "Other")))
    ignored = changed_state(items, {"thread:T1"}, "dismissed", minute(2), "not ours")
    assert _states(ignored) == {"thread:T1": "dismissed", "thread:T2": "new"}
    assert _states(changed_state(ignored, {"thread:T1"}, "new", minute(3)))["thread:T1"] == "new"
    assert _states(changed_state(items, {"thread:T1", "thread:T2"}, "escalated", minute(3)))["thread:T2"] == "escalated"
    assert changed_state(ignored, {"thread:T1"}, "dismissed", minute(9), "again") == ignored
    wrong: list[tuple[set[str], ItemState, str]] = [
        ({"thread:T1"}, "dismissed", " "), ({"thread:T9"}, "new", ""), ({"thread:T1"}, "fixed", ""), (set(), "new", ""),
    ]  # fmt: skip
    for ids, to, reason in wrong:
        with pytest.raises(CommandError):
            changed_state(items, ids, to, minute(4), reason)


def test_items_belong_to_a_round_once_its_chat_began_and_are_new_when_it_did_not() -> None:
    items = synced((), snapshot(checks=(check("a"),), threads=(thread("T1", said("c1", BUG)),)), minute(1))
    given_away = sent(items, {"check:a"}, 3, "ses_1", minute(2))
    assert (given_away[0].state, given_away[0].round, given_away[0].session_id) == ("sent_to_agent", 3, "ses_1")
    assert (current_round(given_away), current_round((), 4), current_round(given_away, 1)) == (3, 4, 3)
    assert _states(taken_back(given_away, "ses_1", minute(3)))["check:a"] == "new"
    assert taken_back(given_away, "ses_2", minute(3)) == given_away
    scopes: dict[Scope, int] = {"checks": 1, "comments": 1, "both": 2}
    assert {scope: len(in_scope(items, scope)) for scope in scopes} == scopes


def test_what_a_round_left_as_it_was_is_new_again() -> None:
    told = snapshot(
        checks=(check("a"),),
        threads=(thread("T1", said("c1", BUG)), thread("T2", said("c2", "B"), said("c3", "I disagree", ROBIN, 2))),
    )
    items = sent(synced((), told, minute(1), {"c3"}), {"check:a", "thread:T1", "thread:T2"}, 1, "s", minute(2))
    left = came_back(items, told, 1, minute(5), {"c3"})
    assert _states(left) == {"check:a": "new", "thread:T1": "new", "thread:T2": "sent_to_agent"}
    assert came_back(items, told, 2, minute(5), {"c3"}) == items
    assert came_back(items, snapshot(known={"pull"}), 1, minute(5), {"c3"}) == items


# Laws

_bodies = st.sampled_from([BUG, "P1: x", "Fixed", "not fixed yet", "", "thanks", "done in a way"])
_comments = st.lists(
    st.builds(
        said, st.sampled_from(["c1", "c2", "c3"]), _bodies, st.sampled_from([ROBIN, Author(login="x[bot]", bot=True)]),
        st.integers(0, 9), st.one_of(st.none(), st.integers(0, 9)),
    ),
    max_size=3, unique_by=lambda comment: comment.id,
)  # fmt: skip
_threads = st.lists(
    st.builds(
        lambda ref, comments, resolved, outdated: thread(ref, *comments, resolved=resolved, outdated=outdated),
        st.sampled_from(["T1", "T2", "T3"]), _comments, st.booleans(), st.booleans(),
    ),
    max_size=3, unique_by=lambda one: one.id,
)  # fmt: skip
_checks = st.lists(
    st.builds(
        check, st.sampled_from(["a", "b"]), st.sampled_from(["success", "failure", "cancelled"]), st.integers(1, 3),
        pending=st.booleans(),
    ),
    max_size=3,
)  # fmt: skip
_snapshots = st.builds(
    lambda threads, checks, comments, known: snapshot(threads=threads, checks=checks, comments=comments, known=known),
    _threads, _checks, _comments,
    st.frozensets(st.sampled_from(["checks", "threads", "comments"]), min_size=1),
)  # fmt: skip
_ours = st.frozensets(st.sampled_from(["c1", "c2", "c3"]), max_size=1)


@pytest.mark.promise("lanes-P18")
@given(st.lists(_snapshots, min_size=1, max_size=4), _ours)
@settings(max_examples=25, deadline=None)
def test_syncing_again_with_the_same_snapshot_changes_nothing(told: list[PullSnapshot], ours: frozenset[str]) -> None:
    items: tuple[IssueItem, ...] = ()
    for number, one in enumerate(told):
        items = synced(items, one, minute(number + 10), ours)
        assert synced(items, one, minute(number + 50), ours) == items
        assert len({item.id for item in items}) == len(items)


@given(st.lists(_snapshots, min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_what_was_ignored_comes_back_only_by_a_new_word(told: list[PullSnapshot]) -> None:
    items = synced((), told[0], minute(10))
    items = tuple(item.model_copy(update={"state": "dismissed", "reason": "no"}) for item in items)
    for number, one in enumerate(told):
        after = {item.id: item for item in synced(items, one, minute(20 + number))}
        for item in items:
            now = after[item.id]
            if item.type == "check" or (now.latest_id, now.latest_at) == (item.latest_id, item.latest_at):
                assert now.state == item.state
            assert now.state in ("dismissed", "new")


@pytest.mark.promise("lanes-P21")
@given(st.lists(st.tuples(_snapshots, st.integers(1, 20)), max_size=5), st.integers(0, 20))
@settings(max_examples=15, deadline=None)
def test_the_round_never_goes_back(told: list[tuple[PullSnapshot, int]], before: int) -> None:
    items: tuple[IssueItem, ...] = ()
    for one, number in told:
        items = synced(items, one, minute(10))
        after = current_round(items, before)
        assert after >= before
        items = sent(items, {item.id for item in items if item.state == "new"}, number, "ses_1", minute(11))
        before = current_round(items, after)
