"""The frame of a command on Linux without namespaces: closes the command in, waits for it, ends what it leaves.

A program of its own, standard library only, because it starts with every command. Arguments: `out=FD ctl=FD parent=PID
size=BYTES files=COUNT [abi=N net=0|1 filter=HEX read=PATH… write=PATH… device=PATH…] -- COMMAND…`. With `abi` the
command gets Landlock, the system call filter and no capabilities; without, only the frame. Every process the command
starts, also one that leaves its session or empties its environment, stays below this process (child subreaper) and is
ended with it: when the app asks, when it closes the descriptor, and when it dies (the parent's death signal).
"""

# pathlib and contextlib would double the time that every command waits for this program to start.
# ruff: noqa: PTH112, PTH123, PTH208, SIM105

import ctypes
import errno
import os
import resource
import signal
import struct
import sys
import time

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 36, 38
SECCOMP_MODE_FILTER = 2
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION = 0x20080522
MAX_CAPABILITY = 63
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK, TRUNCATE, IOCTL_DEV = 1 << 6, 1 << 11, 1 << 14, 1 << 15
ALL_OF_ABI = {4: (1 << 15) - 1, 5: (1 << 16) - 1}
FILE_ACCESS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READ_ACCESS = EXECUTE | READ_FILE | READ_DIR
TCP_ACCESS, SCOPED = 3, 3
LOOK_EVERY_S, GIVE_UP_S = 0.25, 5.0
FAILED = 125
FAILED_WORDS = "banksman-frame failed: "

libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> int:
    """Run the command; the exit status is the frame's own and says nothing of the command."""
    end = arguments.index("--")
    settings: dict[str, list[str]] = {}
    for setting in arguments[:end]:
        name, _, value = setting.partition("=")
        settings.setdefault(name, []).append(value)
    output, control, parent = (int(settings[name][0]) for name in ("out", "ctl", "parent"))
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    waited = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        return FAILED
    child = os.fork()
    if child == 0:
        be_command(settings, arguments[end + 1 :], output, control)
    os.close(output)
    os.set_blocking(control, False)
    return watch(child, control, waited)


def watch(child: int, control: int, waited: set[signal.Signals]) -> int:
    """Report the end of the shell, go on while something is left, and end it when told to."""
    while True:
        ended, alone = None, False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                alone = True
                break
            if pid == 0:
                break
            if pid == child:
                ended = status
        if ended is not None:
            report(control, ended, alone)
        if alone:
            return 0
        got = signal.sigtimedwait(waited, LOOK_EVERY_S)
        if (got is not None and got.si_signo == signal.SIGTERM) or closed(control):
            end_all()
            return 0


def report(control: int, status: int, alone: bool) -> None:
    """Tell the app how the shell ended, and whether nothing else is left."""
    code = os.waitstatus_to_exitcode(status)
    text = f"exit {code}" if code >= 0 else f"signal {-code}"
    try:
        os.write(control, f"{text}{' alone' if alone else ''}\n".encode())
    except OSError:
        pass


def closed(control: int) -> bool:
    """Whether the app has let go of its side."""
    try:
        return os.read(control, 16) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def end_all() -> None:
    """Stop every descendant, then kill all, until none is left: what is stopped can start nothing more."""
    deadline = time.monotonic() + GIVE_UP_S
    while time.monotonic() < deadline:
        known: set[int] = set()
        while new := descendants() - known:
            for pid in new:
                send(pid, signal.SIGSTOP)
            known |= new
        for pid in known:
            send(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def descendants() -> set[int]:
    """The processes below this one."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    above = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(above, []).append(int(name))
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        waiting += [pid for pid in below if pid not in found]
        found.update(below)
    return found


def send(pid: int, number: int) -> None:
    """A signal to a process that may be gone."""
    try:
        os.kill(pid, number)
    except OSError:
        pass


def be_command(settings: dict[str, list[str]], command: list[str], output: int, control: int) -> None:
    """Become the command, closed in. Does not return."""
    told = os.dup(2)
    try:
        os.setsid()
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        set_limits(*(int(settings[name][0]) for name in ("size", "files")))
        if "abi" in settings:
            close_in(settings)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for descriptor in (output, control):
            os.set_inheritable(descriptor, False)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.execv(command[0], command)  # noqa: S606
    except BaseException as error:  # noqa: BLE001  # whatever it is, the command must not run outside
        os.write(told, f"{FAILED_WORDS}{error}\n".encode("utf-8", "replace"))
    os._exit(FAILED)


def set_limits(size: int, files: int) -> None:
    """No core files, so many bytes a file, so many open files (gate-S21)."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for kind, most in ((resource.RLIMIT_FSIZE, size), (resource.RLIMIT_NOFILE, files)):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def close_in(settings: dict[str, list[str]]) -> None:
    """No capabilities, no new rights, Landlock, the filter; in the order in which each may still be set.

    Raises:
        OSError: one of them was refused; the command must not run.
    """
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    drop_capabilities()
    restrict(settings)
    program = bytes.fromhex(settings["filter"][0])
    text = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.create_string_buffer(struct.pack("@HxxxxxxN", len(program) // 8, ctypes.addressof(text)))
    checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, pointer, 0, 0), "seccomp")


def drop_capabilities() -> None:
    """Give up all capabilities, so that none can be had again, also by root."""
    for number in range(MAX_CAPABILITY):
        if libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            break
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITY_VERSION, 0))
    none = ctypes.create_string_buffer(24)
    checked(libc.syscall(CAPSET[os.uname().machine], header, none), "capset")


def restrict(settings: dict[str, list[str]]) -> None:
    """Put this process and all it starts behind Landlock."""
    abi = int(settings["abi"][0])
    handled = ALL_OF_ABI[5 if abi >= 5 else 4]
    network = 0 if settings["net"][0] == "1" else TCP_ACCESS
    attributes = struct.pack("=QQQ", handled, network, SCOPED)[: 24 if abi >= 6 else 16]
    ruleset = libc.syscall(CREATE_RULESET, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes), 0)
    checked(ruleset, "landlock")
    for name, access in (
        ("read", READ_ACCESS),
        ("write", handled & ~(MAKE_CHAR | MAKE_BLOCK)),
        ("device", READ_FILE | WRITE_FILE | (handled & IOCTL_DEV)),
    ):
        for path in settings.get(name, []):
            allow(ruleset, path, access & handled, needed=name == "write")
    checked(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)


def allow(ruleset: int, path: str, access: int, *, needed: bool) -> None:
    """Open a place up; what cannot be opened stays closed."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        if needed:
            raise
        return
    if not os.path.isdir(f"/proc/self/fd/{place}"):
        access &= FILE_ACCESS
    rule = ctypes.create_string_buffer(struct.pack("=Qi", access, place), 12)
    result = libc.syscall(ADD_RULE, ruleset, 1, rule, 0)
    os.close(place)
    if needed:
        checked(result, f"landlock for {path}")


def checked(result: int, what: str) -> None:
    """Raises OSError with the kernel's reason for a negative result."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)} ({errno.errorcode.get(code, code)})")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
