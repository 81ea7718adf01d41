"""The matcher of the glob tool: `*` and `?` stay within a folder, `**` crosses, `{a,b}` and `[!a]` as in a shell.

No pattern makes it slow: folders are matched one by one, and within a name the standard matcher does not try again.
"""

import fnmatch
import re
import sys
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

MAX_ALTERNATIVES = 200

_Segment = Callable[[str], object] | None
"""A test for one name; None stands for `**`: any number of folders."""


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Every form that the `{a,b}` groups of a pattern stand for, at most 200. A group without a comma stays."""
    return tuple(islice(_expanded(pattern), MAX_ALTERNATIVES))


def _expanded(pattern: str) -> Iterator[str]:
    group = _first_group(pattern)
    if group is None:
        yield pattern
        return
    for start, end in pairwise(group):
        yield from _expanded(pattern[: group[0]] + pattern[start + 1 : end] + pattern[group[-1] + 1 :])


def _first_group(pattern: str) -> list[int] | None:
    """The places of the opening, the commas and the closing of the first group that has a comma."""
    found: list[list[int]] = []
    open_groups: list[list[int]] = []
    escaped = False
    for at, char in enumerate(pattern):
        if escaped:
            escaped = False
        elif char == "\\" and sys.platform != "win32":
            escaped = True
        elif char == "{":
            open_groups.append([at])
        elif char == "," and open_groups:
            open_groups[-1].append(at)
        elif char == "}" and open_groups:
            group = open_groups.pop()
            if len(group) > 1:
                found.append([*group, at])
    return min(found, default=None)


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths with `/` between their parts, relative to where the search starts.

    Hidden names match like others, and case counts. A pattern without `/` matches in the start folder only.
    """
    if sys.platform == "win32":
        pattern = pattern.replace("\\", "/")
    forms = [_segments(form) for form in expand_braces(pattern)]
    return lambda path: any(_matches(form, path.split("/")) for form in forms)


def _segments(form: str) -> list[_Segment]:
    words = form.split("/")
    if words[-1] == "**":
        words.append("*")
    return [None if word == "**" else re.compile(fnmatch.translate(_plain(word))).match for word in words]


def _plain(word: str) -> str:
    """The word in the standard matcher's form, which has no backslash and negates with `!` only."""
    word = re.sub(r"\\(.)", lambda m: f"[{m.group(1)}]" if m.group(1) in "*?[" else m.group(1), word)
    return word.replace("[^", "[!")


def _matches(form: list[_Segment], parts: list[str]) -> bool:
    places = _with_skipped(form, {0})
    for part in parts:
        reached: set[int] = set()
        for place in places:
            if place == len(form):
                continue
            segment = form[place]
            if segment is None:
                reached.add(place)
            elif segment(part):
                reached.add(place + 1)
        places = _with_skipped(form, reached)
        if not places:
            return False
    return len(form) in places


def _with_skipped(form: list[_Segment], places: set[int]) -> set[int]:
    """The places and those behind a `**` that stands for no folder at all."""
    for place in sorted(places):
        at = place
        while at < len(form) and form[at] is None:
            at += 1
            places.add(at)
    return places
