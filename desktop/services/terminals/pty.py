"""The pseudo-terminal of the system, and starting a shell in it. Where there is none, `why_none` says so."""

import asyncio
import os
import signal
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop.domain.core.errors import BanksmanError

if sys.platform != "win32":
    import fcntl
    import termios

_SH = "/bin/sh"
# The first terminal that the leader of a session opens becomes its controlling terminal; constant text.
_TAKE_TERMINAL = ': <"$0" && exec "$@"'


class NoTerminal(BanksmanError):
    """The system gave no pseudo-terminal, or the shell could not be started in it."""


def why_none() -> str:
    """A sentence when this system gives no pseudo-terminal, else ""."""
    if sys.platform == "win32":
        return "There is no pseudo-terminal here: terminals work on Linux and macOS."
    return ""


def open_terminal(columns: int, rows: int) -> tuple[int, int]:
    """Both ends of a new pseudo-terminal: ours, which does not block, and the program's.

    Raises:
        NoTerminal: the system gives none.
    """
    if sys.platform == "win32":
        raise NoTerminal(why_none())
    try:
        ours, theirs = os.openpty()
    except OSError as error:
        raise NoTerminal(f"the system has no pseudo-terminal left ({error.strerror})") from error
    os.set_blocking(ours, False)
    set_size(ours, columns, rows)
    return ours, theirs


def set_size(fd: int, columns: int, rows: int) -> None:
    """Tell the programs in a terminal how large it is; those in the foreground get SIGWINCH."""
    if sys.platform != "win32":
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def foreground_group(fd: int) -> int | None:
    """The process group that the keys go to, None when nothing has the terminal."""
    if sys.platform == "win32":
        return None
    try:
        return os.tcgetpgrp(fd) or None
    except OSError:
        return None


async def start_shell(
    argv: Sequence[str], theirs: int, *, cwd: Path, env: Mapping[str, str], inherits: Sequence[int] | None = None
) -> asyncio.subprocess.Process:
    """Start a program as the leader of a session of its own with this terminal; `theirs` is closed here. `inherits`:
    descriptors for one that takes the terminal by itself, deeper within; None: it is taken for it.

    Raises:
        NoTerminal: it could not be started, with the reason.
    """
    if sys.platform == "win32":
        raise NoTerminal(why_none())
    try:
        _check(argv[0], cwd)
        taking = (_SH, "-c", _TAKE_TERMINAL, os.ttyname(theirs)) if inherits is None else ()
        return await asyncio.create_subprocess_exec(
            *taking,
            *argv,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
            pass_fds=inherits or (),
        )
    except OSError as error:
        raise NoTerminal(error.strerror or str(error)) from error
    finally:
        os.close(theirs)


def _check(program: str, cwd: Path) -> None:
    if not cwd.is_dir():
        raise NoTerminal(f"the folder {cwd} is not there")
    if not Path(program).is_file():
        raise NoTerminal(f"there is no program {program}")
    if not os.access(program, os.X_OK):
        raise NoTerminal(f"{program} may not be run")


def hang_up(pid: int) -> None:
    """Tell a shell and what runs in its foreground that their terminal is gone."""
    if sys.platform != "win32":
        for number in (signal.SIGHUP, signal.SIGCONT):
            try:
                os.killpg(pid, number)
            except OSError:
                return
