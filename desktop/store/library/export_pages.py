"""A readable copy as Markdown or as one HTML page. Whatever a chat holds, it stays text in both."""

import base64
import html
import re
from collections.abc import Callable, Iterator

from desktop.store.library.export_items import Item

Picture = Callable[[str], tuple[str, bytes] | None]
"""Media type and bytes of a stored picture, None when they are not there."""

_SAFE_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CSP = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1d1d1f;"
    "background:#fff}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace;"
    "background:#f4f4f5;padding:.6rem;border-radius:6px;margin:.3rem 0}.prompt pre{background:#e8f0fe}"
    ".answer pre{font:inherit;background:none;padding:0}.line{color:#5f6368;font-size:13px}.mark{color:#b3261e}"
    "h2{font-size:1.1rem;margin-top:2rem;border-top:1px solid #ddd;padding-top:1rem}b{display:block}"
    "img{max-width:100%}section{margin:.8rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#1b1b1d;color:#e6e6e6}pre{background:#26262a}"
    ".prompt pre{background:#223047}.line{color:#a0a0a6}h2{border-color:#444}}"
)
_MARKS = {"rewound": "rewound", "removed": "removed from the context"}


def html_page(title: str, notice: str, items: Iterator[Item], picture: Picture) -> Iterator[str]:
    """One page, piece by piece: no script, no address that a browser would fetch."""
    safe = html.escape(title)
    yield (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_CSP}">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="referrer" content="no-referrer">'
        f"<title>{safe}</title><style>{_STYLE}</style></head><body>\n<h1>{safe}</h1>\n"
        f'<p class="line">{html.escape(notice)}</p>\n'
    )
    for item in items:
        yield _html(item, picture)
    yield "</body></html>\n"


def _html(item: Item, picture: Picture) -> str:
    head, text = html.escape(item.head), html.escape(item.text)
    mark = f' <span class="mark">({_MARKS[item.mark]})</span>' if item.mark else ""
    if item.kind == "heading":
        return f'<h2>{head}{mark}</h2><p class="line">{text}</p>\n'
    if item.kind == "line":
        return f'<p class="line">{head}{mark} — {text}</p>\n'
    body = f"<pre>{text}</pre>" if item.text else ""
    shown = "".join(_img(found) for digest in item.pictures if (found := picture(digest)) is not None)
    return f'<section class="{item.kind}"><b>{head}{mark}</b>{body}{shown}</section>\n'


def _img(found: tuple[str, bytes]) -> str:
    media_type, data = found
    if media_type not in _SAFE_PICTURES:
        return ""
    return f'<img alt="" src="data:{media_type};base64,{base64.b64encode(data).decode("ascii")}">'


def markdown_page(title: str, notice: str, items: Iterator[Item], save: Callable[[str], str]) -> Iterator[str]:
    """The page, piece by piece. `save` puts a picture beside it and gives its relative path, "" if it has none."""
    yield f"# {one_line(title)}\n\n{one_line(notice)}\n\n"
    for item in items:
        yield _markdown(item, save)


def _markdown(item: Item, save: Callable[[str], str]) -> str:
    mark = f" ({_MARKS[item.mark]})" if item.mark else ""
    head = one_line(item.head)
    if item.kind == "heading":
        return f"## {head}{mark}\n\n{one_line(item.text)}\n\n"
    if item.kind == "line":
        return f"- {head}{mark} — {one_line(item.text)}\n\n"
    shown = "".join(f"![]({path})\n\n" for digest in item.pictures if (path := save(digest)))
    if item.kind in ("call", "result"):
        return f"**{head}**{mark}\n\n{fenced(item.text)}{shown}"
    text = defused(item.text)
    if item.kind == "prompt":
        text = "".join(f"> {line}\n" for line in text.splitlines())
    return f"**{head}**{mark}\n\n{text.rstrip()}\n\n{shown}"


def one_line(text: str) -> str:
    """The text on one line that Markdown shows as it is."""
    escaped = re.sub(r"([\\`*_\[\]#|!~])", r"\\\1", " ".join(text.split()))
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def fenced(text: str) -> str:
    """The text in a fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}\n\n" if text else ""


def defused(text: str) -> str:
    """Markdown without HTML and without pictures that a viewer would fetch; code fences stay, and none stays open."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        run = found.group(1) if found is not None else ""
        if fence:
            lines.append(line)
            if run[:1] == fence[0] and len(run) >= len(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        fence = run
        lines.append(line if run else line.replace("![", "!\\[").replace("<", "&lt;"))
    return "\n".join([*lines, fence] if fence else lines)
