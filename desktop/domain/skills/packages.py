"""Package: the files of a skill as exact bytes, with the digest that binds a person's consent to them. Pure."""

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import cached_property

from desktop.domain.core.errors import SkillError
from desktop.records import dataclass

MOST_FILES = 200
MOST_BYTES = 5 * 1024 * 1024
MOST_PATH_CHARS = 300


@dataclass(frozen=True)
class PackageFile:
    """A file of a package. `path`: below its folder, with `/`."""

    path: str
    executable: bool
    content: bytes

    @property
    def sha256(self) -> str:
        """The digest of the content."""
        return hashlib.sha256(self.content).hexdigest()


class Package:
    """Files in the order of their paths; what may not be in one is refused when it is made (memory-SK9).

    Raises:
        SkillError: names the file that cannot be part of it.
    """

    def __init__(self, files: Iterable[PackageFile]) -> None:
        self.files = tuple(sorted(files, key=lambda file: file.path))
        check_count(len(self.files), sum(len(file.content) for file in self.files))
        check_paths([file.path for file in self.files])

    @cached_property
    def sha256(self) -> str:
        """The digest of all paths, modes and contents: it changes with each byte (memory-SK4)."""
        digest = hashlib.sha256()
        for file in self.files:
            path = file.path.encode("utf-8", "surrogateescape")
            digest.update(b"%d %d %d\0" % (len(path), file.executable, len(file.content)))
            digest.update(path + file.content)
        return digest.hexdigest()

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(len(file.content) for file in self.files)

    def content(self, path: str) -> bytes | None:
        """The content of the file at this path, None where there is none."""
        return next((file.content for file in self.files if file.path == path), None)


def check_count(files: int, size: int) -> None:
    """Raises SkillError for more than a package may have."""
    if files > MOST_FILES:
        raise SkillError(f"It has more than {MOST_FILES} files.")
    if size > MOST_BYTES:
        raise SkillError("It is larger than 5 MiB.")


def check_paths(paths: Iterable[str]) -> None:
    """Raises SkillError for a path that leads elsewhere, or two that one system takes for the same."""
    seen: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        if len(path) > MOST_PATH_CHARS or any(
            part in ("", ".", "..") or part != part.strip().rstrip(".") for part in parts
        ):
            raise SkillError(f"The name '{path[:100]}' cannot be used in a skill.")
        if any(char in '\\:*?"<>|' or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in path):
            raise SkillError(f"The name '{path[:100]}' has a character that no file of a skill may have.")
        if ".git" in (part.casefold() for part in parts):
            raise SkillError(f"'{path[:100]}': a repository of Git's own cannot be part of a skill.")
        for end in range(1, len(parts) + 1):
            whole = "/".join(parts[:end])
            known = seen.setdefault(unicodedata.normalize("NFC", whole).casefold(), whole)
            if known != whole:
                raise SkillError(f"'{whole[:100]}' and '{known[:100]}' differ by case alone.")
