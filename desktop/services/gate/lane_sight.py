"""How a lane stands around commands: its protected places and what is odd in it, by one view of its entries."""

from pathlib import Path

from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView
from desktop.services.gate.guarded_places import Guarded, GuardedPlaces
from desktop.services.gate.lane_scan import LaneScan, LaneScanner
from desktop.services.gate.planted import Planted, put_right


@dataclass(frozen=True)
class Sighted:
    """How a lane stands. `planted`: what commands planted in it before, which is undone."""

    scan: LaneScan
    guarded: Guarded
    planted: Planted


class LaneSight:
    """The protected places and oddities of one lane. `view`: looks that others make with it serve here as well. One
    thread at a time, blocking."""

    def __init__(self, files: LaneFiles, view: LaneView | None = None) -> None:
        self._view = view or LaneView(files.root)
        self._places = GuardedPlaces(files.root, self._view)
        self._scanner = LaneScanner(files, self._view)

    def now(self, since: float, before: Guarded | None, aside: Path | None) -> Sighted:
        """How the lane stands, by a look that began at this `time.monotonic()` or later. `before`: how the protected
        places stood before commands; what these planted goes to `aside`. None: there were none."""
        self._view.since(since)
        planted = put_right(self._places, before, aside) if before is not None and aside is not None else Planted()
        return Sighted(self._scanner.now(), planted.left or self._places.now(), planted)
