"""The limits on what a command may use of the machine: every bound in one place (gate-S21).

Processes, threads and memory in use, and what is left of the disk, are looked at from outside while anything of a
command runs (`ResourceWatch`), because the kernel's own bounds do not hold what they should: RLIMIT_NPROC is no bound
for root, and RLIMIT_AS counts what a program reserves, of which Node, Java and Go reserve hundreds of gigabytes without
touching them. A control group would be exact but can be made neither in a container nor from a login by SSH; a look
every quarter of a second lets a command go over a bound for that long, which the numbers allow for. Not seen: memory in
files without a name (memfd) and of System V that no process has mapped.
"""

from pathlib import Path

from desktop.records import dataclass

MAX_PROCESSES = 512
MAX_THREADS = 8_192
MAX_FILE_SIZE = 1024**3
MAX_OPEN_FILES = 4096
PRIVATE_BYTES = 2 * 1024**3
LEAST_FREE_DISK = 512 * 1024**2
ENOUGH_MEMORY = 8 * 1024**3
_MEMORY_OF_CONTAINER = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


@dataclass(frozen=True)
class ProcessLimits:
    """The bounds of one command with all it starts. `private`: bytes in each folder that is empty inside, such as /tmp;
    they count as memory. `free_disk`: bytes that must stay free where the lane lies, if they were when it began."""

    memory: int
    processes: int = MAX_PROCESSES
    threads: int = MAX_THREADS
    private: int = PRIVATE_BYTES
    free_disk: int = LEAST_FREE_DISK


def usual_limits() -> ProcessLimits:
    """Half of the machine's memory, at least 8 GiB but never more than three quarters. Blocking (a moment)."""
    whole = _memory_of_machine()
    return ProcessLimits(memory=min(max(whole // 2, ENOUGH_MEMORY), whole * 3 // 4) if whole else ENOUGH_MEMORY)


def _memory_of_machine() -> int:
    """Bytes, of the container where it has less than the machine; 0: not known."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        known = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:")]
    except (OSError, ValueError, IndexError):
        return 0
    for file in _MEMORY_OF_CONTAINER:
        try:
            known.append(int(file.read_text("ascii")))
        except (OSError, ValueError):
            continue
    return min(known, default=0)


def size_in_words(size: int) -> str:
    """`8 GiB`, `1.5 GiB`, `64 MiB`."""
    if size >= 1024**3:
        return f"{size / 1024**3:.2g} GiB" if size < 100 * 1024**3 else f"{size / 1024**3:.0f} GiB"
    return f"{size / 1024**2:.0f} MiB"
