"""D-history: git commands that throw away commits, branches or changes."""

from desktop.policy.shell.deny_call import Call, options, static
from desktop.policy.shell.verdict import DenyHit

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
}  # fmt: skip
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


def history_hits(call: Call) -> list[DenyHit]:
    """Whether a git call throws something away that cannot be had back."""
    if call.program not in PROGRAMS:
        return []
    name, args = sub_command(call)
    letters, operands = options(args)
    words = [static(word) for word in args]
    plain = [static(word) for word in operands]
    if not _throws_away(name, letters, words, plain):
        return []
    return [call.hit("D-history", _REASONS.get(name, _OTHER), confirm=_confirm_word(name, plain))]


def _throws_away(name: str, letters: set[str], words: list[str], plain: list[str]) -> bool:
    checks = {
        "push": bool(letters & {"f", "d", "--force", "--force-with-lease", "--force-if-includes", "--mirror",
        "--delete", "--prune"})
        or any(word.startswith(("+", ":")) for word in plain[1:] or plain),
        "reset": "--hard" in letters or "--merge" in letters,
        "clean": bool(letters & {"f", "--force"}) and not letters & {"n", "--dry-run", "i"},
        "checkout": bool(letters & {"f", "--force"}) or any(word in {".", "./", ":/", "*", ":"} for word in plain),
        "restore": any(word in {".", "./", ":/", "*",
        ":"} for word in plain) and ("--staged" not in words or "--worktree" in words),
        "switch": bool(letters & {"f", "--force", "--discard-changes"}),
        "branch": "D" in letters or bool(letters & {"d", "--delete"} and letters & {"f", "--force"}),
        "stash": plain[:1] in (["drop"], ["clear"]), "reflog": plain[:1] in (["expire"], ["delete"]),
        "gc": any(word.startswith("--prune") for word in words), "prune": True, "filter-branch": True,
        "filter-repo": True,
        "update-ref": bool(letters & {"d", "--delete", "--stdin"}), "tag": bool(letters & {"d", "--delete"}),
        "worktree": plain[:1] == ["remove"] and bool(letters & {"f", "--force"}), "replace": "d" in letters,
        "remote": plain[:1] in (["remove"], ["rm"]),
    }  # fmt: skip
    return checks.get(name, False)


def _confirm_word(name: str, operands: list[str]) -> str:
    """The branch that is hit, where the line names one."""
    if name in {"push", "branch"} and operands:
        word = operands[-1].lstrip("+:").rpartition(":")[2]
        if (name == "branch" or len(operands) > 1) and word and word.isprintable():
            return word
    return "run"
