"""D-history: git commands that throw away commits, branches or changes."""

from collections.abc import Callable

from desktop.policy.shell.deny.call import Call, DenyPlaces, options, static
from desktop.policy.shell.verdict import DenyHit

Letters = set[str]
Words = list[str]
PROGRAMS = frozenset({"git", "hub"})
"""The programs of which something is said."""
_GLOBAL_VALUES = {
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
}
_REASONS = {
    "push": "It would replace or delete what others may have fetched.",
    "reset": "It would throw away changes that are not committed.",
    "clean": "It would delete files that Git does not keep.",
    "checkout": "It would throw away changes that are not committed.",
    "restore": "It would throw away changes that are not committed.",
    "switch": "It would throw away changes that are not committed.",
    "branch": "It would delete a branch with its commits.",
    "stash": "It would throw away stashed changes.",
}
_OTHER = "It would rewrite history or drop what Git keeps for recovery."


def sub_command(call: Call) -> tuple[str, list[str]]:
    """The git sub-command and what follows it, past git's own options."""
    index = 0
    while index < len(call.args):
        word = static(call.args[index])
        if word in _GLOBAL_VALUES:
            index += 2
        elif word.startswith("-"):
            index += 1
        else:
            return word.casefold(), call.args[index + 1 :]
    return "", []


def history_hits(call: Call, _places: DenyPlaces) -> list[DenyHit]:
    """Whether a git call throws something away that cannot be had back."""
    name, args = sub_command(call)
    check = _CHECKS.get(name)
    if check is None:
        return []
    letters, operands = options(args)
    plain = [static(word) for word in operands]
    if not check(letters, [static(word) for word in args], plain):
        return []
    return [call.hit("D-history", _REASONS.get(name, _OTHER), confirm=_confirm_word(name, plain))]


def _push(letters: Letters, _words: Words, plain: Words) -> bool:
    return not letters.isdisjoint(_PUSH_LOSES) or any(word.startswith(("+", ":")) for word in plain[1:] or plain)


def _names_all(plain: Words) -> bool:
    return any(word in {".", "./", ":/", "*", ":"} for word in plain)


def _forces(letters: Letters) -> bool:
    return "f" in letters or "--force" in letters


def _deletes(letters: Letters) -> bool:
    return "d" in letters or "--delete" in letters


_PUSH_LOSES = frozenset(
    {"f", "d", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "--prune"}
)
_CHECKS: dict[str, Callable[[Letters, Words, Words], bool]] = {
    "push": _push,
    "reset": lambda letters, _, __: "--hard" in letters or "--merge" in letters,
    "clean": lambda letters, _, __: _forces(letters) and not letters & {"n", "--dry-run", "i"},
    "checkout": lambda letters, _, plain: _forces(letters) or _names_all(plain),
    "restore": lambda _, words, plain: _names_all(plain) and ("--staged" not in words or "--worktree" in words),
    "switch": lambda letters, _, __: _forces(letters) or "--discard-changes" in letters,
    "branch": lambda letters, _, __: "D" in letters or (_deletes(letters) and _forces(letters)),
    "stash": lambda _, __, plain: plain[:1] in (["drop"], ["clear"]),
    "reflog": lambda _, __, plain: plain[:1] in (["expire"], ["delete"]),
    "gc": lambda _, words, __: any(word.startswith("--prune") for word in words),
    "prune": lambda *_: True,
    "filter-branch": lambda *_: True,
    "filter-repo": lambda *_: True,
    "update-ref": lambda letters, _, __: _deletes(letters) or "--stdin" in letters,
    "tag": lambda letters, _, __: _deletes(letters),
    "worktree": lambda letters, _, plain: plain[:1] == ["remove"] and _forces(letters),
    "replace": lambda letters, _, __: "d" in letters,
    "remote": lambda _, __, plain: plain[:1] in (["remove"], ["rm"]),
}
"""What of a sub-command loses something, by its letters, all its words, and its operands."""


def _confirm_word(name: str, operands: list[str]) -> str:
    """The branch that is hit, where the line names one."""
    if name in {"push", "branch"} and operands:
        word = operands[-1].lstrip("+:").rpartition(":")[2]
        if (name == "branch" or len(operands) > 1) and word and word.isprintable():
            return word
    return "run"
