"""The argument lists inside a line, as well as they can be made out: behind wrappers, in texts for shells, in anything
that is outside the closed subset. For questions where finding too much does no harm."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from desktop.policy.shell.grammar import parse, too_costly
from desktop.policy.shell.rule_tokens import SHELLS_AND_WRAPPERS

MAX_LISTS = 400
MAX_DEPTH = 4
_BREAK = re.compile(r"[;&|()<>`\n]+|\$\(")
_QUOTES = re.compile(r"[\"'\\]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_WORDS = frozenset({"word", "number", "raw_string", "string", "concatenation", "simple_expansion", "expansion",
                    "command_substitution", "ansi_c_string", "translated_string"})  # fmt: skip
Argv = tuple[str, ...]


def argvs_in(text: str, depth: int = 0) -> list[Argv]:
    """Every argument list that a script may run, at most `MAX_LISTS`."""
    if too_costly(text):
        found = _loose(text)
    else:
        root = parse(text).root_node
        found = [*_commands(root), *(_loose(text) if root.has_error else ())]
    return [inner for argv in found[:MAX_LISTS] for inner in argvs_within(argv, depth)][:MAX_LISTS]


def argvs_within(argv: Argv, depth: int = 0) -> list[Argv]:
    """The list itself and, where it begins with a wrapper or a shell, those that it may run."""
    found = [argv]
    if argv and argv[0].rpartition("/")[2] in SHELLS_AND_WRAPPERS and depth < MAX_DEPTH:
        found += [argv[at:] for at in range(1, min(len(argv), 40))]
        for word in argv[1:40]:
            if " " in word or "\n" in word:
                found += argvs_in(word, depth + 1)
    return found[:MAX_LISTS]


def _commands(root: Node) -> Iterator[Argv]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "command":
            words = [_plain(child) for part in node.children for child in _word_nodes(part)]
            if words:
                yield tuple(words)
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


def _loose(text: str) -> list[Argv]:
    lists: list[Argv] = []
    for piece in _BREAK.split(text):
        words = _QUOTES.sub("", piece).split()
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words:
            lists.append(tuple(words))
    return lists
