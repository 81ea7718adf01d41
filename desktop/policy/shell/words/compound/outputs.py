"""Commands whose output holds none of the signs that bash would fit to names of files."""

import re
from collections.abc import Sequence

from desktop.policy.shell.words.lexer import LexedCommand

_PRINTERS = frozenset({"date", "wc", "nproc", "pwd", "whoami", "id", "uname", "arch", "hostname", "seq", "true"})
_CALLS = frozenset(
    ("git", name) for name in ("rev-parse", "branch", "describe", "rev-list", "symbolic-ref", "merge-base")
) | {("grep", "-c")}
"""The names of objects and branches; Git takes no such sign for these."""
_FILTERS = frozenset({"head", "tail", "cut", "wc"})
_NO_FILES = re.compile(r"(?: -[ncf] [0-9,-]+| -[^ ]*)*")
_PLAIN = re.compile(r"[A-Za-z0-9_./,:+@%^=~ -]*")


def print_no_pattern(commands: Sequence[LexedCommand]) -> bool:
    """Whether `* ? [ \\` cannot be in what these commands print: each prints numbers or names of its own, shortens what
    another one prints, or what it prints is counted."""
    following = [*(command.operator for command in commands[1:]), ""]
    counted = False
    for command, operator in zip(reversed(commands), reversed(following), strict=True):
        counted = counted and operator == "|"
        if not counted and not _prints_no_pattern(command):
            return False
        counted = counted or _counts(command)
    return True


def _counts(command: LexedCommand) -> bool:
    texts = [word.text for word in command.words]
    return texts[0] == "wc" and all(text.startswith("-") for text in texts[1:])


def _prints_no_pattern(command: LexedCommand) -> bool:
    texts = [word.text for word in command.words]
    if any(word.pattern or not _PLAIN.fullmatch(word.text) for word in command.words):
        return False
    if command.operator == "|":
        return texts[0] in _FILTERS and _NO_FILES.fullmatch("".join(f" {text}" for text in texts[1:])) is not None
    return texts[0] in _PRINTERS or tuple(texts[:2]) in _CALLS
