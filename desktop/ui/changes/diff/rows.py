"""The rows of a diff from top to bottom, one flat list: heads of hunks, lines or pairs of lines, comments, a field."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from desktop.domain.changes.values import DiffHunk, FileDiff, ReviewComment
from desktop.records import dataclass

Side = Literal["old", "new"]


class DiffRow(NamedTuple):
    """One row. `left` and `right`: lines of the hunk on the two sides, -1 for none; in one column the line is one of
    them. `comment_id` for a comment. `hunk` of a `tail` is the last one."""

    kind: Literal["head", "line", "tail", "comment", "field"]
    hunk: int
    left: int = -1
    right: int = -1
    comment_id: str = ""

    @property
    def line(self) -> int:
        """The line of the hunk that stands for the row, the new one where there are two; -1 for none."""
        return self.right if self.right >= 0 else self.left


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """Where a comment is being written: under the line `last` of a side."""

    side: Side
    first: int
    last: int


def columns_in(diff: FileDiff, row: DiffRow) -> int:
    """How many columns the longer side of a line's row has; 0 for another row."""
    if row.kind != "line":
        return 0
    lines = diff.hunks[row.hunk].lines
    sides = (row.left,) if row.left == row.right else (row.left, row.right)
    return max(columns_of(lines[at].text) for at in sides if at >= 0)


def columns_of(text: str) -> int:
    """How many columns a line has, its tabs spread to four."""
    return len(text.expandtabs(4)) if "\t" in text else len(text)


def build_rows(
    diff: FileDiff,
    *,
    split: bool,
    comments: Sequence[ReviewComment] = (),
    field: FieldPlace | None = None,
    strays: Collection[str] = (),
) -> list[DiffRow]:
    """All rows of a diff; comments stand under their last line. Those whose line is not shown stand on top, and so do
    `strays`, which are about other lines of that number."""
    wanted = _places(comments, field, strays)
    rows: list[DiffRow] = []
    for number, hunk in enumerate(diff.hunks):
        rows.append(DiffRow("head", number))
        lines = _paired(number, hunk) if split else _single(number, hunk)
        rows.extend(_with_notes(lines, hunk, wanted) if wanted else lines)
    if diff.hunks:
        rows.append(DiffRow("tail", len(diff.hunks) - 1))
    stray = [row for left in wanted.values() for row in left if row.kind == "comment"]
    return [*stray, *rows]


def hidden_before(diff: FileDiff, hunk: int) -> int:
    """How many lines are not shown between a hunk and what is above it."""
    begin = diff.hunks[hunk].new_start
    if hunk == 0:
        return max(0, begin - 1)
    above = diff.hunks[hunk - 1]
    return max(0, begin - above.new_start - sum(line.kind != "-" for line in above.lines))


def may_go_on(diff: FileDiff, context: int) -> bool:
    """Whether there may be more lines under the last hunk."""
    if not diff.hunks or not diff.sha256:
        return False
    last = diff.hunks[-1].lines
    same = 0
    while same < len(last) and last[-1 - same].kind == " ":
        same += 1
    return same >= context and not (last and last[-1].ends == "")


def _places(
    comments: Sequence[ReviewComment], field: FieldPlace | None, strays: Collection[str]
) -> dict[tuple[str, int], list[DiffRow]]:
    wanted: dict[tuple[str, int], list[DiffRow]] = {}
    for comment in comments:
        place = ("", 0) if comment.outdated or comment.comment_id in strays else (comment.side, comment.last)
        wanted.setdefault(place, []).append(DiffRow("comment", -1, comment_id=comment.comment_id))
    if field is not None:
        wanted.setdefault((field.side, field.last), []).append(DiffRow("field", -1))
    return wanted


def _single(number: int, hunk: DiffHunk) -> Iterable[DiffRow]:
    for at, line in enumerate(hunk.lines):
        yield DiffRow("line", number, at if line.kind != "+" else -1, at if line.kind != "-" else -1)


def _paired(number: int, hunk: DiffHunk) -> Iterator[DiffRow]:
    """Removed lines beside the added ones that took their place."""
    removed: list[int] = []
    added: list[int] = []
    for at, line in enumerate(hunk.lines):
        if line.kind == "+":
            added.append(at)
            continue
        if added or line.kind == " ":
            yield from _rows_of(number, removed, added)
            removed, added = [], []
        if line.kind == "-":
            removed.append(at)
        else:
            yield DiffRow("line", number, at, at)
    yield from _rows_of(number, removed, added)


def _rows_of(number: int, removed: list[int], added: list[int]) -> Iterator[DiffRow]:
    for left, right in zip_longest(removed, added, fillvalue=-1):
        yield DiffRow("line", number, left, right)


def _with_notes(
    rows: Iterable[DiffRow], hunk: DiffHunk, wanted: dict[tuple[str, int], list[DiffRow]]
) -> Iterator[DiffRow]:
    for row in rows:
        yield row
        for side, at in (("old", row.left), ("new", row.right)):
            if at >= 0:
                line = hunk.lines[at]
                found = wanted.pop((side, line.old if side == "old" else line.new), None)
                if found is not None:
                    yield from (note._replace(hunk=row.hunk) for note in found)
