"""Could these words be run somewhere in this text? For ask and deny rules, which had rather match too often."""

import re
from collections.abc import Sequence
from functools import lru_cache

from desktop.policy.shell.words.rule_tokens import SHELLS_AND_WRAPPERS, inner_tokens, program_names

_JOINED_LINES = re.compile(r"\\\r?\n")
_IFS = re.compile(r"\$(\{IFS\}|IFS\b)")
_ANSI_QUOTE = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_QUOTES = re.compile(r"[\"'\\]")
_BREAK = re.compile(r"[;&|()<>`\n\r]|\$\(|(?:^|(?<=\s))[{}!](?=\s|$)")
_BEGINS_A_COMMAND = frozenset({"do", "then", "else", "elif", "if", "while", "until", "!", "{", "time"})
_TAKE_A_VALUE = frozenset({"-C", "-c", "-f", "--git-dir", "--work-tree", "--namespace", "--prefix", "--cwd", "--dir"})
"""Options before the word that says what is done; of others only what stands right before that word is a value."""
_STARTERS = SHELLS_AND_WRAPPERS | {"find", "fd"}


ALONE = ""
"""As the last token: no word but options follows."""


def argv_may_run(tokens: Sequence[str], argv: Sequence[str]) -> bool:
    """Whether a simple command runs what the tokens name: as its own first words, or behind a wrapper or a shell. The
    program counts by its base name in all its versions, and options may stand between the words of the tokens."""
    if not argv:
        return False
    if _from(tokens, argv, 0) or argv_may_run(tokens, inner_tokens(argv) or ()):
        return True
    if not _STARTERS & frozenset(program_names(argv[0])):
        return False
    return any(_from(tokens, argv, start) for start in range(1, len(argv))) or any(
        text_may_run(tokens, word) for word in argv[1:] if any(char.isspace() for char in word)
    )


def text_may_run(tokens: Sequence[str], text: str) -> bool:
    """Whether any place of a text that could not be read as plain commands may run what the tokens name. Quotes and
    backslashes mean nothing; a word that holds an expansion may stand for any word."""
    for words in _runs(text):
        if any(_from(tokens, words, start, expansions=_may_begin(words, start)) for start in range(len(words))):
            return True
    return False


@lru_cache(maxsize=8)
def _runs(text: str) -> tuple[tuple[str, ...], ...]:
    """The words between the operators of a text, each a possible command."""
    return tuple(tuple(run.split()) for run in _BREAK.split(flattened(text)))


def flattened(text: str) -> str:
    """A text without quotes and backslashes, escapes written out."""
    joined = _IFS.sub(" ", _JOINED_LINES.sub("", text))
    decoded = _ANSI_QUOTE.sub(lambda match: _ESCAPE.sub(_decoded, match[1]), joined)
    return _QUOTES.sub("", decoded)


def _decoded(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "xuU" and len(code) > 1:
        point = int(code[1:], 16)
        return chr(point) if point < 0x110000 else ""
    return chr(int(code, 8)) if code[0] in "01234567" else {"n": "\n", "t": "\t"}.get(code, code)


def _may_begin(words: Sequence[str], start: int) -> bool:
    return start == 0 or words[start - 1] in _BEGINS_A_COMMAND or "=" in words[start - 1]


def _from(tokens: Sequence[str], words: Sequence[str], start: int, *, expansions: bool = False) -> bool:
    first = words[start]
    if not (_same_program(tokens[0], first) or (expansions and "$" in first)):
        return False
    at = start + 1
    for token in tokens[1:]:
        at = _next_place(token, words, at)
        if at < 0:
            return False
    return True


def _next_place(token: str, words: Sequence[str], at: int) -> int:
    """The place behind the token, with options and their values passed over; -1 when another word stands there. A token
    that is an option may stand behind any words."""
    if token == ALONE:
        return -1 if any(not word.startswith("-") for word in words[at:]) else len(words)
    if token.startswith("-"):
        return next((place + 1 for place in range(at, len(words)) if words[place] == token or "$" in words[place]), -1)
    while at < len(words):
        if words[at] == token or "$" in words[at]:
            return at + 1
        if not words[at].startswith("-"):
            return -1
        at += 1
        if _is_value(token, words, at):
            at += 1
    return -1


def _is_value(token: str, words: Sequence[str], at: int) -> bool:
    """Whether the word behind an option may be its value: the token or one more option follows."""
    if at + 1 >= len(words) or words[at] == token or words[at].startswith("-") or "=" in words[at - 1]:
        return False
    return words[at + 1] == token or (words[at + 1].startswith("-") and words[at - 1] in _TAKE_A_VALUE)


def _same_program(token: str, word: str) -> bool:
    return word == token or token in _names(word)


@lru_cache(maxsize=2_048)
def _names(word: str) -> tuple[str, ...]:
    return (word.rsplit("/", 1)[-1], *program_names(word))
