"""The garbage collector and the memory it gives back: who looks for garbage, how much at a time, and when not.

Beside windows the thread of the windows alone looks. What it finds may hold parts of windows, and Qt lets no other
thread take those away: their timers would go on and reach into memory that is used for something else by then. Python
itself looks on whichever thread makes a value.
"""

import contextlib
import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG, ALL = 0, 2
"""The generations that are looked at: the values since the last look, and all that are looked at still."""
LITTLE, LOOKS = 700, 4
"""New values for which a look is due, and how many looks at young ones come before one at all: that sees some 3,500 and
takes 2 to 5 ms. With the three generations of Python it saw 23,000, for which no thread moved for up to 34 ms."""
_lock = threading.Lock()
_rests: list[bool] = []
"""For each `uncollected` under way, whether the collector looked by itself when it began."""


@contextmanager
def looks_by_hand() -> Iterator[None]:
    """While this holds, garbage is looked for in `look` and `look_at_all` alone.

    Nearly all values go as soon as nobody refers to them, as ever; cycles of them wait for a look.
    """
    by_itself = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if by_itself:
            gc.enable()


def look() -> None:
    """Collect the garbage that is due: for the thread of the windows, often, where nobody waits.

    What a look at all values leaves is looked at no more, so that each look is a short one. In a window with sixteen
    chats a look saw 240,000 values, and no thread moved for 160 ms. A cycle that outlived one stays until
    `look_at_all`.
    """
    fresh, looks, _ = gc.get_count()
    if fresh <= LITTLE or _rests:
        return
    generation = ALL if looks >= LOOKS else YOUNG
    gc.collect(generation)
    if generation == ALL:
        gc.freeze()


def look_at_all() -> None:
    """Collect all garbage, however old: for a moment in which nobody waits, as no thread moves for some tenths of a
    second. For the thread of the windows."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def settle() -> None:
    """Look no more at what is there now. For work that makes very many values bit by bit while others work too."""
    gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage while this holds, and then look no more at what is there. Any thread.

    A log of 100,000 events made the collector go through all that was read of it a dozen times, for up to a quarter of
    a second each, in which no thread moves; of 100,000 files the same. What nobody refers to any more goes as before;
    cycles of it do not.
    """
    with _lock:
        _rests.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        with _lock:
            by_itself = _rests.pop()  # only the first that began can have found it looking by itself
            if by_itself:
                gc.enable()


def give_back() -> None:
    """Give the system the pages in which nothing is held any more. Any thread; others run meanwhile.

    The allocator of the C library keeps what stands below a page in use, however much that is, until it is asked.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)
