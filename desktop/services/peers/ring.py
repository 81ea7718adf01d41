"""LogRing: the newest lines a peer said beside its answers; nothing of it reaches a model (guests-M29)."""

from collections import deque
from collections.abc import Callable

MOST_CHARS = 1024 * 1024
LONGEST_LINE = 4_000
MOST_AT_ONCE = 1_000


class LogRing:
    """At most 1 MiB. `redact` takes secrets out of a line when it comes."""

    def __init__(self, redact: Callable[[str], str] = str) -> None:
        self._redact = redact
        self._lines: deque[str] = deque()
        self._chars = 0
        self._begun = ""

    def add(self, line: str) -> None:
        """One more line, cut where it is very long."""
        kept = self._redact(line[:LONGEST_LINE])
        self._lines.append(kept)
        self._chars += len(kept) + 1
        while self._chars > MOST_CHARS:
            self._chars -= len(self._lines.popleft()) + 1

    def feed(self, data: bytes) -> None:
        """More of an error stream, whose lines it holds. One that never ends is cut; of very many at once the newest
        are kept, as a flood must not hold up the loop."""
        *ended, rest = (self._begun + data.decode("utf-8", "replace")).split("\n")
        if len(ended) > MOST_AT_ONCE:
            self.add(f"[banksman] {len(ended) - MOST_AT_ONCE:,} lines were left out")
        for line in ended[-MOST_AT_ONCE:]:
            if line.strip():
                self.add(line.rstrip("\r"))
        self._begun = rest
        if len(rest) > LONGEST_LINE:
            self.add(rest)
            self._begun = ""

    def lines(self) -> tuple[str, ...]:
        """All of them, oldest first."""
        return (*self._lines, *((self._redact(self._begun),) if self._begun.strip() else ()))

    def last(self, count: int = 3) -> str:
        """The newest lines as one text."""
        return "\n".join(self.lines()[-count:])
