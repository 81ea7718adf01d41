"""Proofs: stored pictures, logs and results that show what was done, who they belong to and what people say of them."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from desktop.domain.core.base import Frozen

ProofKind = Literal[
    "screenshot", "video_recording", "browser_trace", "browser_verification", "console_logs", "test_results", "file"
]
ReviewState = Literal["pending", "accepted", "needs_more", "dismissed"]
Backend = Literal["page", "window", "desktop", "file", "drop", "test"]
OwnerKind = Literal["session", "lane", "pull_request", "evidence", "report", "mission_step"]
Relation = Literal["produced_by", "attached_to", "published_to"]
Staleness = Literal["", "commit", "same_files", "files", "unknown"]

MAX_TITLE = 120
MAX_DESCRIPTION = 500
MAX_NOTE = 2_000
MAX_CONSOLE_LINES = 200
THUMB_PX = 320
NOTICE_BYTES = 2 * 1024**3
"""From here on people are told how much the proofs of a project take (lanes-F15)."""

_LIMITS_MIB: dict[ProofKind, int] = {
    "screenshot": 20,
    "video_recording": 200,
    "browser_trace": 100,
    "browser_verification": 20,
    "console_logs": 20,
    "test_results": 20,
    "file": 50,
}
_KINDS_TOLD: dict[ProofKind, str] = {
    "screenshot": "Screenshot",
    "video_recording": "Video",
    "browser_trace": "Browser trace",
    "browser_verification": "Browser check",
    "console_logs": "Console log",
    "test_results": "Test results",
    "file": "File",
}
_STATES_TOLD: dict[ReviewState, str] = {
    "pending": "not reviewed",
    "accepted": "accepted",
    "needs_more": "needs more",
    "dismissed": "dismissed",
}
_STALE_TOLD: dict[Staleness, str] = {
    "": "",
    "commit": "Commit has moved on",
    "same_files": "Commit has moved on, the files are the same",
    "files": "Files changed since",
    "unknown": "The lane's files cannot be compared now",
}


class ProofLink(Frozen):
    """To whom a proof belongs, and how. `address`: where it was published, "" otherwise."""

    owner: OwnerKind
    owner_id: str
    relation: Relation
    address: str = ""


class ProofPair(Frozen):
    """The comparison with an earlier proof, kept with the newer one. `changed`: pixels; `hundredths`: of a percent."""

    before_id: str
    changed: int
    hundredths: int

    @property
    def percent(self) -> str:
        """The part of the pixels that differ, such as `1.25 %`."""
        return percent_words(self.hundredths)


class Proof(Frozen):
    """One proof as it is recorded. Sides in pixels, 0: no picture or not known; `scale`: device pixels for one of the
    page's.

    `tree_id`, `head`: the lane's files and commit when it was made, "" unknown. `source`: an address without its query,
    or a lane-relative path. `cannot_show`: why there is no picture of it, "" when there is one or none is expected.
    `notice`: what was odd about the file. `console`: what the page said. `keep_until`: removed after that, None: kept
    while anybody owns it.
    """

    id: str
    project_id: str
    kind: ProofKind
    title: str = Field(min_length=1, max_length=MAX_TITLE)
    description: str = Field(default="", max_length=MAX_DESCRIPTION)
    mime_type: str
    size: int
    sha256: str
    width: int = 0
    height: int = 0
    scale: int = 1
    captured_at: datetime
    ingested_at: datetime
    backend: Backend
    source: str = ""
    lane_id: str = ""
    head: str = ""
    tree_id: str = ""
    dirty: bool = False
    session_id: str = ""
    call_id: str = ""
    created_by: Literal["agent", "person"] = "agent"
    review: ReviewState = "pending"
    note: str = Field(default="", max_length=MAX_NOTE)
    thumb_sha256: str = ""
    cannot_show: str = ""
    notice: str = ""
    console: tuple[str, ...] = ()
    pair: ProofPair | None = None
    compare_with: str = ""
    keep_until: datetime | None = None

    @property
    def is_picture(self) -> bool:
        """Whether its content is a still picture."""
        return self.kind == "screenshot"

    @property
    def is_text(self) -> bool:
        """Whether its content is shown as text."""
        return self.mime_type.startswith("text/") or self.mime_type in ("application/json", "application/xml")


class ShownProof(Frozen):
    """A proof as it stands now. `missing`: its content is gone, the record is kept. `names`: what lanes, chats
    and reports among its owners are called, by their ids; that of a report is its chat's, a slash, and its entry's."""

    proof: Proof
    stale: Staleness = ""
    missing: bool = False
    links: tuple[ProofLink, ...] = ()
    names: tuple[tuple[str, str], ...] = ()


def limit_bytes(kind: ProofKind) -> int:
    """The largest file of this kind."""
    return _LIMITS_MIB[kind] * 1024 * 1024


def kind_words(kind: ProofKind) -> str:
    """The words for a kind of proof."""
    return _KINDS_TOLD[kind]


def review_words(state: ReviewState) -> str:
    """The words for a state of review."""
    return _STATES_TOLD[state]


def stale_words(stale: Staleness) -> str:
    """The words beside a proof of files that have changed since; "" where nothing is to be said."""
    return _STALE_TOLD[stale]


def staleness(proof: Proof, head: str, tree_id: str) -> Staleness:
    """How the lane's files have changed since a proof was taken. "" for `tree_id`: it could not be read."""
    if not proof.tree_id or not tree_id:
        return "unknown" if proof.lane_id else ""
    if proof.tree_id == tree_id:
        return "" if not head or proof.head in ("", head) else "same_files"
    return "files" if proof.head == head else "commit"


def percent_words(hundredths: int) -> str:
    """Hundredths of a percent with two decimals; what changed at all is never called 0.00 %."""
    return f"{hundredths // 100}.{hundredths % 100:02d} %"


def hundredths_of(changed: int, total: int) -> int:
    """The share in hundredths of a percent, rounded to the nearest; at least 1 when anything changed."""
    share = (changed * 10_000 * 2 + total) // (2 * total) if total else 0
    return max(share, 1) if changed else 0
