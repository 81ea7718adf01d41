"""The state of a lane as people read it: the most pressing thing first, in a few words and in a sentence (lanes-L3)."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus, Overlap
from desktop.language import number, said, tr
from desktop.records import dataclass
from desktop.ui.core.chat_state import Shape
from desktop.ui.text import format as fmt

LARGE_BYTES = 1_000_000_000

SETUP_FAILED = Shape("wrench", "danger", tr("setup failed"))
UNTRUSTED = Shape("shield-check", "warning", tr("setup not trusted"))
SETTING_UP = Shape("loader-circle", "accent", tr("setting up"))
CREATING = Shape("circle-dashed", "accent", tr("creating"))
BROKEN = Shape("octagon-x", "danger", tr("broken"))
CONFLICT = Shape("git-merge", "danger", tr("conflict"))
FORETOLD = Shape("git-merge", "warning", tr("conflict"))
OPERATION = Shape("history", "warning", tr("in progress"))
BEHIND = Shape("arrow-down", "muted", tr("behind"))
DIRTY = Shape("file-pen", "muted", tr("changed"))
MERGED = Shape("circle-check", "success", tr("merged"))
_OPERATIONS = {
    "rebase": tr("rebase", context="operation"),
    "merge": tr("merge", context="operation"),
    "cherry-pick": tr("cherry-pick", context="operation"),
    "revert": tr("revert", context="operation"),
    "bisect": tr("bisect", context="operation"),
}
LANE_SHAPES = (
    SETUP_FAILED,
    UNTRUSTED,
    SETTING_UP,
    CREATING,
    BROKEN,
    CONFLICT,
    OPERATION,
    BEHIND,
    DIRTY,
    MERGED,
)
"""One of each shape that only a lane can have."""


@dataclass(frozen=True)
class LaneFacts:
    """What is known of one lane. `base`: the name of what it is measured against."""

    lane: Lane
    status: LaneStatus | None
    finding: LaneFinding | None
    base: str


@dataclass(frozen=True)
class LaneWords:
    """A state: how it is drawn, and its words for a second line. `failed`: a person has to look after it."""

    shape: Shape
    text: str
    failed: bool = False


def lane_words(facts: LaneFacts) -> LaneWords | None:
    """What a lane tells of itself, None when nothing is to be told: the work in it is done."""
    return _of_record(facts) or (_of_status(facts.status, facts.base) if facts.status is not None else None)


def _of_record(facts: LaneFacts) -> LaneWords | None:
    lane = facts.lane
    if lane.setup == "failed":
        return LaneWords(SETUP_FAILED, tr("setup failed"), failed=True)
    if lane.state == "broken":
        return LaneWords(BROKEN, tr("broken"), failed=True)
    if lane.state == "creating":
        stuck = facts.finding is not None
        return (
            LaneWords(BROKEN, tr("not finished"), failed=True) if stuck else LaneWords(CREATING, tr("being created…"))
        )
    if lane.setup in ("running", "pending"):
        return LaneWords(SETTING_UP, tr("setting up…"))
    if lane.setup == "needs_trust":
        return LaneWords(UNTRUSTED, tr("setup waits for your review"))
    return None


def _of_status(status: LaneStatus, base: str) -> LaneWords | None:
    if status.conflicted:
        return LaneWords(CONFLICT, tr("conflict in {files}", files=fmt.count(status.conflicted, "file")))
    if status.base == "conflict":
        return LaneWords(FORETOLD, tr("conflicts with {base}", base=base) if base else tr("conflict"))
    if status.operation:
        return LaneWords(OPERATION, tr("{operation} in progress", operation=operation_words(status.operation)))
    if status.behind:
        behind = number(status.behind)
        known = tr("{number} behind {base}", number=behind, base=base)
        return LaneWords(BEHIND, known if base else tr("{number} behind", number=behind))
    if status.dirty:
        return LaneWords(DIRTY, tr("not committed"))
    return None


def operation_words(operation: str) -> str:
    """What git has under way in a lane, as the middle of a sentence names it."""
    return _OPERATIONS.get(operation, operation)


def unread_words(status: LaneStatus | None) -> str:
    """That a lane cannot be read, and since when; "" when it can."""
    if status is None or not status.problem:
        return ""
    return tr("could not be read since {time}", time=fmt.clock_time(status.read_at))


def size_words(lane: Lane) -> str:
    """The size of a large lane, "" for others."""
    return fmt.size(lane.size_bytes) if lane.size_bytes > LARGE_BYTES else ""


def worst_overlap(status: LaneStatus | None) -> Overlap | None:
    """The lane with which this one would conflict, None for none."""
    overlaps = status.overlaps if status is not None else ()
    return next((overlap for overlap in overlaps if overlap.prediction == "conflict"), None)


def lane_sentence(facts: LaneFacts, other: str = "") -> str:
    """Everything about a lane for a tooltip and for assistive programs. `other`: the lane it would conflict with."""
    lane, status = facts.lane, facts.status
    words = lane_words(facts)
    finding = facts.finding.text if facts.finding is not None else lane.problem
    parts = [tr("Branch {branch}", branch=display_text(lane.branch)) if lane.branch else tr("No branch")]
    parts += [_begun(words.text.rstrip("…"))] if words is not None else []
    parts += [display_text(said(finding))] if finding else []
    parts += [_begun(unread_words(status)), display_text(said(status.problem))] if status and status.problem else []
    parts += _counts(status, facts.base) if status is not None else []
    parts += [tr("Would conflict with lane {other}", other=other)] if other else []
    parts += [tr("{size} on the disk", size=size_words(lane))] if size_words(lane) else []
    parts += [", ".join(f"#{display_text(tag)}" for tag in lane.tags)] if lane.tags else []
    return "\n".join(part for part in parts if part)


def _begun(words: str) -> str:
    """Words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def _counts(status: LaneStatus, base: str) -> list[str]:
    changed = fmt.count(status.changed_files, "file")
    return [
        tr(
            "{files} changed, {lines}",
            files=changed,
            lines=fmt.changed_lines(status.added, status.removed),
        )
        if status.changed_files
        else "",
        tr("{files} made by setup, not committed", files=fmt.count(status.by_setup, "file")) if status.by_setup else "",
        tr("{commits} ahead of {base}", commits=fmt.count(status.ahead, "commit"), base=base) if status.ahead else "",
        tr("{commits} behind {base}", commits=fmt.count(status.behind, "commit"), base=base) if status.behind else "",
        tr("Not pushed") if status.remote_ahead is None and status.ahead else "",
        tr("{commits} not pushed", commits=fmt.count(status.remote_ahead, "commit")) if status.remote_ahead else "",
        tr("{commits} only here", commits=fmt.count(status.only_here, "commit")) if status.only_here else "",
    ]
