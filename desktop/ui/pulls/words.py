"""A pull request in words: its state, checks, reviews, whether it can be merged; each with its colour."""

from datetime import datetime

from desktop.domain.display.text import display_text
from desktop.domain.pulls.pull_request import (
    Author,
    Check,
    Conclusion,
    ForgeMergeMethod,
    Part,
    PullRequest,
    PullSnapshot,
    PullState,
    ReviewThread,
    ReviewVerdict,
)
from desktop.domain.rounds.items import Severity
from desktop.language import said, tr, trn
from desktop.records import dataclass
from desktop.ui.text import format as fmt

GONE_AUTHOR = tr("deleted account")


@dataclass(frozen=True)
class PullWord:
    """A few words for a chip, its colour, and a sentence for its tooltip."""

    words: str
    role: str = "neutral"
    tip: str = ""


STATES: dict[PullState, tuple[str, str, str]] = {
    "draft": (tr("Draft"), "neutral", "git-pull-request-draft"),
    "open": (tr("Open", context="state"), "success", "git-pull-request"),
    "merged": (tr("Merged"), "accent", "git-merge"),
    "closed": (tr("Closed"), "danger", "git-pull-request-closed"),
}
"""The word of each state, its role, and its icon."""

_IS: dict[PullState, str] = {
    "draft": tr("draft", context="state"),
    "open": tr("open", context="state"),
    "merged": tr("merged"),
    "closed": tr("closed", context="state"),
}
VERDICTS: dict[ReviewVerdict, tuple[str, str]] = {
    "approved": (tr("approved"), "success"),
    "changes_requested": (tr("requested changes"), "danger"),
    "commented": (tr("reviewed"), "neutral"),
    "dismissed": (tr("review dismissed"), "neutral"),
    "pending": (tr("pending"), "neutral"),
}
THREAD_WORDS = {
    "open": tr("open", context="state"),
    "outdated": tr("outdated"),
    "resolved": tr("resolved"),
}
_SEVERITIES: dict[Severity, str] = {"critical": tr("critical"), "major": tr("major"), "minor": tr("minor"), "none": ""}
METHODS: dict[ForgeMergeMethod, tuple[str, str]] = {
    "merge": (tr("Merge commit"), tr("All commits come, and one that joins them.")),
    "squash": (tr("Squash"), tr("Everything comes as one commit.")),
    "rebase": (tr("Rebase"), tr("The commits come one after the other, on top of the base.")),
}
_CONCLUSIONS: dict[Conclusion, str] = {
    "": tr("no conclusion"),
    "success": tr("passed"),
    "neutral": tr("neutral"),
    "skipped": tr("skipped"),
    "failure": tr("failed"),
    "timed_out": tr("timed out"),
    "cancelled": tr("cancelled"),
    "action_required": tr("waits for somebody"),
    "startup_failure": tr("could not start"),
    "stale": tr("out of date"),
    "error": tr("failed"),
}


def author_name(author: Author) -> str:
    """A display-safe name of who wrote something."""
    return display_text(author.login) or GONE_AUTHOR


def checks_word(snapshot: PullSnapshot) -> PullWord:
    """Failing and running are both said; never that anything passes where nothing ran (lanes-P9, lanes-P11)."""
    if "checks" not in snapshot.known:
        return PullWord(tr("checks unknown"), tip=tr("The checks were not read yet."))
    failing, pending, total = len(snapshot.failing), len(snapshot.pending), len(snapshot.checks)
    if not total:
        return PullWord(tr("No checks"), tip=tr("Nothing checked this commit."))
    if failing:
        words = trn(failing, "{n} failing", "{n} failing")
        if pending:
            words = trn(pending, "{failing} ({n} still running)", "{failing} ({n} still running)", failing=words)
        names = ", ".join(display_text(check.name) for check in snapshot.failing[:8])
        return PullWord(words, "danger", names)
    if pending:
        checks = fmt.count(total, "check")
        return PullWord(trn(pending, "{n} of {checks} running", "{n} of {checks} running", checks=checks), "accent")
    return PullWord(trn(total, "{n} check passed", "{n} checks passed"), "success")


def review_word(snapshot: PullSnapshot) -> PullWord | None:
    """The words for what the reviewers say, None where nobody was asked or it is not known."""
    if "reviews" not in snapshot.known:
        return None
    return {
        "none": None,
        "requested": PullWord(tr("Review requested"), tip=_reviewers(snapshot)),
        "approved": PullWord(tr("Approved"), "success"),
        "changes_requested": PullWord(tr("Changes requested"), "danger"),
    }[snapshot.review]


def merge_word(pull: PullRequest) -> PullWord | None:
    """Whether it can be merged, None for one that is merged or closed."""
    if pull.state in ("merged", "closed"):
        return None
    reason = display_text(said(pull.reason), multiline=True)
    return {
        "yes": PullWord(tr("Can be merged"), "success", reason),
        "conflicts": PullWord(tr("Conflicts"), "danger", reason),
        "blocked": PullWord(tr("Blocked"), "warning", reason),
        "behind": PullWord(tr("Behind its base"), "warning", reason),
        "unknown": PullWord(tr("Mergeable unknown"), "neutral", reason or tr("GitHub has not worked it out yet.")),
    }[pull.mergeable]


def threads_word(snapshot: PullSnapshot) -> PullWord | None:
    """The words for how many threads are open, None for none or where they are not known."""
    number = len(snapshot.open_threads)
    return PullWord(fmt.count(number, "open thread"), "warning") if number else None


def badge_words(snapshot: PullSnapshot | None, number: int = 0) -> str:
    """For the second line of a lane: "PR #214 checks 5/6", "PR #209 merged"; "" where there is none."""
    pull = snapshot.pull if snapshot is not None else None
    if snapshot is None or pull is None:
        return f"PR #{number}" if number else ""
    words = {
        "open": f"PR #{pull.number}",
        "draft": tr("PR #{number} draft", number=pull.number),
        "merged": tr("PR #{number} merged", number=pull.number),
        "closed": tr("PR #{number} closed", number=pull.number),
    }[pull.state]
    if pull.state in ("merged", "closed") or not snapshot.checks or "checks" not in snapshot.known:
        return words
    ok = sum(check.outcome == "ok" for check in snapshot.checks)
    return tr("{request} checks {ok}/{checks}", request=words, ok=ok, checks=len(snapshot.checks))


def badge_sentence(snapshot: PullSnapshot | None) -> str:
    """The sentence on the state of the request, for a tooltip and for assistive programs."""
    pull = snapshot.pull if snapshot is not None else None
    if snapshot is None or pull is None:
        return ""
    words = [tr("Pull request #{number} is {state}", number=pull.number, state=_IS[pull.state])]
    if pull.state in ("open", "draft"):
        words += [checks_word(snapshot).words]
        words += [word.words for word in (review_word(snapshot),) if word is not None]
    return ", ".join(words)


def check_words(check: Check) -> str:
    """The words for how a check stands: "failed", "running", "passed"."""
    if check.state != "completed":
        return tr("waiting to start") if check.state == "queued" else tr("running")
    return _CONCLUSIONS[check.conclusion]


def check_look(check: Check) -> tuple[str, str]:
    """The icon and the colour of a check."""
    if check.outcome == "bad":
        return "circle-x", "danger"
    if check.outcome == "pending":
        return ("circle-dashed", "muted") if check.state == "queued" else ("loader-circle", "accent")
    return ("circle", "muted") if check.conclusion in ("skipped", "neutral") else ("circle-check", "success")


def step_look(state: str, conclusion: Conclusion) -> tuple[str, str]:
    """The icon and colour of a step."""
    probe = Check(id=0, name="", state="completed" if state == "completed" else "running", conclusion=conclusion)
    return check_look(probe)


def length(start: datetime | None, end: datetime | None) -> str:
    """The words for how long something took, "" where that is not known or too short to be told: a forge tells whole
    seconds."""
    took = (end - start).total_seconds() if start is not None and end is not None else 0
    return fmt.duration(int(took * 1000)) if took > 0 else ""


def thread_state(thread: ReviewThread) -> tuple[str, str]:
    """open, outdated or resolved, as THREAD_WORDS names it, and its role."""
    if thread.resolved:
        return "resolved", "success"
    return ("outdated", "neutral") if thread.outdated else ("open", "warning")


def severity_words(severity: Severity) -> str:
    """How bad something is, "" where nobody said it."""
    return _SEVERITIES[severity]


def place(thread: ReviewThread) -> str:
    """The place of a thread: "auth/middleware.py:41"; lines of a range "41–44"."""
    path = display_text(thread.path)
    if thread.line is None:
        return path
    first = thread.start_line
    return f"{path}:{first}–{thread.line}" if first and first != thread.line else f"{path}:{thread.line}"


def as_of(snapshot: PullSnapshot, now: datetime, *, always: bool = False) -> str:
    """ "as of 14:02" once it is older than a minute."""
    at = snapshot.as_of
    old = at is not None and (always or (now - at).total_seconds() > 60)
    return tr("as of {time}", time=fmt.clock_time(at)) if at is not None and old else ""


def first_words(text: str, most: int = 140) -> str:
    """The first line of a text that says something, cut, display-safe."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    shown = display_text(line)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def part_note(snapshot: PullSnapshot, part: Part) -> str:
    """Why a part is unknown, or that only the first of a long list were read; "" where all is told."""
    why = next((text for name, text in snapshot.missing if name == part), "")
    if why:
        return display_text(said(why))
    return tr("Only the first 1,000 were read.") if part in snapshot.capped else ""


def _reviewers(snapshot: PullSnapshot) -> str:
    pull = snapshot.pull
    return ", ".join(display_text(name) for name in pull.reviewers) if pull is not None else ""
