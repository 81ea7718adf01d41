"""The direction of a text: it begins at the left or at the right, as its first letter says."""

import re
import unicodedata
from typing import Literal

_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def has_right_to_left(text: str) -> bool:
    """Whether letters stand in it that are written right to left."""
    return not text.isascii() and any(_letter(char) == "R" for char in _RIGHT.findall(text))


def first_direction(text: str) -> Literal["L", "R", ""]:
    """The direction of the first letter (Unicode: Bidirectional Algorithm, P2); "" where there is none."""
    return next((found for char in text if (found := _letter(char))), "")


def _letter(char: str) -> Literal["L", "R", ""]:
    kind = unicodedata.bidirectional(char)
    return "L" if kind == "L" else "R" if kind in ("R", "AL") else ""
