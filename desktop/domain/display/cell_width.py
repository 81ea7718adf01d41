"""The number of cells of a terminal that a character takes; the emulation and the view that paints it must agree."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_NARROW = (
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u2046\u2190-\u2319"
    "\u2400-\u24ff\u2500-\u25fc]+"
)
"""Characters of one cell that common programs print, so that they are taken by the run."""
_ZERO = frozenset({"Mn", "Me", "Cf", "Zl", "Zp"})


@lru_cache(maxsize=4096)
def cell_width(char: str) -> int:
    """0 for what joins the character before it or is not drawn at all, 2 for wide ones, else 1."""
    if char < "\x7f":
        return 1
    if unicodedata.category(char) in _ZERO or "\u1160" <= char <= "\u11ff":
        return 0 if char != "\u00ad" else 1
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def narrow_runs(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces: runs of characters that take one cell each (True), and single other characters (False)."""
    at = 0
    for match in _narrow().finditer(text):
        for char in text[at : match.start()]:
            yield char, False
        yield match.group(), True
        at = match.end()
    for char in text[at:]:
        yield char, False


@lru_cache(maxsize=1)
def _narrow() -> re.Pattern[str]:
    return re.compile(_NARROW)
