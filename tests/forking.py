"""Real processes that need not load the program first: each is forked from one that loaded all of it once.

A program is a module with `prepare()`, which loads what it needs, and `main(argv)`, which gives its exit status. A
forked one has its own pipes, folder, environment, signals and end, as one started anew; what a start itself does
(its imports, what it has not loaded) is only seen in one that is started with `python -m`.

python -m tests.forking: that process. It is told on its stdin, a socket, until that closes.
"""

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
MESSAGE_BYTES = 1 << 20
CHILD_SIGNALS = {signal.SIGCHLD}
ENDS_WITHIN_S = 10.0


class Forked:
    """A process. `stdout` and `stderr` are pipes, or None where it was given a terminal."""

    def __init__(self, pid: int, told: IO[bytes], stdout: IO[bytes] | None, stderr: IO[bytes] | None) -> None:
        self.pid = pid
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None
        self._told = told

    def poll(self, timeout_s: float = 0.0) -> int | None:
        """The exit status, below 0 for the signal that ended it; None while it lives."""
        if self.returncode is None and select.select([self._told], [], [], timeout_s)[0]:
            self.returncode = int(self._told.readline())
        return self.returncode

    def wait(self, timeout_s: float = ENDS_WITHIN_S) -> int:
        """The exit status, once it has ended.

        Raises:
            TimeoutError: it lives on.
        """
        status = self.poll(timeout_s)
        if status is None:
            raise TimeoutError(f"process {self.pid} did not end within {timeout_s} s")
        return status

    def send_signal(self, number: int) -> None:
        """Nothing, if it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it ended just now
                os.kill(self.pid, number)

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """What it still writes, to its end; it is killed if that does not come in time."""
        late = threading.Timer(timeout, self.send_signal, (signal.SIGKILL,))
        late.start()
        said: dict[int, bytes] = {}
        streams = [stream for stream in (self.stdout, self.stderr) if stream is not None]
        readers = [threading.Thread(target=lambda s=stream: said.update({id(s): s.read()})) for stream in streams]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        self.wait(timeout)
        late.cancel()
        late.join()
        return said.get(id(self.stdout), b""), said.get(id(self.stderr), b"")

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *error: object) -> None:
        """It is over, and nothing of it stays open."""
        self.send_signal(signal.SIGKILL)
        self.wait()
        for stream in (self.stdout, self.stderr, self._told):
            if stream is not None:
                stream.close()


def fork(
    program: str, words: list[str], cwd: Path, env: dict[str, str], *, session: bool = False, stdin: int | None = None
) -> Forked:
    """Start a program, the module's name and its words, on pipes. `session`: it leads a process group of its own.
    `stdin`: what it reads, which stays the caller's to close; None: nothing."""
    (out, out_end), (error, error_end) = os.pipe(), os.pipe()
    with open(os.devnull, "rb") as null, open(out_end, "wb") as stdout, open(error_end, "wb") as stderr:  # noqa: PTH123
        streams = [null.fileno() if stdin is None else stdin, stdout.fileno(), stderr.fileno()]
        pid, told = _order([program, words, str(cwd), env, False, session], streams)
    return Forked(pid, told, os.fdopen(out, "rb"), os.fdopen(error, "rb"))


def fork_on_terminal(program: str, words: list[str], cwd: Path, env: dict[str, str], terminal: int) -> Forked:
    """Start a program whose own terminal is the pseudo-terminal whose end is given."""
    return Forked(*_order([program, words, str(cwd), env, True, True], [terminal] * 3), None, None)


def _order(order: list[object], streams: list[int]) -> tuple[int, IO[bytes]]:
    """The number of the new process, and where its end will be told."""
    told, telling = os.pipe()
    socket.send_fds(_forker(), [json.dumps(order).encode()], [*streams, telling])
    os.close(telling)
    answer = os.fdopen(told, "rb")
    return int(answer.readline()), answer


@functools.cache
def _forker() -> socket.socket:
    """The socket of this process's forker, which ends with this process at the latest."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MESSAGE_BYTES)
    process = subprocess.Popen([sys.executable, "-m", "tests.forking"], cwd=ROOT, stdin=theirs)
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# In the forker


_LIVING: dict[int, int] = {}


def serve(orders: socket.socket) -> None:
    """Fork what is asked for, and tell of each its number and its end, until nobody asks any more."""
    signal.signal(signal.SIGCHLD, _bury)
    while True:
        raw, handles, _, _ = socket.recv_fds(orders, MESSAGE_BYTES, 4)
        if not raw:
            return
        program, words, cwd, env, terminal, session = json.loads(raw)
        module = _prepared(program)
        signal.pthread_sigmask(signal.SIG_BLOCK, CHILD_SIGNALS)
        pid = os.fork()
        if pid == 0:
            orders.close()
            os.close(handles[3])
            _become(handles[:3], cwd, env, terminal, session)
            sys.exit(module.main(words))
        for handle in handles[:3]:
            os.close(handle)
        _LIVING[pid] = handles[3]
        os.write(handles[3], f"{pid}\n".encode())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, CHILD_SIGNALS)


@functools.cache
def _prepared(program: str) -> ModuleType:
    module = importlib.import_module(program)
    module.prepare()
    gc.collect()
    gc.freeze()
    return module


def _become(streams: list[int], cwd: str, env: dict[str, str], terminal: bool, session: bool) -> None:
    """What the interpreter and whoever starts a process do before its first line."""
    for told in _LIVING.values():
        os.close(told)
    _LIVING.clear()
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
    for handle in streams:
        os.close(handle)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, CHILD_SIGNALS)
    if session:
        os.setsid()
    if terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    random.seed()
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # as Python's own three are
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115


def _bury(_number: int, _frame: object) -> None:
    """Tell of each that has ended."""
    while _LIVING:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        told = _LIVING.pop(pid)
        with suppress(BrokenPipeError):
            os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os.close(told)


if __name__ == "__main__":
    serve(socket.socket(fileno=os.dup(0)))
