"""Texts that seem to forbid something in another language than English, in which nothing is found."""

import re

from desktop.domain.boundaries.values import MOST_READ

_OTHER_LANGUAGES = (
    *("nicht", "niemals", "keine", "keinen", "lass die finger", "finger weg", "jamais", "pas", "nunca"),
    *("jamás", "ningún", "não", "nessun", "niet", "nooit", "geen", "aldrig", "inte", "ikke", "nigdy", "nie wolno"),
    *("никогда", "нельзя", "запрещено", "不要", "不准", "禁止", "しないで", "하지 마"),
)
_ENGLISH = frozenset(
    {
        *("the", "and", "please", "don't", "dont", "never", "is", "to", "of", "it", "with", "for", "this", "that"),
        *("you", "i", "we"),
    }
)


def is_foreign_no(text: str) -> bool:
    """Whether a text seems to forbid something in another language than English: words of that stand in it, and
    hardly any of English."""
    plain = text[:MOST_READ].casefold()
    words = re.split(r"[^\w']+", plain)
    found = any((one in words) if one.isalpha() and one.isascii() else one in plain for one in _OTHER_LANGUAGES)
    return found and sum(word in _ENGLISH for word in words) * 10 < max(len(words), 10)
