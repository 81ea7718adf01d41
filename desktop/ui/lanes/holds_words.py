"""What a deleted lane holds beside its branch, in the language of the window."""

import re
from collections.abc import Callable

from desktop.language import said
from desktop.ui.text.format import count

_HELD: dict[str, Callable[[int], str]] = {
    "uncommitted file": lambda n: count(n, "uncommitted file"),
    "commit of its own": lambda n: count(n, "commit of its own", "commits of its own"),
    "ignored file": lambda n: count(n, "ignored file"),
}
_PART = re.compile(r"(?P<n>[0-9]{1,9}) (?P<noun>uncommitted file|commit|ignored file)s?(?P<own> of its own)?")


def holds_words(holds: str) -> str:
    """ "2 uncommitted files, 1 commit of its own"; what is not known stays as it was recorded."""
    return ", ".join(map(_told, holds.split(", ")))


def _told(part: str) -> str:
    found = _PART.fullmatch(part)
    words = _HELD.get(f"{found['noun']}{found['own'] or ''}") if found is not None else None
    return words(int(found["n"])) if found is not None and words is not None else said(part)
