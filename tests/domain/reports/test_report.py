"""What stands at the head of a completion report's card."""

from datetime import UTC, datetime

import pytest

from desktop.domain.reports.values import ClaimView, ReportView, evidence_rows


def report(*verdicts: str, status: str = "completed", kind: str = "command") -> ReportView:
    claims = [{"text": verdict, "kind": kind, "verdict": verdict} for verdict in verdicts]
    place = {"report_id": "r", "session_id": "s", "summary": "Done.", "at": datetime(2026, 1, 5, tzinfo=UTC)}
    return ReportView.model_validate({**place, "status": status, "claims": claims})


@pytest.mark.parametrize(
    ("view", "title", "count", "done"),
    [
        (report("proved", status="blocked"), "Blocked", "1 of 1 claim proved", False),
        (report(), "Completed, nothing to check", "", False),
        (report("not_checked", kind="statement"), "Completed, nothing to check", "", False),
        (report("proved", "checking", "failed"), "Completed, checking…", "1 of 3 claims proved", False),
        (report("proved", "unproved", "stale"), "Completed, not proved", "1 of 3 claims proved", False),
        (report("proved", "stale"), "Completed, stale", "1 of 2 claims proved", False),
        (report("proved", "proved"), "Completed", "2 of 2 claims proved", True),
        (report("proved", kind="file"), "Completed", "1 of 1 claim proved", False),
    ],
)
def test_the_worst_of_the_verdicts_is_said_first(view: ReportView, title: str, count: str, done: bool) -> None:
    assert (view.title, view.count, view.done) == (title, count, done)


def test_commands_alone_can_be_stale_or_evidence() -> None:
    view = report("stale", "proved", "changed_tree")
    file = ClaimView(text="f", kind="file", verdict="stale")
    mixed = view.model_copy(update={"claims": (file, *view.claims)})
    assert mixed.stale == (1, 3)
    assert [row.stale for row in evidence_rows(mixed)] == [True, False, False]
