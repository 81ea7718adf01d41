"""Pattern: a regular expression that is made at its first use, for modules with many of which a run needs few."""

import re
from collections.abc import Callable, Iterator

Match = re.Match[str]


class Pattern:
    """As `re.Pattern`, with what its users call. Making a long one takes milliseconds, holding it almost nothing."""

    __slots__ = ("_flags", "_made", "pattern")

    def __init__(self, text: str, flags: int = 0) -> None:
        self.pattern = text
        self._flags = flags
        self._made: re.Pattern[str] | None = None

    def made(self) -> re.Pattern[str]:
        """The expression itself.

        Raises:
            re.error: the text is none.
        """
        if self._made is None:
            self._made = re.compile(self.pattern, self._flags)
        return self._made

    def search(self, text: str) -> Match | None:
        """Its first match anywhere in a text."""
        return (self._made or self.made()).search(text)

    def match(self, text: str, start: int = 0) -> Match | None:
        """Its match at the start of a text, or where it is to start."""
        return (self._made or self.made()).match(text, start)

    def fullmatch(self, text: str) -> Match | None:
        """Its match with the whole of a text."""
        return (self._made or self.made()).fullmatch(text)

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches in a text, in order."""
        return (self._made or self.made()).finditer(text)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        """The pieces of a text between its matches."""
        return (self._made or self.made()).split(text, maxsplit)

    def sub(self, put: str | Callable[[Match], str], text: str) -> str:
        """A text with something put in the place of each match."""
        return (self._made or self.made()).sub(put, text)
