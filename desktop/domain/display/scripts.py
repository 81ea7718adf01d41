"""The scripts that the letters of a word are of."""

import re
import unicodedata
from functools import lru_cache

_LETTER_NAME = re.compile(
    r"(?:FULLWIDTH |HALFWIDTH )?([A-Z]+)\b.*\b(?:LETTER|LIGATURE|SYLLABLE|SYLLABICS|IDEOGRAPH|HIEROGLYPH)\b"
)
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
"""Scripts that stand together, and beside Latin, in ordinary words of Chinese, Japanese and Korean."""


def scripts_of(word: str) -> set[str]:
    """The scripts of a word's letters; those of East Asia count as one with each other and beside Latin."""
    found = {script for char in set(word) if (script := _script(char))}
    return found - _EAST_ASIAN if found <= {*_EAST_ASIAN, "LATIN"} else found


@lru_cache(maxsize=8192)
def _script(char: str) -> str:
    """The script of a letter as its name has it; "" for what belongs to none."""
    if not char.isalpha() or unicodedata.category(char) == "Lm":
        return ""
    match = _LETTER_NAME.match(unicodedata.name(char, ""))
    return match[1] if match is not None else ""
