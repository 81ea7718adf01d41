"""The commit of a checkpoint: what is in it, and how `git fast-import` makes it, however much is new."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from datetime import datetime
from typing import IO

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import WORKTREE_LIMIT_S, Git, git_environment
from desktop.services.git.trees.listing import SUBMODULE, LaneTree, TreeEntry

WHO = "Banksman <checkpoints@banksman.invalid>"
_TITLE = "Banksman checkpoint"

ReadContent = Callable[[str], tuple[TreeEntry, bytes] | None]


@dataclass(frozen=True)
class Draft:
    """A commit that is to be made on `ref`. `base_tree`: the tree of the checkpoint before it, "" for none. `passes`:
    it stays for a moment only."""

    ref: str
    base_tree: str
    reason: str
    name: str
    at: datetime
    passes: bool = False

    @property
    def when(self) -> str:
        """The time as commits have it."""
        return f"{int(self.at.timestamp())} +0000"

    def message(self, made: LaneTree) -> bytes:
        """The message of the commit that holds these files."""
        large = sorted(made.large.items())
        facts = {"reason": self.reason, "name": self.name, "partial": made.partial, "large": large}
        return f"{_TITLE}\n\n{json.dumps(facts)}\n".encode()


@dataclass(frozen=True)
class Written:
    """A commit that was made. `tree_now`: the files as they went in, should one have changed meanwhile."""

    commit: str
    tree: str
    tree_now: LaneTree


class ImportedCommits:
    """Commits made by `git fast-import`. At most `max_new_bytes` of content that the repository does not have yet goes
    into one. `environment`: of its git calls. Blocking. Raises GitError."""

    def __init__(self, git: Git, environment: dict[str, str], max_new_bytes: int) -> None:
        self._git = git
        self._environment = environment
        self._max_new_bytes = max_new_bytes

    def write(self, draft: Draft, before: LaneTree | None, now: LaneTree, read: ReadContent) -> Written:
        """Make the commit of `now`. `before`: the files of the tree that the draft begins from."""
        entries, partial, large = dict(now.entries), now.partial, now.large
        base = before.entries if before is not None and draft.base_tree else {}
        changed = sorted(path for path, entry in entries.items() if base.get(path) != entry)
        missing = self._missing({entries[path].oid for path in changed if entries[path].mode != SUBMODULE})
        new_bytes = 0
        with tempfile.TemporaryFile(prefix=passing_prefix()) as stream:
            marks: dict[str, int] = {}
            for path in changed:
                if entries[path].oid not in missing:
                    continue
                found = read(path)
                new_bytes += len(found[1]) if found is not None else 0
                if found is None or new_bytes > self._max_new_bytes:
                    partial = partial or ("" if found is None else "its new content is larger than 2 GiB")
                    del entries[path]
                    continue
                entries[path] = found[0]
                marks[path] = len(marks) + 1
                stream.write(b"blob\nmark :%d\ndata %d\n" % (marks[path], len(found[1])))
                stream.write(found[1] + b"\n")
            made = LaneTree(entries, large, partial)
            gone = sorted(path for path in base if path not in entries)
            steps = [b"D %s\n" % _quoted(path) for path in gone]
            steps += [_step(path, entries[path], marks.get(path)) for path in changed if path in entries]
            _put_commit(stream, draft, made, steps, base_tree=draft.base_tree if base else "")
            printed = self._fast_import(stream).decode().split()
        return Written(printed[0], printed[3], made)

    def _fast_import(self, stream: IO[bytes]) -> bytes:
        command = ["git", "fast-import", "--quiet", "--done", "--force"]
        with tempfile.TemporaryFile() as said:
            try:
                done = subprocess.run(
                    command,
                    cwd=self._git.folder,
                    env={**git_environment(), **self._environment},
                    stdin=stream,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    timeout=WORKTREE_LIMIT_S,
                    check=False,
                )
            except (subprocess.TimeoutExpired, OSError) as error:
                raise GitError(f"The checkpoint could not be written: {error}.") from error
            said.seek(0)
            words = said.read(2000).decode("utf-8", "replace").strip()
        if done.returncode != 0:
            raise GitError(f"The checkpoint could not be written: {words}", stderr=words, status=done.returncode)
        return done.stdout

    def _missing(self, oids: set[str]) -> frozenset[str]:
        """Those whose content the repository does not have."""
        if not oids:
            return frozenset()
        given = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
        listed = self._git.run_now("cat-file", "--batch-check", given=given, limit_s=WORKTREE_LIMIT_S).stdout
        return frozenset(line.split(" ")[0] for line in listed.splitlines() if line.endswith(" missing"))


def _put_commit(stream: IO[bytes], draft: Draft, made: LaneTree, steps: list[bytes], *, base_tree: str) -> None:
    message = draft.message(made)
    stream.write(f"commit {draft.ref}\nmark :999999999\ncommitter {WHO} {draft.when}\n".encode())
    stream.write(b"data %d\n%s\n" % (len(message), message))
    if base_tree:
        stream.write(f'M 040000 {base_tree} ""\n'.encode())
    for step in steps:
        stream.write(step)
    stream.write(b'\nget-mark :999999999\nls :999999999 ""\ndone\n')
    stream.seek(0)


def _step(path: str, entry: TreeEntry, mark: int | None) -> bytes:
    content = f":{mark}" if mark is not None else entry.oid
    return f"M {entry.mode} {content} ".encode() + _quoted(path) + b"\n"


def _quoted(path: str) -> bytes:
    """A path as `fast-import` reads it, in quotes."""
    raw = os.fsencode(path)
    for plain, escaped in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n")):
        raw = raw.replace(plain, escaped)
    return b'"' + raw + b'"'
