"""What the tree of a call's arguments says of them itself, in the language: how large they are, where they are."""

import re

from desktop.language import tr
from desktop.ui.text.format import count

_BELOW = re.compile(r"(?P<head>.*[-:]) (?P<lines>[0-9,]+) lines?, (?P<chars>[0-9,]+) characters?, shown below")
_HELD = re.compile(r"(?P<head>.*[-:]) \((?P<n>[0-9,]+) (?P<noun>item|field)s?\)")
"""A value of the agent ends with a quote, a figure, a bracket or a word of JSON, so no line of it is one of these."""


def tree_words(tree: str) -> str:
    """The tree as `desktop/agent/mcp/card.py` drew it; names and values stay as they are."""
    return "\n".join(_line(line) for line in tree.split("\n"))


def _line(line: str) -> str:
    if below := _BELOW.fullmatch(line):
        lines, characters = count(_int(below["lines"]), "line"), count(_int(below["chars"]), "character")
        return f"{below['head']} {tr('{lines}, {characters}, shown below', lines=lines, characters=characters)}"
    if held := _HELD.fullmatch(line):
        n = _int(held["n"])
        return f"{held['head']} ({count(n, 'item') if held['noun'] == 'item' else count(n, 'field')})"
    return line


def _int(figure: str) -> int:
    return int(figure.replace(",", ""))
