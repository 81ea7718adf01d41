"""The rounds of a pull request: one pure step from what is known at a poll (lanes-P21 to lanes-P25)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.pulls.pull_request import PullRequest, PullSnapshot
from desktop.domain.rounds.inventory import ESCALATES_AT
from desktop.domain.rounds.items import IssueItem, PipelineRun, PipelineSettings, PollerState, RoundRecord

POLL_S = 60.0
OFFLINE_S = ABSENT_S = 15 * 60.0
GREW_TIMES = 3
NO_CHECKS = "no checks to rely on"
_WITHOUT_FIX = 2

StepKind = Literal["wait", "pause", "rebase", "launch", "converged", "merge", "merged", "closed"]


class RoundFacts(Frozen):
    """The facts known at one poll, with the round's chat at its end. `head`: where the lane's branch stands;
    `unfinished`: why the lane's work is not all pushed, "" when it is. `may_launch`: a person began or went on in this
    process."""

    snapshot: PullSnapshot | None
    items: tuple[IssueItem, ...] = ()
    settings: PipelineSettings = Field(default_factory=PipelineSettings)
    run: PipelineRun = Field(default_factory=PipelineRun)
    rounds: tuple[RoundRecord, ...] = ()
    head: str = ""
    unfinished: str = ""
    now: datetime
    may_launch: bool = True


class Step(Frozen):
    """The next step of a pull request's rounds. `reason`: why it pauses, or what it waits for, in words. `counted`: new
    items found at this poll, None: not counted. `offline_since`: as in PipelineRun. `told`: items to be named no second
    time."""

    kind: StepKind
    reason: str = ""
    poller: PollerState = "scheduled"
    counted: int | None = None
    offline_since: datetime | None = None
    told: tuple[str, ...] = ()


def next_step(facts: RoundFacts) -> Step:
    """The one thing to do now. Whatever is not known waits; nothing is launched or merged on it."""
    snapshot = facts.snapshot
    if snapshot is None or snapshot.pull is None or snapshot.problem is not None:
        return _unknown(facts)
    if snapshot.pull.state == "merged":
        return Step(kind="merged")
    if snapshot.pull.state == "closed":
        return Step(kind="closed", reason="closed outside")
    if facts.unfinished:
        return Step(kind="pause", reason=facts.unfinished)
    return _base(facts, snapshot.pull) or _waiting(facts, snapshot, snapshot.pull) or _judged(facts, snapshot)


def stalled(rounds: Sequence[RoundRecord], run: PipelineRun) -> str:
    """Why rounds that came to their end are not followed by another one, "" for no reason (lanes-P24)."""
    counting = [one for one in rounds if one.number > run.counted_from and one.state in ("done", "waiting")]
    last = counting[-_WITHOUT_FIX:]
    if len(last) == _WITHOUT_FIX and all(one.fixed + one.dismissed == 0 for one in last):
        return "two rounds in a row fixed nothing"
    if counting and run.files_before and counting[-1].files > GREW_TIMES * run.files_before:
        return f"scope grew: the round changed {counting[-1].files} files, the pull request had {run.files_before}"
    return ""


def no_reliance(snapshot: PullSnapshot) -> str:
    """Why its checks are no reason to merge, "" when at least one exists and all are ok (lanes-P23)."""
    if "checks" not in snapshot.known or not snapshot.checks:
        return NO_CHECKS
    bad = len(snapshot.failing) + len(snapshot.pending)
    return f"{bad} of {len(snapshot.checks)} checks are not ok" if bad else ""


def _unknown(facts: RoundFacts) -> Step:
    since = facts.run.offline_since or facts.now
    if facts.now - since > timedelta(seconds=OFFLINE_S):
        return Step(kind="pause", reason="offline for over 15 minutes")
    return Step(kind="wait", reason="The pull request cannot be read just now.", offline_since=since)


def _base(facts: RoundFacts, pull: PullRequest) -> Step | None:
    if pull.mergeable == "conflicts":
        return Step(kind="pause", reason=f"it conflicts with {pull.base}")
    if not (pull.behind or pull.mergeable == "behind"):
        return None
    if facts.settings.on_rebase_needed == "auto_rebase" and facts.may_launch:
        return Step(kind="rebase")
    return Step(kind="pause", reason=f"it is behind {pull.base}")


def _waiting(facts: RoundFacts, snapshot: PullSnapshot, pull: PullRequest) -> Step | None:
    if facts.head and pull.head_oid != facts.head:
        return Step(kind="wait", reason="GitHub does not show the pushed commit yet.", poller="waiting_for_checks")
    if not {"checks", "threads", "comments"} <= snapshot.known:
        return Step(kind="wait", reason="Not everything could be read.", poller="polling")
    running = len(snapshot.pending)
    if running:
        words = "1 check is still running." if running == 1 else f"{running} checks are still running."
        return Step(kind="wait", reason=words, poller="waiting_for_checks")
    absent = _absent(facts, snapshot)
    if absent is not None:
        return absent
    new = _new(facts.items)
    if facts.run.counted != new:
        words = "Waiting for further comments."
        return Step(kind="wait", reason=words, poller="waiting_for_comments", counted=new)
    return None


def _absent(facts: RoundFacts, snapshot: PullSnapshot) -> Step | None:
    """A check that an agent was to mend and that has not run on the new commit says nothing yet."""
    names = {check.name for check in snapshot.checks}
    given = (item for item in facts.items if item.type == "check" and item.state == "sent_to_agent")
    missing = next((item.headline for item in given if item.ref not in names), "")
    if not missing:
        return None
    ended = facts.rounds[-1].ended_at if facts.rounds else None
    if ended is not None and facts.now - ended > timedelta(seconds=ABSENT_S):
        return Step(kind="pause", reason=f"{missing} did not run on the new commit")
    return Step(kind="wait", reason=f"{missing} has not begun yet.", poller="waiting_for_checks")


def _judged(facts: RoundFacts, snapshot: PullSnapshot) -> Step:
    new = _new(facts.items)
    twice = tuple(one.id for one in facts.items if one.returned >= ESCALATES_AT and one.id not in facts.run.told)
    open_ones = [one for one in facts.items if one.id in twice and one.state in ("new", "escalated")]
    if open_ones:
        return Step(kind="pause", reason=f"came back twice: {open_ones[0].headline}", counted=new, told=twice)
    why = stalled(facts.rounds, facts.run)
    if why and new:
        return Step(kind="pause", reason=why, counted=new)
    if new:
        return _further(facts, new)
    return _none_left(facts, snapshot)


def _further(facts: RoundFacts, new: int) -> Step:
    if not facts.settings.auto_round:
        return Step(kind="pause", reason=f"{new} new: start the next round when you want it", counted=new)
    if facts.run.round >= facts.settings.max_rounds:
        return Step(kind="pause", reason=f"round {facts.run.round} of {facts.settings.max_rounds} is done", counted=new)
    if not facts.may_launch:
        return Step(kind="pause", reason="Banksman was started again", counted=new)
    return Step(kind="launch", counted=new)


def _none_left(facts: RoundFacts, snapshot: PullSnapshot) -> Step:
    escalated = sum(1 for one in facts.items if one.state == "escalated")
    if escalated:
        return Step(kind="pause", reason=f"{escalated} waiting for a person", counted=0)
    if not facts.settings.auto_merge:
        return Step(kind="converged", counted=0)
    why = no_reliance(snapshot)
    if why:
        return Step(kind="pause", reason=why, counted=0)
    if not facts.may_launch:
        return Step(kind="pause", reason="Banksman was started again", counted=0)
    return Step(kind="merge", counted=0)


def _new(items: Sequence[IssueItem]) -> int:
    return sum(1 for item in items if item.state == "new")
