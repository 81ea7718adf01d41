"""The act that the sandbox kept a failed command from, told by the command's own words (gate-B6, tools-T81).

Careful: a word that may have another cause says nothing.
"""

import os
import re
import shutil
from pathlib import Path

from desktop.services.processes.output import CommandOutput
from desktop.services.processes.sandbox.limits import MAX_FILE_SIZE, size_in_words
from desktop.services.processes.sandbox.profile import SandboxProfile, is_below

GIT_WORDS = "changing Git's own files"
USE_TOOLS = " Use commit_changes and push_lane."
MAX_SHOWN = 160
ROOM = 64 * 1024**2
_NETWORK = re.compile(
    r"could not resolve host|temporary failure in name resolution|network is unreachable|name or service not known"
    r"|getaddrinfo (?:enotfound|eai_again)|no address associated with hostname|name resolution failure"
    r"|failed to lookup address|address family not supported by protocol|eafnosupport|no such host",
    re.IGNORECASE,
)
_NO_SPACE = re.compile(r"no space left on device|enospc", re.IGNORECASE)
_FILE_SIZE = re.compile(r"file size limit exceeded|\[errno 27\]|efbig", re.IGNORECASE)
_READ_ONLY = re.compile(r"read-only file system|erofs", re.IGNORECASE)
_DENIED = re.compile(r"permission denied|eacces", re.IGNORECASE)
_GIT_OWN = re.compile(
    r"(?:^|[/'\"\s])\.git(?:/|['\":\s]|$)|/worktrees/|index\.lock|\.lock'?: |fatal: cannot lock ref|"
    r"unable to create temporary file|insufficient permission for adding an object"
)
_PATH = re.compile(r"(?<![\w/.])(/[^\s'\"`:,;()\[\]]+)")


def what_was_blocked(output: CommandOutput, profile: SandboxProfile, *, ok: bool) -> str:
    """What to say of a command that failed: `the network`, `writing /etc/hosts`, `changing Git's own files`; "" when it
    succeeded, ran without a sandbox, or its words do not tell."""
    if ok or profile.name == "bare":
        return ""
    for line in [*output.head().splitlines(), *output.tail().splitlines()]:
        if _READ_ONLY.search(line) or _DENIED.search(line):
            if found := _write_of(line, profile):
                return found
        elif not profile.network and _NETWORK.search(line):
            return "the network"
    return ""


def limit_reached(output: CommandOutput, profile: SandboxProfile, *, ok: bool) -> str:
    """The bound of the sandbox that a failed command names in its own words, as `filled …`, "" for none."""
    if ok:
        return ""
    text = output.head() + output.tail()
    if _FILE_SIZE.search(text):
        return f"wrote a file of more than {size_in_words(MAX_FILE_SIZE)}"
    if (
        profile.hidden
        and _NO_SPACE.search(text)
        and all(_has_room(place) for place in (profile.lane_root, profile.temp))
    ):
        return f"filled /tmp or another folder in memory, which holds {size_in_words(profile.private_bytes)}"
    return ""


def _has_room(place: Path) -> bool:
    try:
        return shutil.disk_usage(place).free > ROOM
    except OSError:
        return False


def blocked_line(blocked: str) -> str:
    """The line of a result (tools-T81), "" when there is nothing to say."""
    if not blocked:
        return ""
    return f"[the sandbox blocked: {blocked}]" + (USE_TOOLS if blocked.startswith(GIT_WORDS) else "")


def _write_of(line: str, profile: SandboxProfile) -> str:
    read_only = _READ_ONLY.search(line) is not None
    paths = [Path(found) for found in _PATH.findall(line)]
    writable = (*profile.writable, profile.temp, *((profile.lane_root,) if profile.lane_writable else ()))
    if any(is_below(path, profile.guarded) for path in paths):
        return GIT_WORDS
    outside = [path for path in paths if not is_below(path, writable)]
    if outside and (read_only or _person_may_write(outside[-1])):
        return f"writing {str(outside[-1])[:MAX_SHOWN]}"
    if not read_only:
        return ""
    return GIT_WORDS if profile.guarded and _GIT_OWN.search(line) else "writing outside the lane"


def _person_may_write(path: Path) -> bool:
    """Whether the person may write there, so that only the sandbox can have refused it."""
    return os.access(path if path.exists() else path.parent, os.W_OK)
