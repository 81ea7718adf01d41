"""What the programs that this one starts do on signals that it was started to ignore itself."""

import signal
from types import FrameType

_NAMES = ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM")


def let_children_hear() -> None:
    """Programs that are started from now on hear signals that this process ignores, as it goes on doing.

    Behind `&` in a script, or with `nohup`, a process ignores Ctrl+C or the end of its terminal, and whatever it starts
    inherits that: in a terminal of the app Ctrl+C would do nothing, and closing it would end nothing. A handler that
    does nothing is not inherited (POSIX exec). Main thread only.
    """
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(number: int, frame: FrameType | None) -> None:
    return None
