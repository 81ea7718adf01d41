"""MarkdownFiles: files that each describe one thing, read without following a link; what did not change is not read
again."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from desktop.domain.skills.values import AgentFile, Fault
from desktop.records import dataclass
from desktop.services.files.folder_handles import READ_FLAGS, Folder
from desktop.services.skills.folders import open_folder
from desktop.services.skills.front_matter import MAX_BYTES

MOST_FILES = 500
MOST_KEPT = 4_000
_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class NamedFile:
    """A file with what it says, or what is wrong with it. `sha256`: "" where it cannot be read."""

    path: str
    sha256: str
    said: AgentFile | Fault


class MarkdownFiles:
    """`read`: what the content of a file at a path says. Any thread; what two of them read at once is read twice."""

    def __init__(self, read: Callable[[bytes, str], AgentFile | Fault]) -> None:
        self._read = read
        self._known: dict[tuple[Path, str], tuple[_Stamp, NamedFile]] = {}

    def below(self, root: Path, *places: tuple[str, ...]) -> list[NamedFile]:
        """The Markdown files in these folders below a root, in the order of folders and names. Blocking."""
        found: list[NamedFile] = []
        for place in places:
            folder = open_folder(root, place)
            if folder is not None:
                with folder:
                    for name in _names(folder):
                        found.append(self._one(folder, root, "/".join((*place, name)), name))
        return found

    def _one(self, folder: Folder, root: Path, path: str, name: str) -> NamedFile:
        try:
            facts = folder.stat(name)
            stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
            known = self._known.get((root, path))
            if known is not None and known[0] == stamp:
                return known[1]
            content = _content(folder, name)
        except OSError as error:
            return NamedFile(path, "", Fault(path, 0, f"It cannot be read ({error.strerror or error})."))
        found = NamedFile(path, hashlib.sha256(content).hexdigest(), self._read(content, path))
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[(root, path)] = (stamp, found)
        return found


def _names(folder: Folder) -> list[str]:
    try:
        names = sorted(name for name in folder.names() if name.endswith(".md"))[:MOST_FILES]
        return [name for name in names if stat.S_ISREG(folder.stat(name).st_mode)]
    except OSError:
        return []


def _content(folder: Folder, name: str) -> bytes:
    """All of a file, or one byte more than a reader takes."""
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        return file.read(MAX_BYTES + 1)
