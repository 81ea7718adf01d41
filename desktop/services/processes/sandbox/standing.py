"""Standing: whether a bubblewrap frame that was made ready earlier is still what one would be that is made now.

What is mounted in a frame is older than its command, and may come to an end by what is done out here: a mount falls off
when the file or folder that it covers is removed or replaced, so that a new `.git` could be written; a folder that was
renamed goes on to be shown under its old name; a file system that is mounted out here may show up inside, writable. So
it is looked at inside, at the moment when the command is given to it.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from desktop.records import dataclass
from desktop.services.files.plain_paths import facts_of
from desktop.services.processes.sandbox.bubblewrap import Mount

_ESCAPED = {ord(sign): f"\\{ord(sign):03o}" for sign in " \t\n\\"}
_ALWAYS_THERE = ("/", "/proc", "/dev")


@dataclass(frozen=True)
class Standing:
    """A frame as it was when it stood. `first`: the first process in it. `table`: all that was mounted there."""

    first: int
    table: bytes


def look_inside(frame: int) -> Standing | None:
    """The frame of the bwrap with this pid; None where it cannot be looked into. Blocking (a moment)."""
    try:
        first = int(Path(f"/proc/{frame}/task/{frame}/children").read_bytes().split()[0])
        return Standing(first, _table(first))
    except (OSError, ValueError, IndexError):
        return None


def still_stands(frame: Standing, mounts: Iterable[Mount], cwd: Path) -> bool:
    """Whether all of these are mounted in it, of what stands at their places now, and nothing was mounted or fell off
    since. Blocking (some tenths of a millisecond)."""
    inside = f"/proc/{frame.first}"
    try:
        table = _table(frame.first)
        points = {line.split(b" ", 5)[4] for line in table.splitlines()}
        topmost = {mount.place: mount for mount in mounts if mount.place not in _ALWAYS_THERE}
        return (
            table == frame.table
            and os.path.samestat(facts_of(f"{inside}/cwd"), cwd.stat())
            and all(_is_mounted(mount, f"{inside}/root", points) for mount in topmost.values())
        )
    except (OSError, ValueError, IndexError):
        return False


def _is_mounted(mount: Mount, root: str, points: set[bytes]) -> bool:
    """Whether the frame shows at this place what is mounted there by today's state of the disk."""
    is_point = os.fsencode(mount.place.translate(_ESCAPED)) in points
    shown = os.lstat(f"{root}{mount.place}")
    if not mount.source:
        return is_point and shown.st_dev != facts_of(mount.place).st_dev
    return is_point and os.path.samestat(shown, facts_of(mount.source))


def _table(process: int) -> bytes:
    return Path(f"/proc/{process}/mountinfo").read_bytes()
