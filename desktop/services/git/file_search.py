"""Walking the files of a folder as git sees them: ignored ones apart, `.git` and linked folders never entered."""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import GitError
from desktop.policy.protected_names import name_classes
from desktop.records import dataclass
from desktop.services.git.run import STATUS_LIMIT_S, Git

MAX_SCANNED = 200_000

EntryKind = Literal["dir", "file", "link", "other"]


@dataclass(frozen=True)
class FoundEntry:
    """Something in a folder. `path` relative to where the walk began, with `/`; `target` of a link, else ""."""

    path: str
    kind: EntryKind
    size: int = 0
    target: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass
class Walk:
    """Walks a folder; the counts are complete when the walk has ended. Blocking: use it in a thread.

    `ignored`: paths relative to `folder` that git ignores, folders ending in "/"; they are counted and not entered.
    """

    folder: Path
    recursive: bool = True
    ignored: frozenset[str] = frozenset()
    skipped: int = 0
    scanned: int = 0

    @property
    def stopped(self) -> bool:
        """Whether there was more than may be scanned."""
        return self.scanned >= MAX_SCANNED

    def entries(self) -> Iterator[FoundEntry]:
        """The entries below the folder: within a folder its folders first, then by code point; a folder stands before
        its content.

        A folder that cannot be read counts as empty.
        """
        yield from self._below("")

    def _below(self, prefix: str) -> Iterator[FoundEntry]:
        for entry in self._list(prefix):
            if self.stopped:
                return
            self.scanned += 1
            yield entry
            if self.recursive and entry.kind == "dir":
                yield from self._below(f"{entry.path}/")

    def _list(self, prefix: str) -> list[FoundEntry]:
        entries: list[FoundEntry] = []
        try:
            with os.scandir(self.folder / prefix if prefix else self.folder) as found:
                for item in found:
                    path = prefix + item.name
                    is_folder = item.is_dir(follow_symlinks=False)
                    if item.name == ".git" and self.recursive:
                        continue
                    if (f"{path}/" if is_folder else path) in self.ignored:
                        self.skipped += 1
                        continue
                    entries.append(_entry(item, path, is_folder=is_folder))
        except OSError:
            return entries
        return sorted(entries, key=lambda entry: (entry.kind != "dir", entry.name))


def _entry(item: "os.DirEntry[str]", path: str, *, is_folder: bool) -> FoundEntry:
    if is_folder:
        return FoundEntry(path, "dir")
    try:
        if item.is_symlink():
            return FoundEntry(path, "link", target=str(Path(item.path).readlink()))
        status = item.stat(follow_symlinks=False)
    except OSError:
        return FoundEntry(path, "other")
    return FoundEntry(path, "file" if stat.S_ISREG(status.st_mode) else "other", status.st_size)


async def ignored_below(folder: Path) -> frozenset[str]:
    """The paths below a folder that git ignores, as `Walk` takes them: wholly ignored folders once, with "/" at the
    end.

    Empty outside a repository and when git cannot say.
    """
    listing = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--", ".")
    try:
        output = await Git(folder).run(*listing, limit_s=STATUS_LIMIT_S)
    except GitError:
        return frozenset()
    return frozenset(path for path in output.stdout.split("\0") if path)


async def listed_files(folder: Path, *, include_ignored: bool) -> tuple[str, ...] | None:
    """The files below a folder that git tracks or would, relative to it; with `include_ignored` all. None: git cannot
    say."""
    choice = () if include_ignored else ("--exclude-standard",)
    try:
        output = await Git(folder).run("ls-files", "-co", *choice, "-z", "--", ".", limit_s=STATUS_LIMIT_S)
    except GitError:
        return None
    return tuple(path for path in output.stdout.split("\0") if path)


def secret_files(paths: tuple[str, ...], below: str = "") -> tuple[str, ...]:
    """Those of the paths whose names say that they hold secrets. `below`: the path they are relative to."""
    prefix = f"{below}/" if below not in ("", ".") else ""
    return tuple(path for path in paths if is_secret(prefix + path))


def is_secret(path: str) -> bool:
    """Whether the name of this file, or of a folder above it, says that it holds secrets."""
    folder, _, name = path.rpartition("/")
    return _secret_folder(folder) or "secret" in name_classes((folder.rpartition("/")[2], name) if folder else (name,))


@lru_cache(maxsize=20_000)
def _secret_folder(folder: str) -> bool:
    return bool(folder) and "secret" in name_classes((*folder.split("/"), "x"))
