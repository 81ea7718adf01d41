"""Finding and ending everything that a command started, also what left its process group (gate-S23)."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.late import late
from desktop.records import dataclass
from desktop.services.processes.sandbox.frame import FRAME_NAME

if TYPE_CHECKING:
    import psutil

CALL_VARIABLE = "BANKSMAN_CALL"
SESSION_VARIABLE = "BANKSMAN_SESSION"
GRACE_S = 2.0
SWEEP_S = 5.0
_POLL_S = 0.05
_PROC = Path("/proc")


def marked_processes(variable: str, values: Iterable[str]) -> "dict[psutil.Process, str]":
    """Every living process of this user whose environment holds `variable` with one of `values`, and that value. This
    program itself is left out. Blocking (some milliseconds)."""
    wanted = frozenset(values)
    own = os.getpid()
    found: dict[psutil.Process, str] = {}
    for process in _candidates(variable, wanted):
        try:
            value = process.environ().get(variable) if process.pid != own else None
        except (late("psutil").Error, OSError):
            continue
        if value in wanted and alive(process):
            found[process] = str(value)
    return found


def _candidates(variable: str, values: Iterable[str]) -> "Iterator[psutil.Process]":
    """Every process that may hold `variable` with one of `values`. Where the system tells environments as files, they
    are looked through first, so that a start that finds nothing needs no psutil (0.03 s)."""
    if not _PROC.joinpath("self/environ").exists():
        yield from late("psutil").process_iter()
        return
    signs = [f"{variable}={value}".encode() for value in values]
    for folder in _PROC.iterdir():
        try:
            environ = (folder / "environ").read_bytes() if signs and folder.name.isdecimal() else b""
        except OSError:
            continue
        process = _process(int(folder.name)) if any(sign in environ for sign in signs) else None
        if process is not None:
            yield process


def alive(process: "psutil.Process") -> bool:
    """Whether the process still runs; a zombie does not."""
    try:
        return bool(process.is_running() and process.status() != late("psutil").STATUS_ZOMBIE)
    except (late("psutil").Error, OSError):
        return False


@dataclass(frozen=True)
class ProcessFacts:
    """A process as a person knows it. `pid` and `started` name it together."""

    pid: int
    started: float
    name: str
    command: str


def process_facts(process: "psutil.Process") -> ProcessFacts | None:
    """The facts about a process, None when it is gone."""
    try:
        return ProcessFacts(process.pid, process.create_time(), process.name(), " ".join(process.cmdline()))
    except (late("psutil").Error, OSError):
        return None


def session_of(pid: int) -> int | None:
    """The leader of the session that a process is in, None when it is gone or there are no sessions."""
    return _session_of(pid)


def session_lives(leader: int) -> bool:
    """Whether anything of a session still runs, although its leader may be gone. Blocking (some milliseconds)."""
    return any(_session_of(pid) == leader for pid in late("psutil").pids())


async def end_process(pid: int, started: float) -> bool:
    """Ask this very process to end, and make it after a while. False: it goes on, or there is no such process."""
    process = await asyncio.to_thread(_process, pid)
    facts = await asyncio.to_thread(process_facts, process) if process is not None else None
    if process is None or facts is None or facts.started != started:
        return False
    for number in (signal.SIGTERM, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL):
        _signal_all([process], number)
        await asyncio.to_thread(_wait_gone, [process], GRACE_S)
        if not alive(process):
            return True
    return False


def members(pid: int, call_mark: str) -> "list[psutil.Process]":
    """The living processes of one command: below `pid`, in its session, or carrying its mark, whatever group they are
    in. Blocking (some milliseconds): call it in a thread."""
    found: dict[int, psutil.Process] = {}
    try:
        root = late("psutil").Process(pid)
        found[pid] = root
        found.update({child.pid: child for child in root.children(recursive=True)})
    except (late("psutil").Error, OSError):
        pass
    for process in marked_processes(CALL_VARIABLE, (call_mark,)):
        found[process.pid] = process
    if sys.platform != "win32":
        for candidate in late("psutil").pids():
            if candidate not in found and _session_of(candidate) == pid:
                with_same_session = _process(candidate)
                if with_same_session is not None:
                    found[candidate] = with_same_session
    return [process for process in found.values() if alive(process)]


def _session_of(pid: int) -> int | None:
    if sys.platform == "win32":
        return None
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _process(pid: int) -> "psutil.Process | None":
    try:
        process: psutil.Process = late("psutil").Process(pid)
        return process
    except (late("psutil").Error, OSError):
        return None


def _signal_all(processes: "Iterable[psutil.Process]", number: int) -> None:
    for process in processes:
        try:
            process.send_signal(number)
        except (late("psutil").Error, OSError):
            continue


def _signal_group(pid: int, number: int) -> None:
    if sys.platform == "win32":
        return
    try:
        if os.getpgid(pid) == pid:
            os.killpg(pid, number)
    except OSError:
        return


def without_frame(processes: "Iterable[psutil.Process]", root: int) -> "list[psutil.Process]":
    """The processes of a command without those of the frame around it, whose first process is `root`. Blocking."""
    outer = _words_of(_process(root))
    kept = []
    for process in processes:
        words = _words_of(process)
        if process.pid != root and (not words or words != outer) and FRAME_NAME not in words[:6]:
            kept.append(process)
    return kept


def _words_of(process: "psutil.Process | None") -> list[str]:
    try:
        return list(process.cmdline()) if process is not None else []
    except (late("psutil").Error, OSError):
        return []


async def end_tree(pid: int, call_mark: str, *, framed: bool = False) -> tuple[int, tuple[int, ...]]:
    """End a command and all it started: ask, wait 2 s, kill, and look again until nothing is left or 5 s have passed.

    `framed`: `pid` is a frame, which is spared until nothing else is left, since what is below it cannot leave it, or
    until half of that time has passed: a frame that keeps starting something has always something left.
    Returns how many processes there were, the frame's own left out, and the pids that could not be ended.
    """
    everyone = await asyncio.to_thread(members, pid, call_mark)
    first = await asyncio.to_thread(without_frame, everyone, pid) if framed else everyone
    seen = {process.pid for process in first}
    if not framed:
        _signal_group(pid, signal.SIGTERM)
    _signal_all(first, signal.SIGTERM)
    await asyncio.to_thread(_wait_gone, first, GRACE_S)
    kill = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
    deadline = time.monotonic() + SWEEP_S
    left = await asyncio.to_thread(members, pid, call_mark)
    left += [process for process in first if process not in left and alive(process)]
    while left and time.monotonic() < deadline:
        sparing = framed and time.monotonic() < deadline - SWEEP_S / 2
        spared = [process for process in left if process.pid != pid] if sparing else left
        if framed:
            seen.update(process.pid for process in await asyncio.to_thread(without_frame, spared, pid))
        else:
            seen.update(process.pid for process in left)
            _signal_group(pid, kill)
        _signal_all(spared or left, kill)
        await asyncio.to_thread(_wait_gone, spared or left, 0.5)
        left = await asyncio.to_thread(members, pid, call_mark)
    return len(seen), tuple(sorted(process.pid for process in left))


def running_below(pid: int, call_mark: str) -> frozenset[ProcessFacts]:
    """What runs of a command, without its frame. Blocking (some milliseconds)."""
    return frozenset(_known(pid, call_mark).values())


async def end_others(pid: int, call_mark: str, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
    """End what runs of a command and is not among `kept`, unless it ends by itself within 2 s; what was ended."""
    known = await asyncio.to_thread(_known, pid, call_mark)
    names = {(one.pid, one.started) for one in kept}
    others = {process: facts for process, facts in known.items() if (facts.pid, facts.started) not in names}
    await asyncio.to_thread(_wait_gone, list(others), GRACE_S)
    ended = {process: facts for process, facts in others.items() if alive(process)}
    for number in (signal.SIGTERM, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL):
        left = [process for process in ended if alive(process)]
        _signal_all(left, number)
        await asyncio.to_thread(_wait_gone, left, GRACE_S)
    return tuple(ended.values())


def _known(pid: int, call_mark: str) -> "dict[psutil.Process, ProcessFacts]":
    own = without_frame(members(pid, call_mark), pid)
    known = ((process, process_facts(process)) for process in own)
    return {process: facts for process, facts in known if facts is not None}


async def end_marked(variable: str, values: Iterable[str]) -> dict[str, list[str]]:
    """End every process whose environment holds `variable` with one of `values`, and what those started, but never
    this program or what it was started from. Returns value → names of what was found."""
    found = await asyncio.to_thread(_marked_strangers, variable, values)
    names: dict[str, list[str]] = {}
    for process, value in found.items():
        names.setdefault(value, []).append(await asyncio.to_thread(_name_of, process))
    number = signal.SIGTERM
    for _ in range(2):
        _signal_all(found, number)
        await asyncio.to_thread(_wait_gone, list(found), GRACE_S)
        found = {process: value for process, value in found.items() if alive(process)}
        number = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
    return names


def _marked_strangers(variable: str, values: Iterable[str]) -> "dict[psutil.Process, str]":
    marked = marked_processes(variable, values)
    if not marked:
        return marked
    try:
        above = {process.pid for process in late("psutil").Process().parents()}
    except (late("psutil").Error, OSError):
        above = set()
    return {process: value for process, value in marked.items() if process.pid not in above}


def _name_of(process: "psutil.Process") -> str:
    try:
        return f"{process.name()} (pid {process.pid})"
    except (late("psutil").Error, OSError):
        return f"pid {process.pid}"


def _wait_gone(processes: "list[psutil.Process]", limit_s: float) -> None:
    """Blocking. Polls, because psutil's own wait would take the exit status from asyncio."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline and any(alive(process) for process in processes):
        time.sleep(_POLL_S)
