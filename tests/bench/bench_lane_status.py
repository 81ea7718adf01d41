"""What the state of 20 lanes costs with 50,000 files: `python -m tests.bench.bench_lane_status [LANES FILES]`.

A real window over its real engine; every lane has a commit, changed and new files, and shares some with others. It
tells the time of a whole refresh, how long the window could not have answered meanwhile (beside the same time without a
refresh), and what of that its own thread worked, what foretelling all conflicts takes, and the processor time of an
idle program. On a machine that does other things too, only the work of the thread counts.
"""

import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop.agent.lanes.standing.forecast import LaneForecast, ReadLane
from desktop.app import SWITCH_INTERVAL_S
from desktop.bridge.bridge import Bridge
from desktop.config.folders import Folders
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import LANE_COLORS, Lane
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.services.lanes.status import LaneReader, base_of, read_refs
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from tests.agent.lane_ground import record
from tests.agent.rig import folders_below, git, write_settings
from tests.services.lane_place import add_lane

LANES, FILES, RUNS = 20, 50_000, 6
IDLE_S = 15.0
FRAME_S = 0.016
_SHARES = (("half within", 0.5), ("90 % within", 0.9), ("99 % within", 0.99))
_PER_FOLDER = 100


def make_files(folder: Path, count: int) -> Path:
    """A repository with that many files, in folders of a hundred."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for number in range(count):
        path = folder / f"part{number // _PER_FOLDER // 50}" / f"sub{number // _PER_FOLDER}" / f"file{number}.py"
        if number % _PER_FOLDER == 0:
            path.parent.mkdir(parents=True)
        path.write_text(f"# {number}\n" + "".join(f"line {n}\n" for n in range(10)), encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def make_lanes(repository: Path, root: Path, count: int) -> list[Lane]:
    """Lanes with work: a commit, five changed files of which neighbours share one, and two new ones."""
    lanes = []
    files = sorted(path for path in repository.rglob("*.py"))
    for n in range(count):
        lane = add_lane(repository, root / f"lane{n}", f"lane{n}", n + 1, color=LANE_COLORS[n % len(LANE_COLORS)])
        folder = Path(lane.worktree_path)
        for step in range(5):
            path = folder / files[(n // 2) * 50 + step * (n % 2 + 1)].relative_to(repository)
            path.write_text(path.read_text(encoding="utf-8").replace("line 4", f"lane {n}"), encoding="utf-8")
            if step == 0:
                git(folder, "commit", "-q", "-am", "work")
        for step in range(2):
            (folder / f"new{step}.py").write_text(f"{n}\n", encoding="utf-8")
        lanes.append(lane)
    (repository / "main.py").write_text("main\n", encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "main goes on")
    return lanes


class Ticks:
    """How long the window's thread was away, and how long it worked, from tick to tick of a timer of one
    millisecond."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.work: list[float] = []
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(1)

    def begin(self) -> None:
        """Forget what was so far."""
        self.gaps, self.work = [], []
        self._last, self._worked = time.perf_counter(), time.thread_time()

    def end(self) -> None:
        """Count no more."""
        self._timer.stop()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.gaps.append(now - self._last)
        self.work.append(worked - self._worked)
        self._last, self._worked = now, worked


class OpenWindow:
    """A window of the program; `told`: the lanes that were read since `asked_at`."""

    def __init__(self, folders: Folders, repository: Path) -> None:
        self.told: set[str] = set()
        self.asked_at = utc_now()
        self.bridge = Bridge(folders)
        settings = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
        self.window = whole_window(self.bridge, utc_now, window_parts(settings), settings)
        self.bridge.batch.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self.window.resize(1360, 840)
        self.window.show()
        self.bridge.send(OpenProject(path=str(repository)))
        self.bridge.start()

    def _take(self, updates: list[Update]) -> None:
        self.window.apply_updates(updates)
        for update in updates:
            if isinstance(update, LaneStatusChanged):
                self.told |= {status.lane_id for status in update.statuses if status.read_at >= self.asked_at}

    def until(self, true: Callable[[], bool], limit_s: float = 120.0) -> float:
        """Seconds until it is so, while the window lives."""
        began = time.perf_counter()
        loop, look = QEventLoop(), QTimer()
        look.timeout.connect(lambda: loop.quit() if true() or time.perf_counter() - began > limit_s else None)
        look.start(5)
        loop.exec()
        return time.perf_counter() - began

    def rest(self, seconds: float) -> None:
        """Let the window live for so long."""
        loop = QEventLoop()
        QTimer.singleShot(round(seconds * 1000), loop.quit)
        loop.exec()


def measure_window(folders: Folders, repository: Path, lanes: list[Lane]) -> None:
    """Opening, refreshing, and doing nothing. What was imported is kept from the garbage collector, as
    `desktop.loading.py` does it in the program."""
    gc.freeze()
    opened = OpenWindow(folders, repository)
    ids = {lane.id for lane in lanes}
    print(f"all lanes read after the repository was opened: {opened.until(lambda: opened.told >= ids):.2f} s")
    opened.until(lambda: all(status.predicted_at for status in opened.window.book.lane_book.statuses.values()))
    opened.rest(3)
    ticks, quiet, gaps, work, late = Ticks(), [], [], [], []
    times, spent = [], []
    for _ in range(RUNS):
        ticks.begin()
        opened.rest(1.5)
        quiet.append(max(ticks.gaps))
        opened.told.clear()
        opened.asked_at = utc_now()
        ticks.begin()
        before = _spent()
        opened.bridge.send(RefreshLanes(lane_ids=tuple(ids)))
        times.append(opened.until(lambda: opened.told >= ids))
        gaps.append(max(ticks.gaps))
        work.append(max(ticks.work))
        late += ticks.gaps
        spent.append(_spent() - before)
    print(f"refresh of {len(lanes)} lanes: least {min(times):.2f} s, of {', '.join(f'{one:.2f}' for one in times)}")
    print(f"processor time of a refresh: least {min(spent):.2f} s")
    print(f"longest gap of the window: least {min(gaps) * 1000:.1f} ms, of {_ms(gaps)}; without a refresh {_ms(quiet)}")
    late.sort()
    shares = ", ".join(f"{name} {late[int(len(late) * share)] * 1000:.1f}" for name, share in _SHARES)
    print(f"all gaps in refreshes: {shares} ms, {sum(one > FRAME_S for one in late)} of {len(late)} over 16 ms")
    print(f"most that the window's thread worked between two ticks: least {min(work) * 1000:.1f} ms, of {_ms(work)}")
    ticks.end()
    opened.rest(15)
    before, began = _spent(), time.perf_counter()
    opened.rest(IDLE_S)
    print(f"idle: {(_spent() - before) / (time.perf_counter() - began) * 100:.2f} % of a processor")
    opened.window.close()
    opened.bridge.stop(10)


async def measure_forecast(repository: Path, lanes: list[Lane]) -> None:
    """Foretelling for the first time, and again with nothing changed."""
    refs, reader = await read_refs(repository), LaneReader(utc_now)
    began = time.perf_counter()
    read = [ReadLane(lane, await reader.read(lane, base_of(lane, None, refs), refs)) for lane in lanes]
    print(f"reading them one after another, for the first time: {time.perf_counter() - began:.2f} s")
    began = time.perf_counter()
    for lane in lanes:
        await reader.read(lane, base_of(lane, None, refs), refs)
    print(f"and again: {time.perf_counter() - began:.2f} s")
    done = asyncio.Event()
    forecast = LaneForecast(lambda: read, lambda told: done.set(), utc_now, delay_s=0.0)
    await forecast.open(repository)
    for words in ("the first time", "again"):
        done.clear()
        began = time.perf_counter()
        forecast.changed()
        await done.wait()
        print(f"foretelling {words}: {time.perf_counter() - began:.2f} s")
    await forecast.close()


def _spent() -> float:
    """Processor seconds of this process and of its children that ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _ms(seconds: list[float]) -> str:
    return ", ".join(f"{one * 1000:.1f}" for one in seconds)


def main() -> None:
    """Make the repository, measure, print."""
    lanes_wanted, files = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (LANES, FILES)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        repository = make_files(root / "shop", files)
        folders = folders_below(root / "home")
        write_settings(folders, "http://127.0.0.1:9")
        lanes = make_lanes(repository, folders.lanes / "shop", lanes_wanted)
        record(folders, *lanes)
        asyncio.run(measure_forecast(repository, lanes))
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        app = QApplication([])
        load_fonts()
        install_theme(app)
        measure_window(folders, repository, lanes)


if __name__ == "__main__":
    main()
