"""uncollected(): work that makes very many values, without the garbage collector looking at all of them meanwhile; and
give_back(): memory that was let go goes to the system."""

import contextlib
import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def settle() -> None:
    """Look no more at what is there now, but for young garbage, which goes first. For work that makes very many values
    bit by bit while others work too. On the engine thread."""
    gc.collect(1)
    gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage while this holds, and then look no more at what is there. Any thread.

    A log of 100,000 events made the collector go through all that was read of it a dozen times, for up to a quarter of
    a second each, in which no thread moves; of 100,000 files the same. What nobody refers to any more goes as before;
    cycles of it do not.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def give_back() -> None:
    """Give the system the pages in which nothing is held any more. Any thread; others run meanwhile.

    The allocator of the C library keeps what stands below a page in use, however much that is, until it is asked.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)
