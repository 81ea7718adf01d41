"""What is true of each claim follows from what was recorded and found, and from nothing that was said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Artifact, Claim, ReportView, Verdict, evidence_rows
from desktop.domain.reports.verdicts import Facts, command_sha256, fewer_tests, is_settled, matching, report_view

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TESTS = "pytest -q"
A, B = "a" * 40, "b" * 40


def ran(command: str = TESTS, before: str = A, after: str = "", minute: int = 0, **more: Any) -> EvidenceRecorded:
    values = {"exit_code": 0, "cwd": ".", **more}
    return EvidenceRecorded(
        evidence_id=f"ev_{minute}", call_id=f"c{minute}", command=command, command_sha256=command_sha256(command),
        started_at=AT + timedelta(minutes=minute), tree_before=before, tree_after=after or before, **values,
    )  # fmt: skip


def claim(command: str = TESTS, **more: Any) -> Claim:
    return Claim(text="all tests pass", kind="command", command=command, **more)


def view(*claims: Claim, facts: Facts, **more: Any) -> ReportView:
    event = CompletionReported(call_id="r", summary="Done.", status="completed", claims=claims, **more)
    return report_view(event, facts, session_id="ses_1", at=AT)


def verdict(*record: Any, of: Claim | None = None, tree: str = A, **more: Any) -> tuple[Verdict, str]:
    (found,) = view(of or claim(), facts=Facts(tree=tree, record=record, **more)).claims
    return found.verdict, found.reason


NO_RUN, NO_TREE = "Banksman ran no such command in this chat.", "Banksman cannot tell which files it ran on."
CASES: list[tuple[tuple[Any, ...], Verdict, str]] = [
    ((), "unproved", NO_RUN),
    ((ran(),), "proved", ""),
    ((ran(exit_code=1),), "failed", "It ended with 1 instead of 0."),
    ((ran(exit_code=1), ran(minute=1)), "proved", ""),
    ((ran(), ran(minute=1, exit_code=1)), "failed", "It ended with 1 instead of 0."),
    ((ran(before=B),), "stale", "Files changed since it ran."),
    ((ran(), ran(before=B, minute=1, exit_code=1)), "proved", ""),
    ((ran(before=B, exit_code=2),), "unproved", "It failed when it ran last, on other files."),
    ((ran(before=B, after=A),), "changed_tree", "Files changed while it ran. Run it again."),
    ((ran(before=B, after=A, exit_code=1),), "failed", "It ended with 1 instead of 0."),
    ((ran(before=A, after=B),), "changed_tree", "Files changed while it ran. Run it again."),
    ((ran(ending="timed_out", exit_code=None),), "failed", "It was stopped at its time limit."),
    ((ran(exit_code=None, signal="SIGKILL"),), "failed", "It was stopped by SIGKILL."),
    ((ran(ending="output_limit", exit_code=None),), "failed", "It did not end by itself."),
    ((ran(ending="interrupted", exit_code=None),), "unproved", NO_RUN),
    ((ran("pytest -q "),), "unproved", NO_RUN),
    ((ran(cwd="src"),), "unproved", NO_RUN),
    ((ran(before=""),), "unproved", NO_TREE),
    ((ClaimChecked(report_id="r", claim=0, call_id="c", refused="You declined it."),), "refused", "You declined it."),
    ((ClaimChecked(report_id="r", claim=1, call_id="c", refused="You declined it."),), "unproved", NO_RUN),
    ((ran(), ClaimChecked(report_id="r", claim=0, call_id="c", refused="no")), "proved", ""),
    ((ran(before=B), ClaimChecked(report_id="r", claim=0, call_id="c", refused="no")), "refused", "no"),
    ((ClaimChecked(report_id="r", claim=0, call_id="c", refused="no"), ran(before=B)), "stale", "Files changed since"),
]


@pytest.mark.parametrize(("record", "wanted", "reason"), CASES)
def test_a_command_is_proved_by_a_run_of_the_very_command_on_the_very_files(
    record: tuple[Any, ...], wanted: Verdict, reason: str
) -> None:
    found, said = verdict(*record)
    assert found == wanted
    assert said.startswith(reason)


def test_where_the_files_cannot_be_told_nothing_is_proved() -> None:
    assert verdict(ran(), tree="") == ("unproved", NO_TREE)


def test_an_expected_exit_code_and_a_folder_belong_to_the_claim() -> None:
    assert verdict(ran(exit_code=3, cwd="src"), of=claim(expected_exit=3, cwd="src/"))[0] == "proved"
    assert matching(claim(cwd="./src"), [ran(cwd="src")])


@pytest.mark.promise("lanes-E3")
@given(st.lists(st.sampled_from([A, B, ""]), min_size=2, max_size=2), st.sampled_from([0, 1, None]))
@settings(max_examples=25)
def test_nothing_but_an_expected_end_on_unchanged_present_files_proves(trees: list[str], code: int | None) -> None:
    run = ran(before=trees[0]).model_copy(update={"tree_after": trees[1], "exit_code": code})
    assert (verdict(run)[0] == "proved") == (trees == [A, A] and code == 0)


def test_a_claim_is_settled_by_any_run_on_these_files_and_shown_as_checking_while_it_runs() -> None:
    assert is_settled(claim(), Facts(tree=A, record=[ran(exit_code=1)]))
    assert not is_settled(claim(), Facts(tree=B, record=[ran()]))
    found = view(claim(), facts=Facts(tree=A, record=[ran()], checking=frozenset({("r", 0)})))
    assert (found.claims[0].verdict, found.title, found.done) == ("checking", "Completed, checking…", False)


def test_files_proofs_and_requests_are_as_they_were_looked_up() -> None:
    claims = [
        *(Claim(text=path, kind="file", path=path) for path in ("here", "gone")),
        *(Claim(text=one, kind="proof", proof_id=one) for one in ("p1", "p2", "p3", "p4", "p5")),
        *(Claim(text=one, kind="pr", pr=one) for one in ("1", "2", "3")),
        Claim(text="nice", kind="statement"),
    ]
    facts = Facts(
        tree=A, files={"here": True, "gone": False}, prs={"1": True, "2": False},
        proofs={"p1": "found", "p2": "missing", "p3": "dismissed", "p4": "other_tree"},
    )  # fmt: skip
    found = view(*claims, facts=facts, artifacts=(Artifact(reference="a"), Artifact(reference="b")))
    assert [one.verdict for one in found.claims] == [
        "proved", "failed", "proved", "failed", "failed", "stale", "unproved", "proved", "failed", "unproved",
        "not_checked",
    ]  # fmt: skip
    assert [one.found for one in found.artifacts] == ["not_looked_up", "not_looked_up"]
    assert (found.count, found.stale) == ("3 of 10 claims proved", ())


@pytest.mark.parametrize(
    ("now", "before", "warning"),
    [
        ({"passed": 80}, ({"passed": 120},), "fewer tests than last time: 80 instead of 120"),
        ({"passed": 80}, ({"passed": 120}, {"passed": 80}), "fewer tests than last time: 80 instead of 120"),
        ({"passed": 120}, ({"passed": 120}, {}), ""),
        ({"passed": 120, "skipped": 5}, ({"passed": 120},), "more skipped tests than last time: 5 instead of 0"),
        (
            {"passed": 125, "skipped": 5},
            ({"passed": 120, "skipped": 1}, {"passed": 125, "skipped": 5}),
            "more skipped tests than last time: 5 instead of 1",
        ),
        ({}, ({"passed": 120},), ""),
        ({"passed": 1, "skipped": 1}, ({},), ""),
        ({"passed": 0, "skipped": 1}, (), ""),
    ],
)
def test_fewer_or_skipped_tests_are_told(now: dict[str, int], before: tuple[dict[str, int], ...], warning: str) -> None:
    assert fewer_tests(ran(**now), [ran(**one) for one in before]) == warning


@pytest.mark.promise("lanes-E6")
def test_numbers_are_compared_with_the_best_run_in_the_lane_that_proved_it() -> None:
    earlier = [ran(before=B, minute=1, passed=120), ran(before=B, minute=2, exit_code=1, passed=300)]
    later = ran(before=B, minute=9, passed=500)
    record = [ran(minute=3, passed=80), ran(before="c" * 40, minute=4, passed=80), ran(minute=5, passed=80), later]
    (found,) = view(claim(), facts=Facts(tree=A, record=record, earlier=earlier)).claims
    assert (found.verdict, found.warning) == ("proved", "fewer tests than last time: 80 instead of 120")


def test_rows_for_a_request_name_command_exit_code_files_and_whether_it_is_stale() -> None:
    facts = Facts(tree=B, record=[ran(passed=1)])
    rows = evidence_rows(view(claim(), Claim(text="x", kind="statement"), claim("make"), facts=facts))
    told = [(row.command, row.exit_code, row.tree, row.state, row.stale) for row in rows]
    assert told == [(TESTS, 0, A, "stale", True), ("make", None, "", "no evidence", False)]


def test_a_report_without_anything_to_check_says_so() -> None:
    found = view(Claim(text="x", kind="statement"), facts=Facts(tree=A))
    assert (found.title, found.count, found.done) == ("Completed, nothing to check", "", False)
