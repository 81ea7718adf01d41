"""The undo ledger: `python -m tests.bench.bench_ledger [EVENTS]`.

Prints what folding a log of 100,000 events costs, as values and as a store reads them, what a handover of it costs, and
what drawing the ledger of 1,000 calls costs: the rows set and the tab painted. Milliseconds of processor time, the
least of several runs, and the time on the clock beside them.
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QWidget

from desktop.collecting import uncollected
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.content import Card, TouchedFile
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    Envelope,
    Event,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.handover.fold import handover
from desktop.domain.handover.values import Handover
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import FOLDED, effects
from desktop.store.database import open_store
from desktop.ui.core.requests import Requests
from desktop.ui.ledger.panel import LedgerPanel
from desktop.ui.theme.stylesheet import install_theme
from tests.ui.shell_samples import Recorder

CALLS, RUNS, PER_CALL = 1_000, 5, 6
WIDTH, HEIGHT = 360, 760
BEGAN = datetime(2026, 3, 1, 8, tzinfo=UTC)


def call(number: int) -> list[Event]:
    """A call that edits a file or runs a command, with the checkpoint after it and words beside it."""
    call_id, bash = f"toolu_{number}", number % 2
    tool = "bash" if bash else "edit_file"
    touched = () if bash else (TouchedFile(path=f"src/part{number}.py", kind="modify", before_sha256="1"),)
    title = Card(title=f"python3 -m pytest tests/test_{number}.py" if bash else f"Edit src/part{number}.py")
    return [
        UserMessage(parts=({"type": "text", "text": "words " * 20},)),
        UserMessage(parts=({"type": "text", "text": "more words " * 20},)),
        ToolCallDecided(
            call_id=call_id, name_called=tool, tool=tool, verdict=Verdict.ALLOW, rule="mode", card=title,
            mode=PermissionMode.EDIT, category="bash" if bash else "write",
        ),
        ToolCallStarted(call_id=call_id, tool=tool, checkpoint_id=f"k{number}"),
        ToolCallFinished(call_id=call_id, outcome="ok", touched=touched, content="out " * 50),
        CheckpointMade(checkpoint_id=f"k{number + 1}", call_id=call_id),
    ]  # fmt: skip


def log(count: int) -> list[Envelope]:
    """A log of so many events."""
    events: list[Event] = [SessionStarted(project_id="p")]
    number = 0
    while len(events) < count:
        events += call(number)
        number += 1
    return [
        Envelope(
            event_id=f"evt_{seq}", session_id="ses_bench", seq=seq, parent_id=None, at=BEGAN + timedelta(seconds=seq),
            event=event,
        )
        for seq, event in enumerate(events[:count])
    ]  # fmt: skip


def least(run: Callable[[], object]) -> tuple[float, float]:
    """The least milliseconds of processor time and on the clock."""
    found = []
    for _ in range(RUNS):
        gc.collect()
        began, worked = time.perf_counter(), time.process_time()
        run()
        found.append(((time.process_time() - worked) * 1000, (time.perf_counter() - began) * 1000))
    return min(one for one, _ in found), min(one for _, one in found)


def stored(envelopes: list[Envelope]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Reading that log from a store and folding it, as the ledger is loaded, and as a handover is made."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        store = open_store(Path(name) / "store")
        for at in range(0, len(envelopes), 1_000):
            store.events.append_many("ses_bench", [one.event for one in envelopes[at : at + 1_000]])
        opened = store.readings.chat("ses_bench")
        store.events.keep_state(opened.state, opened.path[-1].hash)  # as the end of a turn does

        def load() -> tuple[Effect, ...]:
            with uncollected():
                path = store.readings.chat("ses_bench").path
                return effects(one for one in path if one.kind in FOLDED)

        def page() -> Handover:
            with uncollected():
                return handover(store.readings.logs(None, None), None, BEGAN + timedelta(days=400))

        told = least(load), least(page)
        store.close()
        return told


def drawn(found: tuple[Effect, ...]) -> tuple[float, float]:
    """The rows set and the tab painted."""
    window = QWidget()
    window.resize(WIDTH, HEIGHT)
    panel = LedgerPanel(Requests(Recorder()), window)
    panel.resize(WIDTH, HEIGHT)
    panel.show_session("ses_bench")
    window.show()
    panel.model.take(found[:2])
    panel.grab()

    def draw() -> None:
        panel.model.take(found)
        panel._refresh()
        panel.grab()

    return least(draw)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    install_theme(app)
    envelopes = log(count)
    of_ledger, of_handover = stored(envelopes)
    for label, (cpu, wall) in (
        (f"fold of {count:,} events", least(lambda: effects(envelopes))),
        (f"{count:,} events read from the store and folded", of_ledger),
        (f"{count:,} events read, checked and folded to a handover", of_handover),
        (f"ledger of {CALLS:,} calls drawn", drawn(effects(log(CALLS * PER_CALL + 1)))),
    ):
        print(f"{label}: {cpu:.0f} ms ({wall:.0f} on the clock)")


if __name__ == "__main__":
    main()
