"""The only code that opens paths of a lane for tools: resolve, read, replace."""

from pathlib import Path
from typing import BinaryIO

from desktop.domain.errors import PathError
from desktop.policy.paths import PathFacts, PathOp


class LaneFiles:
    """The files of one lane. `references` may be read as well; `own_folders` are the product's own and stay closed."""

    def __init__(
        self, root: Path, *, name: str = "", references: tuple[Path, ...] = (), own_folders: tuple[Path, ...] = ()
    ) -> None:
        self.root = root.resolve()
        self.name = name or self.root.name
        self._references = references
        self._own_folders = own_folders

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """Where this path leads by the kernel's rules, and how that is judged for `op`. Never raises."""
        return PathFacts(raw=path, op=op, verdict="invalid", rel="", reason="not judged yet", deny=True)

    def open_read(self, facts: PathFacts) -> BinaryIO:
        """The file of these facts, opened without following a link.

        Raises:
            PathError: it is missing, no regular file, or no longer the object that was judged.
        """
        raise PathError(f"'{facts.raw}' cannot be opened.")

    def read_bytes(self, facts: PathFacts, *, max_bytes: int | None = None) -> bytes:
        """The file's content, at most `max_bytes` of it. Raises PathError as `open_read` does."""
        with self.open_read(facts) as file:
            return file.read(-1 if max_bytes is None else max_bytes)

    def sha256(self, facts: PathFacts) -> str:
        """Hex SHA-256 of the whole file. Raises PathError as `open_read` does."""
        raise PathError(f"'{facts.raw}' cannot be opened.")

    def replace(self, facts: PathFacts, content: bytes, *, expect_sha256: str | None, mode: int | None = None) -> None:
        """The file now holds exactly `content`, or nothing was changed (gate-P9).

        `expect_sha256` is the hash of the content that is replaced; None: there must be no file yet. Missing folders
        are created. `mode` None keeps the mode of the file, 0644 for a new one.

        Raises:
            PathError: the file changed on disk since it was judged, or cannot be written.
        """
        raise PathError(f"'{facts.raw}' cannot be written.")
