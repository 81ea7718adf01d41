"""ReportFold: reports of an agent into rows, with the verdicts that the engine tells, as often as they change."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from desktop.domain import events as ev
from desktop.domain.reports.events import CompletionReported
from desktop.domain.reports.updates import ReportsChanged
from desktop.domain.reports.values import ArtifactView, Claim, ClaimView, ReportView
from desktop.language import tr
from desktop.ui.chats.folds.call_fold import CallFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Row

ELSEWHERE = tr("It was reported in another chat, or comes from a file.")


class ReportContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore
    turn_id: str
    calls: CallFold

    def append(self, row: Row) -> None:
        """Add a row at the end."""

    def update(self, key: str, **changes: Any) -> None:
        """Change a row."""


class ReportFold:
    """`views`: by the call that reported, the verdicts as they were told last. Reports from before `since` came from
    another chat or from a file, so nothing is known of them here."""

    def __init__(self, fold: ReportContext) -> None:
        self._fold = fold
        self.views: dict[str, ReportView] = {}
        self.since = 0

    def handlers(self) -> dict[type, Callable[[ev.Envelope, Any], None]]:
        """The events it folds."""
        return {CompletionReported: self._on_report}

    def show(self, update: ReportsChanged) -> None:
        """Take verdicts; reports that are not shown yet get theirs when they are."""
        for view in update.reports:
            self.views[view.report_id] = view
        self.write()

    def imported(self, envelope: ev.Envelope) -> None:
        """What stands before this came from a file."""
        self.since = envelope.seq
        self.write()

    def write(self) -> None:
        """Write the verdicts on the rows that are here."""
        for row in [row for row in self._fold.store.rows if row.report is not None and row.seq < self.since]:
            if row.report is not None and any(claim.verdict == "checking" for claim in row.report.claims):
                self._fold.update(row.key, report=_elsewhere(row.report))
        for report_id, view in self.views.items():
            index = self._fold.store.index_of(f"report:{report_id}")
            if index >= 0 and self._fold.store.rows[index].report != view:
                self._fold.update(self._fold.store.rows[index].key, report=view)

    def _on_report(self, envelope: ev.Envelope, event: CompletionReported) -> None:
        self._fold.calls.hide(event.call_id)
        row = Row(f"row:{envelope.seq}", "report", envelope.seq, envelope.at, self._fold.turn_id, event.summary)
        view = self.views.get(event.call_id) or unchecked_view(envelope, event)
        view = _elsewhere(view) if envelope.seq < self.since else view
        aliases = (f"report:{event.call_id}",)
        self._fold.append(replace(row, event_id=envelope.event_id, aliases=aliases, report=view))


def unchecked_view(envelope: ev.Envelope, event: CompletionReported) -> ReportView:
    """A report of which nothing is known yet but what the agent said."""
    return ReportView(
        report_id=event.call_id,
        session_id=envelope.session_id,
        status=event.status,
        summary=event.summary,
        blocker=event.blocker,
        claims=tuple(_unchecked(claim) for claim in event.claims),
        artifacts=tuple(ArtifactView(reference=one.reference, title=one.title) for one in event.artifacts),
        at=envelope.at,
        last=False,
        open_todos=event.open_todos,
    )


def _elsewhere(view: ReportView) -> ReportView:
    """The report of another chat: none of its evidence counts here."""
    known = {"verdict": "unproved", "reason": ELSEWHERE}
    claims = (one if one.kind == "statement" else one.model_copy(update=known) for one in view.claims)
    return view.model_copy(update={"claims": tuple(claims)})


def _unchecked(claim: Claim) -> ClaimView:
    subject = {"command": claim.command, "file": claim.path, "proof": claim.proof_id, "pr": claim.pr}
    return ClaimView(
        text=claim.text,
        kind=claim.kind,
        verdict="not_checked" if claim.kind == "statement" else "checking",
        subject=subject.get(claim.kind, ""),
        cwd=claim.cwd,
    )
