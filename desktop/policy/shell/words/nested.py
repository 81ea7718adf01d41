"""The argument lists inside a line, as well as they can be made out: behind wrappers, in texts for shells, in anything
that is outside the closed subset. For questions where finding too much does no harm."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from tree_sitter import Node

from desktop.policy.shell.words.grammar import parse, too_costly
from desktop.policy.shell.words.rule_tokens import SHELLS_AND_WRAPPERS

MAX_LISTS = 400
MAX_DEPTH = 4
MAX_WORDS = 60
MAX_PIECE = 4_000
MAX_PARSED = 1_500
MAX_LOOSE = 30_000
MAX_READ = 4_000
_STARTERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("find", "fd", "fdfind"), frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"})),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"), frozenset({"exec"})),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "mise", "direnv"), frozenset({"exec"})),
    **dict.fromkeys(("uv", "poetry", "pipenv", "rye", "hatch", "pdm", "conda", "heroku"), frozenset({"run"})),
}
"""Programs that start another one, and the word behind which it stands."""
_BREAK = re.compile(r"(?:[;&|()<>`\n]|\$\()+")
_QUOTES = re.compile(r"[\"'\\]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_WORDS = frozenset(
    {
        "word",
        "number",
        "raw_string",
        "string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "ansi_c_string",
        "translated_string",
    }
)
Argv = tuple[str, ...]


def lists_in(text: str) -> list[Argv]:
    """The argument lists of a script as they stand in it, at most `MAX_LISTS`, each once."""
    tree = None if len(text) > MAX_PARSED or too_costly(text) else parse(text)
    if tree is None:
        found = islice(_loose(text), MAX_LISTS)
    else:
        root = tree.root_node
        found = islice(chain(_commands(root), _loose(text) if root.has_error else ()), MAX_LISTS)
    return list(dict.fromkeys(found))


def all_within(lists: Iterable[Argv]) -> list[Argv]:
    """These argument lists, and those that they may run behind wrappers, in shells and by other programs; at most
    `MAX_LISTS`, each once. Of scripts within scripts no more is read than there is time for."""
    lists = list(lists)
    if len(lists) == 1 and not _starts_others(lists[0][0]):
        return lists
    return _Unwrapping().all_of(lists, 0)


@lru_cache(maxsize=512)
def _starts_others(word: str) -> bool:
    name = word.rpartition("/")[2]
    return name in SHELLS_AND_WRAPPERS or name in _STARTERS


class _Unwrapping:
    """Takes lists apart; `_left` is how many characters of scripts may still be read."""

    def __init__(self) -> None:
        self._left = MAX_READ

    def all_of(self, lists: Iterable[Argv], depth: int) -> list[Argv]:
        found: dict[Argv, None] = {}
        for argv in lists:
            for inner in (argv, *self._inner(argv, depth)):
                if len(found) >= MAX_LISTS:
                    return list(found)
                found[inner] = None
        return list(found)

    def _inner(self, argv: Argv, depth: int) -> list[Argv]:
        name = argv[0].rpartition("/")[2]
        if name in SHELLS_AND_WRAPPERS:
            return self._behind(argv, 1, depth)
        starters = _STARTERS.get(name)
        if starters is None:
            return []
        start = next((at for at, word in enumerate(argv) if word in starters), len(argv))
        return self._behind(argv, start + 1, depth)

    def _behind(self, argv: Argv, start: int, depth: int) -> list[Argv]:
        """What may run from the word at `start` on: every rest of the list, and every word that is a script."""
        found = [argv[at:] for at in range(start, min(len(argv), MAX_WORDS))]
        for word in argv[start:MAX_WORDS] if depth < MAX_DEPTH else ():
            if (" " in word or "\n" in word) and len(found) < MAX_LISTS and len(word) <= self._left:
                self._left -= len(word)
                found += self.all_of(lists_in(word), depth + 1)
        return found


def _commands(root: Node) -> Iterator[Argv]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "command":
            words = [_plain(child) for part in node.children[:MAX_WORDS] for child in _word_nodes(part)]
            yield tuple(words) or ("",)
        waiting += reversed(node.children)


def _word_nodes(node: Node) -> Sequence[Node]:
    if node.type == "command_name":
        return node.children
    return (node,) if node.type in _WORDS else ()


def _plain(node: Node) -> str:
    raw = (node.text or b"").decode(errors="replace")
    if node.type == "raw_string":
        return raw[1:-1]
    if node.type == "string":
        return re.sub(r'\\([$`"\\])', r"\1", raw[1:-1])
    return _QUOTES.sub("", raw)


def _loose(text: str) -> Iterator[Argv]:
    for piece in _BREAK.split(text[:MAX_LOOSE]):
        words = _QUOTES.sub("", piece[:MAX_PIECE]).split()
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words:
            yield tuple(words[:MAX_WORDS])
