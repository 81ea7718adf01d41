"""Start to the first painted window, against a bare PySide6 window: `python -m tests.bench.bench_start [RUNS]`.

Each start is a process of its own, offscreen, with a repository given; the two take turns. The time runs from the start
of the process until its first paint is on screen, where the process ends; processor time is that of the whole process.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.agent.rig import make_repository
from tests.cli.running import environment

RUNS = 7
BARE = """
import os, sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

class Window(QWidget):
    def paintEvent(self, event):
        QTimer.singleShot(0, self.painted)

    def painted(self):
        print(time.monotonic(), flush=True)
        os._exit(0)

app = QApplication(sys.argv)
window = Window()
window.resize(1360, 840)
window.show()
app.exec()
"""
OURS = """
import os, sys, time
from desktop.__main__ import window_program
app = window_program()
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class FirstPaint(QObject):
    seen = False

    def eventFilter(self, watched, event):
        if not self.seen and event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow):
            self.seen = True
            QTimer.singleShot(0, self.painted)
        return False

    def painted(self):
        print(time.monotonic(), flush=True)
        os._exit(0)

from desktop.ui.window.main_window import MainWindow
shown = MainWindow.show
first = FirstPaint()

def show(window):
    QApplication.instance().installEventFilter(first)
    shown(window)

MainWindow.show = show
sys.exit(app.main(sys.argv[1:]))
"""


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as folder:
        repository = make_repository(Path(folder) / "shop")
        env = environment(Path(folder) / "home", QT_QPA_PLATFORM="offscreen")
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        bare, ours = [], []
        for _ in range(runs + 1):
            bare.append(first_paint([BARE], env))
            ours.append(first_paint([OURS, str(repository)], env))
    show("bare window", bare[1:])
    show("banksman", ours[1:])
    for at, name in enumerate(("time", "processor time")):
        least = min(run[at] for run in ours[1:]) / min(run[at] for run in bare[1:])
        median = statistics.median(run[at] for run in ours[1:]) / statistics.median(run[at] for run in bare[1:])
        print(f"{name} of banksman / of the bare window: least {least:.2f}, median {median:.2f}")


def first_paint(words: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of a process to its first paint, and its processor time."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        printed = process.stdout.readline() if process.stdout is not None else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not printed:
        raise RuntimeError(f"the window ended with status {process.returncode}")
    return float(printed) - began, used.ru_utime + used.ru_stime


def show(name: str, times: list[tuple[float, float]]) -> None:
    """One line of figures."""
    walls, cpus = [wall for wall, _ in times], [cpu for _, cpu in times]
    print(
        f"{name}: first paint median {statistics.median(walls):.3f} s, min {min(walls):.3f} s; "
        f"processor median {statistics.median(cpus):.3f} s, min {min(cpus):.3f} s"
    )


if __name__ == "__main__":
    main()
