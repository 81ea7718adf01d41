"""All routes that the stand-in answers, and the finding of one."""

import re

from tests.fakes.github import rest_branches, rest_checks, rest_pulls, rest_repos, rest_talk
from tests.fakes.github.router import SERVED, Handler, pattern_of

PARTS = (rest_branches, rest_checks, rest_pulls, rest_repos, rest_talk)
ROUTES: dict[tuple[str, str], Handler] = SERVED
_PATTERNS: list[tuple[str, str, re.Pattern[str]]] = [(method, path, pattern_of(path)) for method, path in SERVED]


def route_of(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """The described path that matches, with the values of its parameters; None for a path that is not served."""
    for served_method, template, pattern in _PATTERNS:
        if served_method == method and (match := pattern.fullmatch(path)):
            return template, match.groupdict()
    return None
