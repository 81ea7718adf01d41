"""Started inside the sandbox, by itself: runs commands one by one and tells which files each opened or changed, how
many processes it made and what it asked of the network. Linux and the standard library only.

    python -I watched_commands.py FOLDER…     a JSON list of words a line on stdin, a JSON object a line on stdout

The kernel tells of every file below the folders that is opened, changed or made (inotify), whichever program does it,
and has told it when the program has ended. It says nothing of a program that only asks for a file's size or times.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

LIMIT_S = 5.0
MAX_OUTPUT = 1 << 20
OPEN, LIST_BIT, OVERFLOW = 0x20, 0x40000000, 0x4000
CHANGES = {0x2: "changed", 0x4: "attributes", 0x8: "opened for writing", 0x40: "moved", 0x80: "moved", 0x100: "made",
           0x200: "deleted", 0x400: "deleted", 0x800: "moved"}  # fmt: skip
_EVENT = struct.Struct("iIII")
_COUNTERS = ("OutRequests", "OutNoRoutes", "ActiveOpens", "OutDatagrams")


class Watch:
    """Everything that happens to files below some folders."""

    def __init__(self, folders: list[str]) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._places: dict[int, str] = {}
        mask = OPEN | sum(CHANGES)
        for top in folders:
            for folder, _, _ in os.walk(top):
                watched = libc.inotify_add_watch(self._fd, os.fsencode(folder), mask)
                if watched < 0:
                    raise OSError(ctypes.get_errno(), "cannot be watched", folder)
                self._places[watched] = folder

    def happened(self) -> tuple[list[str], list[str]]:
        """The files and folders that were opened, and what was changed how, since the last call."""
        opened: dict[str, None] = {}
        changed: dict[str, None] = {}
        for place, mask in self._events():
            if mask & OPEN:
                opened[place] = None
            for bit, word in CHANGES.items():
                if mask & bit:
                    changed[f"{place} ({word})"] = None
        return list(opened), list(changed)

    def _events(self) -> Iterator[tuple[str, int]]:
        while True:
            try:
                told = os.read(self._fd, 1 << 16)
            except BlockingIOError:
                return
            at = 0
            while at < len(told):
                watched, mask, _, length = _EVENT.unpack_from(told, at)
                if mask & OVERFLOW:
                    raise OverflowError("more happened than the kernel could tell")
                name = os.fsdecode(told[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0"))
                yield os.path.join(self._places[watched], name).rstrip("/"), mask  # noqa: PTH118 - thousands of them
                at += _EVENT.size + length


def network_use() -> int:
    """How often anything in this network namespace asked for something outside of itself."""
    lines = Path("/proc/net/snmp").read_text("ascii").splitlines()
    total = 0
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        facts = dict(zip(names.split(), values.split(), strict=True))
        total += sum(int(facts.get(counter, 0)) for counter in _COUNTERS)
    return total


def last_process() -> int:
    """The highest process id that was given out in this namespace."""
    try:
        return int(Path("/proc/sys/kernel/ns_last_pid").read_text("ascii"))
    except FileNotFoundError:  # a kernel without checkpoints
        return run(["true"])[0] - 1


def run(words: list[str]) -> tuple[int, bytes, bool]:
    """Runs one command to its end: its process id, its output, and whether it ended by itself."""
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, writing, 2),
    ]
    pid = os.posix_spawnp(words[0], words, os.environ, file_actions=actions, setsid=True)
    os.close(writing)
    output, ended = _read_all(reading)
    os.close(reading)
    if not ended:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return pid, output, ended


def _read_all(pipe: int) -> tuple[bytes, bool]:
    output = bytearray()
    until = time.monotonic() + LIMIT_S
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while len(output) < MAX_OUTPUT and poll.poll(max(0.0, until - time.monotonic()) * 1000):
        some = os.read(pipe, 1 << 16)
        if not some:
            return bytes(output), True
        output += some
    return bytes(output), False


def main() -> None:
    """Runs what comes in, one command at a time."""
    os.sched_setaffinity(0, [next(iter(os.sched_getaffinity(0)))])  # programs make no threads for more processors
    watch = Watch(sys.argv[1:])
    used = network_use()
    for line in sys.stdin:
        watch.happened()
        words = json.loads(line)
        try:
            pid, output, ended = run(words)
        except OSError as e:
            print(json.dumps({"failed": str(e)}), flush=True)
            continue
        after = last_process()
        opened, changed = watch.happened()
        now = network_use()
        told = {
            "opened": opened,
            "changed": changed,
            "more_processes": after - pid,
            "network": now - used,
            "ended": ended,
            "output": output.decode("utf-8", "replace")[:200_000],
        }
        print(json.dumps(told), flush=True)
        used = now


if __name__ == "__main__":
    main()
