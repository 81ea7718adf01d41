"""D-login, D-persist and D-guard: accounts and keys, what starts by itself, and what guards the agent."""

import re
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces, option_values, static, unmarked
from desktop.policy.shell.deny.classes.paths import absolute, inside_lane, lane_root
from desktop.policy.shell.deny.classes.places import could_be_own, is_own, sensitive_write
from desktop.policy.shell.deny.classes.writes import written_paths
from desktop.policy.shell.deny.reader.wrap import wraps
from desktop.policy.shell.verdict import DenyHit

_ACCOUNTS = {
    "useradd", "adduser", "usermod", "userdel", "deluser", "groupadd", "addgroup", "groupmod", "groupdel",
    "delgroup", "gpasswd",
    "passwd", "chpasswd", "newusers", "vipw", "vigr", "visudo", "chsh", "chage", "grpck", "pwconv", "pwunconv",
    "sysadminctl",
    "dseditgroup", "dsenableroot", "chgpasswd", "ssh-copy-id", "faillock", "pam-auth-update", "authconfig",
    "authselect", "htpasswd-etc",
    "lusermod", "luseradd",
}  # fmt: skip
_INJECTS = Pattern(
    r"LD_(?:PRELOAD|LIBRARY_PATH|AUDIT|ORIGIN_PATH)|DYLD_\w+|BASH_ENV|BASH_FUNC_.*|PROMPT_COMMAND|LD_PROFILE"
    r"|GCONV_PATH|BANKSMAN_\w+",
    re.IGNORECASE,
)
_READERS = {
    "cat", "ls", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "stat", "file", "wc", "du", "df",
    "tree", "bat", "od", "xxd",
    "hexdump", "strings", "diff", "cmp", "md5sum", "sha256sum", "sha1sum", "realpath", "readlink", "basename",
    "dirname", "test", "[", "[[",
    "jq", "cd", "pushd", "echo", "printf", "which", "type", "nl", "tac", "sort", "uniq", "cut", "awk", "sed", "find",
    "fd", "true", ":", "export",
    "declare", "local", "read", "",
}  # fmt: skip
_SETS_ID = Pattern(r"(?:[ugoa]*[+=][rwxXt]*s[rwxXst]*|0*[2467][0-7]{3})(?:,.*)?|.*,[ugoa]*[+=][rwxXt]*s.*")
_GIT_READS = {
    "--get",
    "--get-all",
    "--get-regexp",
    "-l",
    "--list",
    "--get-urlmatch",
    "--show-origin",
    "get",
    "list",
    "--get-color",
    "--name-only",
    "--get-colorbool",
}
_GIT_WRITES = {
    "--unset",
    "--unset-all",
    "--add",
    "--replace-all",
    "-e",
    "--edit",
    "--remove-section",
    "--rename-section",
}
_SERVICE_WRITES = {
    "systemctl": {
        "enable",
        "link",
        "edit",
        "reenable",
        "preset",
        "mask",
        "unmask",
        "set-default",
        "import-environment",
        "set-environment",
        "add-wants",
        "add-requires",
    },
    "launchctl": {"load", "bootstrap", "enable", "submit", "kickstart", "setenv", "config"},
    "schtasks": {"/create", "/change"},
    "update-rc.d": None,
    "chkconfig": None,
    "rc-update": {"add", "del", "delete"},
    "loginctl": {"enable-linger"},
    "sc": {"create", "config"},
    "initctl": {"start"},
    "insserv": None,
    "systemd-sysusers": None,
    "crudini": None,
    "batch": None,
    "anacron": None,
}


_ALSO_TOLD = {
    "ssh-keygen",
    "aws",
    "npm",
    "pnpm",
    "yarn",
    "net",
    "dscl",
    "pw",
    "setcap",
    "chmod",
    "gchmod",
    "install",
    "git",
    "systemd-run",
    "reg",
    ANY,
}
_LISTING_OPTIONS = {"crontab": {"-l", "-r"}, "at": {"-l", "-d", "-r", "-c", "-V"}}
_ENDERS = {
    "kill",
    "pkill",
    "killall",
    "taskkill",
    "systemctl",
    "launchctl",
    "stop-process",
    "skill",
    "gdb",
    "strace",
    "rkill",
    ANY,
}
_LOOKS = {"pgrep", "pidof", "grep", "ps", "lsof", "awk"}
_GIT_REMOVERS = {"rm", "mv", "unlink", "find", "rimraf", "trash", "shred"}
PROGRAMS = frozenset(
    {
        *_ACCOUNTS,
        *_ALSO_TOLD,
        *_LISTING_OPTIONS,
        *_SERVICE_WRITES,
        *_ENDERS,
        *_LOOKS,
        *_GIT_REMOVERS,
        "bwrap",
        "sandbox-exec",
    }
)
"""The programs of which something is said whatever paths they name."""
_GUARD_PROCESS = Pattern(r"banksman|bwrap|\$PPID|sandbox-exec", re.IGNORECASE)
_REASON_LATER = "It would change what runs by itself later."


def system_hits(call: Call, places: DenyPlaces) -> list[DenyHit]:
    """The hits of a call that would change accounts, start files, schedules, or the guard itself."""
    hits = [
        hit
        for path in written_paths(call)
        if (hit := sensitive_write(absolute(path, call.folder, places), call, places))
    ]
    if call.program in PROGRAMS:
        if _account(call, places):
            hits.append(call.hit("D-login", "It would change accounts, keys or who may log in."))
        hits += _set_id(call, places) + _persists(call)
    return hits + _guard(call, places)


def _account(call: Call, places: DenyPlaces) -> bool:
    words = call.words
    if call.program in _ACCOUNTS:
        return not {"-S", "--status", "-l", "--list", "--help", "--version", "-n"} & set(words)
    if call.program == "ssh-keygen":
        return _makes_key(call, places)
    if call.program == "aws":
        return words[:2] == ["configure", "set"] or words[:3] == ["configure", "import"]
    if call.program in {"npm", "pnpm", "yarn"}:
        return words[:2] in (["config", "set"], ["set"]) and any(
            "_auth" in word or "_password" in word for word in words
        )
    if call.program == "net":
        return words[:1] in (["user"], ["localgroup"]) and len(words) > 1
    return (call.program == "dscl" and bool({"-create", "-passwd", "-append", "-delete"} & set(words))) or (
        call.program == "pw" and bool({"useradd", "usermod", "userdel"} & set(words))
    )


def _makes_key(call: Call, places: DenyPlaces) -> bool:
    letters, _ = call.parts
    if letters & set("lyFRHeiBDKLrTAYQI"):
        return False
    targets = [absolute(path, call.folder, places) for path in option_values(call.args, "-f")]
    return not targets or any("/.ssh/" in path and not inside_lane(path, places) for path in targets)


def _set_id(call: Call, places: DenyPlaces) -> list[DenyHit]:
    _letters, operands = call.parts
    words = call.words
    if call.program == "setcap":
        targets = operands[-1:]
    elif call.program in {"chmod", "gchmod", ANY} and any(_SETS_ID.fullmatch(word) for word in words):
        targets = operands[1:]
    elif call.program == "install" and any(
        _SETS_ID.fullmatch(mode) for mode in option_values(call.args, "-m", "--mode")
    ):
        targets = operands[-1:]
    else:
        return []
    if any(not inside_lane(absolute(path, call.folder, places), places) for path in targets):
        return [call.hit("D-login", "It would let a program outside the lane run with another user's rights.")]
    if not targets:
        return []
    return [call.hit("D-priv", "It would let a program run with another user's rights.", confirm="run")]


def _persists(call: Call) -> list[DenyHit]:
    words = call.words
    if call.program in {"git", ANY} and _git_config(words):
        return [call.hit("D-persist", "It would change Git's settings for everything, or where its hooks are.")]
    return [call.hit("D-persist", _REASON_LATER)] if _schedules(call.program, words) else []


def _schedules(program: str, words: list[str]) -> bool:
    if program in _LISTING_OPTIONS:
        return not _LISTING_OPTIONS[program] & set(words)
    if program in _SERVICE_WRITES:
        wanted = _SERVICE_WRITES[program]
        return wanted is None or any(word.casefold() in wanted for word in words)
    if program == "systemd-run":
        return any(word.startswith(("--on-", "--timer")) for word in words)
    return program == "reg" and words[:1] == ["add"] and any("run" in word.casefold() for word in words)


def _git_config(words: list[str]) -> bool:
    for index, word in enumerate(words):
        value = words[index + 1] if index + 1 < len(words) else ""
        setting = value if word in {"-c", "--config"} else word[2:] if word.startswith("-c") else ""
        if setting.casefold().startswith("core.hookspath=") and setting.partition("=")[2] not in {"", "/dev/null"}:
            return True
    if "config" not in words:
        return False
    rest = words[words.index("config") + 1 :]
    operands = [word for word in rest if not word.startswith("-") and word not in {"set", "unset", "edit"}]
    wide = {"--global", "--system"} & set(rest) or any(
        word.endswith((".gitconfig", "/gitconfig", ".config/git/config")) for word in rest
    )
    writes = bool(set(rest) & (_GIT_WRITES | {"set", "unset", "edit"})) or (
        len(operands) > 1 and not set(rest) & _GIT_READS
    )
    if wide:
        return writes
    unset = bool({"--unset", "--unset-all", "unset"} & set(rest))
    return writes and not unset and any(word.casefold() in {"core.hookspath", "init.templatedir"} for word in operands)


def _guard(call: Call, places: DenyPlaces) -> list[DenyHit]:
    reason = "It would change Banksman, the sandbox or what guards the agent."
    if any(_INJECTS.fullmatch(name) for name, _ in call.assigned):
        return [call.hit("D-guard", "It would load foreign code into programs.")]
    if call.program in {"bwrap", "sandbox-exec"} and call.args and "--version" not in call.args:
        return [call.hit("D-guard", reason)]
    if call.program in _ENDERS and any(_GUARD_PROCESS.search(static(word)) for word in call.args):
        return [call.hit("D-guard", reason)]
    if (
        not only_reads(call.program)
        and could_be_own(call, places)
        and any(_names_own(word, call, places) for word in call.args)
    ):
        return [call.hit("D-guard", reason)]
    if call.program in _GIT_REMOVERS and _git_folder(call, places):
        return [call.hit("D-guard", "It would delete Git's own files.")]
    return []


@lru_cache(maxsize=512)
def only_reads(program: str) -> bool:
    """Whether a program may name the product's own files: it shows them, or what it runs is judged by itself."""
    return program in _READERS or wraps(program)


def guard_line_hits(calls: list[Call]) -> list[DenyHit]:
    """Whether a line looks up the product's processes and sends signals."""
    looks = [
        call
        for call in calls
        if call.program in _LOOKS and any("banksman" in static(word).casefold() for word in call.args)
    ]
    if looks and any(call.program in {"kill", "skill", "xargs"} for call in calls):
        return [looks[0].hit("D-guard", "It would end Banksman's own processes.")]
    return []


def _names_own(word: str, call: Call, places: DenyPlaces) -> bool:
    text = unmarked(word)
    pieces = [text, text.partition("=")[2], text.partition(":")[0]] if "=" in text or ":" in text else [text]
    return any(
        piece and not piece.isspace() and is_own(absolute(piece, call.folder, places), places) for piece in pieces
    )


def _git_folder(call: Call, places: DenyPlaces) -> bool:
    """A glob over dot files of the lane root, or `find -name .git` with a deleting action, takes `.git` too."""
    words = call.words
    if call.program == "find":
        return ".git" in words and ("-delete" in words or "rm" in words)
    deep = call.program != "rm" or bool(call.parts[0] & {"r", "R", "--recursive"})
    for word in call.parts[1]:
        path = absolute(word, call.folder, places)
        folder, _, name = path.rpartition("/")
        if (
            deep
            and folder == lane_root(places)
            and name.startswith(".")
            and re.fullmatch(r"\.(?:[*?]|\[[^\]]*\]|g|i|t)+", name)
        ):
            return "*" in name or "?" in name
    return False
