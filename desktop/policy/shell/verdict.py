"""The verdict on a command line (gate-S13): is it proven to read only, what does it name, what would it hit."""

from functools import lru_cache
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.policy.sql.verdict import SqlVerdict
from desktop.records import dataclass


@dataclass(frozen=True, slots=True)
class ShellWord:
    """One word after quotes are removed. `special`: it holds an unquoted glob, expansion, brace or tilde, so that bash
    would make something else of it. `outside`: read as a path (also the value of `--option=value`) it leads out of the
    lane or to a protected, secret or unusable place."""

    text: str
    special: bool = False
    outside: bool = False


MAX_SHARED_CHARS = 64


@lru_cache(maxsize=2_048)
def _shared(text: str, special: bool, outside: bool) -> ShellWord:
    return ShellWord(text, special, outside)


def shell_word(text: str, *, special: bool = False, outside: bool = False) -> ShellWord:
    """One word; a short one may be a value that was given out before, because commands say the same again and again."""
    return (_shared if len(text) <= MAX_SHARED_CHARS else ShellWord)(text, special, outside)


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command of the line, at characters `start` to `end`. `proven`: it can have no effect; else `reason`
    says why not. `moved`: it does not surely run in the lane root. `coverable`: no redirect or the like keeps an allow
    rule from covering it; `redirect`: the one that does. `assigned`: the variables that are set for it, as
    `NAME=value`."""

    words: tuple[ShellWord, ...]
    start: int = 0
    end: int = 0
    proven: bool = False
    coverable: bool = True
    reason: str = ""
    moved: bool = False
    assigned: tuple[ShellWord, ...] = ()
    redirect: str = ""

    @property
    def spelled(self) -> tuple[str, ...]:
        """The words as they stand in the line: assignments, then what the program gets."""
        return (*[word.text for word in self.assigned], *self.argv)

    @property
    def argv(self) -> tuple[str, ...]:
        """The words as the program gets them."""
        return tuple(word.text for word in self.words)


class DenyHit(Frozen):
    """One class of the deny matcher. `forbid` is refused in every mode; `confirm` asks with a word to type."""

    id: str
    severity: Literal["forbid", "confirm"]
    reason: str
    fragment: str = ""
    confirm_word: str = "run"


class ShellPath(Frozen):
    """A path that the command names, and its verdict as `PathFacts` has it, for the gate's path rows and the card."""

    path: str
    op: Literal["read", "write", "list"]
    verdict: Literal["inside", "reference", "outside", "protected", "invalid"]
    class_: str = ""
    reason: str = ""


class ShellVerdict(Frozen):
    """The judgement over the exact text that bash would get.

    `coverable`: the line is inside the closed subset, so that allow rules may speak of its simple commands. `code` is
    `proven_read` or the word for what decided; `fragment` at most 200 characters. `git_reads`: it relies on git reads,
    which hold only under a clean configuration (gate-S15). `git_writes`: it needs git metadata to be writable
    (gate-S25). `hosts`: hosts it names. `runs_lane_code`: it runs code of the lane that the agent can change.
    """

    proven_read: bool = False
    coverable: bool = False
    code: str = "unmodelled"
    reason: str = ""
    fragment: str = ""
    simple: tuple[SimpleCommand, ...] = ()
    paths: tuple[ShellPath, ...] = ()
    hosts: tuple[str, ...] = ()
    git_reads: bool = False
    git_writes: bool = False
    runs_lane_code: bool = False
    sql: tuple[SqlVerdict, ...] = ()
    deny: tuple[DenyHit, ...] = ()
