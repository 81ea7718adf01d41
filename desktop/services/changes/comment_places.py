"""Finding the lines of a comment again after a file was edited: by the lines themselves and those around them."""

from collections.abc import Sequence

from desktop.domain.changes.values import ReviewComment

CONTEXT = 3


def lines_of(data: bytes) -> list[str]:
    """The lines of a file as diffs show them, without their ends."""
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "replace").split("\n")]
    return lines[:-1] if lines and not lines[-1] else lines


def quoting(comment: ReviewComment, lines: list[str], sha256: str) -> ReviewComment:
    """The comment with the lines that it is about and those around them, of a file with these lines."""
    first, last = comment.first - 1, comment.last
    update = {
        "quoted": tuple(lines[first:last]),
        "before": tuple(lines[max(first - CONTEXT, 0) : first]),
        "after": tuple(lines[last : last + CONTEXT]),
        "sha256": sha256,
    }
    return comment.model_copy(update=update)


def placed(comment: ReviewComment, lines: list[str] | None, sha256: str) -> ReviewComment:
    """The comment where its lines are now; `outdated` when they are not found, at their old place then.

    `lines` None: there is no such file, or it is no text. Lines that occur several times are told apart by those
    around them; without any of these left, they count as gone.
    """
    if lines is None or not comment.quoted:
        return comment.model_copy(update={"outdated": lines is None})
    if sha256 and sha256 == comment.sha256:
        return comment.model_copy(update={"outdated": False})
    count = len(comment.quoted)
    starts = [
        start
        for start in range(len(lines) - count + 1)
        if lines[start] == comment.quoted[0] and tuple(lines[start : start + count]) == comment.quoted
    ]
    if not starts:
        return comment.model_copy(update={"outdated": True})
    scores = {start: _score(comment, lines, start) for start in starts}
    best = min(starts, key=lambda start: (-scores[start], abs(start + 1 - comment.first)))
    around = bool(comment.before or comment.after)
    if len(starts) > 1 and around and not scores[best]:
        return comment.model_copy(update={"outdated": True})
    return comment.model_copy(update={"first": best + 1, "last": best + count, "outdated": False})


def _score(comment: ReviewComment, lines: list[str], start: int) -> int:
    """How many of the lines around are there, counted away from the comment until one is missing."""
    end = start + len(comment.quoted)
    above = _equal(comment.before[::-1], lines[max(start - CONTEXT, 0) : start][::-1])
    return above + _equal(comment.after, lines[end : end + CONTEXT])


def _equal(wanted: Sequence[str], found: Sequence[str]) -> int:
    count = 0
    for want, have in zip(wanted, found, strict=False):
        if want != have:
            break
        count += 1
    return count
