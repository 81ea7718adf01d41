"""The window's part of `bench_long_open`: `python -m tests.bench.long_window FOLDER`."""

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QWidget

from desktop.bridge.bridge import Bridge
from desktop.domain.commands import OpenProject, OpenSession
from desktop.domain.core.update import Update
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.stylesheet import install_theme
from tests.agent.found_sandbox import found_sandbox
from tests.agent.rig import folders_below
from tests.bench.bench_transcript import Gaps, run_until

TIME_LIMIT_S = 300.0


def main(folder: Path) -> None:
    """A transcript with the engine on its own thread."""
    session_id = (folder / "chat").read_text(encoding="ascii")
    app = QApplication([])
    install_theme(app)
    frame = QWidget()
    frame.resize(1000, 900)
    view = TranscriptView(frame)
    view.resize(900, 800)
    frame.show()
    bridge = Bridge(folders_below(folder / "home"), found=found_sandbox())
    heard: list[Update] = []
    bridge.batch.connect(lambda batch: (heard.extend(batch), view.hearing.take(batch)))
    bridge.start()
    bridge.send(OpenProject(path=str(folder / "shop")))
    run_until(app, lambda: len(heard) > 10, 5)
    gaps = Gaps()
    gaps.start()
    began = time.perf_counter()
    view.open(session_id)
    bridge.send(OpenSession(session_id=session_id))
    run_until(app, lambda: not view.model.loading, TIME_LIMIT_S)
    view.viewport().repaint()
    first = time.perf_counter() - began
    shown = gaps.stop()
    gaps.start()
    run_until(app, lambda: view.model.complete, TIME_LIMIT_S)
    whole = time.perf_counter() - began
    print(f"window: newest rows painted after {first:.2f} s (gaps {shown}), all {whole:.2f} s (gaps {gaps.stop()})")
    bridge.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
