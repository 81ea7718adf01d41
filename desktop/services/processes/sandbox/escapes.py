"""The escapes that the probe tries from inside: a program of its own, standard library only.

Arguments: `NAME=VALUE …`, the places and numbers that were planted. Prints one line an escape: `name stopped|open
words`. What happened is judged from outside where it can be; this word counts where only the inside can tell.
"""

# It does what any program does, with the plain calls.
# ruff: noqa: PTH105, PTH113, PTH114, PTH115, PTH118, PTH120, PTH123, PTH208, PTH211

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

CLONE_NEWUSER = 0x10000000
CONNECT_LIMIT_S = 1.0
BEAT_EVERY_S, BEAT_AT_MOST_S = 0.02, 30.0


def main(arguments: list[str]) -> int:
    """Try all, one after the other."""
    planted = dict(argument.partition("=")[::2] for argument in arguments)
    for name, attempt in ESCAPES.items():
        try:
            open_ = attempt(planted)
            words = ""
        except Exception as error:  # noqa: BLE001  # whatever stops it, it is stopped
            open_, words = False, f"{type(error).__name__}: {error}"
        sys.stdout.write(f"{name} {'open' if open_ else 'stopped'} {words[:200]!a}\n")
        sys.stdout.flush()
    leave_a_survivor(planted)
    return 0


def write_to(key: str) -> Callable[[dict[str, str]], bool]:
    """An attempt to make a file."""

    def attempt(planted: dict[str, str]) -> bool:
        with open(planted[key], "w", encoding="utf-8") as file:
            file.write("escaped")
        return True

    return attempt


def append_to(key: str, name: str) -> Callable[[dict[str, str]], bool]:
    """An attempt to change a file."""

    def attempt(planted: dict[str, str]) -> bool:
        with open(os.path.join(planted[key], name), "a", encoding="utf-8") as file:
            file.write("# escaped\n")
        return True

    return attempt


def rename_over_git(planted: dict[str, str]) -> bool:
    """Put another file in the place of the lane's .git."""
    mine = os.path.join(planted["lane"], "mine")
    with open(mine, "w", encoding="utf-8") as file:
        file.write("gitdir: /escaped\n")
    os.replace(mine, os.path.join(planted["lane"], ".git"))
    return True


def read_key(planted: dict[str, str]) -> bool:
    """Read a key file in the home folder."""
    with open(planted["key"], encoding="utf-8") as file:
        return planted["secret"] in file.read()


def write_through_link(planted: dict[str, str]) -> bool:
    """Write by a link in the lane that leads out of it."""
    link = os.path.join(planted["lane"], "link")
    os.symlink(os.path.dirname(planted["sibling"]), link)
    with open(os.path.join(link, "by-link"), "w", encoding="utf-8") as file:
        file.write("escaped")
    return True


def hard_link(planted: dict[str, str]) -> bool:
    """Take a file from outside into the lane."""
    taken = os.path.join(planted["lane"], "taken")
    os.link(planted["outside"], taken)
    with open(taken, "a", encoding="utf-8") as file:
        file.write("escaped")
    return True


def proc_root(planted: dict[str, str]) -> bool:
    """Whether the machine's root can be seen through the process folder."""
    for process in ("self", "1", planted["victim"]):
        with open(f"/proc/{process}/root{planted['key']}", encoding="utf-8") as file:
            if planted["secret"] in file.read():
                return True
    return False


def kernel_settings(planted: dict[str, str]) -> bool:
    """Find a file by which the kernel's root changes the whole machine and that may be written. Nothing is written."""
    places = [os.path.join("/proc", name) for name in os.listdir("/proc") if not name.isdigit()]
    return any(_opens(file) for place in places if not os.path.islink(place) for file in _changeable(place))


def _opens(file: str) -> bool:
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _changeable(place: str) -> Iterator[str]:
    """The place and all files below it but those on a read-only file system."""
    yield place if os.path.isfile(place) else os.path.join(place, "kernel/core_pattern")
    for folder, folders, files in os.walk(place):
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            folders.clear()
            continue
        yield from (os.path.join(folder, file) for file in files)


def tcp(planted: dict[str, str]) -> bool:
    """Reach a server of the machine."""
    with socket.create_connection(("127.0.0.1", int(planted["tcp"])), CONNECT_LIMIT_S):
        return True


def udp(planted: dict[str, str]) -> bool:
    """Send a datagram to the machine; whether it came is seen there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"escaped", ("127.0.0.1", int(planted["udp"])))
    return False


def unix_socket(planted: dict[str, str]) -> bool:
    """Reach a server by a socket in a folder."""
    folder, name = os.path.split(planted["unix"])
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
            out.settimeout(CONNECT_LIMIT_S)
            out.connect(name)
    finally:
        os.chdir(planted["lane"])
    return True


def abstract_socket(planted: dict[str, str]) -> bool:
    """Reach a server by a socket without a folder."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
        out.settimeout(CONNECT_LIMIT_S)
        out.connect("\0" + planted["abstract"])
    return True


def signal_host(planted: dict[str, str]) -> bool:
    """End a process of the machine; whether it ended is seen there."""
    os.kill(int(planted["victim"]), signal.SIGUSR1)
    return False


def read_environment(planted: dict[str, str]) -> bool:
    """Read the environment of a process of the machine."""
    with open(f"/proc/{planted['victim']}/environ", "rb") as file:
        return planted["secret"].encode() in file.read()


def trace_host(planted: dict[str, str]) -> bool:
    """Take hold of a process of the machine as a debugger does."""
    attach = 0x4206
    return bool(ctypes.CDLL(None).ptrace(attach, int(planted["victim"]), 0, 0) == 0)


def nested_namespace(planted: dict[str, str]) -> bool:
    """Make a namespace of one's own, in which there are rights again."""
    child = os.fork()
    if child == 0:
        os._exit(7 if ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0 else 0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7:
        return True
    program = shutil.which("unshare")
    return program is not None and subprocess.run([program, "-U", "true"], capture_output=True).returncode == 0


def mount(planted: dict[str, str]) -> bool:
    """Put a file system over a folder."""
    return bool(ctypes.CDLL(None).mount(b"none", planted["lane"].encode(), b"tmpfs", 0, None) == 0)


def inherited_variable(planted: dict[str, str]) -> bool:
    """Find a variable of the app."""
    return any(planted["secret"] in value for value in os.environ.values())


def inherited_descriptor(planted: dict[str, str]) -> bool:
    """Find an open file of the app."""
    return any(name not in ("0", "1", "2") and _leads_somewhere(name) for name in os.listdir("/proc/self/fd"))


def _leads_somewhere(descriptor: str) -> bool:
    try:
        return not os.readlink(f"/proc/self/fd/{descriptor}").startswith("/proc/")
    except OSError:
        return False


ESCAPES: dict[str, Callable[[dict[str, str]], bool]] = {
    "write_sibling": write_to("sibling"),
    "write_home": write_to("home"),
    "write_system": write_to("system"),
    "write_git_file": append_to("lane", ".git"),
    "rename_over_git": rename_over_git,
    "write_common_hooks": append_to("common", "hooks/post-checkout"),
    "write_common_config": append_to("common", "config"),
    "read_home_key": read_key,
    "write_through_link": write_through_link,
    "hard_link": hard_link,
    "proc_root": proc_root,
    "kernel_settings": kernel_settings,
    "tcp": tcp,
    "udp": udp,
    "unix_socket": unix_socket,
    "abstract_socket": abstract_socket,
    "signal_host": signal_host,
    "read_environment": read_environment,
    "trace_host": trace_host,
    "nested_namespace": nested_namespace,
    "mount": mount,
    "inherited_variable": inherited_variable,
    "inherited_descriptor": inherited_descriptor,
}


def leave_a_survivor(planted: dict[str, str]) -> None:
    """Leave a process that has left session, parent and environment, and beats in a file of the lane."""
    if os.fork() != 0:
        return
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    beat = "import os,sys,time\nend=time.monotonic()+float(sys.argv[2])\nwhile time.monotonic()<end:\n"
    beat += " open(sys.argv[1],'a').write('.')\n time.sleep(float(sys.argv[3]))\n"
    if getattr(sys, "frozen", False):
        beat_here(os.path.join(planted["lane"], "beat"))
        os._exit(0)
    arguments = [sys.executable, "-I", "-S", "-c", beat, os.path.join(planted["lane"], "beat")]
    os.execve(sys.executable, [*arguments, str(BEAT_AT_MOST_S), str(BEAT_EVERY_S)], {})  # noqa: S606


def beat_here(file: str) -> None:
    """Write a beat to the file again and again for a while, in this process."""
    end = time.monotonic() + BEAT_AT_MOST_S
    while time.monotonic() < end:
        with open(file, "a", encoding="ascii") as out:
            out.write(".")
        time.sleep(BEAT_EVERY_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
