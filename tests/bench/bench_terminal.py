"""How fast terminals are emulated, and how a flood keeps the window waiting: `python -m tests.bench.bench_terminal`.

First the emulation alone, best of three, in MB for each second of processor time. Then a real window over a real engine
and a shell that prints without end: the longest gap between two turns of the window's loop, beside the longest while
the shell is quiet.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QElapsedTimer, QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop.app import SWITCH_INTERVAL_S
from desktop.bridge.bridge import Bridge
from desktop.config.folders import Folders
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_id
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.terminals.updates import row_text
from desktop.services.terminals.codes import TerminalCodes
from desktop.services.terminals.screen import Screen
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from desktop.ui.window.main_window import MainWindow

LINES = 20_000
KINDS = {
    "plain lines": "line {n} of a build log, some words to fill the row of it\r\n",
    "coloured lines": "\x1b[32mok\x1b[0m test_{n} \x1b[1;31mfail\x1b[m some words to fill\r\n",
    "other scripts": "zeile {n} größer als 漢字 und ─── {n}\r\n",
    "full screen": "\x1b[{row};1H\x1b[2K\x1b[7m {n:6d} \x1b[m\x1b[38;5;117m█████\x1b[m rest of the row {n}",
}
SECONDS = 5.0


def emulation() -> None:
    """Megabytes a second, each kind of output by itself."""
    for kind, form in KINDS.items():
        raw = "".join(form.format(n=n, row=n % 24 + 1) for n in range(LINES)).encode()
        best = 0.0
        for _ in range(3):
            codes = TerminalCodes(Screen(120, 24))
            began = time.process_time()
            for at in range(0, len(raw), 4096):
                codes.feed(raw[at : at + 4096])
            best = max(best, len(raw) / 1e6 / (time.process_time() - began))
        print(f"{kind:15} {best:6.1f} MB/s")


class Gaps:
    """The times between turns of the window's loop."""

    def __init__(self) -> None:
        self._clock = QElapsedTimer()
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self._tick)
        self.gaps: list[float] = []

    def over(self, seconds: float) -> list[float]:
        """Milliseconds, longest first, while the loop turns for so long."""
        self.gaps = []
        self._clock.start()
        self._timer.start()
        wait(seconds)
        self._timer.stop()
        return sorted(self.gaps, reverse=True)

    def _tick(self) -> None:
        self.gaps.append(self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()


def wait(seconds: float) -> None:
    """Let the loop turn."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def window(home: Path) -> tuple[Bridge, MainWindow, str]:
    """A window with a lane that has a terminal open."""
    repository = home / "shop"
    repository.mkdir()
    (repository / "a.txt").write_text("a\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    folders = Folders(home / "config", home / "data", home / "cache", home / "logs")
    bridge = Bridge(folders)
    settings = QSettings(str(home / "window.ini"), QSettings.Format.IniFormat)
    made = whole_window(bridge, utc_now, window_parts(settings), settings)
    bridge.batch.connect(made.apply_updates, Qt.ConnectionType.QueuedConnection)
    made.show()
    bridge.send(OpenProject(path=str(repository)))
    bridge.start()
    lane_id = f"ln_{new_id('')[-12:]}"
    while made.engine.project is None:
        wait(0.1)
    bridge.send(CreateLane(lane_id=lane_id, name="bench", run_setup=False))
    while (lane := made.book.lane_book.lane(lane_id)) is None or lane.state != "active":
        wait(0.1)
    made.terminals.open_in(lane_id)
    while (shown := made.terminals.drawer.current) is None or not shown.started:
        wait(0.1)
    wait(1.0)
    return bridge, made, lane_id


def flood(home: Path) -> None:
    """The gaps of the window's loop while a shell is quiet, and while it prints each kind of output without end."""
    bridge, made, _ = window(home)
    gaps = Gaps()
    _say("quiet", gaps.over(SECONDS))
    for kind, form in KINDS.items():
        source = home / "flood.txt"
        source.write_text("".join(form.format(n=n, row=n % 12 + 1) for n in range(LINES)).replace("\r\n", "\n"))
        facts = made.terminals.drawer.current
        assert facts is not None
        made.terminals._on_typed(f"while :; do cat {source}; done\r")
        wait(0.5)
        rows = facts.end
        measured = gaps.over(SECONDS)
        _say(kind, measured, f"{(facts.end - rows) / SECONDS:8.0f} rows/s")
        made.terminals._on_typed("\x03")
        began = time.perf_counter()
        while facts.busy and time.perf_counter() - began < 10:
            wait(0.05)
        print(f"{'':15} Ctrl+C took {time.perf_counter() - began:.2f} s; {row_text(facts.rows[-1])[:20]!r}")
        made.terminals._on_typed("\x1b[mclear\r")
        wait(0.5)
    made.hide()
    bridge.stop(10)


def _say(kind: str, gaps: list[float], more: str = "") -> None:
    late = sum(gap > 16 for gap in gaps)
    print(
        f"{kind:15} longest gap {gaps[0]:6.1f} ms, then {gaps[1]:5.1f}, {gaps[9]:5.1f} (10th); {late} over 16 ms {more}"
    )


if __name__ == "__main__":
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    emulation()
    install_theme(QApplication([]))
    with tempfile.TemporaryDirectory() as folder:
        flood(Path(folder))
