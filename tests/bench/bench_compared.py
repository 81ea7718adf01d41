"""What results beside each other cost: a batch about one of 4 runs while they are compared, and a batch while a second
pane is open, was closed, and was never opened. Processor time of the UI thread, with painting.
python -m tests.bench.bench_compared

Target: a batch within a frame of 16 ms.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from desktop.domain.compared.updates import ComparisonsLoaded
from desktop.domain.compared.values import ComparedRun, Comparison, RunFigures
from desktop.domain.core.work import Activity
from desktop.domain.lanes.commands import LaneSlot
from desktop.domain.updates import SessionsChanged
from desktop.ui.chats.page import ChatPage
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import NOW, Recorder, make_chat, make_lane, make_window, started

ROUNDS = 200
LANES = tuple(make_lane(n, f"try-{n}") for n in range(1, 5))
CHATS = tuple(make_chat(n, f"Try {n}", LANES[n - 1]) for n in range(1, 5))


def main() -> None:
    """Print the median and the worst of each."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    app = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory() as name:
        sink = Recorder()
        window = make_window(Path(name), sink)
        window.resize(1360, 840)
        window.show()
        window.apply_updates(started(*CHATS, lanes=LANES))
        window.open_chat(CHATS[0].session_id)
        batches = _batches(window)
        app.processEvents()
        print(f"pages made: {len(window.findChildren(ChatPage))}")
        _tell("a batch with one pane", batches, app)
        window.sidebar.chat_action.emit(CHATS[1].session_id, "beside")
        print(f"pages made: {len(window.findChildren(ChatPage))}")
        _tell("a batch with two panes", batches, app)
        window.contents.panes.close_pane()
        _tell("a batch once the second was closed", batches, app)
        _compare(window, sink)
        _tell("a batch while four are compared", batches, app)
        window.close()


def _compare(window: MainWindow, sink: Recorder) -> None:
    window.page.action_asked.emit("compared")
    asked = [one for one in sink.sent if one.type == "load_comparisons"][-1]
    slots = [
        LaneSlot(lane_id=lane.id, session_id=chat.session_id, name=lane.name, endpoint_id="anthropic", model="opus")
        for lane, chat in zip(LANES, CHATS, strict=True)
    ]
    figures = RunFigures(steps=3, worked_ms=61_000, status="completed")
    runs = tuple(ComparedRun(slot=slot, figures=figures) for slot in slots)
    one = Comparison(id="op_1", at=NOW, text="Write the totals", runs=runs)
    window.apply_updates([ComparisonsLoaded(command_id=asked.command_id, comparisons=(one,))])


def _batches(window: MainWindow) -> Callable[[int], None]:
    """The n-th batch: another of the chats begins to work, or stops."""

    chats = list(CHATS)

    def send(n: int) -> None:
        at, activity = n % len(CHATS), Activity.RUNNING if (n // len(CHATS)) % 2 == 0 else Activity.IDLE
        chats[at] = chats[at].model_copy(update={"activity": activity})
        window.apply_updates([SessionsChanged(sessions=tuple(chats))])

    return send


def _tell(what: str, batch: Callable[[int], None], app: QApplication) -> None:
    took = []
    for n in range(ROUNDS):
        begun = time.thread_time()
        batch(n)
        app.processEvents()
        took.append((time.thread_time() - begun) * 1000)
    print(f"{what}: {statistics.median(took):.2f} ms, worst {max(took):.2f} ms")


if __name__ == "__main__":
    main()
