"""What a page holds and its readers do not see, taken out before anything else looks at the page."""

import re
import time
from collections import Counter
from collections.abc import Iterator

from desktop.records import dataclass

_TAG = re.compile(
    r"<(?:!--(?P<comment>.*?)(?:--!?>|\Z)"
    r"|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)"
    r"""(?P<attributes>(?:=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))|[^>])*+)(?:>|\Z)"""
    r"|[!?][^>]*+(?:>|\Z))",
    re.DOTALL,
)
"""Every way through it goes forward alone, so that no page takes it more than one look at each character."""
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?""")
_DECLARED = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_STYLE_NOISE = re.compile(r"/\*.*?\*/|\\(?=[^0-9a-fA-F])", re.DOTALL)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_CLOSED_BY_NEXT = frozenset(["p", "li", "td", "th", "tr", "dt", "dd", "option", "optgroup", "thead", "tbody", "tfoot"])
_UNREAD = {
    "script": "scripts",
    "style": "styles",
    "template": "templates",
    "noscript": "parts for browsers without scripts",
    "form": "forms",
    "iframe": "frames",
    "object": "frames",
    "svg": "drawings",
    "canvas": "drawings",
    "dialog": "hidden parts",
}
_RAW = frozenset({"script", "style"})
_LOOK_AT_CLOCK = 2_000


class TooSlow(Exception):
    """The page was not read in the time that there is for it."""


@dataclass(frozen=True)
class Visible:
    """A page without what its readers do not see. `removed`: how many of which kind were taken out."""

    html: str
    removed: dict[str, int]


def visible_part(html: str, until: float) -> Visible:
    """The page without comments, scripts, styles, forms and elements that are marked as hidden.

    Colours, sizes and style sheets prove nothing and are not looked at. `until`: by `time.monotonic`.

    Raises:
        TooSlow: it was not done until then.
    """
    kept: list[str] = []
    removed: Counter[str] = Counter()
    at = 0
    for start, end, kind in _unseen(html, until):
        kept.append(html[at:start])
        removed[kind] += 1
        at = end
    kept.append(html[at:])
    return Visible("".join(kept), dict(removed))


def _unseen(html: str, until: float) -> Iterator[tuple[int, int, str]]:
    """Where parts that are not seen begin and end, and what they are; none lies within another."""
    at, looked = 0, 0
    while (tag := _TAG.search(html, at)) is not None:
        looked += 1
        if looked % _LOOK_AT_CLOCK == 0 and time.monotonic() > until:
            raise TooSlow
        at = tag.end()
        if tag["comment"] is not None:
            yield tag.start(), tag.end(), "comments"
        elif tag["name"] is not None and not tag["end"]:
            kind = _why_unseen(tag["name"].lower(), tag["attributes"])
            if kind:
                at = _end_of(html, tag["name"].lower(), at, until)
                yield tag.start(), at, kind


def _why_unseen(name: str, attributes: str) -> str:
    if name in _UNREAD:
        return _UNREAD[name]
    if "=" not in attributes and "hidden" not in attributes.lower():
        return ""
    for key, *values in _ATTRIBUTE.findall(attributes):
        value = next((one for one in values if one), "")
        match key.lower():
            case "hidden":
                return "hidden parts"
            case "aria-hidden" if value.strip().lower() == "true":
                return "hidden parts"
            case "style" if _DECLARED.search(_STYLE_NOISE.sub("", value)):
                return "hidden parts"
            case "type" if name == "input" and value.strip().lower() == "hidden":
                return "hidden parts"
    return ""


def _end_of(html: str, name: str, at: int, until: float) -> int:
    """Where the element ends that begins before `at`: behind its own closing tag, or where the next of its kind begins
    when that closes it, or with the page."""
    if name in _VOID:
        return at
    if name in _RAW:
        end = re.compile(rf"</{name}(?=[\s/>])[^>]*+(?:>|\Z)", re.IGNORECASE).search(html, at)
        return end.end() if end is not None else len(html)
    depth = 1
    for looked, tag in enumerate(_tags_named(name).finditer(html, at), 1):
        if looked % _LOOK_AT_CLOCK == 0 and time.monotonic() > until:
            raise TooSlow
        if tag[1] == "" and name in _CLOSED_BY_NEXT and depth == 1:
            return tag.start()
        depth += {"/": -1, "": 1}.get(tag[1], 0)
        if depth == 0:
            return tag.end()
    return len(html)


def _tags_named(name: str) -> re.Pattern[str]:
    """Matches comments, in which no tag counts, and tags of that name; its group is "/" for one that closes."""
    return re.compile(rf"<!--.*?(?:-->|\Z)|<(/?){re.escape(name)}(?=[\s/>])[^>]*+(?:>|\Z)", re.IGNORECASE | re.DOTALL)
