"""D-root: a recursive delete, a change of mode or owner, or a move of a system folder, the home or a parent."""

import re

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces, clustered_values, is_unknown, static, unmarked
from desktop.policy.shell.deny.classes.paths import (
    absolute,
    folded,
    inside_lane,
    is_vital,
    lane_root,
)
from desktop.policy.shell.deny.reader.builtins import found_roots
from desktop.policy.shell.deny.reader.nodes import MAYBE
from desktop.policy.shell.verdict import DenyHit

_REMOVES = {
    "rm",
    "srm",
    "grm",
    "rimraf",
    "trash",
    "trash-put",
    "del",
    "erase",
    "rd",
    "rmdir",
    "deltree",
    "del-cli",
    "gio",
    "remove-item",
    "ri",
    "shred",
    "gshred",
    "wipe",
    "unlink",
    "scrub",
    ANY,
}
_ALWAYS_DEEP = {"rimraf", "trash", "trash-put", "deltree", "del-cli", "gio", "wipe"}
_MODES = {"chmod", "chown", "chgrp", "setfacl", "chattr", "chflags", "chcon", "icacls", "takeown", "gchmod", "gchown"}
PROGRAMS = frozenset(
    {
        *_REMOVES,
        *_MODES,
        "mv",
        "gmv",
        "move",
        "move-item",
        "rename",
        "find",
        "fd",
        "fdfind",
        "rsync",
        "robocopy",
        "rclone",
        "tar",
        "bsdtar",
        "kill",
        "killall5",
    }
)
"""The programs of which `_targets` and `_kills_all` say something."""
_TOP_ONLY = {
    "/",
    "/bin",
    "/sbin",
    "/usr",
    "/etc",
    "/lib",
    "/lib64",
    "/var",
    "/boot",
    "/root",
    "/home",
    "/dev",
    "/opt",
    "/proc",
    "/sys",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
}
_DELETING = {"rm", "unlink", "shred", "rmdir", "mv", "chmod", "chown", "chgrp", "truncate", "dd", "srm", "trash",
"trash-put", "cp",
             "sed", "tee", "perl", "python", "python3", "sh", "bash", "zsh", "dash", "busybox", "sudo", "env", "xargs",
             "shx", "rimraf", "wipe", "chattr", "setfacl"}  # fmt: skip
_REASON = "It would delete or change a whole system folder, the home folder or a parent of the lane."
_SIGNAL_NAMES = Pattern(r"-(?:SIG)?[A-Z]+\d*|-\d+", re.IGNORECASE)


def root_hits(call: Call, places: DenyPlaces) -> list[DenyHit]:
    """Whether a call destroys `/`, home, a system folder or a parent of the lane."""
    targets = _targets(call, places)
    if any(is_vital(path, places, recursive=deep) for path, deep in targets):
        return [call.hit("D-root", _REASON)]
    if call.program in _REMOVES | _MODES and "--no-preserve-root" in set(call.words):
        return [call.hit("D-root", _REASON)]
    if any(deep and path == lane_root(places) for path, deep in targets) and not _is_mode(call):
        return [call.hit("D-guard", "It would delete the lane with its Git files.")]
    if _kills_all(call):
        return [call.hit("D-root", "It would end every process.")]
    return []


def _is_mode(call: Call) -> bool:
    return call.program in _MODES or call.program in {"find", "fd", "fdfind"}


def _targets(call: Call, places: DenyPlaces) -> list[tuple[str, bool]]:
    """The absolute paths that the call destroys, and whether with everything below them."""
    program = call.program
    letters, operands = call.parts
    paths = [absolute(word, call.folder, places) for word in operands if unmarked(word)]
    paths += [rest for word in operands if (rest := _emptied(word))]
    if program in _REMOVES:
        deep = bool(letters & {"r", "R", "--recursive", "d", "--dir", "--no-preserve-root"}) or program in _ALWAYS_DEEP
        deep |= program in {"rd", "rmdir", "del", "remove-item", "ri"} and _windows_deep(call.args)
        return [(path, deep) for path in paths] + (_every(call, places, letters) if program == ANY else [])
    if program in _MODES:
        return _mode_targets(call, letters, paths)
    return _moved(call, places, paths) + _other(call, places, letters, operands, paths)


def _emptied(word: str) -> str:
    """What `$name/` and `$name/*` are while nothing gives the name a value: the top folder."""
    text = unmarked(word)
    rest = text.lstrip(MAYBE)
    return folded(rest) if rest != text and rest[:1] == "/" and not rest.strip("/*.?") else ""


def _every(call: Call, places: DenyPlaces, letters: set[str]) -> list[tuple[str, bool]]:
    deleting = bool({"-delete"} & set(call.words) or "--delete" in letters)
    return [(absolute(root, call.folder, places), deleting) for root in found_roots(call.args)] if deleting else []


def _windows_deep(args: list[str]) -> bool:
    return any(static(word).casefold() in {"/s", "-recurse", "-r", "-rec"} for word in args)


def _mode_targets(call: Call, letters: set[str], paths: list[str]) -> list[tuple[str, bool]]:
    deep = bool(letters & {"R", "--recursive"}) or (call.program == "setfacl" and "R" in letters)
    return [(path, deep or path.casefold() in _TOP_ONLY) for path in (paths if "--reference" in letters else paths[:])]


def _moved(call: Call, places: DenyPlaces, paths: list[str]) -> list[tuple[str, bool]]:
    if call.program not in {"mv", "gmv", "move", "move-item", "rename"}:
        return []
    if clustered_values(call.args, "-t", "--target-directory"):
        return [(path, True) for path in paths]
    return [(path, True) for path in paths[:-1]] if len(paths) > 1 else []


def _other(
    call: Call, places: DenyPlaces, letters: set[str], operands: list[str], paths: list[str]
) -> list[tuple[str, bool]]:
    program = call.program
    if program in {"find", "fd", "fdfind"}:
        return _found(call, places)
    if program == "rsync":
        if any(letter.startswith("--delete") or letter == "--remove-source-files" for letter in letters):
            return [(path, True) for path in paths[-1:]]
        return []
    if program == "robocopy" and any(static(word).casefold() in {"/mir", "/purge"} for word in call.args):
        return [(absolute(word, call.folder, places), True) for word in operands[1:2]]
    if program in {"rclone"} and operands and static(operands[0]) in {"purge", "delete", "sync"}:
        return [(path, True) for path in paths[1:]]
    if program in {"tar", "bsdtar"} and "--remove-files" in letters:
        return [(path, True) for path in paths]
    return []


def _found(call: Call, places: DenyPlaces) -> list[tuple[str, bool]]:
    words = set(call.words)
    runs = words & {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
    deletes = "-delete" in words or (runs and any(_deletes(word) for word in call.args))
    if not deletes:
        return []
    roots = [(absolute(root, call.folder, places), True) for root in found_roots(call.args)]
    if call.program != "find":
        roots += [(absolute(word, call.folder, places), True) for word in call.parts[1][1:2]]
    limits = words & {
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-type",
        "-mtime",
        "-mmin",
        "-newer",
        "-size",
        "-empty",
        "-maxdepth",
        "-not",
        "!",
        "-iregex",
        "-wholename",
        "-user",
        "-perm",
        "-atime",
        "-ctime",
    }
    return [(path, deep) for path, deep in roots if not (limits and inside_lane(path, places))]


def _deletes(word: str) -> bool:
    return static(word).rpartition("/")[2].casefold() in _DELETING


def _kills_all(call: Call) -> bool:
    if call.program == "killall5":
        return True
    if call.program not in {"kill", ANY}:
        return False
    words = call.words
    if words[:1] in (["-l"], ["-L"], ["--list"]):
        return False
    named = False
    index = 0
    while index < len(words):
        word = words[index]
        if word in {"-s", "-n", "--signal", "-q"}:
            named, index = True, index + 2
            continue
        if word == "--":
            return "-1" in words[index + 1 :]
        if word == "-1" and (named or index):
            return True
        named |= bool(_SIGNAL_NAMES.fullmatch(word)) or word.startswith("--signal=")
        index += 1
    return False


def wide_targets(call: Call, places: DenyPlaces) -> list[str]:
    """Absolute paths inside the lane that the call deletes with everything below."""
    return [
        path for path, deep in _targets(call, places) if deep and inside_lane(path, places) and not is_unknown(path)
    ]
