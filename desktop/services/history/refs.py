"""Checkpoints as Git keeps them: commits without parents on hidden refs, written and read without hooks or filters.

A checkpoint of a lane is made here (`quick_commits.py`) where that is plain, else by git (`commits.py`); nobody can
tell from it by which. One that was made here survives a power cut once `write` has returned: data before names, then
one wait for the disk. `git fast-import` waits once as well, but for a pack that it takes apart and drops, so what it
made is safe only when the system has written it back, unless the environment asks for more.
"""

import json
import logging
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import NO_FETCH, STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git, git_environment, head_commit
from desktop.services.git.trees.folders import KnownTrees
from desktop.services.git.trees.listing import LaneTree, TreeEntry
from desktop.services.git.trees.writer import LeftToGit
from desktop.services.history.commits import Draft, ImportedCommits, ReadContent, Written
from desktop.services.history.quick_commits import QuickCommits

logger = logging.getLogger(__name__)

REFS = "refs/banksman/checkpoints"
KEPT_REFS = "refs/banksman/kept"
SCRATCH_REFS = "refs/banksman/scratch"
RESTORING_REFS = "refs/banksman/restoring"
MAX_NEW_BYTES = 2 * 1024 * 1024 * 1024
OBJECT_FORMATS = {40: "sha1", 64: "sha256"}
_FIELDS = "%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(contents)%00"

_ID = re.compile(r"([A-Za-z0-9_]+)/[1-9][0-9]*")


@dataclass(frozen=True)
class CheckpointRef:
    """One checkpoint of a lane, without its files. `number` grows; `kept`: something names it, so it is never pruned.

    `large`: files that are in it by their hash alone. `partial`: why something is missing in it, "" if nothing is.
    """

    lane_id: str
    number: int
    commit: str
    tree: str
    at: datetime
    reason: str = "call"
    name: str = ""
    partial: str = ""
    large: tuple[tuple[str, str], ...] = ()
    kept: bool = False

    @property
    def checkpoint_id(self) -> str:
        """The id by which events name the checkpoint."""
        return f"{self.lane_id}/{self.number}"

    @property
    def ref(self) -> str:
        """The hidden ref that holds the checkpoint."""
        return f"{REFS}/{self.checkpoint_id}"


def half_put_back(repository: Path) -> frozenset[str]:
    """The ids of the lanes of a repository in which putting files back was cut off. Blocking."""
    below = f"{RESTORING_REFS}/"
    return frozenset(name.removeprefix(below) for name in RepoReader(repository).ref_names(below))


class CheckpointRefs:
    """The checkpoints of one lane. Every method blocks. Raises GitError where Git cannot be used.

    `max_new_bytes`: so much content that the repository does not have yet goes into one checkpoint. `environment`:
    variables for its git calls, in addition to those of all calls. `trees`: of the files that were looked at last.
    """

    def __init__(
        self,
        root: Path,
        lane_id: str,
        *,
        max_new_bytes: int = MAX_NEW_BYTES,
        environment: dict[str, str] | None = None,
    ) -> None:
        self._environment = {**NO_FETCH, **(environment or {})}
        self.git = Git(root, self._environment)
        self.lane_id = lane_id
        self._imported = ImportedCommits(self.git, self._environment, max_new_bytes)
        self.trees = KnownTrees()
        self._quick = QuickCommits(root, max_new_bytes, self.trees) if not environment else None

    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        if (digits := len(head_commit(self.git.folder))) in OBJECT_FORMATS:
            return OBJECT_FORMATS[digits]
        return self.git.run_now("rev-parse", "--show-object-format").stdout.strip()

    def listed(self) -> list[str]:
        """Lane-relative paths of all files that Git tracks or does not ignore; a folder is a repository of its own."""
        options = ("--cached", "--others", "--exclude-standard", "--deduplicate", "-z")
        return self.git.run_on_files_now("ls-files", *options, limit_s=STATUS_LIMIT_S).names

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those that the ignore files as they are now cover, whether Git tracks them or not."""
        given = b"".join(b"./%s\0" % os.fsencode(path) for path in paths)  # no name is taken for a pattern
        if not given:
            return frozenset()
        found = self.git.run_now("check-ignore", "--no-index", "-z", "--stdin", check=False, given=given)
        if found.status not in (0, 1):
            raise GitError(f"git check-ignore failed: {found.stderr.strip()}", status=found.status)
        return frozenset(name[2:] for name in found.names)

    def all(self) -> list[CheckpointRef]:
        """The checkpoints of the lane, the newest first."""
        kept = self.kept_numbers()
        raw = self.git.run_now("for-each-ref", f"--format={_FIELDS}", f"{REFS}/{self.lane_id}/").stdout
        found = [self._parsed(fields, kept) for fields in _records(raw)]
        return sorted((ref for ref in found if ref is not None), key=lambda ref: ref.number, reverse=True)

    def newest(self) -> CheckpointRef | None:
        """The checkpoint of the lane with the highest number, without a look at the others; None: there is none."""
        asked = (f"--format={_FIELDS}", "--sort=-version:refname", "--count=1", f"{REFS}/{self.lane_id}/")
        found = [self._parsed(fields, set()) for fields in _records(self.git.run_now("for-each-ref", *asked).stdout)]
        return found[0] if found and found[0] is not None else next(iter(self.all()), None)

    def kept_numbers(self) -> set[str]:
        """The numbers of those that are never pruned, because `keep` was told of them."""
        named = self.git.run_now("for-each-ref", "--format=%(refname)", f"{KEPT_REFS}/{self.lane_id}/").stdout
        return {ref.rpartition("/")[2] for ref in named.split()}

    def listed_below(self, refs: str) -> list[CheckpointRef]:
        """The checkpoints that `write` made on other refs: all below this one, in no order."""
        raw = self.git.run_now("for-each-ref", f"--format={_FIELDS}", refs).stdout
        return [ref for fields in _records(raw) if (ref := self._parsed(fields, set())) is not None]

    def find(self, checkpoint_id: str) -> CheckpointRef | None:
        """The checkpoint of that id, of this lane or another one of the repository; None: there is none."""
        matched = _ID.fullmatch(checkpoint_id)
        if matched is None:
            return None
        raw = self.git.run_now("for-each-ref", f"--format={_FIELDS}", f"{REFS}/{checkpoint_id}").stdout
        return next((self._parsed(fields, set(), matched[1]) for fields in _records(raw)), None)

    def at(self, ref: str) -> CheckpointRef | None:
        """What one ref of ours holds, whose name ends in a number; None: there is no such ref."""
        raw = self.git.run_now("for-each-ref", f"--format={_FIELDS}", ref).stdout
        return next((self._parsed(fields, set()) for fields in _records(raw)), None)

    def tree_of(self, ref: CheckpointRef) -> LaneTree:
        """The files of a checkpoint."""
        entries: dict[str, TreeEntry] = {}
        listed = self.git.run_now("ls-tree", "-r", "-z", "--full-tree", ref.commit, limit_s=STATUS_LIMIT_S)
        for line in listed.names:
            head, _, path = line.partition("\t")
            mode, _, oid = head.split(" ")
            entries[path] = TreeEntry(mode, oid)
        return LaneTree(entries, dict(ref.large), ref.partial)

    def write(
        self, target: CheckpointRef, before: LaneTree | None, now: LaneTree, read: ReadContent, *, ref: str = ""
    ) -> Written:
        """Make the commit of `now` on the ref of `target` (or on `ref`), of whose tree `before` is known already."""
        draft = Draft(ref or target.ref, target.tree, target.reason, target.name, target.at, passes=bool(ref))
        if before is not None and self._quick is not None:
            try:
                return self._quick.write(draft, before, now, read)
            except LeftToGit as reason:
                logger.debug("git writes %s: %s", draft.ref, reason)
        return self._imported.write(draft, before, now, read)

    def store_file(self, fd: int, *, limit_s: float) -> str:
        """The id of the content of this open file, which the repository has now; it is not read into our memory."""
        command = ["git", "hash-object", "-w", "--no-filters", "--stdin"]
        try:
            done = subprocess.run(
                command,
                cwd=self.git.folder,
                env={**git_environment(), **self._environment},
                stdin=fd,
                capture_output=True,
                timeout=limit_s,
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError) as error:
            raise GitError(f"A large file could not be kept: {error}.") from error
        if done.returncode != 0:
            words = done.stderr.decode("utf-8", "replace").strip()
            raise GitError(f"A large file could not be kept: {words}", stderr=words, status=done.returncode)
        return done.stdout.decode().strip()

    def contents(self, oids: list[str]) -> Iterator[tuple[str, bytes]]:
        """The content of each id, in order, one in memory at a time.

        Raises:
            GitError: one of them is not in the repository.
        """
        if not oids:
            return
        with tempfile.TemporaryFile() as wanted, tempfile.TemporaryFile() as given:
            wanted.write("".join(f"{oid}\n" for oid in oids).encode())
            wanted.seek(0)
            try:
                subprocess.run(
                    ["git", "cat-file", "--batch"],
                    cwd=self.git.folder,
                    env={**git_environment(), **self._environment},
                    stdin=wanted,
                    stdout=given,
                    stderr=subprocess.DEVNULL,
                    timeout=WORKTREE_LIMIT_S,
                    check=True,
                )
            except (subprocess.SubprocessError, OSError) as error:
                raise GitError(f"The content of a checkpoint could not be read: {error}.") from error
            given.seek(0)
            for oid in oids:
                words = given.readline().split()
                if len(words) != 3 or words[1] != b"blob":
                    raise GitError(f"The content {oid[:12]} of a checkpoint is not in the repository any more.")
                data = given.read(int(words[2]))
                given.read(1)
                yield oid, data

    def keep(self, ref: CheckpointRef) -> None:
        """Never prune this checkpoint from now on, because an entry of a chat names it."""
        self.git.run_now("update-ref", f"{KEPT_REFS}/{ref.checkpoint_id}", ref.commit)

    def drop(self, refs: Iterable[CheckpointRef]) -> None:
        """Remove these checkpoints, if they are still what they were."""
        given = "".join(f"delete {ref.ref} {ref.commit}\n" for ref in refs)
        if given:
            self.git.run_now("update-ref", "--stdin", given=given.encode(), limit_s=STATUS_LIMIT_S)

    def drop_kept(self, ref: CheckpointRef) -> None:
        """Let this checkpoint be pruned again, because nothing names it any more."""
        self.drop_ref(f"{KEPT_REFS}/{ref.checkpoint_id}")

    def mark_restoring(self, safety: CheckpointRef | None) -> None:
        """Files are being put back, and `safety` holds what was there before; None: it is done."""
        if safety is None:
            self.drop_ref(f"{RESTORING_REFS}/{self.lane_id}")
        else:
            self.git.run_now("update-ref", f"{RESTORING_REFS}/{self.lane_id}", safety.commit)

    def nothing_kept(self) -> bool:
        """Git holds neither a checkpoint of this lane nor the mark of a restore. For a lane's own folder."""
        below = (f"{REFS}/{self.lane_id}/", f"{KEPT_REFS}/{self.lane_id}/", f"{RESTORING_REFS}/")
        names = RepoReader(self.git.folder).ref_names(*below)
        return not any(name == f"{RESTORING_REFS}/{self.lane_id}" or name.startswith(below[:2]) for name in names)

    def cut_off_restore(self) -> str:
        """The commit that holds the files from before a restore that did not come to its end, "" if there is none."""
        found = self.git.run_now("for-each-ref", "--format=%(objectname)", f"{RESTORING_REFS}/{self.lane_id}")
        return found.stdout.strip()

    def drop_ref(self, ref: str) -> None:
        """A ref of ours that is not needed any more."""
        self.git.run_now("update-ref", "-d", ref)

    def _parsed(self, fields: list[str], kept: set[str], lane_id: str = "") -> CheckpointRef | None:
        ref, commit, tree, at, message = fields
        number = ref.rpartition("/")[2]
        if not number.isdecimal() or not at.isdecimal():
            return None
        try:
            facts = json.loads(message.partition("\n\n")[2] or "{}")
            large = tuple((str(path), str(oid)) for path, oid in facts.get("large", ()))
            words = {key: str(facts.get(key, "")) for key in ("reason", "name", "partial")}
        except (ValueError, TypeError, AttributeError):
            large, words = (), {"partial": "its description cannot be read"}
        when = datetime.fromtimestamp(int(at), UTC)
        return CheckpointRef(
            lane_id or self.lane_id, int(number), commit, tree, when, large=large, kept=number in kept, **words
        )


def now_in_seconds() -> datetime:
    """The time in UTC, to the second, as commits have it."""
    return datetime.fromtimestamp(int(time.time()), UTC)


def _records(raw: str) -> Iterator[list[str]]:
    fields = raw.split("\0")
    for start in range(0, len(fields) - 5, 5):
        yield [field.lstrip("\n") if index == 0 else field for index, field in enumerate(fields[start : start + 5])]
