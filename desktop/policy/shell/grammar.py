"""The one parser for bash: tree-sitter-bash, made once and used again. What it reads in time is counted before."""

from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Parser, Tree

MAX_PARSED_BYTES = 16_384
# The parser's time grows with the square of these: 8,000 pipes took 3 s, 5,000 "${a" 0.2 s, 600 "[true;" 0.1 s
# (tree-sitter-bash 0.25.1).
_NEVER_COSTLY = 100
_COSTLY = (
    ("|", 400), ("<<", 100), ("${", 400), ("[[", 400), ("[", 100), ("]", 300), ("(", 2_000), ("`", 2_000), ("{", 2_000),
    ("\n", 1_000), ('"', 800), ("'", 800), ("\\", 800),
)  # fmt: skip


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def too_costly(text: str) -> bool:
    """Whether the parser could need more than some 20 ms for this text: it is long, or of a kind that it reads slowly.
    Such a text is not to be parsed; nothing in it can be shown to be harmless."""
    if len(text) <= _NEVER_COSTLY:
        return False
    if len(text) > MAX_PARSED_BYTES or len(text.encode(errors="replace")) > MAX_PARSED_BYTES:
        return True
    return any(text.count(sign) > limit for sign, limit in _COSTLY)


def parse(text: bytes | str) -> Tree:
    """The syntax tree of a script; places in it count bytes of UTF-8. Ask `too_costly` first. One thread at a time."""
    return _parser().parse(text if isinstance(text, bytes) else text.encode(errors="replace"))
