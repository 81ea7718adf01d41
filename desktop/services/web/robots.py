"""robots.txt: what a site asks of programs that read it without a person (RFC 9309)."""

import re

from desktop.records import dataclass

AGENT = "banksman"
MAX_BYTES = 64 * 1024
_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#]*)")


@dataclass(frozen=True)
class Robots:
    """The rules that count for this program. `rules`: patterns of paths, and whether they allow."""

    rules: tuple[tuple[str, bool], ...] = ()

    def forbid(self, target: str) -> bool:
        """Whether the path and query may not be read: by the longest pattern that fits, which allows when two are as
        long."""
        fitting = [(len(pattern), allows) for pattern, allows in self.rules if _fits(pattern, target)]
        return bool(fitting) and not max(fitting)[1] and target != "/robots.txt"


FORBIDS_NOTHING = Robots()
FORBIDS_ALL = Robots((("/", False),))


def robots_of(text: str) -> Robots:
    """The rules of a file: those for this program by name, else those for all."""
    own: list[tuple[str, bool]] = []
    of_all: list[tuple[str, bool]] = []
    named = False
    counts: set[str] = set()
    in_rules = True
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        key, value = found[1].lower(), found[2].strip()
        if key == "user-agent":
            counts = set() if in_rules else counts
            in_rules = False
            name = value.lower()
            if name == "*" or name.partition("/")[0] == AGENT:
                counts.add("*" if name == "*" else AGENT)
            named = named or AGENT in counts
        elif key != "sitemap":
            in_rules = True
            if value and key in ("allow", "disallow"):
                own += [(value, key == "allow")] if AGENT in counts else []
                of_all += [(value, key == "allow")] if "*" in counts else []
    return Robots(tuple(own if named else of_all))


def _fits(pattern: str, target: str) -> bool:
    """`*` stands for any characters, `$` at the end for the end."""
    ends = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not target.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1] if ends else parts:
        found = target.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if not ends:
        return True
    return target.endswith(parts[-1]) and len(target) - len(parts[-1]) >= at if parts else at == len(target)
