"""What a window with 200 chats on the board does for a batch in which one of them changed, until that is painted.
python -m tests.bench.bench_board

Target: within a frame of 16 ms.
"""

import os
import tempfile
import time
from datetime import timedelta
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from desktop.domain.core.work import Activity
from desktop.domain.updates import SessionsChanged
from tests.ui.shell_samples import NOW, Recorder, make_chat, make_window, started

CHATS, RUNS = 200, 20


def main() -> None:
    """Print the figures."""
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(Path(folder), Recorder())
        window.resize(1360, 840)
        window.show()
        chats = [make_chat(n, f"Chat {n}", last_activity_at=NOW - timedelta(minutes=n)) for n in range(CHATS)]
        window.apply_updates(started(*chats))
        window.page.action_asked.emit("board")
        app.processEvents()
        costs = []
        for run in range(RUNS):
            activity = Activity.RUNNING if run % 2 == 0 else Activity.IDLE
            chats[run] = chats[run].model_copy(update={"activity": activity})
            began = time.thread_time()
            window.apply_updates([SessionsChanged(sessions=tuple(chats))])
            app.processEvents()
            costs.append(time.thread_time() - began)
        usual, most = sorted(costs)[RUNS // 2] * 1000, max(costs) * 1000
        print(f"{CHATS} chats: one that changed costs {usual:.1f} ms, at most {most:.1f} ms")
        window.close()
        window.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # before what it is made of goes with the program


if __name__ == "__main__":
    main()
