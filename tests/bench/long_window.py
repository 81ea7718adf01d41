"""The window's part of `bench_long_open`: `python -m tests.bench.long_window FOLDER`."""

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication

from desktop.bridge.bridge import Bridge
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from tests.agent.found_sandbox import found_sandbox
from tests.agent.rig import folders_below
from tests.bench.bench_transcript import Gaps, run_until

TIME_LIMIT_S = 300.0


def main(folder: Path) -> None:
    """The whole window with the engine on its own thread."""
    session_id = (folder / "chat").read_text(encoding="ascii")
    app = QApplication([])
    load_fonts()
    install_theme(app)
    remembered = folder / "window.ini"
    remembered.unlink(missing_ok=True)
    settings = QSettings(str(remembered), QSettings.Format.IniFormat)
    bridge = Bridge(folders_below(folder / "home"), found=found_sandbox())
    window = whole_window(bridge, utc_now, window_parts(settings), settings)
    bridge.batch.connect(window.apply_updates, Qt.ConnectionType.QueuedConnection)
    window.resize(1360, 840)
    window.show()
    bridge.start()
    bridge.send(OpenProject(path=str(folder / "shop")))
    run_until(app, lambda: window.engine.project is not None, TIME_LIMIT_S)
    run_until(app, lambda: False, 3)
    view = window.page.transcript
    gaps = Gaps()
    gaps.start()
    began, cpu = time.perf_counter(), time.process_time()
    window.open_chat(session_id)
    run_until(app, lambda: not view.model.loading, TIME_LIMIT_S)
    view.viewport().repaint()
    first, first_cpu = time.perf_counter() - began, time.process_time() - cpu
    shown = gaps.stop()
    gaps.start()
    run_until(app, lambda: view.model.complete, TIME_LIMIT_S)
    whole, whole_cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"window: newest rows painted after {first:.2f} s (CPU {first_cpu:.2f} s; gaps {shown})")
    print(f"  all rows {whole:.2f} s (CPU {whole_cpu:.2f} s; gaps {gaps.stop()})")
    window.close()
    bridge.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
