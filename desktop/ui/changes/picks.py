"""Picks: which files, hunks and lines of the uncommitted changes a person ticked for a commit, or chose to revert."""

from collections.abc import Collection, Sequence

from desktop.domain.changes.values import DiffLine, FileDiff, Picked
from desktop.domain.core.work import ChangedFile
from desktop.ui.models.line_key import LineKey, line_key

OWN_TICK_BYTES = 50_000_000
"""Larger files are ticked by their own tick alone."""


class Picks:
    """Everything is ticked until a person says otherwise, but files that are very large or in conflict."""

    def __init__(self) -> None:
        self._off: set[str] = set()
        self._on: set[str] = set()
        self._parts: dict[str, tuple[FileDiff, frozenset[LineKey]]] = {}

    def clear(self) -> None:
        """Forget what was ticked."""
        self._off.clear()
        self._on.clear()
        self._parts.clear()

    def state(self, file: ChangedFile) -> int:
        """How much of a file is ticked: 0 nothing, 1 a part, 2 all."""
        if file.status == "conflicted":
            return 0
        if file.path in self._parts:
            return 1
        if file.path in self._off:
            return 0
        return 2 if file.path in self._on or max(file.size_after, file.size_before) <= OWN_TICK_BYTES else 0

    def set_file(self, path: str, on: bool) -> None:
        """Tick a whole file, or nothing of it."""
        self._parts.pop(path, None)
        self._on.discard(path)
        self._off.discard(path)
        (self._on if on else self._off).add(path)

    def is_ticked(self, file: ChangedFile, key: LineKey) -> bool:
        """Whether a changed line is ticked."""
        part = self._parts.get(file.path)
        return key in part[1] if part is not None else self.state(file) == 2

    def set_lines(self, file: ChangedFile, diff: FileDiff, keys: Collection[LineKey], on: bool) -> None:
        """Tick lines of a file, or take their ticks away; `diff`: the whole diff they are lines of."""
        every = frozenset(changed_keys(diff))
        part = self._parts.get(file.path)
        ticked = part[1] if part is not None else every if self.state(file) == 2 else frozenset[LineKey]()
        ticked = (ticked | frozenset(keys)) & every if on else ticked - frozenset(keys)
        if ticked == every or not ticked:
            self.set_file(file.path, bool(ticked))
        else:
            self._off.discard(file.path)
            self._parts[file.path] = (diff, ticked)

    def follow(self, files: Sequence[ChangedFile]) -> list[str]:
        """The files are these now. Ticks of lines of a file that changed are void: nothing of it is ticked, and its
        path is given back."""
        now = {file.path: file for file in files}
        void: list[str] = []
        for path, (diff, _keys) in list(self._parts.items()):
            file = now.get(path)
            same = file is not None and (not file.sha256 or file.sha256 == diff.sha256)
            same = same and (file is None or not file.base_sha256 or file.base_sha256 == diff.base_sha256)
            if not same:
                del self._parts[path]
                if file is not None:
                    self._off.add(path)
                    void.append(path)
        self._off &= set(now)
        self._on &= set(now)
        return void

    def picked(self, files: Sequence[ChangedFile]) -> tuple[Picked, ...]:
        """What is ticked, for a commit."""
        found: list[Picked] = []
        for file in files:
            part = self._parts.get(file.path)
            lines = picked_lines(*part) if part is not None else None
            if lines is not None:
                found.append(lines)
            elif self.state(file) == 2:
                found.append(whole_file(file))
        return tuple(found)


def whole_file(file: ChangedFile) -> Picked:
    """A whole file, as it was listed."""
    return Picked(path=file.path, old_path=file.old_path, base_sha256=file.base_sha256, sha256=file.sha256)


def picked_lines(diff: FileDiff, keys: Collection[LineKey]) -> Picked | None:
    """Lines of a file's diff: hunks whose every change is among them as such, the others line by line. None when none
    of them is in the diff, as a pick without hunks and lines is the whole file."""
    hunks: list[int] = []
    lines: list[tuple[int, int]] = []
    for number, hunk in enumerate(diff.hunks):
        changed = [(at, line) for at, line in enumerate(hunk.lines) if line.kind != " "]
        chosen = [(number, at) for at, line in changed if line_key(line) in keys]
        if len(chosen) == len(changed):
            hunks.append(number)
        else:
            lines += chosen
    if not hunks and not lines:
        return None
    return Picked(
        path=diff.path,
        old_path=diff.old_path,
        base_sha256=diff.base_sha256,
        sha256=diff.sha256,
        hunks=tuple(hunks),
        lines=tuple(lines),
    )


def changed_keys(diff: FileDiff) -> list[LineKey]:
    """All changed lines of a diff."""
    return [line_key(line) for hunk in diff.hunks for line in hunk.lines if line.kind != " "]


def lines_of(diff: FileDiff, side: str) -> dict[int, DiffLine]:
    """The lines of one side that a diff shows, by their number."""
    found: dict[int, DiffLine] = {}
    for hunk in diff.hunks:
        for line in hunk.lines:
            number = line.old if side == "old" else line.new
            if number:
                found[number] = line
    return found
