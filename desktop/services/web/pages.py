"""The text of what a web server answered: characters decoded, pages as Markdown without what is not seen in them."""

import asyncio
import codecs
import logging
import re
import time
from html import unescape

from desktop.domain.display.own_use import own_use
from desktop.late import late
from desktop.records import dataclass
from desktop.services.web.hidden import TooSlow, visible_part

logger = logging.getLogger(__name__)

SECONDS = 2.0
"""For a page to become text; then its tags are taken out and nothing more."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = re.compile(
    r"text/[\w.+-]+|application/(?:[\w.-]+\+)?(?:json|xml)|application/(?:x-)?(?:ndjson|yaml|javascript)"
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})|encoding=["']([\w.:-]{1,40})["']""", re.I
)
_DECLARED_WITHIN = 2_048
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LOOKS_LIKE_PAGE = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_TITLE = re.compile(r"<title\b[^>]*+>([^<]{0,2000})", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^>]*+>")
_LEFT_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffc\U000e0000-\U000e01ef\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_TITLE_CHARS = 200


@dataclass(frozen=True)
class Page:
    """An answer as text. `title` "" for none; `removed`: how many parts of which kind were taken out of it, tokens for
    characters that are not seen among them; `plain`: it could not be read as a page, so that only tags are gone."""

    text: str
    title: str = ""
    removed: dict[str, int] | None = None
    plain: bool = False

    @property
    def removed_words(self) -> str:
        """What was taken out, for people: `3 comments, 1 hidden part`; "" for nothing."""
        return ", ".join(f"{n:,} {kind if n > 1 else _one(kind)}" for kind, n in sorted((self.removed or {}).items()))


def is_text(media_type: str) -> bool:
    """Whether answers of this type, without its parameters and in lower case, are text."""
    return media_type in _HTML or _TEXT.fullmatch(media_type) is not None


def decoded(body: bytes, charset: str) -> str:
    """The characters of an answer: by the mark at its beginning, by `charset` of its header, by what it says itself,
    else UTF-8; what cannot be read becomes U+FFFD."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    own = _DECLARED.search(body[:_DECLARED_WITHIN])
    for name in (charset, (own[1] or own[2]).decode("ascii", "replace") if own is not None else ""):
        if name and (codec := _codec(name)):
            return body.decode(codec, "replace")
    return body.decode("utf-8", "replace")


async def page_of(body: bytes, media_type: str, charset: str, address: str) -> Page:
    """The text of an answer that `is_text`. A page becomes Markdown on a worker thread, which is not waited for longer
    than there is time. `address`: where its links begin from."""
    if media_type not in _HTML and not (media_type == "text/plain" and _LOOKS_LIKE_PAGE.match(body)):
        return await asyncio.to_thread(_other_text, body, charset)
    html = await asyncio.to_thread(decoded, body, charset)
    until = time.monotonic() + SECONDS
    try:
        async with asyncio.timeout(SECONDS):
            return await asyncio.to_thread(_markdown, html, address, until)
    except (TimeoutError, TooSlow):
        logger.warning("a page of %d characters was not converted in %.0f s", len(html), SECONDS)
    except Exception:  # whatever a page does to the library, its words are there to be read
        logger.exception("a page could not be converted")
    return await asyncio.to_thread(_without_tags, html)


def _other_text(body: bytes, charset: str) -> Page:
    return _seen(decoded(body, charset), "", {})


def _markdown(html: str, address: str, until: float) -> Page:
    library = late("html_to_markdown")
    seen = visible_part(html, until)
    title = _TITLE.search(seen.html)
    options = library.ConversionOptions(
        extract_metadata=False,
        inline_data_media="drop_element",
        exclude_selectors=["[aria-hidden=true]", "[hidden]", "form", "svg", "iframe", "dialog", "script", "style"],
        base_url=address,
    )
    markdown: str = library.convert(seen.html, options).content
    if not markdown.strip():  # deeper than the library goes
        return _without_tags(seen.html, seen.removed)
    text, left = _LEFT_COMMENT.subn("", markdown)
    removed = {**seen.removed, **({"comments": seen.removed.get("comments", 0) + left} if left else {})}
    return _seen(text.strip(), unescape(title[1]) if title is not None else "", removed)


def _without_tags(html: str, removed: dict[str, int] | None = None) -> Page:
    """The words of a page that could not be read as one. What is not seen in it is not known, but for what was
    `removed` before."""
    text = _LEFT_COMMENT.sub("", html)
    text = re.sub(r"<(script|style)\b[^>]*+>.*?(?:</\1[^>]*+>|\Z)", " ", text, flags=re.I | re.S)
    found = _seen(unescape(_ANY_TAG.sub(" ", text)).strip(), "", removed or {})
    return Page(found.text, removed=found.removed, plain=True)


def _seen(text: str, title: str, removed: dict[str, int]) -> Page:
    """With tokens for characters that are not seen, as `⟦U+200B⟧`, but where people write with them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    count = 0
    if _UNSEEN.search(text) is not None:
        own = own_use(text)

        def token(found: re.Match[str]) -> str:
            nonlocal count
            if found.start() in own:
                return found[0]
            count += 1
            return f"⟦U+{ord(found[0]):04X}⟧"

        text = _UNSEEN.sub(token, text)
    shown = {**removed, "characters that are not seen": count} if count else removed
    line = " ".join(_UNSEEN.sub("", title).split())
    return Page(text, line[:_TITLE_CHARS], shown)


def _codec(name: str) -> str:
    """The codec of Python for the name of a charset, "" for none that is one of text."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # `_is_text_encoding` is not for use; these are all that are none
    return "" if found.name in _NO_CHARSETS else found.name


_NO_CHARSETS = frozenset({"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode", "undefined"}) | {
    "unicode_escape",
    "raw_unicode_escape",
    "mbcs",
    "oem",
    "palmos",
}


def _one(kind: str) -> str:
    return {
        "parts for browsers without scripts": "part for browsers without scripts",
        "characters that are not seen": "character that is not seen",
        "hidden parts": "hidden part",
    }.get(kind, kind.removesuffix("s"))
