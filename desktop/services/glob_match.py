"""The matcher of the glob tool: `*` and `?` stay within a folder, `**` crosses, `{a,b}` and `[!a]` as in a shell."""

import re
import sys
from collections.abc import Callable
from itertools import chain, pairwise

MAX_ALTERNATIVES = 200


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Every form that the `{a,b}` groups of a pattern stand for, at most 200. A group without a comma stays."""
    start = _brace_start(pattern)
    if start is None:
        return (pattern,)
    opening, closing, commas = start
    edges = [opening, *commas, closing]
    choices = [pattern[a + 1 : b] for a, b in pairwise(edges)]
    forms = chain.from_iterable(
        expand_braces(pattern[:opening] + choice + pattern[closing + 1 :]) for choice in choices
    )
    return tuple(form for form, _ in zip(forms, range(MAX_ALTERNATIVES), strict=False))


def _brace_start(pattern: str) -> tuple[int, int, list[int]] | None:
    """The first group that has a comma: its opening, its closing, its commas of the first level."""
    for opening, char in enumerate(pattern):
        if char != "{" or _escaped(pattern, opening):
            continue
        depth, commas = 0, []
        for at in range(opening, len(pattern)):
            if _escaped(pattern, at):
                continue
            depth += {"{": 1, "}": -1}.get(pattern[at], 0)
            if pattern[at] == "," and depth == 1:
                commas.append(at)
            if depth == 0:
                if commas:
                    return opening, at, commas
                break
    return None


def _escaped(pattern: str, at: int) -> bool:
    backslashes = len(pattern[:at]) - len(pattern[:at].rstrip("\\"))
    return sys.platform != "win32" and backslashes % 2 == 1


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths with `/` between their parts, relative to where the search starts.

    Hidden names match like others, and case counts. A pattern without `/` matches in the start folder only.

    Raises:
        ValueError: a bracket expression is not usable; the text says which.
    """
    if sys.platform == "win32":
        pattern = pattern.replace("\\", "/")
    try:
        regex = re.compile("|".join(f"(?:{_translate(form)})" for form in expand_braces(pattern)), re.DOTALL)
    except re.error as error:
        raise ValueError(f"the pattern cannot be used: {error.msg}") from error
    return lambda path: regex.fullmatch(path) is not None


def _translate(pattern: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**", at):
            piece, at = _double_star(pattern, at)
        elif pattern[at] == "*":
            piece, at = "[^/]*", at + 1
        elif pattern[at] == "?":
            piece, at = "[^/]", at + 1
        elif pattern[at] == "[":
            piece, at = _bracket(pattern, at)
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            piece, at = re.escape(pattern[at + 1]), at + 2
        else:
            piece, at = re.escape(pattern[at]), at + 1
        out.append(piece)
    return "".join(out)


def _double_star(pattern: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    starts = at == 0 or pattern[at - 1] == "/"
    if starts and end < len(pattern) and pattern[end] == "/":
        return "(?:[^/]+/)*", end + 1
    if starts and end == len(pattern):
        return ".+", end
    return "[^/]*", end


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    first = at + 2 if pattern[at + 1 : at + 2] in ("!", "^") else at + 1
    end = pattern.find("]", first + 1)
    if end < 0:
        return re.escape("["), at + 1
    inside = pattern[first:end].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    inside = re.sub(r"([&~|^])", r"\\\1", inside)
    return (f"(?!/)[^{inside}]" if first == at + 2 else f"(?!/)[{inside}]"), end + 1
