"""Claims of a report in a handover: what no run bears out is a risk, as far as the record says."""

from datetime import timedelta

import pytest

from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.content import TouchedFile
from desktop.domain.events import Event, Notice, ToolCallFinished, TurnEnded, UnknownEvent
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Claim
from desktop.domain.reports.verdicts import command_sha256
from tests.domain.handover.test_handover import lines, page
from tests.domain.ledger.test_ledger import AT

PASSES = Claim(text="Tests pass", kind="command", command="npm test")
THERE = Claim(text="It is there", kind="file", path="a.py")


def reported(*claims: Claim) -> CompletionReported:
    return CompletionReported(call_id="r", status="completed", summary="Done", claims=claims)


def ran(tree: str = "t1", *, exit_code: int = 0) -> EvidenceRecorded:
    return EvidenceRecorded(
        evidence_id="e", call_id="c", command="npm test", command_sha256=command_sha256("npm test"),
        started_at=AT + timedelta(minutes=1), exit_code=exit_code, tree_before=tree, tree_after=tree,
    )  # fmt: skip


def risks(*events: Event) -> list[str]:
    return lines(page(*events), "Risks")


@pytest.mark.promise("memory-HO2")
@pytest.mark.parametrize(
    ("events", "line"),
    [
        ((reported(PASSES),), "no evidence: Tests pass (Banksman ran no such command in this chat.)"),
        ((ran(exit_code=1), reported(PASSES)), "failed: Tests pass (It ended with 1 instead of 0.)"),
        (
            (ran(), reported(PASSES), CheckpointMade(checkpoint_id="k", tree="t2", changed=1)),
            "stale: Tests pass (Files changed since it ran.)",
        ),
        (
            (ran(), ToolCallFinished(call_id="x", outcome="ok", touched=(TouchedFile(path="a", kind="modify"),)),
             reported(PASSES)),
            "stale: Tests pass (Files changed since it ran.)",
        ),
        (
            (ran(), reported(PASSES), CheckpointMade(checkpoint_id="k", tree="t1", changed=1, partial="too many")),
            "no evidence: Tests pass (Banksman cannot tell which files it ran on.)",
        ),
        (
            (reported(PASSES), ClaimChecked(report_id="r", call_id="c", claim=0, refused="A person declined.")),
            "refused: Tests pass (A person declined.)",
        ),
    ],
)  # fmt: skip
def test_what_no_run_bears_out_is_a_risk(events: tuple[Event, ...], line: str) -> None:
    assert risks(*events) == [f"Reported and {line}"]


@pytest.mark.parametrize(
    "events",
    [
        (ran(),),
        (ran(), reported(PASSES)),
        (reported(PASSES), ran()),
        (ran(), reported(PASSES), CheckpointMade(checkpoint_id="k", tree="t1", changed=1)),
        (ran(), reported(PASSES), CheckpointMade(checkpoint_id="k", tree="t2", changed=0)),
        (reported(PASSES), reported(THERE)),
        (reported(PASSES), reported()),
    ],
)
def test_what_is_proved_or_cannot_be_judged_from_the_record_is_none(events: tuple[Event, ...]) -> None:
    assert risks(*events) == []


def test_a_report_that_cannot_be_read_is_passed_over() -> None:
    assert risks(UnknownEvent(original_type="completion_reported", raw="{}", reason="invalid")) == []


@pytest.mark.promise("memory-HO2")
def test_limits_that_ended_or_nearly_ended_a_turn_are_risks() -> None:
    used = "82 % of the limit of $1.00 per turn is used."
    ended = "Stopped at the limit of $1.00 per turn. The task may be unfinished."
    found = risks(
        Notice(kind="limit", level="warning", text=used),
        Notice(kind="other", text="not told"),
        TurnEnded(turn_id="1", status="limit", reason="cost", detail=ended),
        TurnEnded(turn_id="2", status="loop", reason="same_call"),
        TurnEnded(turn_id="3", status="completed"),
    )
    assert found == [used, ended, "A turn ended at a loop: same_call"]
