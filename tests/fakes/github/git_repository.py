"""A bare git repository and the questions GitHub asks it. No setting of the machine or the person is read."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

NOBODY = {"GIT_AUTHOR_NAME": "GitHub", "GIT_AUTHOR_EMAIL": "noreply@github.com",
          "GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com"}  # fmt: skip


def git_environment(**more: str) -> dict[str, str]:
    """Of the machine only what finds git; no configuration but the repository's own."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
        "HOME": os.devnull,
        **more,
    }


SETTINGS = """
[http]
receivepack = true
[receive]
hideRefs = refs/pull
autogc = false
[uploadpack]
allowAnySHA1InWant = true
allowFilter = true
[core]
fsync = none
"""


@dataclass(frozen=True)
class CommitFacts:
    """A commit as `git log` tells it; times as ISO 8601 with their zone."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    committer: tuple[str, str, str]
    message: str


class GitFailure(Exception):
    """git said no; its words are the message."""


class BareRepository:
    """One bare repository in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[tuple[str, ...], Any] = {}

    def known(self, key: tuple[str, ...], find: Callable[[], T]) -> T:
        """What `find` says, remembered under `key`: for questions about commits, whose answers never change."""
        if key not in self._known:
            self._known[key] = find()
        found: T = self._known[key]
        return found

    @classmethod
    def create(cls, folder: Path, default_branch: str) -> "BareRepository":
        """A new, empty one that can be fetched from and pushed to over HTTP."""
        folder.mkdir(parents=True)
        repository = cls(folder)
        repository.run("init", "--quiet", "--bare", f"--initial-branch={default_branch}", "--template=", ".")
        with (folder / "config").open("a") as config:
            config.write(SETTINGS)
        return repository

    def run(
        self,
        *arguments: str,
        text: str = "",
        allow: tuple[int, ...] = (0,),
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """What git prints. Raises GitFailure when it ends with another code than those in `allow`."""
        ended = subprocess.run(
            ["git", *arguments], cwd=self.folder, input=text.encode(), capture_output=True,
            env=git_environment(**{**NOBODY, **(environment or {})}), timeout=20,
        )  # fmt: skip
        if ended.returncode not in allow:
            raise GitFailure(ended.stderr.decode(errors="replace").strip() or f"git {arguments[0]}: {ended.returncode}")
        return ended.stdout.decode(errors="replace")

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, tag or commit name stands for, or None."""
        found = self.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", allow=(0, 1, 128)
        )
        return found.strip() or None

    def branch(self, name: str) -> str | None:
        """The commit at the head of that branch, or None."""
        file = self.folder / "refs/heads" / name
        if ".." not in name and file.is_file():
            return file.read_text().strip()
        return self.resolve(f"refs/heads/{name}") if (self.folder / "packed-refs").exists() else None

    def refs(self) -> dict[str, str]:
        """Full ref names to object ids."""
        lines = self.run("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def set_ref(self, ref: str, sha: str | None) -> None:
        """Move a ref, or remove it (None)."""
        self.run("update-ref", ref, sha) if sha else self.run("update-ref", "-d", ref)

    def commit(self, branch: str, files: Mapping[str, str | bytes | None], message: str, author: str, at: int,
               parent: str | None = None) -> str:  # fmt: skip
        """One more commit on that branch (made from `parent`, else orphaned, if it is new); None removes a file."""
        start = parent or self.branch(branch)
        person = f"{author} <{author}@users.example> {at} +0000"
        body = message.encode()
        parts = [
            f"commit refs/heads/{branch}\nauthor {person}\ncommitter {person}\ndata {len(body)}\n".encode(),
            body,
            b"\n",
        ]
        parts += [f"from {start}\n".encode()] if start else []
        for path, content in files.items():
            if content is None:
                parts.append(f"D {path}\n".encode())
                continue
            raw = content.encode() if isinstance(content, str) else content
            parts += [f"M 100644 inline {path}\ndata {len(raw)}\n".encode(), raw, b"\n"]
        ended = subprocess.run(
            ["git", "fast-import", "--quiet", "--force"], cwd=self.folder, input=b"".join(parts), capture_output=True,
            env=git_environment(), timeout=20,
        )  # fmt: skip
        if ended.returncode:
            raise GitFailure(ended.stderr.decode(errors="replace"))
        sha = self.branch(branch)
        assert sha is not None
        return sha

    def merged_tree(self, ours: str, theirs: str) -> str | None:
        """The tree of a merge of the two, or None when it conflicts."""

        def find() -> str | None:
            printed = self.run("merge-tree", "--write-tree", "--end-of-options", ours, theirs, allow=(0, 1))
            tree, _, rest = printed.partition("\n")
            return tree if not rest.strip() else None

        return self.known(("merged_tree", ours, theirs), find)

    def commit_tree(
        self, tree: str, parents: tuple[str, ...], message: str, author: tuple[str, str, str] | None = None
    ) -> str:
        """A commit of that tree, on no branch, by that author at that time (else by GitHub, now)."""
        parents_given = [part for parent in parents for part in ("-p", parent)]
        named = dict(zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"), author or (), strict=False))
        return self.run("commit-tree", tree, *parents_given, text=message, environment=named).strip()

    def rebased(self, base: str, commits: list[CommitFacts]) -> str | None:
        """The last of `commits` (oldest first) put on top of `base` one by one, or None when one conflicts."""
        for each in commits:
            root = self.commit_tree(f"{each.parents[0]}^{{tree}}", (), "")
            ours = self.commit_tree(f"{base}^{{tree}}", (root,), "")
            theirs = self.commit_tree(f"{each.sha}^{{tree}}", (root,), "")
            tree = self.merged_tree(ours, theirs)
            if tree is None:
                return None
            base = self.commit_tree(tree, (base,), each.message, each.author)
        return base

    def merge_base(self, one: str, other: str) -> str | None:
        """Their newest common commit."""
        return self.known(
            ("merge_base", one, other), lambda: self.run("merge-base", one, other, allow=(0, 1)).strip() or None
        )

    def count(self, revisions: str) -> int:
        """How many commits a range holds."""
        return int(self.run("rev-list", "--count", "--end-of-options", revisions))

    def contains(self, descendant: str, ancestor: str) -> bool:
        """Whether `ancestor` is `descendant` or one of its ancestors."""
        return self.merge_base(descendant, ancestor) == ancestor

    def log(self, revisions: str) -> list[CommitFacts]:
        """The commits of a range of ids, oldest first."""
        return self.known(("log", revisions), lambda: self._log(revisions))

    def _log(self, revisions: str) -> list[CommitFacts]:
        form = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%cn%x1f%ce%x1f%cI%x1f%B%x1e"
        printed = self.run("log", "--reverse", "--topo-order", f"--format={form}", "--end-of-options", revisions, "--")
        return [_facts(record.lstrip("\n")) for record in printed.split("\x1e") if record.strip()]

    def show(self, sha: str) -> CommitFacts:
        """The commit of that id."""
        return self.known(("show", sha), lambda: self._show(sha))

    def _show(self, sha: str) -> CommitFacts:
        form = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%cn%x1f%ce%x1f%cI%x1f%B"
        return _facts(self.run("log", "-1", f"--format={form}", "--end-of-options", sha, "--"))


def _facts(record: str) -> CommitFacts:
    part = record.split("\x1f")
    author, committer = (part[3], part[4], part[5]), (part[6], part[7], part[8])
    return CommitFacts(part[0], part[1], tuple(part[2].split()), author, committer, part[9].strip("\n"))
