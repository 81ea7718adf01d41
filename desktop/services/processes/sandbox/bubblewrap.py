"""bubblewrap: a profile as arguments of `bwrap` (gate-B2), and what this machine's bwrap is."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from desktop.records import dataclass
from desktop.services.processes.sandbox.frame import FRAME_NAME, FRAME_SCRIPT, FrameFds
from desktop.services.processes.sandbox.profile import SandboxProfile, is_below, outermost
from desktop.services.processes.sandbox.seccomp import (
    AF_INET,
    AF_INET6,
    AF_NETLINK,
    AF_UNIX,
    build_filter,
    filter_known,
)

SYSTEM_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
ASK_LIMIT_S = 5.0
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
RESOLVER = Path("/etc/resolv.conf")
UNIX_SOCKETS = Path("/proc/net/unix")
# What the kernel lets its root change by files of /proc. In a container the sandbox's user often is that root, and no
# capability is needed: a program named in `sys/kernel/core_pattern` is run by the kernel itself, outside everything.
# The rest that may be written (irq, bus) bubblewrap covers itself; the probe looks for what is missing here.
_KERNEL_PLACES = tuple(
    Path("/proc") / name
    for name in ("sys", "sysrq-trigger", "mtrr", "fs", "acpi", "scsi", "asound", "pressure", "dynamic_debug")
)
_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")


@dataclass(frozen=True)
class Bubblewrap:
    """A bwrap that answered. `no_nested`: it can turn off further user namespaces by itself (0.8 and later). `sized`:
    it can bound an empty folder; the watch over what a command uses sees to that as well."""

    binary: str
    version: str
    no_nested: bool
    sized: bool = True


def find_bubblewrap(path: str = "") -> Bubblewrap | None:
    """The bwrap of the system's own folders, None: there is none, or it does not answer. Blocking."""
    binary = shutil.which("bwrap", path=path or SYSTEM_FOLDERS)
    if binary is None:
        return None
    options = _words_of(binary, "--help")
    return Bubblewrap(binary, _words_of(binary, "--version"), "--disable-userns" in options, "--size " in options)


def _words_of(binary: str, option: str) -> str:
    try:
        asked = [binary, option]
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASK_LIMIT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout or done.stderr).decode("utf-8", "replace").strip()


def bubblewrap_filter() -> bytes:
    """The system call filter inside bwrap; b"" where there is no table for this machine. The network namespace does
    not cover virtual machine sockets and the like, so only the common families are left."""
    families = (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)
    return build_filter(families, tracing=True) if filter_known() else b""


def bubblewrap_argv(
    wrap: Bubblewrap, profile: SandboxProfile, command: Iterable[str], *, bash: str, cwd: Path, fds: FrameFds
) -> tuple[str, ...]:
    """The whole argument list: bwrap, its profile, the frame, the command."""
    arguments = [wrap.binary, *_NAMESPACES]
    if not profile.network:
        arguments.append("--unshare-net")
    if wrap.no_nested:
        arguments.append("--disable-userns")
    arguments += ["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", "lane"]
    arguments += mount_arguments(profile, sized=wrap.sized)
    if fds.filter >= 0:
        arguments += ["--seccomp", str(fds.filter)]
    arguments += ["--chdir", str(cwd), "--", bash, "--noprofile", "--norc", "-c", FRAME_SCRIPT, FRAME_NAME]
    return (*arguments, str(fds.output), str(fds.control), *command)


def mount_arguments(profile: SandboxProfile, *, sized: bool = True) -> list[str]:
    """The arguments for what is mounted, in order: the root read-only, emptied folders, then what is shown again, outer
    before inner.

    A mount point below a writable place is only ever Git's own entry at the top of the lane, which stays mounted for
    as long as anything runs; so no link that a command made can lead a mount elsewhere.
    """
    arguments = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    for place in _KERNEL_PLACES:
        if place.exists():
            arguments += ["--ro-bind", str(place), str(place)]
    empty = ["--size", str(profile.private_bytes), "--tmpfs"] if sized else ["--tmpfs"]
    arguments += [*empty, str(SHARED_MEMORY), "--remount-ro", "/dev"]
    hidden = emptied(profile.hidden)
    for folder in hidden:
        arguments += [*empty, str(folder)]
    shown: list[tuple[Path, str]] = [
        (path, "--ro-bind-try") for path in (*profile.readonly, *_resolver(profile, hidden))
    ]
    shown += [(path, "--bind") for path in (*profile.writable, profile.temp)]
    shown.append((profile.lane_root, "--bind" if profile.lane_writable else "--ro-bind"))
    shown += [(path, "--ro-bind") for path in profile.guarded]
    modes = dict(shown)
    for path in sorted(modes, key=lambda one: (len(one.parts), one)):
        arguments += [modes[path], str(path), str(path)]
    for inner in _hidden_again(profile):
        arguments += [*empty, str(inner)]
    for file in (*_maskable(profile.masked), *_open_sockets(profile, hidden)):
        arguments += ["--ro-bind", os.devnull, str(file)]
    return arguments


def emptied(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The folders that exist, by their real paths, and lie in none of the others."""
    real = {folder.resolve() for folder in folders if folder.is_dir()}
    return outermost(tuple(folder for folder in real if folder != Path("/")))


def _hidden_again(profile: SandboxProfile) -> tuple[Path, ...]:
    """Hidden folders that lie below something shown, such as the product's data in a lane that is the home folder."""
    real = {folder.resolve() for folder in profile.hidden if folder.is_dir()}
    kept = (profile.lane_root, profile.temp, *profile.writable, *profile.guarded)
    shown = (*profile.readonly, profile.lane_root)
    around = [one for one in real if is_below(one, shown) and one not in shown]
    return tuple(one for one in sorted(around) if not any(keep.is_relative_to(one) for keep in kept))


def _resolver(profile: SandboxProfile, hidden: tuple[Path, ...]) -> tuple[Path, ...]:
    """With the network open, names are looked up by a file that often stands below /run."""
    if not profile.network:
        return ()
    real = RESOLVER.resolve()
    return (real,) if real.is_file() and is_below(real, hidden) else ()


def _maskable(files: tuple[Path, ...]) -> Iterator[Path]:
    for file in files:
        try:
            if stat.S_ISREG(file.lstat().st_mode):
                yield file
        except OSError:
            continue


def _open_sockets(profile: SandboxProfile, hidden: tuple[Path, ...]) -> Iterator[Path]:
    """Sockets of other programs that stand in no hidden folder: a read-only mount does not keep from connecting."""
    kept = (profile.lane_root, profile.temp, Path("/proc"), Path("/dev"), *hidden)
    try:
        lines = UNIX_SOCKETS.read_text("utf-8", "surrogateescape").splitlines()[1:]
    except OSError:
        return
    for name in sorted({fields[7] for line in lines if len(fields := line.split(None, 7)) == 8}):
        socket = Path(name)
        try:
            stands = socket.is_absolute() and stat.S_ISSOCK(socket.lstat().st_mode)
        except OSError:
            continue
        if stands and not is_below(socket.parent.resolve(), kept):
            yield socket
