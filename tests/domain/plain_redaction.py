"""What is removed from a text, said the slow way: every shape is tried on every text, and nothing is looked for before.

`Redactor` must find the same. It skips what its searches for plain pieces rule out, and this is what shows that they
rule out nothing else.
"""

import re
from collections.abc import Callable

from desktop.domain.gate.redaction import ASSIGNED, IN_URL, SHAPES, Redactor, is_password

_EXAMPLES = {"password", "changeme", "postgres", "username", "********"}
_NAMES = "password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key"


class PlainRedactor:
    """`spellings`: known values as they are looked for, by name. `is_random`: what tells a key from words."""

    def __init__(self, spellings: dict[str, str], is_random: Callable[[str], bool]) -> None:
        self._known = sorted(spellings, key=len, reverse=True)
        self._names = spellings
        self._is_random = is_random
        names = {*spellings.values(), *(name for name, _pieces, _shape in SHAPES), "password in an address"}
        self._mark = re.compile(rf"\[secret (?:{'|'.join([*map(re.escape, sorted(names)), _NAMES])}) removed\]")

    def redact(self, text: str) -> str:
        """The text without secrets."""
        parts = re.split(f"({self._mark.pattern})", text)
        return "".join(part if number % 2 else self._clean(part) for number, part in enumerate(parts))

    def _clean(self, text: str) -> str:
        if self._known:
            known = "|".join(map(re.escape, self._known))
            text = re.sub(known, lambda match: f"[secret {self._names[match[0]]} removed]", text)
        for name, _pieces, shape in SHAPES:
            text = self._each(text, shape, lambda match, name=name: self._shaped(name, match[0]))
        text = self._each(text, IN_URL, self._in_url)
        return self._each(text, ASSIGNED, self._assigned)

    def _each(self, text: str, shape: str, replace: Callable[[re.Match[str]], str]) -> str:
        return re.sub(shape, lambda match: match[0] if self._mark.search(match[0]) else replace(match), text)

    def _shaped(self, name: str, found: str) -> str:
        return found if name == "OpenAI key" and not self._is_random(found) else f"[secret {name} removed]"

    def _in_url(self, match: re.Match[str]) -> str:
        if match["value"].casefold() in _EXAMPLES:
            return match[0]
        return f"{match['user']}:[secret password in an address removed]@"

    def _assigned(self, match: re.Match[str]) -> str:
        value = match["value"].rstrip(".,;:")
        if not self._is_random(value) and (match["call"] or not is_password(value)):
            return match[0]
        before = match[0][: match.start("value") - match.start()]
        return f"{before}[secret {match['name'].casefold()} removed]{match['value'][len(value) :]}{match['call']}"


def plain(redactor: Redactor, is_random: Callable[[str], bool]) -> PlainRedactor:
    """The slow one for the same known values."""
    return PlainRedactor(redactor.spellings, is_random)
