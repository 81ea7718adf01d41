"""Is a command a proven read? One simple command of plain words from a closed list; everything else is not proven."""

import re
from collections.abc import Iterator

from desktop.domain.base import Frozen
from desktop.policy.shell.tables import PROGRAMS, ProgramRow

MAX_COMMAND_CHARS = 16_384
MAX_FRAGMENT_CHARS = 200
_PLAIN_WORD = re.compile(r"[A-Za-z0-9._/=+-]+")
_PLAIN_BLANKS = re.compile(r"[ \t]+")


class ShellVerdict(Frozen):
    """Whether a command can have no effect. When it cannot, `paths` are the files it names: each must still resolve to
    a readable place. When it may, `reason` says why in words, and `fragment` is the part that decided."""

    proven_read: bool
    reason: str = ""
    paths: tuple[str, ...] = ()
    fragment: str = ""


class _NotProven(Exception):
    def __init__(self, reason: str, fragment: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fragment = fragment[:MAX_FRAGMENT_CHARS]


def judge(command: str) -> ShellVerdict:
    """The verdict over the exact text that bash would get. Never raises."""
    try:
        words = _plain_words(command)
        row = PROGRAMS.get(words[0])
        if row is None:
            raise _NotProven("This program is not among those that only read.", words[0])
        paths = tuple(_operands(row, words[1:]))
    except _NotProven as e:
        return ShellVerdict(proven_read=False, reason=e.reason, fragment=e.fragment)
    if row.operands == "text":
        return ShellVerdict(proven_read=True)
    if row.operands == "none" and paths:
        return ShellVerdict(proven_read=False, reason="This program takes no operands here.", fragment=paths[0])
    return ShellVerdict(proven_read=True, paths=paths or ((".",) if row.default_path else ()))


def _plain_words(command: str) -> list[str]:
    if len(command) > MAX_COMMAND_CHARS:
        raise _NotProven("The command is too long to be judged.", command)
    words = [word for word in _PLAIN_BLANKS.split(command) if word]
    if not words:
        raise _NotProven("The command is empty.", "")
    for word in words:
        if not _PLAIN_WORD.fullmatch(word):
            raise _NotProven("Only a single command of plain words can be shown to read only.", word)
    if "=" in words[0]:
        raise _NotProven("An assignment is not a plain read.", words[0])
    return words


def _operands(row: ProgramRow, words: list[str]) -> Iterator[str]:
    remaining = iter(words)
    only_operands = row.operands == "text"
    for word in remaining:
        if only_operands or not word.startswith("-") or word == "-":
            yield word
        elif word == "--":
            only_operands = True
        else:
            _check_option(row, word, remaining)


def _check_option(row: ProgramRow, word: str, remaining: Iterator[str]) -> None:
    if word.startswith("--"):
        name, equals, _ = word[2:].partition("=")
        if (name in row.long and not equals) or (name in row.long_valued and equals):
            return
        if name in row.long_valued:
            _take_value(word, remaining)
            return
    elif (row.counts and word[1:].isdecimal()) or all(flag in row.flags for flag in word[1:]):
        return
    elif word[1] in row.valued:
        if len(word) == 2:
            _take_value(word, remaining)
        return
    raise _NotProven("This option is not known to be harmless.", word)


def _take_value(word: str, remaining: Iterator[str]) -> None:
    if next(remaining, None) is None:
        raise _NotProven("This option lacks its value.", word)
