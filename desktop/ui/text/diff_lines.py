"""A unified diff as lines to paint: what each is, its text, and its line numbers before and after; or as a FileDiff."""

import re
from typing import Literal

from desktop.domain.changes.values import DiffHunk, FileDiff
from desktop.domain.changes.values import DiffLine as ReviewLine
from desktop.records import dataclass

LineKind = Literal["add", "del", "context", "hunk", "meta"]
_TOLD = (
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "rename ",
    "copy ",
    "Binary files ",
)
"""Headers that say what no line does: they are never left out."""
_HEADERS = (*_TOLD, "diff ", "index ", "--- ", "+++ ", "similarity ", "dissimilarity ", "GIT binary patch")
_PLAIN_MODES = ("new file mode 100644", "deleted file mode 100644")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_KINDS: dict[LineKind, Literal[" ", "+", "-"]] = {"add": "+", "del": "-", "context": " "}


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line. `text` has its sign ("+", "-", " ") in front. `old`, `new`: line numbers, 0 where it has none."""

    kind: LineKind
    text: str
    old: int = 0
    new: int = 0


def diff_lines(unified: str, *, headers: bool = False) -> list[ShownLine]:
    """The lines of one file's unified diff, ended by LF alone. File headers are left out unless asked for; those that
    say another mode, type or name stay."""
    lines: list[ShownLine] = []
    old = new = 0
    in_hunk = False
    for text in unified.removesuffix("\n").split("\n") if unified else ():
        if (match := _HUNK.match(text)) is not None:
            old, new, in_hunk = int(match[1]), int(match[3]), True
            lines.append(ShownLine("hunk", text))
        elif text.startswith("diff --git ") or (not in_hunk and (not text or text.startswith(_HEADERS))):
            in_hunk = False
            if headers or (text.startswith(_TOLD) and text not in _PLAIN_MODES):
                lines.append(ShownLine("meta", text))
        elif text.startswith("+"):
            lines.append(ShownLine("add", text, 0, new))
            new += 1
        elif text.startswith("-"):
            lines.append(ShownLine("del", text, old, 0))
            old += 1
        elif text.startswith("\\"):
            lines.append(ShownLine("meta", text))
        else:
            lines.append(ShownLine("context", text or " ", old, new))
            old, new = old + 1, new + 1
    return lines


def file_diff(path: str, unified: str) -> FileDiff:
    """A unified diff of one file as the review of changes shows it. What no line says stands in its note."""
    heads: list[ShownLine] = []
    bodies: list[list[ReviewLine]] = []
    notes: list[str] = []
    for line in diff_lines(unified):
        if line.kind == "hunk":
            heads.append(line)
            bodies.append([])
        elif line.kind in _KINDS and bodies:
            bodies[-1].append(ReviewLine(_KINDS[line.kind], line.old, line.new, line.text[1:]))
        elif line.text.startswith("\\") and bodies and bodies[-1]:
            bodies[-1][-1] = bodies[-1][-1]._replace(ends="")
        else:
            notes.append(line.text)
    hunks = tuple(_hunk(head.text, body) for head, body in zip(heads, bodies, strict=True))
    return FileDiff(path, hunks=hunks, note="\n".join(notes))


def _hunk(head: str, lines: list[ReviewLine]) -> DiffHunk:
    match = _HUNK.match(head)
    old, new = (int(match[1]), int(match[3])) if match is not None else (0, 0)
    return DiffHunk(old, new, head.rpartition("@@")[2].strip(), tuple(lines))
