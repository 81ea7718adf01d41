"""Applying or taking back a part of a change: lines are moved as bytes, so that what is not chosen stays as it is."""

from collections.abc import Iterable
from itertools import groupby

from desktop.domain.changes.values import DiffHunk, Picked

Chosen = frozenset[tuple[int, int]]
"""Lines of a diff: the index of the hunk, and of the line in it."""


def chosen_lines(hunks: tuple[DiffHunk, ...], picked: Picked) -> Chosen | None:
    """The changed lines that are meant; None: the diff has no such hunk or line, or nothing that changed is meant."""
    found: set[tuple[int, int]] = set()
    for hunk in picked.hunks:
        if not 0 <= hunk < len(hunks):
            return None
        found |= {(hunk, index) for index in range(len(hunks[hunk].lines))}
    for hunk, index in picked.lines:
        if not (0 <= hunk < len(hunks) and 0 <= index < len(hunks[hunk].lines)):
            return None
        found.add((hunk, index))
    changed = frozenset((hunk, index) for hunk, index in found if hunks[hunk].lines[index].kind != " ")
    return changed or None


def every_line(hunks: tuple[DiffHunk, ...]) -> Chosen:
    """All changed lines of a diff."""
    lines = ((at, index, line) for at, hunk in enumerate(hunks) for index, line in enumerate(hunk.lines))
    return frozenset((at, index) for at, index, line in lines if line.kind != " ")


def without(old: bytes, new: bytes, hunks: tuple[DiffHunk, ...], chosen: Chosen) -> bytes:
    """`new` with the chosen lines as they are in `old`. `hunks`: the diff of the two."""
    return _merged(_lines(new), _lines(old), hunks, chosen, own="+")


def with_only(old: bytes, new: bytes, hunks: tuple[DiffHunk, ...], chosen: Chosen) -> bytes:
    """`old` with the chosen lines as they are in `new`. `hunks`: the diff of the two."""
    return _merged(_lines(old), _lines(new), hunks, chosen, own="-")


def named_lines(hunks: tuple[DiffHunk, ...], chosen: Chosen) -> str:
    """The chosen lines for people and models, by their numbers in the new file: `10-14, 20`."""
    numbers: set[int] = set()
    for at, hunk in enumerate(hunks):
        last = hunk.new_start - any(line.new for line in hunk.lines)
        lines = list(enumerate(hunk.lines))
        for changed, group in groupby(lines, key=lambda pair: pair[1].kind != " "):
            block = list(group)
            if changed:
                meant = [line.new for index, line in block if (at, index) in chosen]
                numbers |= {number for number in meant if number} or ({last + 1} if meant else set())
            last = max(last, *(line.new for _, line in block))
    return ", ".join(_ranges(sorted(numbers)))


def _merged(base: list[bytes], other: list[bytes], hunks: tuple[DiffHunk, ...], chosen: Chosen, *, own: str) -> bytes:
    """`base` without chosen lines of its own, with chosen lines of the other. `own`: the sign of its lines."""
    out: list[bytes] = []
    at = 0
    for number, hunk in enumerate(hunks):
        start = hunk.new_start if own == "+" else hunk.old_start
        begin = start - 1 if any(line.kind in (" ", own) for line in hunk.lines) else start
        out += base[at:begin]
        at = begin
        for index, line in enumerate(hunk.lines):
            meant = (number, index) in chosen
            if line.kind in (" ", own):
                if line.kind == " " or not meant:
                    out.append(base[at])
                at += 1
            elif meant:
                out.append(other[(line.old if own == "+" else line.new) - 1])
    out += base[at:]
    return b"".join(_ended(out))


def _ended(lines: list[bytes]) -> list[bytes]:
    """A line without an end that is not the last any more gets the end that the line before it has."""
    if all(line.endswith(b"\n") for line in lines[:-1]):
        return lines
    ended: list[bytes] = []
    for index, line in enumerate(lines):
        if line.endswith(b"\n") or index == len(lines) - 1:
            ended.append(line)
        else:
            near = ended[-1] if ended else lines[index + 1]
            ended.append(line + (b"\r\n" if near.endswith(b"\r\n") else b"\n"))
    return ended


def _lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _ranges(numbers: Iterable[int]) -> list[str]:
    found: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        found.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return found
