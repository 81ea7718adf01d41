"""LineKey: what a line of a file's diff is known by, whatever else of the file is shown."""

from typing import Literal, NamedTuple

from desktop.domain.changes.values import DiffLine


class LineKey(NamedTuple):
    """Kind and numbers as in DiffLine; unique within the diff of a file."""

    kind: Literal[" ", "+", "-"]
    old: int
    new: int


def line_key(line: DiffLine) -> LineKey:
    """The key by which a line is known."""
    return LineKey(line.kind, line.old, line.new)
