"""bubblewrap: a profile as arguments of `bwrap` (gate-B2), and what this machine's bwrap is."""

import functools
import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from desktop.records import dataclass
from desktop.services.files.plain_paths import facts_of, leads_to_folder, real_path
from desktop.services.processes.sandbox.frame import FrameFds
from desktop.services.processes.sandbox.profile import SandboxProfile
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
EMPTY = "--tmpfs"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
RESOLVER = Path("/etc/resolv.conf")
UNIX_SOCKETS = Path("/proc/net/unix")
# What the kernel lets its root change by files of /proc. In a container the sandbox's user often is that root, and no
# capability is needed: a program named in `sys/kernel/core_pattern` is run by the kernel itself, outside everything.
# The rest that may be written (irq, bus) bubblewrap covers itself; the probe looks for what is missing here.
_KERNEL_PLACES = tuple(
    f"/proc/{name}"
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

    def stamp(self) -> tuple[int, ...]:
        """Something that differs once another program stands in its place; () when none does. Blocking (a moment)."""
        try:
            found = facts_of(self.binary)
        except OSError:
            return ()
        return (found.st_dev, found.st_ino, found.st_ctime_ns)


class Mount(NamedTuple):
    """One thing that bwrap mounts, by its option. `source`: what is shown at `place`, "" for a file system of its own.
    `size`: what an empty folder holds at most, 0 for no bound."""

    option: str
    source: str
    place: str
    size: int = 0

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of bwrap for it."""
        sized = ("--size", str(self.size)) if self.size else ()
        return (*sized, self.option, *((self.source,) if self.source else ()), self.place)


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


@functools.cache
def bubblewrap_filter() -> bytes:
    """The system call filter inside bwrap; b"" where there is no table for this machine. The network namespace does
    not cover virtual machine sockets and the like, so only the common families are left."""
    families = (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)
    return build_filter(families, tracing=True) if filter_known() else b""


def bubblewrap_argv(
    wrap: Bubblewrap, network: bool, mounts: Iterable[Mount], frame: Iterable[str], *, cwd: Path, fds: FrameFds
) -> tuple[str, ...]:
    """The argument list of bwrap with the words of the frame that it starts."""
    arguments = [wrap.binary, *_NAMESPACES]
    if not network:
        arguments.append("--unshare-net")
    if wrap.no_nested:
        arguments.append("--disable-userns")
    arguments += ["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", "lane"]
    for mount in mounts:
        arguments += mount.arguments
    if fds.filter >= 0:
        arguments += ["--seccomp", str(fds.filter)]
    return (*arguments, "--chdir", str(cwd), "--", *frame)


def mounts_of(profile: SandboxProfile, *, sized: bool = True) -> tuple[Mount, ...]:
    """What is mounted, in order: the root read-only, emptied folders, then what is shown again, outer before inner.
    Blocking (some tenths of a millisecond).

    A mount point below a writable place is only ever Git's own entry at the top of the lane, which stays mounted for
    as long as anything runs; so no link that a command made can lead a mount elsewhere.
    """
    size = profile.private_bytes if sized else 0
    found = [Mount("--ro-bind", "/", "/"), Mount("--proc", "", "/proc"), Mount("--dev", "", "/dev")]
    found += [Mount("--ro-bind", place, place) for place in _KERNEL_PLACES if os.path.lexists(place)]
    found += [Mount(EMPTY, "", str(SHARED_MEMORY), size), Mount("--remount-ro", "", "/dev")]
    real = sorted({real_path(folder) for folder in map(str, profile.hidden) if leads_to_folder(folder)} - {"/"})
    hidden = [folder for at, folder in enumerate(real) if not _is_below(folder, real[:at])]
    found += [Mount(EMPTY, "", folder, size) for folder in hidden]
    modes = dict.fromkeys((*map(str, profile.readonly), *_resolver(profile, hidden)), "--ro-bind-try")
    modes |= dict.fromkeys(map(str, (*profile.writable, profile.temp)), "--bind")
    modes[str(profile.lane_root)] = "--bind" if profile.lane_writable else "--ro-bind"
    modes |= dict.fromkeys(map(str, profile.guarded), "--ro-bind")
    found += [Mount(modes[path], path, path) for path in sorted(modes, key=lambda one: (one.count("/"), one))]
    found += [Mount(EMPTY, "", folder, size) for folder in _hidden_again(profile, real)]
    masked = (*_maskable(profile.masked), *_open_sockets(profile, hidden))
    return (*found, *(Mount("--ro-bind", os.devnull, file) for file in masked))


def _is_below(path: str, folders: Iterable[str]) -> bool:
    """Plain text, as this is asked at each command."""
    return f"{path}/".startswith(tuple(f"{folder}/" for folder in folders))


def _hidden_again(profile: SandboxProfile, real: Iterable[str]) -> Iterator[str]:
    """Hidden folders that lie below something shown, such as the product's data in a lane that is the home folder."""
    kept = tuple(map(str, (profile.lane_root, profile.temp, *profile.writable, *profile.guarded)))
    shown = tuple(map(str, (*profile.readonly, profile.lane_root)))
    for folder in real:
        if _is_below(folder, shown) and folder not in shown and not any(_is_below(one, (folder,)) for one in kept):
            yield folder


def _resolver(profile: SandboxProfile, hidden: Iterable[str]) -> tuple[str, ...]:
    """With the network open, names are looked up by a file that often stands below /run."""
    if not profile.network:
        return ()
    real = RESOLVER.resolve()
    return (str(real),) if real.is_file() and _is_below(str(real), hidden) else ()


def _maskable(files: tuple[Path, ...]) -> Iterator[str]:
    for file in files:
        try:
            if stat.S_ISREG(os.lstat(file).st_mode):
                yield str(file)
        except OSError:
            continue


def _open_sockets(profile: SandboxProfile, hidden: Iterable[str]) -> Iterator[str]:
    """Sockets of other programs that stand in no hidden folder: a read-only mount does not keep from connecting. Plain
    text, and each folder once: a desktop has hundreds."""
    way = (str(profile.egress.parent),) if profile.egress is not None else ()
    kept = (str(profile.lane_root), str(profile.temp), *way, "/proc", "/dev", *hidden)
    try:
        lines = UNIX_SOCKETS.read_text("utf-8", "surrogateescape").splitlines()[1:]
    except OSError:
        return
    outside: dict[str, bool] = {}
    for name in sorted({fields[7] for line in lines if len(fields := line.split(None, 7)) == 8}):
        folder = os.path.dirname(name)  # noqa: PTH120
        if name.startswith("/") and folder not in outside:
            outside[folder] = not _is_below(real_path(folder), kept)
        if outside.get(folder) and _is_socket(name):
            yield str(Path(name))


def _is_socket(name: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(name).st_mode)
    except OSError:
        return False
