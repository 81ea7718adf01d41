"""The blocks of a call's card as people read them: what the program says in them is in the language of the window."""

import re

from desktop.domain.core.content import Block, CodeBlock, TextBlock
from desktop.language import said, tr
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import count

_BELOW = re.compile(r"(?P<head>.*[-:]) (?P<lines>[0-9,]+) lines?, (?P<chars>[0-9,]+) characters?, shown below")
_CALL = re.compile(r"  \S.* · [0-9.]+ (?:s|min|h)")
_HELD = re.compile(r"(?P<head>.*[-:]) \((?P<n>[0-9,]+) (?P<noun>item|field)s?\)")
"""A value of the agent ends with a quote, a figure, a bracket or a word of JSON, so no line of it is one of these."""


def told_blocks(blocks: tuple[Block, ...], *, of_server: bool = False) -> tuple[Block, ...]:
    """All of them, nothing left out. `of_server`: the call goes to an MCP server, so that the first is the tree of its
    arguments."""
    told = tuple(_told(block, tree=of_server and at == 0) for at, block in enumerate(blocks))
    return tuple(map(_last_calls, told)) if of_server else told


def _told(block: Block, *, tree: bool) -> Block:
    if isinstance(block, TextBlock) and not (block.prose or block.markdown):  # those are words of the agent
        return block.model_copy(update={"text": said(block.text)})
    if tree and isinstance(block, CodeBlock):
        return block.model_copy(update={"text": _tree(block.text)})
    return block


def _last_calls(block: Block) -> Block:
    """With the ends of a server's last calls, which stand two blanks in; what the server said stands further in."""
    if not isinstance(block, TextBlock) or block.prose or block.markdown:
        return block
    lines = (f"  {figure_words(line[2:])}" if _CALL.fullmatch(line) else line for line in block.text.split("\n"))
    return block.model_copy(update={"text": "\n".join(lines)})


def _tree(tree: str) -> str:
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
