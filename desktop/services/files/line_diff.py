"""Unified diffs of two texts, in bounded time."""

from difflib import SequenceMatcher

from desktop.records import dataclass

CONTEXT = 3
MAX_COMPARED_LINES = 4_000
MAX_CHARS = 400 * 1024
MAX_LINES = 20_000

_Op = tuple[int, int, int, int]


@dataclass(frozen=True)
class LineDiff:
    """The change as hunks without file headers, and how many lines came and went. `too_large`: too long to be shown,
    `unified` is "" then."""

    unified: str
    added: int
    removed: int
    too_large: bool = False


def line_diff(old: str, new: str) -> LineDiff:
    """The steps that turn `old` into `new`, line by line. Very long differing stretches count as replaced as a
    whole."""
    before, after = _lines(old), _lines(new)
    changes = _changes(before, after)
    added = sum(j2 - j1 for _, _, j1, j2 in changes)
    removed = sum(i2 - i1 for i1, i2, _, _ in changes)
    too_large = len(old) + len(new) > MAX_CHARS * 2 or len(before) + len(after) > MAX_LINES * 2
    if too_large:
        return LineDiff("", added, removed, too_large=True)
    hunks = [_hunk(group, before, after) for group in _groups(changes)]
    return LineDiff("".join(hunks), added, removed)


def _lines(text: str) -> list[str]:
    """Lines with their ends; only LF ends a line. CRLF counts as LF: line ends alone are no change."""
    parts = text.replace("\r\n", "\n").split("\n")
    lines = [f"{part}\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _changes(before: list[str], after: list[str]) -> list[_Op]:
    start = 0
    limit = min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    middle_old, middle_new = before[start : len(before) - end], after[start : len(after) - end]
    if not middle_old and not middle_new:
        return []
    if len(middle_old) + len(middle_new) > MAX_COMPARED_LINES:
        return [(start, len(before) - end, start, len(after) - end)]
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    return [
        (i1 + start, i2 + start, j1 + start, j2 + start)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _groups(changes: list[_Op]) -> list[list[_Op]]:
    groups: list[list[_Op]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: list[_Op], before: list[str], after: list[str]) -> str:
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first[0])
    trail = min(CONTEXT, len(before) - last[1])
    old_start, old_end = first[0] - lead, last[1] + trail
    new_start, new_end = first[2] - lead, last[3] + trail
    out = [f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"]
    at = old_start
    for i1, i2, j1, j2 in group:
        out += [_line(" ", line) for line in before[at:i1]]
        out += [_line("-", line) for line in before[i1:i2]]
        out += [_line("+", line) for line in after[j1:j2]]
        at = i2
    out += [_line(" ", line) for line in before[at:old_end]]
    return "".join(out)


def _range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
