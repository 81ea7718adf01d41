"""The files whose content a Git command would show without their names in its words, and which of them hold secrets.

Git is asked for the names alone, by the same words with `--name-only`. Where they cannot be told in time the command is
not kept from running; then what it printed is looked through for names, and the chat is marked by them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from desktop.policy.protected_names import PERHAPS_SECRET, name_classes
from desktop.policy.shell.read.options import Arg, Call
from desktop.policy.shell.read.proof import Proof

_BASES: dict[str, tuple[str, ...]] = {
    "diff": ("diff",),
    "show": ("log", "--no-walk", "--cc"),
    "log": ("log",),
    "whatchanged": ("log",),
    "reflog": ("log", "-g"),
    "reflog show": ("log", "-g"),
    "stash show": ("stash", "show"),
    "stash list": ("stash", "list"),
    "diff-tree": ("diff-tree", "-r"),
    "diff-index": ("diff-index",),
}
"""By command, the one that lists the names of what it would show."""
_PATCH_UNASKED = frozenset({"diff", "show"})
_WITH_MESSAGES = frozenset({"show", "log", "whatchanged", "reflog", "reflog show", "stash list"})
_PATCH = (
    "-p",
    "-u",
    "-U",
    "-W",
    "-c",
    "--cc",
    "--patch",
    "--unified",
    "--word-diff",
    "--word-diff-regex",
    "--color-words",
    "--binary",
    "--patch-with-stat",
    "--function-context",
    "--check",
)
_NAMES_ONLY = (
    "-s",
    "--no-patch",
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--summary",
    "--compact-summary",
    "--name-only",
    "--name-status",
    "--quiet",
    "--raw",
)
_OBJECT = re.compile(r"(?:(?<![0-9A-Za-z_/])|(?<=-g))[0-9A-Fa-f]{4,64}(?![0-9A-Za-z_/])")
"""What can be the name of an object within a revision, also as `describe` writes it."""
_NOT_LISTED_BY = re.compile(
    r"--(?:graph|check|name-status|no-patch|quiet|raw|relative(?:=.*)?|diff-filter=.*)|-[a-zA-Z]*s[a-zA-Z]*", re.DOTALL
)
"""Words with which Git lists no names, takes letters from them, or leaves out files that are renamed."""
_SHOWN = re.compile(
    r'(?:diff --git|diff --(?:cc|combined)|\+\+\+|---) "?(?:[a-z]/)?([^"\t\n]+)|[^:\s]+:([^:\s]+):'
    r"|[-+ ]{1,8}## ([^#]+?)(?: \([^)]*\))? ##"
)
"""How differences, found lines and `range-diff` name a file."""
MAX_LINES = 20_000
MAX_OBJECTS = 8


def no_hidden_secrets(proof: Proof, name: str, call: Call, words: Sequence[Arg]) -> None:
    """The command is not proven when Git would show a file that usually holds secrets, or content without a name.
    Asks Git, so that nothing else may be wrong with the call."""
    if proof.problem is not None:
        return
    for folder in proof.known_folders():
        for place in _shown_secrets(proof, folder, _listings(proof, name, call, words)):
            proof.fail("secret_shown", "It would show a file that usually holds secrets.", place)
    objects = dict.fromkeys(found for arg in _revisions(name, call) for found in _OBJECT.findall(arg.text))
    if len(objects) > MAX_OBJECTS:
        proof.fail("secret_shown", "It would show more objects than can be looked at.", name)
    for found in list(objects)[:MAX_OBJECTS]:
        _check_object(proof, found)


def _revisions(name: str, call: Call) -> list[Arg]:
    """The operands that could be the name of a file's content, for commands that would show it."""
    if name == "cat-file":
        return call.operands if call.has("-p") or len(call.operands) > 1 else []
    return call.operands if name in ("diff", "show", "grep") else []


def _listings(proof: Proof, name: str, call: Call, words: Sequence[Arg]) -> Iterator[tuple[str, ...]]:
    """The Git commands that print the names of what this one shows, none where it shows no content."""
    texts = [word.text for word in words]
    if name == "grep":
        for arg in call.operands[0 if call.has("-e") else 1 :]:
            if "--" in texts or any(facts.kind == "missing" for facts in proof.path(arg.text)):
                yield ("ls-tree", "-r", "--name-only", "-z", "--full-tree", arg.text)
    elif name in _BASES and not call.has("-L") and _shows_content(name, call):
        yield _names_of(name, texts)


def _shows_content(name: str, call: Call) -> bool:
    return call.has(*_PATCH) or (name in _PATCH_UNASKED and not call.has(*_NAMES_ONLY))


def _names_of(name: str, words: list[str]) -> tuple[str, ...]:
    end = words.index("--") if "--" in words else len(words)
    whole = [word for word in words[:end] if not _NOT_LISTED_BY.fullmatch(word)]
    kept = [word for word in whole if name != "show" or ":" not in word]
    if kept != whole and all(word.startswith("-") for word in kept):
        return ()
    formats = ("--format=",) if name in _WITH_MESSAGES else ()
    return (*_BASES[name], *kept, "--name-only", "-z", "--no-color", "--no-renames", *formats, *words[end:])


def _shown_secrets(proof: Proof, folder: str, listings: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for argv in listings:
        for shown in (proof.world.git_prints(folder, argv) or "").replace("\0", "\n").split("\n") if argv else ():
            if is_secret(shown):
                yield shown


def _check_object(proof: Proof, text: str) -> None:
    for folder in proof.known_folders():
        if (proof.world.git_prints(folder, ("cat-file", "-t", text)) or "").strip() == "blob":
            proof.fail("secret_shown", "It would show the content of a file that it does not name.", text)


def is_secret(path: str) -> bool:
    """Whether a path that Git printed has a name that usually holds secrets."""
    return bool(PERHAPS_SECRET.search(path)) and "secret" in name_classes(tuple(path.split("/")))


def secrets_in_output(text: str) -> list[str]:
    """The files that usually hold secrets and that differences or found lines in an output name, each once."""
    found: dict[str, None] = {}
    for line in text.split("\n")[:MAX_LINES]:
        if match := _SHOWN.match(line):
            path = (match[1] or match[2] or match[3]).rpartition(" b/")[2]
            if is_secret(path):
                found[path] = None
    return list(found)
