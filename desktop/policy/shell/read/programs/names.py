"""Names of files that one command hands to the next through a pipe."""

import re
from collections.abc import Iterator, Sequence

from desktop.policy.shell.read.options import Arg, Row, read_call
from desktop.policy.shell.read.tables import ROWS
from desktop.policy.shell.read.tables_text import FIND_PATHS, FIND_VALUED
from desktop.records import dataclass

PLACE = "{}"
"""What find and xargs put a name in the place of."""
_PLAIN_ROOT = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@+-]*")
_FIND_ACTIONS = frozenset({"-printf", "-ls", "-exec"})
_ACTS = _FIND_ACTIONS | {"-print", "-print0"}
_RG = Row(
    "-liwFsSvxuP0U -e~ -g% -t= -T= --glob% --iglob% --type= --type-not= --files --files-with-matches --null --hidden"
    " --files-without-match --no-ignore --ignore-case --fixed-strings --word-regexp --smart-case --max-depth#"
)
_GREP = Row(
    "-rlLiwFEGPsIvxZ -e~ --include= --exclude= --exclude-dir= --recursive --files-with-matches --files-without-match"
    " --null --ignore-case --extended-regexp --fixed-strings --word-regexp"
)
_FILTERS = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), Row("-vEiFwxPG -e~ --invert-match --extended-regexp")),
    **dict.fromkeys(("head", "tail"), Row("-n#", counts=True)),
    "sort": Row("-urnVf"),
    "uniq": Row(),
}
"""Programs that let lines through as they are."""


@dataclass(frozen=True)
class Names:
    """Names of what lies below `roots`. `zero`: each ends with a NUL. `rooted`: each begins with its root.
    `files_only`: no link is among them."""

    roots: tuple[str, ...]
    zero: bool = False
    rooted: bool = True
    files_only: bool = True


def names_through(words: Sequence[str], before: Names | None, *, piped: bool) -> Names | None:
    """The names that a command prints, None where it prints anything else. `before`: those that it reads."""
    name, rest = words[0], [Arg(word) for word in words[1:]]
    if piped:
        return before if before is not None and not before.zero and _lets_through(name, rest) else None
    if name == "find":
        return _of_find(list(words[1:]))
    if name in ("rg", "grep"):
        return _of_search(name, rest)
    return None


def _lets_through(name: str, args: list[Arg]) -> bool:
    row = _FILTERS.get(name)
    if row is None:
        return False
    call = read_call(row, args)
    patterns = 1 if name in ("grep", "egrep", "fgrep") and not call.has("-e") else 0
    return call.problem is None and len(call.operands) == patterns


def _of_find(words: list[str]) -> Names | None:
    """Only plain names, printed by nothing that could print more."""
    if not _FIND_ACTIONS.isdisjoint(words):
        return None
    roots: list[str] = []
    while words and not words[0].startswith("-") and words[0] not in ("(", "!"):
        roots.append(words.pop(0))
    if not all(_PLAIN_ROOT.fullmatch(root) for root in roots):
        return None
    return Names(tuple(roots) or (".",), zero="-print0" in words, files_only=finds_files_only(words))


def finds_files_only(tests: Sequence[str]) -> bool:
    """Whether `-type f` holds for all with which find does anything for these tests: it stands before that, and no
    alternative stands beside it."""
    outer = list(_outer_tests(tests))
    if not {"-o", "-or", ","}.isdisjoint(outer):
        return False
    first = next((at for at, test in enumerate(outer) if test in _ACTS), len(outer))
    before = outer[:first]
    if "-type f" not in before:
        return False
    return before[before.index("-type f") - 1] not in ("!", "-not") or before[0] == "-type f"


def _outer_tests(tests: Sequence[str]) -> Iterator[str]:
    """What find tests and does outside of brackets, with values, and what it does within; commands without words."""
    depth = 0
    words = iter(tests)
    for word in words:
        depth += (word == "(") - (word == ")")
        value = next(words, "") if word in FIND_VALUED or word in FIND_PATHS else ""
        if word == "-exec":
            _pass_command(words)
        if depth == 0 or word in _ACTS:
            yield word if word in _ACTS else f"{word} {value}".strip()


def _pass_command(words: Iterator[str]) -> None:
    before = ""
    for word in words:
        if word == ";" or (word == "+" and before == PLACE):
            return
        before = word


def _of_search(name: str, args: list[Arg]) -> Names | None:
    call = read_call(_RG if name == "rg" else _GREP, args)
    lists = call.has("-l", "-L", "--files", "--files-with-matches", "--files-without-match")
    if call.problem or not lists or (name == "grep" and not call.has("-r", "--recursive")):
        return None
    own = call.has("-e", "--files")
    roots = [arg.text for arg in (call.operands if own else call.operands[1:])]
    if not all(_PLAIN_ROOT.fullmatch(root) for root in roots):
        return None
    return Names(tuple(roots) or (".",), zero=call.has("-0", "-Z", "--null"), rooted=False)


def needs_pattern(name: str, args: Sequence[Arg]) -> bool:
    """Whether the next word would be taken for a pattern."""
    row = ROWS.get(name)
    if row is None or row.operands != "pattern":
        return False
    call = read_call(row, args)
    return not call.operands and not call.has("-e", "--regexp")
