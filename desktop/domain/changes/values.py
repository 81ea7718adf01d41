"""The parts of a review: scopes, parts of a change that a person picked, comments on lines."""

from datetime import datetime
from typing import Literal, NamedTuple

from desktop.domain.core.base import Frozen
from desktop.records import dataclass

ScopeKind = Literal["lane", "uncommitted", "last_turn", "turn", "checkpoint", "outside", "commit", "other_lane"]


class ChangeScope(Frozen):
    """The scope of a change that is shown. `lane`: against the merge base with its base. `reference`: the turn,
    checkpoint or commit meant, or the id of the other lane whose files are compared with (`other_lane`). `outside`:
    what changed while no turn ran."""

    kind: ScopeKind = "lane"
    reference: str = ""


class Picked(Frozen):
    """A part of a file's change. `hunks`: indexes into the diff of `base_sha256` → `sha256` (hashes of the file's bytes
    before and after, "" where there is none); () for the whole file. `lines`: pairs (hunk, line of the hunk), for
    single lines. `context`, `ignore_space`: how that diff was asked for, because hunks depend on it."""

    path: str
    old_path: str = ""
    base_sha256: str = ""
    sha256: str = ""
    hunks: tuple[int, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    context: int = 3
    ignore_space: bool = False


class ReviewComment(Frozen):
    """A person's remark on lines `first` to `last` (from 1) of one side of a file. `quoted`: these lines; `before` and
    `after`: up to three lines around them, by which it is found again. `outdated`: it was not. `scope`: the change that
    was looked at."""

    comment_id: str
    path: str
    side: Literal["old", "new"] = "new"
    first: int
    last: int
    text: str
    quoted: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    sha256: str = ""
    state: Literal["draft", "sent", "resolved"] = "draft"
    outdated: bool = False
    created_at: datetime | None = None
    session_id: str = ""
    scope: ChangeScope = ChangeScope()


class DiffLine(NamedTuple):
    """One line of a hunk. `kind`: " " both sides, "-" old, "+" new. Numbers count from 1, 0 where the side has no such
    line. `ends`: how the line ends, "" for the last line of a file without an end. `text`: the line without it."""

    kind: Literal[" ", "+", "-"]
    old: int
    new: int
    text: str
    ends: Literal["\n", "\r\n", ""] = "\n"


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Lines that changed together, with the lines around them. `heading`: git's words after the second @@."""

    old_start: int
    new_start: int
    heading: str
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class DiffImage:
    """A picture on one side of a diff: its bytes, b"" where it is too large to be shown. `size` in bytes."""

    data: bytes = b""
    size: int = 0


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The whole diff of one file; plain values, as there are many lines. `note`: in words what lines do not show: mode,
    type, submodule, sizes of a binary file, line ends. `large`: too long to be sent unasked; `changed_lines` says how
    long. Hashes are of the file's bytes, "" where the side has no file."""

    path: str
    old_path: str = ""
    base_sha256: str = ""
    sha256: str = ""
    hunks: tuple[DiffHunk, ...] = ()
    note: str = ""
    binary: bool = False
    large: bool = False
    changed_lines: int = 0
    old_image: DiffImage | None = None
    new_image: DiffImage | None = None
