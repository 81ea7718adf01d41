"""The argument lists inside a line, as well as they can be made out: behind wrappers, in texts for shells, in anything
that is outside the closed subset. For questions where finding too much does no harm."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from desktop.policy.shell.grammar import parse, too_costly
from desktop.policy.shell.rule_tokens import SHELLS_AND_WRAPPERS

MAX_LISTS = 400
MAX_DEPTH = 4
MAX_WORDS = 60
_STARTERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("find", "fd", "fdfind"), frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"})),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"), frozenset({"exec"})),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "mise", "direnv"), frozenset({"exec"})),
    **dict.fromkeys(("uv", "poetry", "pipenv", "rye", "hatch", "pdm", "conda", "heroku"), frozenset({"run"})),
}
"""Programs that start another one, and the word behind which it stands."""
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
    name = argv[0].rpartition("/")[2] if argv else ""
    if name in SHELLS_AND_WRAPPERS:
        found += _behind(argv, 1, depth)
    elif name in _STARTERS:
        starts = [at for at, word in enumerate(argv[:MAX_WORDS]) if word in _STARTERS[name]]
        found += _behind(argv, starts[0] + 1, depth) if starts else []
    return found[:MAX_LISTS]


def _behind(argv: Argv, start: int, depth: int) -> list[Argv]:
    """What may run from the word at `start` on: every rest of the list, and every word that is a script."""
    found = [argv[at:] for at in range(start, min(len(argv), MAX_WORDS))]
    for word in argv[start:MAX_WORDS] if depth < MAX_DEPTH else ():
        if " " in word or "\n" in word:
            found += argvs_in(word, depth + 1)
    return found


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
