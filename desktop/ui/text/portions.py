"""How much of a Markdown text is taken in one go: by what its lines and signs cost to read, to lay out and to paint."""

import re

_SIGNS = re.compile(r"[*_`~\[\]()<>|!&\\#]")
_SIGN, _LINE = 20, 60
"""What a sign of Markdown and the begin of a line cost beside plain characters: a list or many emphases take ten times
as long as prose of the same length (0.6 µs a character on two busy cores)."""


def weight(text: str) -> int:
    """What a text costs, in characters of plain prose."""
    return sum(map(_cost, text.split("\n"))) - _LINE


def portion_end(text: str, start: int, most: int) -> int:
    """Where about `most` of a text's weight ends that begins at `start`: behind a line, or inside a long one."""
    end, left = start, most
    for line in text[start : start + most].split("\n"):
        cost = _cost(line)
        if cost > left:
            return end if left < most // 2 else end + max(1, len(line) * left // cost)
        end, left = end + len(line) + 1, left - cost
    return min(end - 1, len(text))


def _cost(line: str) -> int:
    return len(line) * (1 if line.isascii() else 2) + _SIGN * len(_SIGNS.findall(line)) + _LINE
