"""MatterFields: the keys of a front matter, read as what a file of that kind may say."""

import re

from desktop.services.skills.front_matter import FrontMatter, MatterError, MatterValue

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_CHARS = 64
DESCRIPTION_CHARS = 1024
NAMES_CHARS = 4_000
"""So long a text can list names: what splits it looks for the end of each bracket."""
NAME_RULE = "small letters, digits and single hyphens, at most 64"
_NAMES = re.compile(r"[^\s,(]+(?:\([^)]*\))?|\([^)]*\)")


def is_name(text: str) -> bool:
    """Whether a skill or an agent may be called so."""
    return len(text) <= NAME_CHARS and NAME.fullmatch(text) is not None


class MatterFields:
    """Each method takes a key and raises MatterError where its value is of another kind. Keys that nobody took are the
    `rest`."""

    def __init__(self, matter: FrontMatter) -> None:
        self._matter = matter
        self._taken: set[str] = set()

    def text(self, key: str, *, most: int, required: bool = False) -> str:
        """The text of a key, "" where there is none."""
        value = self._take(key)
        if not isinstance(value, str):
            raise self.fault(key, f"'{key}' must be a text.")
        value = value.strip()
        if required and not value:
            raise self.fault(key, f"It has no '{key}'.")
        if len(value) > most:
            raise self.fault(key, f"'{key}' is longer than {most:,} characters.")
        return value

    def name(self, key: str = "name") -> str:
        """The name of a skill or an agent."""
        value = self.text(key, most=10_000, required=True)
        if not is_name(value):
            raise self.fault(key, f"'{key}' must be {NAME_RULE}.")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Whether a key is true or false."""
        value = self.text(key, most=100).lower()
        if value not in ("", "true", "false"):
            raise self.fault(key, f"'{key}' must be true or false.")
        return default if not value else value == "true"

    def names(self, key: str) -> tuple[str, ...]:
        """A list, or a text that is split at blanks and commas but inside brackets; each name once."""
        value = self._take(key)
        if isinstance(value, str):
            if len(value) > NAMES_CHARS:
                raise self.fault(key, f"'{key}' is longer than {NAMES_CHARS:,} characters.")
            return tuple(dict.fromkeys(_NAMES.findall(value)))
        words = value if isinstance(value, tuple) else (value,)
        found = [word.strip() for word in words if isinstance(word, str)]
        if len(found) != len(words):
            raise self.fault(key, f"'{key}' must be a list of names.")
        return tuple(dict.fromkeys(word for word in found if word))

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A table as names with one text each, `{env: NAME}` as `env:NAME`; () for what is no table."""
        value = self._matter.values.get(key, "")
        if not isinstance(value, dict):
            return ()
        self._taken.add(key)
        return tuple((name, _line(one).replace(": ", ":")) for name, one in value.items())

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._matter.values

    def shown(self, *keys: str) -> dict[str, str]:
        """These keys as one line of text each, those of a table by their own names; for people to see."""
        found: dict[str, str] = {}
        for key in keys:
            value = self._take(key)
            if isinstance(value, dict):
                found |= {name: _line(one) for name, one in value.items()}
            elif value:
                found[key] = _line(value)
        return found

    def rest(self) -> tuple[str, ...]:
        """The keys that nobody took."""
        return tuple(key for key in self._matter.values if key not in self._taken)

    def fault(self, key: str, text: str) -> MatterError:
        """What is wrong with a key."""
        return MatterError(self._matter.lines.get(key, 1), text)

    def _take(self, key: str) -> MatterValue:
        self._taken.add(key)
        return self._matter.values.get(key, "")


def _line(value: MatterValue) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    words = value if isinstance(value, tuple) else tuple(f"{key}: {_line(one)}" for key, one in value.items())
    return ", ".join(_line(word) for word in words)
