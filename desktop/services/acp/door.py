"""Door: the socket at which other processes of the same person join this one, for the Agent Client Protocol alone."""

import asyncio
import contextlib
import os
import socket
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.services.acp.duplex import Duplex

LONGEST_NAME = 100
_CREDENTIALS = {"linux": (socket.SOL_SOCKET, 17, "=iII"), "darwin": (0, 1, "=II")}.get(sys.platform)
"""How the other end of a connection is asked for: level, SO_PEERCRED or LOCAL_PEERCRED, and what it says; the second
number of both is the user."""


class Door:
    """Open from `open` to `close`. `entered` gets each connection of a process of this user; others are closed."""

    def __init__(self, file: Path, entered: Callable[[Duplex], None]) -> None:
        self._file = file
        self._entered = entered
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen. A file that an earlier process left there is taken away: who calls this holds the store alone.

        Raises:
            OSError: it cannot be, or the folder is not this user's alone, or the system does not say who joins.
        """
        if _CREDENTIALS is None:
            raise OSError("this system does not say who joins")
        folder = self._file.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
        if found.st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to somebody else")
        folder.chmod(stat.S_IMODE(found.st_mode) & 0o700)
        self._file.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        try:
            with _short(self._file) as name:
                listening.bind(name)
            self._file.chmod(0o600)
            loop = asyncio.get_running_loop()
            self._server = await loop.create_unix_server(lambda: Duplex(self._opened), sock=listening)
        except BaseException:
            listening.close()
            self._file.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Nobody joins any more."""
        if self._server is not None:
            self._server.close()
            self._server = None
            self._file.unlink(missing_ok=True)

    def _opened(self, duplex: Duplex, transport: asyncio.BaseTransport) -> None:
        if peer_uid(transport.get_extra_info("socket")) == os.getuid():
            self._entered(duplex)
        else:
            transport.close()


def knock(file: Path) -> socket.socket | None:
    """A connection to the process that listens there, None: nobody of this user does. Blocks for a moment."""
    if _CREDENTIALS is None:
        return None
    joined = socket.socket(socket.AF_UNIX)
    try:
        with _short(file) as name:
            joined.connect(name)
    except OSError:
        joined.close()
        return None
    if peer_uid(joined) != os.getuid():
        joined.close()
        return None
    return joined


def peer_uid(connection: socket.socket) -> int | None:
    """The user of the process at the other end, None where the system does not say."""
    if _CREDENTIALS is None:
        return None
    level, option, form = _CREDENTIALS
    try:
        said = connection.getsockopt(level, option, struct.calcsize(form))
        return int(struct.unpack(form, said)[1])
    except (OSError, struct.error):
        return None


@contextlib.contextmanager
def _short(file: Path) -> Iterator[str]:
    """A name of the file that a socket can have: they end after some hundred bytes."""
    if len(os.fsencode(file)) < LONGEST_NAME or sys.platform != "linux":
        yield str(file)
        return
    folder = os.open(file.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{file.name}"
    finally:
        os.close(folder)
