"""What a command reaches, for rules that ask and deny: the files it names in whatever spelling, the files it writes
without naming them, and the network."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from posixpath import basename, normpath

from desktop.policy.shell.effects import reaches_out, writes_unnamed
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.loose_words import flattened
from desktop.policy.shell.words.nested import all_within, lists_in

_GO_TO = frozenset({"cd", "pushd", "-C"})
MOST_FOLDERS = 8
"""A command that goes to more folders may mean any file."""
_WORDS = re.compile(r"[\s;&|<>()'\"`=:,]+")
_MORE_WORDS = re.compile(r"[\s;&|<>()`=:,{}]+")
_HERE = re.compile(r"(?:\$\(pwd\)|`pwd`|\$\{?PWD\}?)/")
Argv = tuple[str, ...]


def argument_lists(verdict: ShellVerdict, text: str) -> tuple[Argv, ...]:
    """All argument lists of a command, those behind wrappers and within scripts too."""
    return _lists(tuple(one.argv for one in verdict.simple if one.argv), text)


@lru_cache(maxsize=16)
def _lists(simple: tuple[Argv, ...], text: str) -> tuple[Argv, ...]:
    return tuple(all_within(simple or lists_in(text)))


def may_write_unnamed(verdict: ShellVerdict, text: str) -> bool:
    """Whether a command writes files of the lane that stand in a patch, an archive or a commit, not in its words."""
    return not verdict.proven_read and any(writes_unnamed(argv) for argv in argument_lists(verdict, text))


def uses_network(verdict: ShellVerdict, text: str) -> bool:
    """Whether a command names a host, or is one whose work is done over the network."""
    return bool(verdict.hosts) or any(reaches_out(argv) for argv in argument_lists(verdict, text))


@lru_cache(maxsize=8)
def names_in(text: str, lane_root: str) -> frozenset[str] | None:
    """The words of a command as paths of the lane, with and without its quotes, also as they are below the folders that
    it goes to; None: it goes to so many that nobody reads them all."""
    here = _HERE.sub("", text)
    words = [word for word in _WORDS.split(here) if word]
    words += [word for word in _MORE_WORDS.split(flattened(here)) if word]
    folders = {after for word, after in pairwise(words) if word in _GO_TO}
    if len(folders) > MOST_FOLDERS:
        return None
    plain = {found for word in words for found in _below(word, lane_root)}
    return frozenset(map(normpath, (*plain, *(f"{folder}/{word}" for folder in folders for word in plain))))


def _below(word: str, lane_root: str) -> Iterator[str]:
    """A word, and the path below the lane's folder where it is one from the root of the disk or a home."""
    yield word
    name = basename(lane_root)
    if name and word.startswith(("/", "~")):
        _before, folder, rest = word.rpartition(f"/{name}/")
        if folder:
            yield rest
