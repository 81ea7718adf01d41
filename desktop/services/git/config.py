"""What Git's configuration of a lane would run unknown to the person, and whether it changed (gate-S15, gate-S16)."""

import difflib
import hashlib
import os
import re
import subprocess
from pathlib import Path

from desktop.services.git.run import git_environment

LIMIT_S = 5.0
NAMES_LIMIT_S = 1.0
MAX_NAMES_BYTES = 4 * 1024 * 1024
MAX_CONFIG_BYTES = 1024 * 1024
_SAID_BY_THE_PERSON = frozenset({"system", "global", "command"})
_BOOLEANS = frozenset({"", "true", "false", "yes", "no", "on", "off", "1", "0"})
_RUNS = re.compile(
    r"core\.(?:pager|editor|sshcommand|hookspath|askpass|gitproxy|worktree|attributesfile|alternaterefscommand)"
    r"|core\.fsmonitor|diff\.external|diff\..+\.(?:command|textconv)|filter\..+|merge\..+\.driver|alias\..+|gpg\..*program"
    r"|credential\..+|include(?:if)?\..+|remote\..+\.(?:uploadpack|receivepack|vcs|proxy)|url\..+|interactive\.difffilter"
    r"|sequence\.editor|uploadpack\..+|submodule\..+\.update|init\.templatedir|protocol\.ext\.allow|pager\..+"
    r"|extensions\.partialclone|remote\..+\.(?:promisor|partialclonefilter)",
    re.DOTALL,
)
Stamp = tuple[tuple[str, int, int, int], ...]
_PLACES = (".git", ".git/commondir", ".git/config.worktree", ".git/config", ".git/info/attributes", ".git/hooks")
_MOST_KEPT = 64
_contents: dict[str, tuple[str, ...]] = {}
"""By hash, what stood in each place, the oldest first; for as long as the process lives."""

_found: dict[str, tuple[Stamp, str]] = {}


def exec_fault(root: Path) -> str:
    """The first key of the lane's own configuration that can run a program, with its file: `core.fsmonitor in
    .git/config`; "" when there is none. What cannot be read is a fault too. Kept until one of the files changes.

    Waits for a short-lived git where nothing is known yet. Never raises.
    """
    places = config_files(root)
    places += (places[2].with_name("index"),)
    stamp = tuple(map(_stamp, places))
    known = _found.get(str(root))
    if known is not None and known[0] == stamp:
        return known[1]
    fault = _read_fault(root)
    _found[str(root)] = (stamp, fault)
    return fault


def printed_names(folder: Path, argv: tuple[str, ...]) -> str | None:
    """The output of a short-lived git for words that only list names or types; None when it fails, takes longer than a
    person would wait for a judgement, or prints too much. Never raises."""
    try:
        printed = _git(folder, *argv, limit_s=NAMES_LIMIT_S)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return printed.decode(errors="surrogateescape") if len(printed) <= MAX_NAMES_BYTES else None


def config_files(root: Path) -> tuple[Path, ...]:
    """The files of a lane in which Git's settings can stand, whether they exist or not."""
    pointer = root / ".git"
    own = pointer
    if pointer.is_file():
        own = Path(os.path.normpath(root / _text(pointer).removeprefix("gitdir:").strip()))
    shared = Path(os.path.normpath(own / (_text(own / "commondir").strip() or ".")))
    return (pointer, own / "commondir", own / "config.worktree", shared / "config", shared / "info" / "attributes")


def settings_sha256(root: Path) -> str:
    """A hash over the lane's `.git` file, every file of settings and the names of the hooks: it is taken when a lane is
    opened, and a different one later means that something changed (gate-S16)."""
    seen = hashlib.sha256()
    places = config_files(root)
    contents = [b"folder" if place.is_dir() else _bytes(place) for place in places]
    for place, content in zip(places, contents, strict=True):
        seen.update(f"{place}\0".encode(errors="surrogateescape"))
        seen.update(content)
    try:
        names = sorted(os.listdir(places[3].parent / "hooks"))  # noqa: PTH208 - names only
    except OSError:
        names = []
    seen.update("\0".join(names).encode(errors="surrogateescape"))
    sha256 = seen.hexdigest()
    if sha256 not in _contents:
        if len(_contents) >= _MOST_KEPT:
            del _contents[next(iter(_contents))]
        texts = [content.decode(errors="replace") for content in contents]
        _contents[sha256] = (*texts, "\n".join(names))
    return sha256


def settings_diff(before: str, after: str) -> tuple[tuple[str, str, int, int], ...]:
    """The differences between two settings by their hashes: each place with a unified difference and how many lines it
    adds and removes. () when one of them was not seen in this process."""
    old, new = _contents.get(before), _contents.get(after)
    if old is None or new is None:
        return ()
    found = []
    for place, was, now in zip(_PLACES, old, new, strict=True):
        lines = list(difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=1))[2:]
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        if lines:
            found.append((place, "\n".join(lines), added, removed))
    return tuple(found)


def _read_fault(root: Path) -> str:
    """Looks at the lane's repository and at those that its index holds: `git status` runs in them too."""
    try:
        fault = _fault_of(root)
        listed = _git(root, "ls-files", "--stage", "-z") if not fault and (root / ".git").exists() else b""
    except (OSError, subprocess.SubprocessError) as e:
        return f"the configuration could not be read ({type(e).__name__})"
    if fault or not listed:
        return fault
    inner = [entry.partition(b"\t")[2] for entry in listed.split(b"\0") if entry.startswith(b"160000 ")]
    used = [root / os.fsdecode(name) for name in inner if os.path.lexists(root / os.fsdecode(name) / ".git")]
    return f"a repository inside of it, {used[0].relative_to(root)}" if used else ""


def _fault_of(root: Path) -> str:
    entries = _git(root, "config", "--list", "--show-origin", "--show-scope", "--includes", "-z")
    fields = entries.decode(errors="replace").split("\0")[:-1]
    for scope, origin, entry in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        key, _, value = entry.partition("\n")
        if scope not in _SAID_BY_THE_PERSON and _can_run(key, value):
            return f"{key} in {origin.removeprefix('file:')}"
    return ""


def _git(root: Path, *words: str, limit_s: float = LIMIT_S) -> bytes:
    argv = ["git", "-C", str(root), *words]
    return subprocess.run(
        argv, env=git_environment(), capture_output=True, timeout=limit_s, check=True, stdin=subprocess.DEVNULL
    ).stdout


def _can_run(key: str, value: str) -> bool:
    name = key.casefold()
    if name == "core.fsmonitor":
        return value.casefold() not in _BOOLEANS
    return _RUNS.fullmatch(name) is not None


def _stamp(path: Path) -> tuple[str, int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return str(path), 0, 0, 0
    return str(path), found.st_size if path.is_file() else 0, found.st_mtime_ns if path.is_file() else 0, found.st_ino


def _text(path: Path) -> str:
    return _bytes(path).decode(errors="surrogateescape").partition("\n")[0].partition("\0")[0]


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_CONFIG_BYTES)
    except OSError:
        return b""
