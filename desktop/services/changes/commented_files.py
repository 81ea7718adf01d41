"""The files of a lane that comments stand on, and whether files still are as somebody saw them."""

from collections.abc import Mapping, Sequence

from desktop.domain.changes.values import ReviewComment
from desktop.domain.core.errors import GitError, PathError
from desktop.domain.lanes.lane import Lane
from desktop.services.changes.comment_places import lines_of, placed, quoting
from desktop.services.changes.file_diff import Lines, diff_of, is_binary
from desktop.services.changes.listing import LaneIndex, list_changes
from desktop.services.changes.scope import lane_sides, uncommitted_sides
from desktop.services.changes.sides import FileState, Sides, sha256_of, state_in_tree, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git

MAX_BYTES = 8 * 1024 * 1024


class CommentedFiles:
    """Both sides of the files that people comment on, read when they are asked for. Blocking; made for one use.

    The old side is what the lane or its uncommitted files are compared with. That of any other scope never changes, so
    comments on it stay where they are.
    """

    def __init__(self, lane: Lane, files: LaneFiles) -> None:
        self._lane = lane
        self._files = files
        self._git = Git(files.root)
        self._sides: Sides | None = None
        self._old_names: dict[str, str] | None = None
        self._states: dict[tuple[str, str], FileState | None] = {}

    def place(self, comments: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
        """The comments where their lines are now. Resolved ones stay as they are."""
        return tuple(one if one.state == "resolved" else self._placed(one) for one in comments)

    def quote(self, comment: ReviewComment) -> ReviewComment:
        """The comment with the lines that it is about."""
        state = self._state(comment.path, comment.side)
        return quoting(comment, _text(state) or [], sha256_of(state))

    def changed_lines(self, comments: Sequence[ReviewComment]) -> dict[tuple[str, str], frozenset[int]]:
        """By path and side, the numbers of the lines that are part of a change."""
        found: dict[tuple[str, str], frozenset[int]] = {}
        for path in dict.fromkeys(comment.path for comment in comments):
            old, new = self._state(path, "old"), self._state(path, "new")
            try:
                diff = diff_of(old, new, path, lines=Lines(0, anyway=True))
            except GitError:
                continue
            lines = [line for hunk in diff.hunks for line in hunk.lines]
            found[path, "old"] = frozenset(line.old for line in lines if line.kind == "-")
            found[path, "new"] = frozenset(line.new for line in lines if line.kind == "+")
        return found

    def _placed(self, comment: ReviewComment) -> ReviewComment:
        if comment.side == "old" and comment.scope.kind not in ("lane", "uncommitted"):
            return comment
        if comment.side == "old" and comment.scope.kind == "uncommitted":
            head = state_in_tree(self._git, uncommitted_sides(self._git).old, comment.path, max_bytes=MAX_BYTES)
            return placed(comment, _text(head), sha256_of(head))
        state = self._state(comment.path, comment.side)
        return placed(comment, _text(state), sha256_of(state))

    def _state(self, path: str, side: str) -> FileState | None:
        key = (path, side)
        if key not in self._states:
            try:
                self._states[key] = self._read(path, side)
            except (GitError, PathError):
                self._states[key] = None
        return self._states[key]

    def _read(self, path: str, side: str) -> FileState | None:
        if side == "new":
            return state_now(self._files, path, max_bytes=MAX_BYTES)
        if self._sides is None:
            self._sides = lane_sides(self._git, self._lane)
        if self._old_names is None:
            with LaneIndex.of(self._git) as index:
                rows = list_changes(index, self._git, self._sides)
            self._old_names = {row.file.path: row.file.old_path for row in rows if row.file.old_path}
        return state_in_tree(self._git, self._sides.old, self._old_names.get(path, path), max_bytes=MAX_BYTES)


def still_viewed(files: LaneFiles, viewed: Mapping[str, str]) -> tuple[str, ...]:
    """The files that are as they were when somebody looked at them; "" as hash of one that was gone. Blocking."""
    found: list[str] = []
    for path, sha256 in viewed.items():
        try:
            now = sha256_of(state_now(files, path))
        except PathError:
            continue
        if now == sha256:
            found.append(path)
    return tuple(sorted(found))


def _text(state: FileState | None) -> list[str] | None:
    if state is None or state.data is None or is_binary(state.data):
        return None
    return lines_of(state.data)
