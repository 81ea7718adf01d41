"""Everyday calls that fall into no class whatever stands around them: a cheap look that only says so where the whole
matcher would find nothing."""

import re
from collections.abc import Container, Sequence
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import Call, DenyPlaces, program_name
from desktop.policy.shell.deny.classes import back as deny_back
from desktop.policy.shell.deny.classes import confirm as deny_confirm
from desktop.policy.shell.deny.classes import git as deny_git
from desktop.policy.shell.deny.classes import root as deny_root
from desktop.policy.shell.deny.classes import system as deny_system
from desktop.policy.shell.deny.classes.confirm import is_told_by_line
from desktop.policy.shell.deny.classes.disk import may_format
from desktop.policy.shell.deny.classes.leak import SENDING
from desktop.policy.shell.deny.classes.paths import start_folder
from desktop.policy.shell.deny.classes.places import AWAY, starts_in_lane
from desktop.policy.shell.deny.classes.writes import writes_by_itself
from desktop.policy.shell.deny.plain import PlainCommand
from desktop.policy.shell.deny.reader.flow import is_known
from desktop.policy.shell.deny.reader.walk import is_inert
from desktop.policy.shell.words.lexer import RESERVED

_FOLDER = Pattern(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]*|\.")

_COMMAND_OPTION = r"(?:-o)?(?:proxy|local|remote|knownhosts|permitlocal)command|--checkpoint"
_GIT_OPTIONS = r"-[cxo]|--(?:exec|extcmd|upload|receive|tree|index|msg|output|config)"
_GIT_LOSES = r"--(?:del|for|pru)|-[a-z]*[df]|(?:drop|clear|expire|delete|remove|rm|prune|push|store|create)$"
_GIT = ("!", _GIT_OPTIONS, r"(?:config|push|send-email)$", _GIT_LOSES, _COMMAND_OPTION)


def _stops(*starts: str, away: bool = False, anywhere: str = "") -> Pattern:
    """What keeps a call from being plain: a word with one of these beginnings, or a place that could be anywhere."""
    parts = [f"^(?:{'|'.join(starts)})"] if starts else []
    parts += [anywhere] if anywhere else []
    parts += [AWAY] if away else []
    return Pattern("|".join(parts), re.MULTILINE | re.IGNORECASE)


_ANY_WORDS = Pattern(r"(?!)")
_IN_LANE = _stops(away=True)
_GUARDED = r"\.git|authorized_keys|^\.[./]*$|[*?\[]"
"""A word that, inside the lane too, could name what a program must not write: Git's own files, or the lane itself."""
_WRITING = _stops(away=True, anywhere=_GUARDED)
_SUB_COMMANDS: dict[str, frozenset[str]] = {
    "git": frozenset(["status", "log", "diff", "show", "blame", "ls-files", "ls-tree", "rev-parse", "rev-list",
                      "describe", "shortlog", "cat-file", "merge-base", "add", "commit", "fetch", "pull", "grep",
                      "tag", "branch", "stash", "worktree", "count-objects", "remote", "init", "symbolic-ref",
                      "format-patch", "merge", "mv", "notes", "show-ref", "for-each-ref", "name-rev", "var", "apply",
                      "cherry", "diff-tree", "check-ignore"]),
    "npm": frozenset(["test", "run", "install", "i", "ci", "ls", "list", "start", "outdated", "audit", "view"]),
    "pnpm": frozenset(["test", "run", "install", "i", "ls", "list", "start", "outdated", "audit", "build", "lint"]),
    "yarn": frozenset(["test", "run", "install", "list", "start", "outdated", "audit", "build", "lint"]),
    "cargo": frozenset(["build", "test", "check", "clippy", "fmt", "run", "doc", "tree", "metadata", "bench"]),
    "go": frozenset(["build", "test", "vet", "fmt", "run", "list", "mod", "version", "env"]),
    "python": frozenset(["-m"]), "python3": frozenset(["-m"]),
}  # fmt: skip
_MODULES = r"(?:^-m\n(?!pytest$|unittest$|mypy$|ruff$|black$|compileall$|venv$))"
_SERVERS = r"(?:http\.server|smtpd|simplehttpserver|ftplib|pyftpdlib)$"
QUIET: dict[str, Pattern] = {
    **dict.fromkeys(
        ("ls", "more", "head", "tail", "wc", "stat", "file", "du", "df", "diff", "cmp", "md5sum", "sha256sum",
         "sha1sum", "realpath", "readlink", "basename", "dirname", "which", "type", "nl", "tac", "cut",
         "true", "cat", "grep", "egrep", "fgrep", "echo", "jq"), _ANY_WORDS,
    ),
    **dict.fromkeys(("test", "["), _stops(anywhere=r"\$")),
    "less": _stops("-[a-z]*o"), "tree": _stops("-[a-z]*o"), "rg": _stops("--pre"),
    "sort": _stops("-[a-z]*o", "--o", "--co"),
    "cd": _stops("-", r"$", away=True, anywhere=_GUARDED),
    "find": _stops("-exec", "-ok", "-delete", "-fprint", "-fls", "-x", "--exec", "rm$"),
    **dict.fromkeys(
        ("false", "pwd", "nproc", "whoami", "uname", "date", "id", "seq", "sleep", "tr", "comm", "fold", "paste",
         "column", "rev", "pytest", "mypy", "ruff", "black", "isort", "flake8", "pylint", "eslint", "prettier",
         "jest", "vitest", "coverage", "nox", "rustc", "ctest", "gofmt"), _IN_LANE,
    ),
    "make": _stops(away=True, anywhere=r"\$"), "go": _stops("-o", away=True),
    "cargo": _stops(away=True, anywhere="publish|yank|owner"),
    "tox": _stops("exec$", away=True),
    "npm": _stops("-c", "--call", away=True), "pnpm": _IN_LANE, "yarn": _IN_LANE,
    "python": _stops("-c", _SERVERS, away=True, anywhere=_MODULES),
    "python3": _stops("-c", _SERVERS, away=True, anywhere=_MODULES),
    "git": _stops(*_GIT, away=True),
    **dict.fromkeys(("cp", "mv", "touch", "ln", "mkdir", "tee", "uniq", "tsc"), _WRITING),
    "sed": _stops("-[^n]", "--", away=True, anywhere=_GUARDED + r"|^(?!-n$|[0-9,$]+p$|[A-Za-z0-9_][A-Za-z0-9_./-]*$)"),
}  # fmt: skip
"""Programs, and the words with which a call of them is not plain. A program that some class judges by its name alone
is not here."""


def plainly_harmless(commands: Sequence[PlainCommand], places: DenyPlaces) -> bool:
    """Whether a line holds nothing but everyday calls. True only where the whole matcher finds no class at all; False
    says nothing."""
    if not _starts_inside(places.cwd, places.home, places.lane):
        return False
    for command in commands:
        if command.argv and not is_quiet(command.argv):
            return False
        if any(map(_WRITING.search, command.writes)) or any(map(_WRITING.search, command.reads)):
            return False
    return True


def is_quiet(argv: Sequence[str]) -> bool:
    """Whether an argument list, run inside the lane without assignments and redirects, falls into no class."""
    stops = QUIET.get(argv[0]) or (_IN_LANE if is_unjudged(argv[0]) else None)
    if stops is None:
        return False
    known = _SUB_COMMANDS.get(argv[0])
    if known is not None and (len(argv) < 2 or argv[1] not in known):
        return False
    return stops is _ANY_WORDS or not stops.search("\n".join(argv[1:]))


@lru_cache(maxsize=512)
def is_unjudged(program: str) -> bool:
    """Whether no class knows this program: neither by itself, nor as one that runs others or reaches the network."""
    if not _NAME.fullmatch(program) or program_name(program) != program or program in RESERVED:
        return False
    judged = any(program in table for table in _JUDGED_BY_NAME) or may_format(program) or is_told_by_line(program)
    return is_inert(program) and not judged and not is_known(program) and not writes_by_itself(program)


_NAME = Pattern(r"[a-z0-9_][a-z0-9_.+-]*")
_JUDGED_BY_NAME: tuple[Container[str], ...] = (
    deny_back.PROGRAMS,
    deny_confirm.PROGRAMS,
    deny_git.PROGRAMS,
    deny_root.PROGRAMS,
    deny_system.PROGRAMS,
    SENDING,
)


def call_is_quiet(call: Call, places: DenyPlaces) -> bool:
    """Whether no class of dangers looks at this call closer than at its program's name."""
    argv = call.argv
    if call.reads or call.assigned or not argv or call.program != argv[0]:
        return False
    if any(path != "/dev/null" for path in call.writes):
        return False
    words = " ".join(argv)
    return words.isascii() and words.isprintable() and starts_in_lane(call.folder, places) and is_quiet(argv)


@lru_cache(maxsize=64)
def _starts_inside(cwd: str, home: str, lane: str) -> bool:
    """Whether plain relative words, read from where the line starts, stay in the lane."""
    places = DenyPlaces(home=home, lane=lane, cwd=cwd)
    if not (_FOLDER.fullmatch(cwd) and home.startswith("/")):
        return False
    return starts_in_lane(start_folder(places), places)
