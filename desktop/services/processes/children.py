"""How the end of child processes is noticed: by a descriptor of each, not by a thread, as in Python 3.12."""

import asyncio
import os
import sys
from collections.abc import Callable

if sys.platform == "linux" and sys.version_info < (3, 12):
    from typing import TypeVarTuple, Unpack

    _Ts = TypeVarTuple("_Ts")
    UNKNOWN = 255

    class ChildrenByDescriptor(asyncio.PidfdChildWatcher):
        """WORKAROUND(Python 3.11): https://docs.python.org/3/whatsnew/3.12.html#asyncio; before it, this watcher
        serves the loop of the main thread alone. Remove when 3.12 is the least that is asked for."""

        def is_active(self) -> bool:
            """Always: it needs nothing but the loop that starts a child."""
            return True

        def add_child_handler(self, pid: int, callback: Callable[[int, int, Unpack[_Ts]], object], *args: *_Ts) -> None:
            """Call back with pid and exit code, in the running loop, once this child has ended."""
            loop, descriptor = asyncio.get_running_loop(), os.pidfd_open(pid)

            def ended() -> None:
                loop.remove_reader(descriptor)
                os.close(descriptor)
                try:
                    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                except ChildProcessError:  # somebody else waited for it
                    code = UNKNOWN
                callback(pid, code, *args)

            loop.add_reader(descriptor, ended)


def notice_ends_by_descriptor() -> None:
    """From now on, where the system can."""
    if sys.platform == "linux" and sys.version_info < (3, 12):
        try:
            os.close(os.pidfd_open(os.getpid()))
        except OSError:
            return
        asyncio.set_child_watcher(ChildrenByDescriptor())
