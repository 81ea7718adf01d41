"""Memory of the whole program with ten idle chats open, window included: `python -m tests.bench.bench_idle_memory`.

Ten chats of 1,000 events each are made in a store; a process of its own opens the window, offscreen, shows every one of
them in turn, waits until nothing happens any more and reads its own resident memory from the system.
"""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from desktop.config.folders import Folders
from desktop.domain.events import SessionStarted
from desktop.services.projects import open_project
from desktop.store.database import open_store
from tests.agent.rig import make_repository
from tests.bench.bench_sessions import one_turn
from tests.cli.running import environment

CHATS = 10
EVENTS = 1000
WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import desktop.app as app
from desktop.ui.window.main_window import MainWindow

ids = sys.argv[2:]
shown = MainWindow.show

def memory():
    lines = Path("/proc/self/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if line.startswith(("VmRSS", "VmHWM"))}

def show(window):
    shown(window)
    left = list(ids)
    def step():
        if not left:
            print(*memory().values(), flush=True)
            QApplication.closeAllWindows()
            return
        window.open_chat(left.pop())
        QTimer.singleShot(700 if left else 4000, step)
    QTimer.singleShot(4000, step)

MainWindow.show = show
sys.exit(app.main(sys.argv[1:2]))
"""


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository, home = make_repository(folder / "shop"), folder / "home"
        project = asyncio.run(open_project(repository))
        folders = Folders(home / "config", home / "data", home / "cache", home / "logs")
        store = open_store(folders.store)
        ids = [f"ses_{number:032x}" for number in range(CHATS)]
        for session_id in ids:
            started = SessionStarted(
                project_id=project.id, project_path=project.path, endpoint_id="demo", title=session_id[-4:]
            )
            store.events.append(session_id, started)
            for turn in range(EVENTS // len(one_turn(0))):
                store.events.append_many(session_id, one_turn(turn))
        store.close()
        env = environment(home, QT_QPA_PLATFORM="offscreen")
        done = subprocess.run(
            [sys.executable, "-c", WINDOW, str(repository), *ids], env=env, capture_output=True, text=True, check=True
        )
        most, now = done.stdout.split()
        print(f"{CHATS} chats of {EVENTS} events shown and idle: {now} MB resident, {most} MB at most")


if __name__ == "__main__":
    main()
