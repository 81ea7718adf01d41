"""PrivateFolder: the folder in which cards of a run are answered by files, and what makes it fit for that."""

import errno
import json
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import BanksmanError, StartError

MOST_ANSWER_BYTES = 65_536


class RefusedFile(BanksmanError):
    """A file that is no answer; says why in one sentence."""


class PrivateFolder:
    """Opened once: what is put in its place afterwards counts for nothing.

    Raises:
        StartError: it is no folder of this person alone.
    """

    def __init__(self, path: Path) -> None:
        if sys.platform == "win32":
            raise StartError("--approvals needs a system whose folders have an owner. Answer on the terminal.")
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise StartError(f"The approvals folder {path} cannot be used: {_why(error)}.") from error
        found = os.fstat(self._descriptor)
        if found.st_uid != os.geteuid():
            self.close()
            raise StartError(f"The approvals folder {path} belongs to somebody else.")
        if stat.S_IMODE(found.st_mode) & 0o077:
            self.close()
            raise StartError(f"Others can use the approvals folder {path}. Close it to them: chmod 700 {path}")

    def close(self) -> None:
        """Give it back."""
        os.close(self._descriptor)

    def write(self, name: str, value: object) -> int:
        """Put a file of JSON there, whole or not at all; its time of writing in nanoseconds.

        Raises:
            OSError: it cannot be written.
        """
        passing = f".{name}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(passing, flags, 0o600, dir_fd=self._descriptor)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(value, file, ensure_ascii=True, indent=1)
            file.flush()
            written = os.fstat(descriptor).st_mtime_ns
        os.rename(passing, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        return written

    def read(self, name: str) -> tuple[bytes, int] | None:
        """The bytes of a file and when it was written, None where there is none.

        Raises:
            RefusedFile: it is a link, not this person's, or no plain file of ordinary size.
        """
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(name, flags, dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RefusedFile(f"The answer cannot be read: {_why(error)}.") from error
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise RefusedFile("The answer is no plain file.")
            if found.st_uid != os.geteuid():
                raise RefusedFile("The answer belongs to somebody else.")
            content = file.read(MOST_ANSWER_BYTES + 1)
        if len(content) > MOST_ANSWER_BYTES:
            raise RefusedFile("The answer is longer than 64 KiB.")
        return content, found.st_mtime_ns

    def remove(self, *names: str) -> None:
        """Take these files away, as far as they are there."""
        for name in names:
            try:
                os.unlink(name, dir_fd=self._descriptor)
            except OSError:
                continue  # it is gone, or a folder that is no answer


def refuse_seen(path: Path, places: Iterable[Path], *, seen: bool) -> None:
    """`places`: where agents work and what the program keeps for itself. `seen`: commands see the folder.

    Raises:
        StartError: a command could answer for the person.
    """
    real = path.resolve()
    inside = next((place for place in places if real.is_relative_to(place.resolve())), None)
    if inside is not None:
        raise StartError(f"The approvals folder {path} lies in {inside}, where agents work. Choose one elsewhere.")
    if seen:
        raise StartError(
            f"Commands of agents can see the approvals folder {path}, so they could answer in it. Choose one that the "
            "sandbox hides, such as one in your home folder."
        )


def refuse_server(path: Path, server_id: str) -> None:
    """`server_id`: of an MCP server that sees the folder, "" for none.

    Raises:
        StartError: there is one.
    """
    if server_id:
        raise StartError(
            f"The MCP server {server_id} can see the approvals folder {path}, by what it may read or where its program "
            "stands. Choose another folder, or take it from the server."
        )


def _why(error: OSError) -> str:
    if isinstance(error, NotADirectoryError):
        return "it is a link or no folder"
    return "it is a link" if error.errno == errno.ELOOP else (error.strerror or "it cannot be opened").lower()
