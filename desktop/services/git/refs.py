"""Which texts may name a revision to git, by the rules of `git check-ref-format` (tools-T74, gate-S17)."""

import re
import unicodedata

_STEPS = re.compile(r"(?:~\d{0,5}|\^\d{0,2}|@\{(?:u|upstream|push|\d{1,5})\})*\Z")
_BAD = re.compile(r"[\s~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)")


def ref_problem(text: str) -> str:
    """Why this text names no revision and no range of two, in words; "" when it may be looked up.

    `main`, `HEAD~2`, `v1.0^`, `origin/main`, an id, `main..HEAD` and `main...HEAD` may; nothing that git could take for
    an option, a path or a search.
    """
    if not text.strip():
        return "must name a branch, tag or commit"
    if text.startswith("-"):
        return "must not begin with a dash"
    if text.startswith(".."):
        return "must not begin with .."
    if any(unicodedata.category(char).startswith("C") for char in text):
        return "must not hold control characters"
    if all(side == "" or _is_revision(side) for side in range_of(text)[1:]):
        return ""
    return f"{text!r} is not the name of a branch, tag or commit"


def range_of(text: str) -> tuple[str, str, str]:
    """The dots of a range, "" when it is none, and what stands on each side of them. `main..`: up to HEAD."""
    for dots in ("...", ".."):
        left, found, right = text.partition(dots)
        if found:
            return dots, left, right
    return "", text, ""


def _is_revision(side: str) -> bool:
    steps = _STEPS.search(side)
    name = side[: steps.start()] if steps else side
    if name in ("", "@"):
        return bool(name) or side.startswith("@{")
    if name.startswith(("/", ".", "-")) or name.endswith(("/", ".")):
        return False
    return _BAD.search(name) is None
