"""When the times of a file tell two changes apart: a tick of the system's clock after one where that is known, else
two seconds."""

import os
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from desktop.services.files.lane_view import Stamp, last_change_ns

RACY_NS = 2_000_000_000
"""What was read so soon after its last change may have been changed once more under the same times."""
PRECISE = frozenset({"btrfs", "ext4", "f2fs", "overlay", "tmpfs", "xfs"})
"""File systems that note the time of a change in nanoseconds, by the clock that `moment_ns` reads."""
MS = 1_000_000
"""A time without a part below this is not believed to be precise: an old ext4 keeps whole seconds."""
MOUNTS = Path("/proc/self/mountinfo")
_COARSE_CLOCK = 5  # CLOCK_REALTIME_COARSE, which the time module does not name
_ESCAPED = re.compile(r"\\([0-7]{3})")


def moment_ns() -> int:
    """Now, in ns since 1970. On Linux by the clock of which file systems take the time of a change: it moves by ticks
    of 1 to 10 ms, and no change that happens after this gets an earlier time."""
    return time.clock_gettime_ns(_COARSE_CLOCK) if sys.platform == "linux" else time.time_ns()


def are_precise(places: Iterable[Path], lane: Path | None = None) -> bool:
    """Whether all these files and folders stand on file systems that note changes by the system's own clock. `lane`: a
    folder in which this must hold for everything. Blocking."""
    kinds = _mounted()
    if lane is not None and any(mount.startswith(f"{os.path.realpath(lane)}/") for mount in kinds):
        return False
    return all(_kind_at(os.path.realpath(place), kinds) in PRECISE for place in places)


def settled(stamp: Stamp, moment: int, *, precise: bool) -> bool:
    """Whether every change after this `moment_ns()` gives an entry another stamp. `precise`: of where it stands."""
    last = last_change_ns(stamp)
    fine = precise and last != 0 and int(stamp[-10:-1]) % MS != 0
    return last < (moment if fine else moment - RACY_NS)


def _mounted() -> dict[str, str]:
    """The kinds of the file systems by the places where they stand; of two at one place the upper one's."""
    try:
        lines = [line.split(" ") for line in MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()]
        return {_ESCAPED.sub(lambda found: chr(int(found[1], 8)), one[4]): one[one.index("-") + 1] for one in lines}
    except (OSError, ValueError, IndexError):
        return {}


def _kind_at(place: str, kinds: dict[str, str]) -> str:
    """The kind of the file system on which this is, or would be."""
    while place not in kinds and place != "/":
        place = os.path.dirname(place)  # noqa: PTH120 - as text
    return kinds.get(place, "")
