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


class StuckFile(RefusedFile):
    """One that could not even be taken away, so that it is found again at the next look."""


class PrivateFolder:
    """Opened once: what is put in its place afterwards counts for nothing.

    Raises:
        StartError: it is no folder of this person alone.
    """

    def __init__(self, path: Path) -> None:
        if sys.platform == "win32":
            raise StartError("--approvals needs a system whose folders have an owner. Answer on the terminal.")
        self.path = path
        self._taken = 0
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise StartError(f"The approvals folder {path} cannot be used: {_why(error)}.") from error
        if why := self._open_to():
            self.close()
            raise StartError(why)

    def close(self) -> None:
        """Give it back."""
        os.close(self._descriptor)

    def write(self, name: str, value: object) -> int:
        """Put a file of JSON there, whole or not at all; its time of writing in nanoseconds.

        Raises:
            OSError: it cannot be written.
        """
        passing = f".{name}.new"
        self.remove(passing)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(passing, flags, 0o600, dir_fd=self._descriptor)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(value, file, ensure_ascii=True, indent=1)
            file.flush()
            written = os.fstat(descriptor).st_mtime_ns
        os.rename(passing, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        return written

    def real(self) -> Path:
        """Where the folder stands, without links on the way.

        Raises:
            StartError: its path leads elsewhere than when it was opened.
        """
        real = self.path.resolve()
        try:
            is_this = os.path.samestat(real.stat(), os.fstat(self._descriptor))
        except OSError:
            is_this = False
        if not is_this:
            raise StartError(f"The approvals folder {self.path} was replaced while the run began.")
        return real

    def take(self, name: str) -> tuple[bytes, int] | None:
        """The bytes of a file and when it was written, None where there is none. The file is gone then: what is put in
        its place meanwhile is another one, which the next call takes.

        Raises:
            StuckFile: it cannot be taken away.
            RefusedFile: it is a link, not this person's, reached by another name too, or no plain file of ordinary
                size; or others can use the folder by now.
        """
        self._taken += 1
        taken = f".{name}.{os.getpid()}.{self._taken}"
        try:
            os.rename(name, taken, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StuckFile(f"The answer cannot be taken: {_why(error)}.") from error
        try:
            if why := self._open_to():
                raise RefusedFile(why)
            return self._read(taken)
        except OSError as error:
            raise RefusedFile(f"The answer cannot be read: {_why(error)}.") from error
        finally:
            self.remove(taken)

    def _read(self, name: str) -> tuple[bytes, int]:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=self._descriptor), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise RefusedFile("The answer is no plain file.")
            if found.st_uid != os.geteuid():
                raise RefusedFile("The answer belongs to somebody else.")
            if found.st_nlink != 1:
                raise RefusedFile("The answer is reached by another name too. Make a file of its own.")
            content = file.read(MOST_ANSWER_BYTES + 1)
        if len(content) > MOST_ANSWER_BYTES:
            raise RefusedFile("The answer is longer than 64 KiB.")
        return content, found.st_mtime_ns

    def remove(self, *names: str) -> list[str]:
        """Take these files away, as far as they are there; those that were."""
        gone = []
        for name in names:
            try:
                os.unlink(name, dir_fd=self._descriptor)
            except OSError:
                continue  # it is not there, or a folder that is no answer
            gone.append(name)
        return gone

    def _open_to(self) -> str:
        """Why somebody else could answer here, a sentence; "": nobody can."""
        found = os.fstat(self._descriptor)
        if found.st_uid != os.geteuid():
            return f"The approvals folder {self.path} belongs to somebody else."
        if stat.S_IMODE(found.st_mode) & 0o077:
            return f"Others can use the approvals folder {self.path}. Close it to them: chmod 700 {self.path}"
        return ""


def refuse_seen(path: Path, places: Iterable[Path], *, seen: bool) -> None:
    """`path`: of the folder, without links on the way; `places`: where agents work and what the program keeps for
    itself. `seen`: commands see the folder.

    Raises:
        StartError: a command could answer for the person.
    """
    inside = next((place for place in places if path.is_relative_to(place.resolve())), None)
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
