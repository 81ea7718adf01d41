"""What tools say of a call in a few words, in the language of the window."""

import re
from collections.abc import Callable

from desktop.language import tr
from desktop.ui.text.format import count

_COUNTED: dict[str, Callable[[int], str]] = {
    "line": lambda n: count(n, "line"),
    "file": lambda n: count(n, "file"),
    "row": lambda n: count(n, "row"),
    "match": lambda n: count(n, "match", "matches"),
    "result": lambda n: count(n, "result"),
    "entry": lambda n: count(n, "entry", "entries"),
    "commit": lambda n: count(n, "commit"),
    "tool": lambda n: count(n, "tool"),
    "item": lambda n: count(n, "item"),
}
_SINGULAR = {"matches": "match", "entries": "entry"}
_FIGURE = re.compile(r"(?P<n>[0-9][0-9,]{0,12}) (?P<noun>[a-z]+)")
_EXIT = re.compile(r"exit (?P<code>-?[0-9]{1,5})")
_WORDS = {
    "not found": tr("not found"),
    "attached": tr("attached"),
    "replied": tr("replied"),
    "refused": tr("refused"),
    "created": tr("created"),
    "unchanged": tr("unchanged"),
    "no matches": tr("no matches"),
    "timed out": tr("timed out"),
    "pinned": tr("pinned"),
    "unpinned": tr("unpinned"),
}


def figure_words(summary: str) -> str:
    """The figure of a call: "exit 0 · 251 ms", "18 lines"; parts that are not known stay as the tool wrote them."""
    return " · ".join(_part(part) for part in summary.split(" · "))


def _part(part: str) -> str:
    if part in _WORDS:
        return _WORDS[part]
    if ended := _EXIT.fullmatch(part):
        return tr("exit {exit_code}", exit_code=ended["code"])
    counted = _FIGURE.fullmatch(part)
    if counted is None:
        return part
    n, noun = int(counted["n"].replace(",", "")), counted["noun"]
    words = _COUNTED.get(_SINGULAR.get(noun, noun.removesuffix("s")))
    return words(n) if words is not None else part
