"""The garbage collector of a program with a window: a little at a time, and all of it while nobody is there."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

ALL = 2
"""The generation of a look at all values."""
LITTLE = (700, 10, 2)
"""A look at all values comes after three looks at young ones, not after eleven: it sees some 20,000 and takes 10 ms."""


@contextmanager
def little_looks() -> Iterator[None]:
    """While this holds, what a look at all values leaves is looked at no more, so that each look is a short one. In a
    window with sixteen chats a look saw 240,000 values, and no thread moved for 160 ms.

    Nearly all values go as soon as nobody refers to them, as ever. A cycle of them that outlived one look stays until
    `look_at_all`.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*LITTLE)
    gc.callbacks.append(_leave)
    try:
        yield
    finally:
        gc.callbacks.remove(_leave)
        gc.set_threshold(*usual)


def look_at_all() -> None:
    """Collect all garbage, however old: for a moment in which nobody waits, as no thread moves for some tenths of a
    second. Parts of closed windows may be among it, so this is for the thread of the windows."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _leave(phase: Literal["start", "stop"], look: dict[str, int]) -> None:
    if phase == "stop" and look["generation"] == ALL:
        gc.freeze()
