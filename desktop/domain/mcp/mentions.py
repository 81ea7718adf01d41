"""Mentions: how a resource of a server is named in a message, and the gap of an address that is being written."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from desktop.domain.mcp.updates import McpResource
from desktop.records import dataclass

_MENTION = re.compile(r"(?:^|(?<=[\s(]))@([a-z0-9-]{0,24})(?::(\S*))?$")
_GAP = re.compile(r"\{([+#]?)([A-Za-z0-9_.]+)\*?\}")
_RESERVED = ":/?#[]@!$&'()*+,;="


@dataclass(frozen=True)
class Mention:
    """What stands before the caret, from `@` on: `uri` None while the server is still being named."""

    server_id: str
    uri: str | None

    @property
    def text(self) -> str:
        """As it is written."""
        return mention_of(self.server_id, self.uri) if self.uri is not None else f"@{self.server_id}"


@dataclass(frozen=True)
class Gap:
    """The gap of an address that is being written. `given`: those before it, as written; `before`: what stands before
    it; `free`: its value may hold what separates the parts of an address."""

    argument: str
    value: str
    given: tuple[tuple[str, str], ...]
    before: str
    free: bool

    def filled(self, value: str) -> str:
        """The address as far as this gap, with this value in it."""
        return self.before + quote(value, safe=_RESERVED if self.free else "")


def mention_of(server_id: str, uri: str) -> str:
    """How a resource is named."""
    return f"@{server_id}:{uri}"


def mention_at(text: str) -> Mention | None:
    """The mention that ends a text, None: there is none."""
    found = _MENTION.search(text)
    return Mention(found.group(1), found.group(2)) if found else None


def literal(template: str) -> str:
    """What an address with gaps begins with."""
    return template.partition("{")[0]


def gap_at(template: str, written: str) -> Gap | None:
    """The gap in which an address ends that is being written, None: it is no beginning of this template, it ends
    between two gaps, or the template says more than which words it wants."""
    gaps = list(_GAP.finditer(template))
    if len(gaps) != template.count("{") or not written.startswith(literal(template)):
        return None
    at, given = len(literal(template)), list[tuple[str, str]]()
    for number, gap in enumerate(gaps):
        following = gaps[number + 1].start() if number + 1 < len(gaps) else len(template)
        between = template[gap.end() : following]
        end = written.find(between, at) if between else -1
        if end < 0:
            return Gap(gap.group(2), written[at:], tuple(given), written[:at], bool(gap.group(1)))
        given.append((gap.group(2), written[at:end]))
        at = end + len(between)
    return None


def fitting(resources: Sequence[McpResource], written: str) -> list[McpResource]:
    """Those whose address begins so first, then those that have the words in address or name; each in its order."""
    words = written.lower()
    first = [one for one in resources if (literal(one.uri) if one.is_template else one.uri).lower().startswith(words)]
    others = [one for one in resources if words in f"{one.uri} {one.name}".lower()]
    return first + [one for one in others if one not in first]
