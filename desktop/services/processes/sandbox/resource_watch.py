"""ResourceWatch: looks at what running commands use of the machine, and ends one that goes over its limits.

It looks from outside, through /proc, so that nothing inside can turn it off; where there is no /proc it sees nothing.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from desktop.records import dataclass
from desktop.services.processes.sandbox.limits import ProcessLimits, size_in_words, usual_limits

LOOK_EVERY_S, LATER_S, LATEST_S = 0.25, 0.75, 16.0
OFTEN = 120
AT_REST = 5
"""So many ticks of the clock (10 ms) that all used since the last look are none: they wait for something."""
TRUSTED_LOOKS = 5
"""So many looks in a row rest on what the kernel says of the newest process; a container may say what is not so."""
MAX_ROUNDS = 50
_KIB = 1024
_MOST_ASKED = 3


@dataclass(frozen=True)
class Watched:
    """A command to look at. `root`: the first process of its frame. `private`: folders that may be the command's own.
    `contained`: the rest ends with the first process. `exceeded` is told once, in words that follow "It"."""

    root: int
    disk: Path
    private: tuple[Path, ...]
    contained: bool
    exceeded: Callable[[str], None]
    enough_disk: bool = True


class ResourceWatch:
    """For all commands of the program; every method belongs to the engine's loop. It works only while one runs."""

    def __init__(self, limits: ProcessLimits | None = None) -> None:
        self.limits = limits if limits is not None else usual_limits()
        self._watched: dict[int, Watched] = {}
        self._children = Children()
        self._task: asyncio.Task[None] | None = None
        self._looks, self._later_s, self._spent = 0, LATER_S, 0
        self._roused = asyncio.Event()

    def add(self, one: Watched) -> None:
        """Watch this command until all of its processes have ended, more rarely when no new one was added for half a
        minute, and the more rarely the longer all of them wait."""
        self._watched[one.root] = one
        self._looks = 0
        self.rouse()
        if self._task is None:
            self._task = asyncio.create_task(self._look_on(), name="resource watch")

    def rouse(self) -> None:
        """One of them has a reason to work again."""
        self._later_s = LATER_S
        self._roused.set()

    async def close(self) -> None:
        """Stop watching all commands."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _look_on(self) -> None:
        """In a thread of its own: it must not wait until other slow work is done."""
        loop = asyncio.get_running_loop()
        try:
            with ThreadPoolExecutor(1, "resource watch") as thread:
                while self._watched:
                    if self._looks > OFTEN:
                        with contextlib.suppress(TimeoutError):
                            async with asyncio.timeout(self._later_s):
                                await self._roused.wait()
                    self._roused.clear()
                    self._looks += 1
                    await asyncio.sleep(LOOK_EVERY_S)
                    watched = tuple(self._watched.values())
                    below = partial(self._children.below, anew=self._looks <= OFTEN)
                    found, spent = await loop.run_in_executor(thread, _look, watched, self.limits, below)
                    self._note_rest(spent)
                    for root, words in found.items():
                        one = self._watched.pop(root)
                        if words:
                            one.exceeded(words)
                            await loop.run_in_executor(thread, _kill, one)
        finally:
            self._task = None

    def _note_rest(self, spent: int) -> None:
        """While nothing of them uses the processor, none can go over a limit: each look comes after twice the time."""
        rests = self._looks > OFTEN and not self._roused.is_set() and abs(spent - self._spent) <= AT_REST
        self._later_s = min(2 * self._later_s, LATEST_S) if rests else LATER_S
        self._spent = spent


def enough_disk(place: Path, limits: ProcessLimits) -> bool:
    """Whether more than the least is free there."""
    return _free(place) > limits.free_disk


class Children:
    """The children of each process of the machine, read anew only where a process or thread began since: with nothing
    new, who stands below whom can only grow less."""

    def __init__(self) -> None:
        self._newest, self._known = b"", dict[int, list[int]]()
        self._trusted = 0

    def below(self, *, anew: bool = True) -> dict[int, list[int]]:
        """By their parent, at least those that there are now. Blocking."""
        newest = _newest()
        self._trusted += 1
        if anew or not newest or newest != self._newest or self._trusted > TRUSTED_LOOKS:
            self._newest, self._known, self._trusted = newest, _below(), 0
        return self._known


def _newest() -> bytes:
    """The number of the process or thread that began last, as the kernel says; nothing where it says none."""
    try:
        return _read("/proc/loadavg").split()[-1]
    except (OSError, IndexError):
        return b""


def _look(
    watched: Iterable[Watched], limits: ProcessLimits, children: Callable[[], dict[int, list[int]]]
) -> tuple[dict[int, str], int]:
    """Those that need no more looks, by their first process: which limit was passed, "": all has ended; and the ticks
    that the others have used of the processor. Blocking. Most have ended before the first look: for these nobody asks
    all processes of the machine."""
    running = [one for one in watched if _parent(one.root) == os.getpid()]
    found = {one.root: "" for one in watched if one not in running}
    below, spent = children() if running else {}, 0
    for one in running:
        tree = _tree(one.root, below)
        if words := _passed(one, tree, limits):
            found[one.root] = words
        spent += sum(_spent(pid) for pid in (one.root, *tree))
    return found, spent


def _passed(one: Watched, tree: list[int], limits: ProcessLimits) -> str:
    if len(tree) > limits.processes:
        return f"used more than {limits.processes} processes"
    threads, memory = _in_use(tree)
    if threads > limits.threads:
        return f"used more than {limits.threads} threads"
    if memory + (held := _held(one, tree)) > limits.memory and _exactly(tree) + held > limits.memory:
        return f"used more than {size_in_words(limits.memory)} of memory"
    if one.enough_disk and _free(one.disk) < limits.free_disk:
        return f"left less than {size_in_words(limits.free_disk)} of the disk free"
    return ""


def _below() -> dict[int, list[int]]:
    """The children of each process of the machine."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208  # several times a second
            if name.isdecimal():
                children.setdefault(_parent(name), []).append(int(name))
    return children


def _parent(pid: int | str) -> int:
    """The process that started this one or took it over; -1: it is gone."""
    try:
        return int(_stat(pid)[1])
    except (OSError, IndexError, ValueError):
        return -1


def _spent(pid: int) -> int:
    """Ticks that it used of the processor, with those of all that it started and saw end."""
    try:
        return sum(map(int, _stat(pid)[11:15]))
    except (OSError, ValueError):
        return 0


def _stat(pid: int | str) -> list[bytes]:
    """The words of its `stat` behind the name, from the state on (proc_pid_stat(5))."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _tree(root: int, below: dict[int, list[int]]) -> list[int]:
    """All that the first process of a frame started, which is what the command is made of, oldest first."""
    found, waiting = [], [root]
    while waiting:
        started = below.get(waiting.pop(), [])
        found += started
        waiting += started
    return sorted(found)


def _in_use(tree: Iterable[int]) -> tuple[int, int]:
    """Threads, and bytes of memory where what several share counts for each: never less than there is."""
    threads = memory = 0
    for pid in tree:
        facts = _facts(f"/proc/{pid}/status")
        threads += facts.get("Threads", 0)
        memory += (facts.get("VmRSS", 0) + facts.get("VmSwap", 0)) * _KIB
    return threads, memory


def _exactly(tree: Iterable[int]) -> int:
    """Bytes of memory where what several share counts once. Slow: the kernel goes through all of it."""
    total = 0
    for pid in tree:
        facts = _facts(f"/proc/{pid}/smaps_rollup")
        if not facts:
            facts = _facts(f"/proc/{pid}/status")
            total += (facts.get("VmRSS", 0) + facts.get("VmSwap", 0)) * _KIB
        total += (facts.get("Pss", 0) + facts.get("SwapPss", 0)) * _KIB
    return total


def _held(one: Watched, tree: list[int]) -> int:
    """Bytes in the folders that are the command's own and lie in memory, as its youngest process sees them."""
    for pid in reversed(tree[-_MOST_ASKED:]):
        with contextlib.suppress(OSError):
            return sum(_filled(Path(f"/proc/{pid}/root{folder}"), folder) for folder in one.private)
    return 0


def _filled(inside: Path, folder: Path) -> int:
    found = os.statvfs(inside)
    try:
        if inside.stat().st_dev == folder.stat().st_dev:
            return 0
    except FileNotFoundError:
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _free(place: Path) -> int:
    try:
        found = os.statvfs(place)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


def _kill(one: Watched) -> None:
    """End all of it now. Stopped first and then killed, so that nothing starts more meanwhile; a container at once."""
    if one.contained:
        _send(one.root, signal.SIGKILL)
        return
    stopped: set[int] = set()
    for _ in range(MAX_ROUNDS):
        new = set(_tree(one.root, _below())) - stopped
        for pid in new:
            _send(pid, signal.SIGSTOP)
        stopped |= new
        if not new:
            break
    for pid in stopped:
        _send(pid, signal.SIGKILL)


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _facts(file: str) -> dict[str, int]:
    """The numbers of a file of lines such as `VmRSS:  1234 kB`; none when the process is gone or not ours to see."""
    found: dict[str, int] = {}
    with contextlib.suppress(OSError):
        for line in _read(file).splitlines():
            name, _, rest = line.partition(b":")
            words = rest.split()
            if words and words[0].isdigit():
                found[name.decode("ascii", "replace")] = int(words[0])
    return found


def _read(file: str) -> bytes:
    opened = os.open(file, os.O_RDONLY)
    try:
        return os.read(opened, 8192)
    finally:
        os.close(opened)
