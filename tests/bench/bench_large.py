"""How long engine and window stand still in a large repository: `python -m tests.bench.bench_large [FILES] [CACHE]`.

The repository is opened, a chat works in a new lane in full auto, its changes and the lanes are shown, and another
engine goes on in the lane, of which it knows nothing yet. Prints the stalls of the engine's loop with the stacks of the
longest, then the gaps of a real window that shows the same. `CACHE` keeps the repository.
"""

import asyncio
import gc
import os
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop.agent.options import EngineOptions
from desktop.app import SWITCH_INTERVAL_S
from desktop.domain.changes.commands import LoadLaneChanges
from desktop.domain.commands import NewSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import LaneAttached, TurnEnded
from desktop.domain.lanes.commands import RefreshLanes
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from tests.agent.rig import Rig, events, folders_below, git, write_settings
from tests.bench.bench_lane_status import FRAME_S, OpenWindow, Ticks
from tests.bench.bench_many import task_of
from tests.bench.bench_step import repository_of
from tests.bench.model_service import model_service
from tests.bench.stalls import Stalls

FILES = 100_000
STEPS = 3
LIMIT_S = 600.0


async def measure_engine(home: Path, repository: Path, url: str) -> None:
    """Open, a chat in a new lane, its changes, the lanes; then a chat in the same lane by an engine of its own."""
    folders = folders_below(home)
    write_settings(folders, url)
    lane_id = ""
    for name in ("new lane", "known lane"):
        rig = Rig(folders, EngineOptions())
        with Stalls() as stalls:
            began = time.perf_counter()
            await rig.open(repository)
            await rig.new(task_of(STEPS), PermissionMode.FULL_AUTO, lane_id=lane_id)
            await rig.until(lambda updates: any(isinstance(one, TurnEnded) for one in events(updates)) or None, LIMIT_S)
            attached = next(one for one in events(rig.updates) if isinstance(one, LaneAttached))
            lane_id = attached.lane_id
            await rig.engine.handle(LoadLaneChanges(lane_id=lane_id))
            await rig.engine.handle(RefreshLanes())
            await asyncio.sleep(3)
        print(f"engine, {name}: {stalls.told()}; {time.perf_counter() - began:.1f} s")
        print(stalls.causes(4), flush=True)
        await rig.engine.stop()


def measure_window(home: Path, repository: Path, url: str) -> None:
    """The gaps of a window that opens the repository and shows a chat in a new lane."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([])
    load_fonts()
    install_theme(app)
    gc.freeze()
    folders = folders_below(home)
    write_settings(folders, url)
    opened = OpenWindow(folders, repository)
    opened.rest(2)
    ticks = Ticks()
    session_id = new_session_id()
    opened.bridge.send(NewSession(session_id=session_id, text=task_of(STEPS), mode=PermissionMode.FULL_AUTO))
    opened.until(lambda: bool(opened.told), LIMIT_S)
    opened.rest(3)
    ticks.end()
    gaps, work = sorted(ticks.gaps), max(ticks.work)
    late = sum(gap > FRAME_S for gap in gaps)
    print(f"window: longest gap {gaps[-1] * 1000:.0f} ms, p99 {gaps[int(len(gaps) * 0.99)] * 1000:.1f} ms, ", end="")
    print(f"{late} of {len(gaps)} over 16 ms; most that its thread worked at once {work * 1000:.1f} ms")
    opened.window.close()
    opened.bridge.stop(10)


def main() -> None:
    """Make the repository, measure, print."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory() as place, model_service(Path(place) / "served") as url:
        template = repository_of(files, Path(sys.argv[2]).absolute() if len(sys.argv) > 2 else Path(place))
        git(Path(place), "-c", "checkout.workers=0", "clone", "-q", str(template), "shop")
        asyncio.run(measure_engine(Path(place) / "engine", Path(place) / "shop", url))
        measure_window(Path(place) / "window", Path(place) / "shop", url)


if __name__ == "__main__":
    main()
