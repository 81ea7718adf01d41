"""Programs that run on this computer: what people call one, and which lane it was started in."""

from typing import TYPE_CHECKING

from desktop.late import late
from desktop.records import dataclass
from desktop.services.processes.environment import LANE_VARIABLE

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True)
class Program:
    """`label`: its name and pid, or the pid alone. `lane_id`: the lane it was started in, "" for none or when it cannot
    be told (it belongs to somebody else, or has ended)."""

    label: str
    lane_id: str = ""


def program_of(pid: int) -> Program:
    """The program that has this pid now. Blocking (about a millisecond)."""
    try:
        process: psutil.Process = late("psutil").Process(pid)
        label = f"{process.name()}, pid {pid}"
    except (late("psutil").Error, OSError):
        return Program(f"pid {pid}")
    try:
        return Program(label, str(process.environ().get(LANE_VARIABLE, "")))
    except (late("psutil").Error, OSError):
        return Program(label)
