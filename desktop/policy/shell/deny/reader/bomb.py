"""Functions that call themselves through a pipe or in the background."""

from collections.abc import Iterator, Mapping

from desktop.policy.shell.deny.reader.nodes import (
    Compound,
    Listing,
    Node,
    Parameter,
    Pipeline,
    Simple,
    Substitution,
    Word,
    shown,
)

_SELF = "\x06self"


def spawns_itself(functions: Mapping[str, Node], node: Node, name: str = "") -> bool:
    """Whether the body `node` of the function `name` starts that function again in a new process, directly or through
    other known functions; without a name, whether the node starts the running script at least twice."""
    if not name:
        return sum(word == _SELF for word, _ in _called(node, spawned=True)) > 1
    direct = {word for word, spawned in _called(node, spawned=False) if spawned}
    if name in direct or _SELF in direct:
        return True
    return any(name in _reached(functions, other) for other in direct if other in functions)


def _reached(functions: Mapping[str, Node], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = {word for word, _ in _called(functions[waiting.pop()], spawned=False)} - found
        found |= new
        waiting += [word for word in new if word in functions]
    return found


def _called(node: Node, *, spawned: bool) -> Iterator[tuple[str, bool]]:
    """The static words of every command below a node, and whether it runs in a process of its own."""
    waiting: list[tuple[Node | Listing, bool]] = [(node, spawned)]
    while waiting:
        current, apart = waiting.pop()
        if isinstance(current, Simple):
            for word in current.words:
                yield from ((text, apart) for text in _texts(word))
                waiting += [(piece.body, True) for piece in _substitutions(word)]
        elif isinstance(current, Pipeline):
            waiting += [(part, True) for part in current.parts]
        elif isinstance(current, Compound):
            waiting += [(body, apart) for body in current.bodies]
        elif isinstance(current, Listing):
            waiting += [(item, apart or behind) for item, behind in zip(current.items, current.background, strict=True)]


def _texts(word: Word) -> list[str]:
    if isinstance(word, str):
        return [shown(word)]
    own = any(isinstance(piece, Parameter) and piece.name in {"FUNCNAME", "0", "BASH_SOURCE"} for piece in word)
    return [_SELF] if own else []


def _substitutions(word: Word) -> list[Substitution]:
    return [] if isinstance(word, str) else [piece for piece in word if isinstance(piece, Substitution)]
