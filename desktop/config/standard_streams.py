"""The standard streams of this process: there in any case, and written to without a traceback."""

import errno
import os
import sys

_NAMES = ("stdin", "stdout", "stderr")
_UNREAD = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EDQUOT)
"""What is wrong where nobody reads any more, or what is written to is full."""


def open_standard_streams() -> None:
    """Put the null device in the place of each one that was closed before the start: the next file that is opened would
    be taken for it, by what is written to it and by every program that is started."""
    for number, name in enumerate(_NAMES):
        try:
            os.fstat(number)
        except OSError:
            if os.open(os.devnull, os.O_RDWR) != number:  # the lowest number that is free
                continue
        if vars(sys)[name] is None:
            mode = "r" if number == 0 else "w"
            vars(sys)[name] = os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False)


def cannot_write(error: OSError) -> bool:
    """Whether a stream takes nothing more, so that no more need be written to it."""
    return error.errno in _UNREAD


def forget(number: int) -> None:
    """What is written to this stream from now on is lost: Python flushes it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
