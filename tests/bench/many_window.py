"""The window's part of `bench_many`: `python -m tests.bench.many_window [CHATS] [STEPS]`.

The whole window with the engine on its own thread; one of the chats is open, the others are rows of its sidebar.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication

from desktop.app import SWITCH_INTERVAL_S
from desktop.bridge.bridge import Bridge
from desktop.collecting import looks_by_hand
from desktop.domain.commands import NewSession, OpenProject, SendMessage
from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from tests.agent.found_sandbox import found_sandbox
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.bench.bench_many import CHATS, STEPS, TIME_LIMIT_S, task_of
from tests.bench.bench_transcript import Gaps, run_until
from tests.bench.model_service import model_service


def main(folder: Path, chats: int, steps: int) -> None:
    """Print the gaps of the UI thread for a first turn of all chats, which makes their lanes, and for a second."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    app = QApplication([])
    load_fonts()
    install_theme(app)
    with model_service(folder / "served") as url:
        folders = folders_below(folder / "home")
        write_settings(folders, url, turns_at_once=16)
        settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        bridge = Bridge(folders, found=found_sandbox())
        window = whole_window(bridge, utc_now, window_parts(settings), settings)
        ended: list[str] = []

        def counted(batch: list[Update]) -> None:
            ended.extend(one.session_id for one in batch if isinstance(one, Envelope) and one.kind == "turn_ended")

        bridge.batch.connect(window.apply_updates, Qt.ConnectionType.QueuedConnection)
        bridge.batch.connect(counted, Qt.ConnectionType.QueuedConnection)
        window.resize(1360, 840)
        window.show()
        bridge.start()
        bridge.send(OpenProject(path=str(make_repository(folder / "shop"))))
        run_until(app, lambda: window.engine.project is not None, TIME_LIMIT_S)
        run_until(app, lambda: False, 3)
        ids = [new_session_id() for _ in range(chats)]
        gaps = Gaps()
        worked = time.thread_time()
        gaps.start()
        for one in ids:
            bridge.send(NewSession(session_id=one, text=task_of(steps), mode=PermissionMode.FULL_AUTO))
        run_until(app, lambda: False, 1)
        window.open_chat(ids[0])
        run_until(app, lambda: len(ended) == chats, TIME_LIMIT_S)
        print(
            f"window, first turn of {chats} chats: gaps {gaps.stop()}, ms; worked {time.thread_time() - worked:.2f} s"
        )
        worked = time.thread_time()
        gaps.start()
        for one in ids:
            bridge.send(SendMessage(session_id=one, text=task_of(steps)))
        run_until(app, lambda: len(ended) == 2 * chats, TIME_LIMIT_S)
        print(f"window, second turn: gaps {gaps.stop()}, ms")
        print(f"  the window's thread worked {time.thread_time() - worked:.2f} s")
        window.close()
        bridge.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name, looks_by_hand():
        main(Path(name), *([int(word) for word in sys.argv[1:]] + [CHATS, STEPS][len(sys.argv) - 1 :])[:2])
