"""Rounds go on, wait, pause with a reason, converge or merge; nothing is begun or merged on what is not known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from desktop.domain.pulls.pull_request import ForgeProblem, PullSnapshot
from desktop.domain.rounds.inventory import synced
from desktop.domain.rounds.items import (
    IssueItem,
    PipelineRun,
    PipelineSettings,
    RoundRecord,
    pull_key,
)
from desktop.domain.rounds.rounds import NO_CHECKS, RoundFacts, Step, next_step, no_reliance, stalled
from tests.domain.pull_samples import REPOSITORY, T0, check, minute, pull, said, snapshot, thread

AUTO = PipelineSettings(auto_round=True)
MERGES = PipelineSettings(auto_round=True, auto_merge=True)
GREEN = (check("a", "success"), check("b", "skipped"))
RUN = PipelineRun(state="polling", round=1, counted=0)


def _facts(told: PullSnapshot | None, **changes: object) -> RoundFacts:
    items = synced((), told, T0) if told is not None else ()
    new = sum(1 for item in items if item.state == "new")
    run = RUN.model_copy(update={"counted": new})
    return RoundFacts(snapshot=told, now=minute(1), items=items, run=run, settings=AUTO).model_copy(update=changes)


def _step(told: PullSnapshot | None, **changes: object) -> Step:
    return next_step(_facts(told, **changes))


def _round(number: int, **changes: object) -> RoundRecord:
    return RoundRecord(number=number, state="done", started_at=T0).model_copy(update=changes)


def test_what_cannot_be_read_waits_and_pauses_after_15_minutes() -> None:
    offline = snapshot(problem=ForgeProblem(kind="offline", text="Offline."))
    for told in (None, offline, snapshot(pull=None)):
        step = _step(told)
        assert (step.kind, step.offline_since) == ("wait", minute(1))
    long_ago = RUN.model_copy(update={"offline_since": T0})
    assert _step(offline, run=long_ago, now=minute(14)).kind == "wait"
    assert _step(offline, run=long_ago, now=minute(16)) == Step(kind="pause", reason="offline for over 15 minutes")


def test_merged_and_closed_outside_end_it_and_unpushed_work_pauses() -> None:
    assert _step(snapshot(pull=pull(state="merged"))).kind == "merged"
    assert _step(snapshot(pull=pull(state="closed"))).kind == "closed"
    assert _step(snapshot(), unfinished="2 commits are not pushed").reason == "2 commits are not pushed"


@pytest.mark.parametrize("changes", [{"behind": 3}, {"mergeable": "behind"}])
def test_behind_its_base_it_is_rebased_or_paused_as_set(changes: dict[str, object]) -> None:
    told = snapshot(pull=pull(**changes))
    rebases = PipelineSettings(on_rebase_needed="auto_rebase")
    assert _step(told).reason == "it is behind main"
    assert _step(told, settings=rebases).kind == "rebase"
    assert _step(told, settings=rebases, may_launch=False).kind == "pause"
    conflicts = snapshot(pull=pull(mergeable="conflicts"))
    assert _step(conflicts, settings=rebases).reason == "it conflicts with main"


def test_it_waits_for_the_pushed_commit_for_all_parts_for_checks_and_for_comments() -> None:
    assert _step(snapshot(), head="b" * 40).poller == "waiting_for_checks"
    assert _step(snapshot(), head="a" * 40).kind == "converged"
    assert _step(snapshot(known={"pull", "checks"})).reason == "Not everything could be read."
    running = snapshot(checks=(check("a", pending=True), check("b", pending=True)))
    assert _step(running).reason == "2 checks are still running."
    one_more = _step(snapshot(checks=(check("a"),)), run=RUN)
    assert (one_more.kind, one_more.poller, one_more.counted) == ("wait", "waiting_for_comments", 1)


def test_a_check_that_was_to_be_mended_and_did_not_run_is_waited_for() -> None:
    before = synced((), snapshot(checks=(check("lint"),)), T0)
    given_away = tuple(item.model_copy(update={"state": "sent_to_agent"}) for item in before)
    step = _step(snapshot(checks=GREEN), items=given_away, run=RUN)
    assert (step.kind, step.reason, step.poller) == ("wait", "lint has not begun yet.", "waiting_for_checks")
    ended = (_round(1, ended_at=T0),)
    late = _step(snapshot(checks=GREEN), items=given_away, run=RUN, rounds=ended, now=minute(16))
    assert (late.kind, late.reason) == ("pause", "lint did not run on the new commit")
    assert _step(snapshot(checks=(*GREEN, check("lint", "success"))), items=given_away, run=RUN).kind == "converged"


def test_new_items_begin_the_next_round_until_the_highest_number() -> None:
    red = snapshot(checks=(check("a"),))
    assert _step(red).kind == "launch"
    assert _step(red, settings=PipelineSettings()).reason == "1 new: start the next round when you want it"
    assert _step(red, may_launch=False).reason == "Banksman was started again"
    fifth = RUN.model_copy(update={"round": 5, "counted": 1})
    assert _step(red, run=fifth) == Step(kind="pause", reason="round 5 of 5 is done", counted=1)


@pytest.mark.promise("lanes-P23")
@pytest.mark.parametrize(
    ("checks", "kind", "reason"),
    [
        ((), "pause", NO_CHECKS), (GREEN, "merge", ""),
        ((check("a", "success"), check("b", "cancelled")), "pause", "1 of 2 checks are not ok"),
    ],
)  # fmt: skip
def test_it_merges_by_itself_only_with_checks_that_are_all_ok(
    checks: tuple[object, ...], kind: str, reason: str
) -> None:
    told = snapshot(checks=checks)
    ignored = tuple(item.model_copy(update={"state": "dismissed"}) for item in synced((), told, T0))
    step = _step(told, settings=MERGES, items=ignored, run=RUN)
    assert (step.kind, step.reason) == (kind, reason)
    assert _step(told, items=ignored, run=RUN).kind == "converged"


def test_after_a_restart_nothing_is_merged_and_unknown_checks_are_none_to_rely_on() -> None:
    assert _step(snapshot(checks=GREEN), settings=MERGES, may_launch=False).kind == "pause"
    assert no_reliance(snapshot(checks=GREEN, known={"pull"})) == NO_CHECKS


def test_what_waits_for_a_person_pauses_instead_of_converging() -> None:
    told = snapshot(threads=(thread("T1", said("c1", "x")),))
    escalated = tuple(item.model_copy(update={"state": "escalated"}) for item in synced((), told, T0))
    assert _step(told, items=escalated, run=RUN).reason == "1 waiting for a person"
    twice = tuple(item.model_copy(update={"returned": 2}) for item in escalated)
    step = _step(told, items=twice, run=RUN)
    assert (step.kind, step.reason, step.told) == ("pause", "came back twice: x", ("thread:T1",))
    again = _step(told, items=twice, run=RUN.model_copy(update={"told": ("thread:T1",)}))
    assert again.reason == "1 waiting for a person"


@pytest.mark.promise("lanes-P24")
def test_rounds_without_progress_and_rounds_that_grow_pause_it() -> None:
    red = snapshot(checks=(check("a"),))
    idle = (_round(1, returned=1), _round(2))
    assert _step(red, rounds=idle).reason == "two rounds in a row fixed nothing"
    assert stalled(idle, RUN.model_copy(update={"counted_from": 1})) == ""
    assert stalled((_round(1), _round(2, fixed=1)), RUN) == ""
    assert stalled((_round(1), _round(2, dismissed=1)), RUN) == ""
    grown = (_round(1, fixed=1, files=13),)
    assert stalled(grown, RUN.model_copy(update={"files_before": 4})).startswith("scope grew: the round changed 13")
    assert stalled(grown, RUN.model_copy(update={"files_before": 5})) == ""
    assert stalled((_round(1, state="running"), _round(2, state="failed")), RUN) == ""
    assert (_round(1, fixed=2, returned=1).progress, _round(1).progress) == (1, 0)


@pytest.mark.parametrize("wrong", [-1, 1.5, float("nan"), "1", True, None])
def test_a_round_is_a_whole_number(wrong: object) -> None:
    for kind, given_values in ((PipelineRun, {}), (IssueItem, {"id": "check:a"})):
        with pytest.raises(ValidationError):
            kind.model_validate({**given_values, "round": wrong})


@pytest.mark.parametrize(
    "wrong",
    [{"max_rounds": 0}, {"max_rounds": 21}, {"round_token_limit": 9_999}, {"merge_method": "octopus"}, {"other": 1}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PipelineSettings.model_validate(wrong)
    for word in ({"state": "thinking"}, {"poller": "awake"}):
        with pytest.raises(ValidationError):
            PipelineRun.model_validate(word)


def test_a_run_is_active_while_a_round_is_under_way_and_a_request_has_one_key() -> None:
    assert [PipelineRun(state=one).active for one in ("running", "polling", "launching", "paused", "idle")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert pull_key(REPOSITORY, 42) == "github.com/acme/shop#42"


@given(
    st.sampled_from([(), GREEN, (check("a"),), (check("a", pending=True),), (check("a", "success"), check("b"))]),
    st.sampled_from(["yes", "conflicts", "behind", "unknown", "blocked"]),
    st.frozensets(st.sampled_from(["checks", "threads", "comments"])), st.booleans(), st.integers(0, 9),
    st.one_of(st.none(), st.integers(0, 2)), st.builds(PipelineSettings, auto_round=st.booleans(),
    auto_merge=st.booleans(), max_rounds=st.integers(1, 5)),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_nothing_is_begun_or_merged_without_everything_known(
    checks: tuple[object, ...], mergeable: str, known: frozenset[str], may: bool, number: int, counted: int | None,
    chosen: PipelineSettings,
) -> None:  # fmt: skip
    told = snapshot(checks=checks, pull=pull(mergeable=mergeable), known={"pull", *known})
    run = RUN.model_copy(update={"round": number, "counted": counted})
    step = _step(told, settings=chosen, run=run, may_launch=may)
    if step.kind in ("launch", "merge"):
        assert may
        assert known == {"checks", "threads", "comments"}
        assert not told.pending
    if step.kind == "launch":
        assert chosen.auto_round
        assert number < chosen.max_rounds
    if step.kind == "merge":
        assert chosen.auto_merge
        assert told.checks
        assert not told.failing
