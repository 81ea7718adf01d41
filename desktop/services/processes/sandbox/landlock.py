"""Landlock: a profile as the list of places the launcher opens up; everything else stays closed for the command."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from desktop.services.processes.sandbox.frame import FrameFds
from desktop.services.processes.sandbox.limits import MAX_FILE_SIZE, MAX_OPEN_FILES
from desktop.services.processes.sandbox.profile import SandboxProfile, is_below
from desktop.services.processes.sandbox.seccomp import (
    AF_INET,
    AF_INET6,
    AF_NETLINK,
    AF_UNIX,
    build_filter,
    filter_known,
)

LEAST_ABI = 4
MAX_OPENED = 4_000
LAUNCHER = ("--sandbox-launch", "launcher.py")
_CREATE_RULESET, _ASK_VERSION = 444, 1
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def landlock_abi() -> int:
    """The Landlock version of this kernel, 0: there is none, or its calls are not known for this machine."""
    if sys.platform != "linux" or not filter_known(platform.machine()):
        return 0
    found: int = ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    return max(found, 0)


def own_program(word: str, file: str) -> tuple[str, ...]:
    """A module that needs nothing but the standard library, as a program of its own: its file, by its path from this
    folder, for this interpreter, or a word of the packaged program."""
    if getattr(sys, "frozen", False):
        return (sys.executable, word)
    return (sys.executable, "-I", "-S", str((Path(__file__).parent / file).resolve()))


def supervised_argv(command: tuple[str, ...], fds: FrameFds) -> tuple[str, ...]:
    """The command in a frame that ends all it started, without a sandbox."""
    return (*own_program(*LAUNCHER), *_frame_settings(fds), "--", *command)


def _frame_settings(fds: FrameFds) -> list[str]:
    settings = {"out": fds.output, "ctl": fds.control, "parent": os.getpid()}
    settings |= {"size": MAX_FILE_SIZE, "files": MAX_OPEN_FILES}
    return [f"{name}={value}" for name, value in settings.items()]


def landlock_argv(profile: SandboxProfile, command: tuple[str, ...], fds: FrameFds, *, abi: int) -> tuple[str, ...]:
    """The command behind Landlock and the system call filter, in a frame that ends all it started."""
    families = (AF_UNIX, AF_INET, AF_INET6) if profile.network else (AF_UNIX,)
    if profile.network:
        families = (*families, AF_NETLINK)
    settings = [
        *_frame_settings(fds),
        f"abi={abi}",
        f"net={int(profile.network)}",
        f"filter={build_filter(families, tracing=False).hex()}",
    ]
    settings += [f"read={path}" for path in readable_places(profile)]
    lane = (profile.lane_root,) if profile.lane_writable else ()
    settings += [f"write={path}" for path in (*lane, profile.temp, *profile.writable)]
    settings += [f"device=/dev/{name}" for name in _DEVICES if Path(f"/dev/{name}").exists()]
    return (*own_program(*LAUNCHER), *settings, "--", *command)


def readable_places(profile: SandboxProfile) -> tuple[Path, ...]:
    """The places that may be read: all of the machine but the hidden folders, and what is shown of those.

    Landlock can only open places up, so a folder with something hidden in it is replaced by its other entries.
    """
    hidden = tuple({folder.resolve() for folder in profile.hidden if folder.is_dir()} - {Path("/")})
    masked = tuple(file for file in profile.masked if file.is_file())
    shown = tuple(_without(Path("/"), (*hidden, *masked)))
    again: list[Path] = []
    for path in (*profile.readonly, *profile.guarded, *(() if profile.lane_writable else (profile.lane_root,))):
        again += _without(path, (*(one for one in hidden if is_below(one, (path,)) and one != path), *masked))
    return tuple(dict.fromkeys((*shown, *again)))[:MAX_OPENED]


def _without(place: Path, closed: tuple[Path, ...]) -> Iterator[Path]:
    """The place, or its parts that hold nothing closed."""
    if is_below(place, closed):
        return
    inside = tuple(one for one in closed if one.is_relative_to(place))
    if not inside:
        yield place
        return
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():
            yield from _without(entry, inside)
