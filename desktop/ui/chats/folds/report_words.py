"""The words of a report: its status, its claims and what became of each, for the card, for copying and for speaking."""

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.reports.values import ArtifactView, ClaimView, ReportView, Verdict
from desktop.language import number, said, tr, trn
from desktop.ui.text.format import duration

VERDICT_ICONS: dict[Verdict, tuple[str, str]] = {
    "proved": ("circle-check", "success"),
    "failed": ("circle-x", "danger"),
    "stale": ("history", "warning"),
    "changed_tree": ("file-pen", "warning"),
    "unproved": ("circle-help", "warning"),
    "refused": ("shield-x", "danger"),
    "not_checked": ("circle", "muted"),
    "checking": ("loader-circle", "accent"),
}
"""The picture of each verdict, and the token of its colour."""
VERDICT_WORDS: dict[Verdict, str] = {
    "proved": tr("proved"),
    "failed": tr("failed"),
    "stale": tr("stale"),
    "changed_tree": tr("changed files"),
    "unproved": tr("no evidence"),
    "refused": tr("refused"),
    "not_checked": tr("not checked"),
    "checking": tr("checking…"),
}
_TITLES = {
    "Completed": tr("Completed"),
    "Partial": tr("Partial"),
    "Blocked": tr("Blocked"),
    "Completed, nothing to check": tr("Completed, nothing to check"),
    "Completed, checking…": tr("Completed, checking…"),
    "Completed, not proved": tr("Completed, not proved"),
    "Completed, stale": tr("Completed, stale"),
}
_ENDINGS = {
    "timed_out": tr("timed out"),
    "output_limit": tr("output limit"),
    "stopped": tr("stopped"),
    "interrupted": tr("interrupted"),
    "exited": tr("exited"),
}
FOUND_WORDS = {"found": tr("found"), "missing": tr("not found"), "not_looked_up": tr("not looked up")}


def status_look(view: ReportView) -> tuple[str, str]:
    """The picture and colour at the head of the card: green, amber, red; "completed" alone is not enough for green."""
    if view.status == "blocked":
        return "octagon-x", "danger"
    if view.status == "partial":
        return "circle-dashed", "warning"
    if view.title == "Completed":
        return "circle-check", "success"
    if view.title.endswith(("nothing to check", "…")):
        return "circle-check", "muted"
    return "triangle-alert", "warning"


def title_words(view: ReportView) -> str:
    """The words at the head of its card."""
    return _TITLES.get(view.title, view.title)


def count_words(view: ReportView) -> str:
    """`3 of 4 claims proved · 1 file missing`, "" where nothing can be checked."""
    total = len(view.checkable)
    if not total:
        return ""
    told = trn(total, "{proved} of {n} claim proved", "{proved} of {n} claims proved", proved=number(view.proved))
    missing = _missing(view)
    return f"{told} · {trn(missing, '{n} file missing', '{n} files missing')}" if missing else told


def count_colour(view: ReportView) -> str:
    """The colour of "3 of 4 claims proved"."""
    if any(claim.verdict in ("failed", "refused") for claim in view.claims):
        return "danger"
    return "success" if view.proved == len(view.checkable) and not _missing(view) else "warning"


def _missing(view: ReportView) -> int:
    return sum(one.found == "missing" for one in view.artifacts)


def claim_figure(claim: ClaimView) -> str:
    """How its run ended: `exit 1 · 3.4 s`, "" where none counts."""
    if not claim.evidence_id:
        return ""
    ended = (
        tr("exit {exit_code}", exit_code=claim.exit_code)
        if claim.exit_code is not None
        else _ENDINGS.get(claim.ending, claim.ending)
    )
    return f"{ended} · {duration(claim.duration_ms)}"


def claim_sentence(claim: ClaimView) -> str:
    """A claim in words: "all tests pass: proved, exit 0 · 1.2 s"."""
    told = [
        VERDICT_WORDS[claim.verdict],
        claim_figure(claim),
        display_text(said(claim.reason)),
        display_text(claim.warning),
    ]
    return f"{prose_text(claim.text)}: {', '.join(part for part in told if part)}"


def artifact_words(artifact: ArtifactView) -> str:
    """What an artifact is: its title and where it is."""
    return " — ".join(display_text(part) for part in (artifact.title, artifact.reference) if part)


def todo_words(view: ReportView) -> str:
    """`3 open todos`, "" for none."""
    return trn(view.open_todos, "{n} open todo", "{n} open todos") if view.open_todos else ""


def report_text(view: ReportView) -> str:
    """The whole report as copying gives it."""
    head = " · ".join(part for part in (title_words(view), count_words(view), todo_words(view)) if part)
    claims = [f"- {claim_sentence(claim)}" for claim in view.claims]
    artifacts = [f"- {artifact_words(one)}: {FOUND_WORDS[one.found]}" for one in view.artifacts]
    blocker = [tr("Blocked: {blocker}", blocker=view.blocker)] if view.blocker else []
    return "\n".join([head, view.summary, *blocker, *claims, *artifacts])
