"""Glob words, read so that they fit at least what bash would make of them (gate-S10)."""

import re
from collections.abc import Sequence
from functools import lru_cache

from desktop.policy.protected_names import SECRET_FOLDER_NAMES, SECRET_NAME_PAIRS, SECRET_NAME_PATTERNS

ANY_ONE = ("?",)
ANY = ("*",)
Token = str | tuple[str]
"""A character, one character of any kind, or any number of them."""

_STEP = re.compile(
    r"\\(?P<quoted>.)|(?P<star>\*+)|(?P<one>\?|\[[!^]?[A-Za-z0-9_-]+\])|(?P<rest>\[.*)|(?P<plain>.)", re.DOTALL
)


def components(pattern: str) -> list[str]:
    """The pattern's parts between slashes, the empty ones too."""
    return pattern.split("/")


def tokens(component: str) -> list[Token]:
    """The signs that one part of a pattern fits. A bracket that is not of letters and digits stands for anything up to
    the end."""
    found: list[Token] = []
    for step in _STEP.finditer(component):
        if step.lastgroup in ("star", "rest"):
            found.append(ANY)
        elif step.lastgroup == "one":
            found.append(ANY_ONE)
        else:
            found.append(step.group(step.lastgroup or 0))
    return found


def literal(component: str) -> str | None:
    """The one name that a part fits, None when it has a wildcard."""
    parts = tokens(component)
    return None if any(isinstance(part, tuple) for part in parts) else "".join(map(str, parts))


def starts_wild(pattern: str) -> bool:
    """Whether a name that fits could begin with any character, a dash too."""
    first = tokens(pattern[:2] if pattern.startswith("\\") else components(pattern)[0])
    return bool(first) and isinstance(first[0], tuple)


@lru_cache(maxsize=256)
def name_regex(component: str) -> re.Pattern[str]:
    """Fits every name that bash could take for this part; a name that begins with a dot only where the part does."""
    parts = tokens(component)
    text = "".join(_regex(part) for part in parts)
    return re.compile(text if parts and parts[0] == "." else f"(?!\\.){text}", re.DOTALL)


def _regex(token: Token) -> str:
    if isinstance(token, tuple):
        return ".*" if token == ANY else "."
    return re.escape(token)


def could_be_secret(pattern: str) -> bool:
    """Whether a file or folder whose name usually holds secrets, or Git's own configuration, could fit."""
    parts = components(pattern)
    if any(_fits(part, ".git") or any(_fits(part, name) for name in SECRET_FOLDER_NAMES) for part in parts):
        return True
    if any(_fits(parts[-1], name) for name in SECRET_NAME_PATTERNS):
        return True
    return len(parts) > 1 and any(_fits(parts[-2], a) and _fits(parts[-1], b) for a, b in SECRET_NAME_PAIRS)


def _fits(component: str, other: str) -> bool:
    """Whether some name fits both patterns, upper and lower case being the same."""
    one = tokens(component.casefold())
    if one and isinstance(one[0], tuple) and other.startswith("."):
        return False
    return _meet(tuple(one), tuple(tokens(other)))


def _meet(one: Sequence[Token], two: Sequence[Token]) -> bool:
    """Whether some text fits both, by the table of which beginnings can be fitted together."""
    reach = [True] + [False] * len(two)
    for column, token in enumerate(two):
        reach[column + 1] = reach[column] and token == ANY
    for token in one:
        before, reach = reach, [reach[0] and token == ANY] + [False] * len(two)
        for column, other in enumerate(two):
            alike = isinstance(token, tuple) or isinstance(other, tuple) or token == other
            reach[column + 1] = (
                (before[column] and alike)
                or (token == ANY and (reach[column] or before[column + 1]))
                or (other == ANY and (before[column + 1] or reach[column]))
            )
    return reach[-1]
