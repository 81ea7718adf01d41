"""The one parser for bash: tree-sitter-bash, made once and used again. What it reads in time is counted before."""

from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Parser, Tree

MAX_PARSED_BYTES = 16_384
MAX_FAULTY_BYTES = 1_500
FIRST_STEPS = 40
BYTES_A_STEP = 40
MAX_SIGN_WEIGHT = 250_000
# The parser's time grows with the square of these: 8,000 pipes took 3 s, 5,000 "${a" 0.2 s, 600 "[true;" 0.1 s
# (tree-sitter-bash 0.25.1).
_NEVER_COSTLY = 100
_COSTLY = (
    ("|", 400),
    ("<<", 100),
    ("$", 500),
    ("[", 100),
    ("]", 100),
    ("(", 200),
    ("`", 100),
    ("{", 400),
    ("<", 300),
    (">", 300),
    ("\n", 1_000),
    ('"', 800),
    ("'", 800),
    ("\\", 800),
    ("#", 400),
)
# Of "@" and "?" it grows with how many stand in one word, times its length: 6,000 "x@" took 0.7 s.


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
    return any(text.count(sign) > limit for sign, limit in _COSTLY) or _sign_weight(text) > MAX_SIGN_WEIGHT


def _sign_weight(text: str) -> int:
    if "@" not in text and "?" not in text:
        return 0
    return sum((word.count("@") + word.count("?")) * len(word) for word in text.split())


def parse(text: str) -> Tree | None:
    """The syntax tree of a script; places in it count bytes of UTF-8. None: there is more to read in it than a plain
    text of its length has, or a long one is no whole script. Ask `too_costly` first. One thread at a time."""
    raw = text.encode(errors="replace")
    parser = _parser()
    parser.reset()
    if len(raw) <= _NEVER_COSTLY:  # it took 5 of the 40 steps at most; so nobody needs to be asked on the way
        return parser.parse(raw)
    left = FIRST_STEPS + len(raw) // BYTES_A_STEP

    def ends(_at: int, has_error: bool) -> bool:
        nonlocal left
        left = 0 if has_error and len(raw) > MAX_FAULTY_BYTES else left - 1
        return left <= 0

    try:
        return parser.parse(lambda at, _place: raw[at:], progress_callback=ends)
    except ValueError:  # so the parser says that it was told to stop
        return None
