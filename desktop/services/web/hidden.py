"""What a page holds and its readers do not see, taken out before anything else looks at the page."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from html import unescape

from desktop.records import dataclass

_TAG = re.compile(
    r"<(?:!--(?P<comment>.*?)(?:--!?>|\Z)"
    r"|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)"
    r"""(?P<attributes>(?:=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))|[^>=]++|=)*)(?:>|\Z)"""
    r"|[!?][^>]*+(?:>|\Z))",
    re.DOTALL,
)
"""Every way through it goes forward alone, so that no page takes it more than one look at each character."""
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?""")
_DECLARED = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_STYLE_NOISE = re.compile(r"/\*.*?\*/|\\(?=[^0-9a-fA-F])", re.DOTALL)
_STYLE_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
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
    "datalist": "hidden parts",
    "textarea": "forms",
    "noframes": "frames",
    "noembed": "frames",
    "audio": "frames",
    "video": "frames",
}
_RAW = frozenset({"script", "style", "textarea", "title"})
"""What begins within these is text, up to their own end."""
_LISTS = {"li": ("ul", "ol", "menu"), "dt": ("dl",), "dd": ("dl",), "option": ("select",), "optgroup": ("select",)}
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
    if "=" not in attributes and not any(word in attributes.lower() for word in ("hidden", "popover")):
        return ""
    for key, *values in _ATTRIBUTE.findall(attributes):
        value = unescape(next((one for one in values if one), ""))
        match key.lower():
            case "hidden" | "popover":
                return "hidden parts"
            case "aria-hidden" if value.strip().lower() == "true":
                return "hidden parts"
            case "style" if _DECLARED.search(_plain_style(value)):
                return "hidden parts"
            case "type" if name == "input" and value.strip().lower() == "hidden":
                return "hidden parts"
    return ""


def _plain_style(value: str) -> str:
    """A style without its comments and escapes."""
    plain = _STYLE_NOISE.sub("", value)
    return _STYLE_ESCAPE.sub(lambda one: chr(min(int(one[1], 16), 0x10FFFF)), plain)


def _end_of(html: str, name: str, at: int, until: float) -> int:
    """Where the element ends that begins before `at`: behind its own closing tag, or where the next of its kind begins
    when that closes it, or with the page."""
    if name in _VOID:
        return at
    if name in _RAW:
        return _end_of_raw(html, name, at)
    around = _LISTS.get(name, ("table",) if name in _CLOSED_BY_NEXT and name != "p" else ())
    depth, inner, looked = 1, 0, 0
    while (tag := _TAG.search(html, at)) is not None:
        looked += 1
        if looked % _LOOK_AT_CLOCK == 0 and time.monotonic() > until:
            raise TooSlow
        at, found, step = tag.end(), (tag["name"] or "").lower(), -1 if tag["end"] else 1
        if found in _RAW and step > 0:
            at = _end_of_raw(html, found, at)
        elif found in around:
            inner = max(inner + step, 0)
        elif found == name and not inner:
            if step > 0 and name in _CLOSED_BY_NEXT:
                return tag.start()
            depth += step
        if depth == 0:
            return at
    return len(html)


def _end_of_raw(html: str, name: str, at: int) -> int:
    end = re.compile(rf"</{name}(?=[\s/>])[^>]*+(?:>|\Z)", re.IGNORECASE).search(html, at)
    return end.end() if end is not None else len(html)
