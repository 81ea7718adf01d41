"""The pictures that foreign Markdown names, by their addresses; none is loaded before a person asks (lanes-G24)."""

import re
from html.parser import HTMLParser

from desktop.domain.display.links import is_safe_link
from desktop.domain.display.markdown import Part, read_markdown
from desktop.domain.display.prose import Link, Span

MOST_PICTURES = 12
_TAG = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)


def named_pictures(text: str) -> tuple[Link, ...]:
    """The pictures of a Markdown text that could be loaded, each address once; at most twelve.

    A tag `<img>` is drawn as text, as all HTML is, and counts as well: forges write it for what is pasted there.
    """
    if "![" not in text and "<img" not in text.lower():
        return ()
    shown = read_markdown(text)
    found = [one for one in shown.links if one.picture]
    found += [link for part in shown.parts for tag in _TAG.findall(_prose(part)) for link in _Tag(tag).links]
    named: dict[str, Link] = {}
    for one in found:
        if _is_web(one.href):
            named.setdefault(one.href.strip(), Link(one.text, one.href.strip(), picture=True))
    return tuple(named.values())[:MOST_PICTURES]


def _is_web(address: str) -> bool:
    return is_safe_link(address) and address.strip().lower().startswith(("http://", "https://"))


def _prose(part: Part) -> str:
    """What is drawn of it, without its code."""
    if part.kind == "code":
        return ""
    pieces: list[Span] = [*part.spans, *(span for row in part.rows for cell in row for span in cell)]
    return "".join("\n" if span.style.code else span.run.text for span in pieces)


class _Tag(HTMLParser):
    """One tag, read."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.feed(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Its address and its words."""
        named = dict(attrs)
        if tag == "img" and named.get("src"):
            self.links.append(Link(named.get("alt") or "", named["src"] or "", picture=True))

    handle_startendtag = handle_starttag
