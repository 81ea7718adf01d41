"""How fast the transcript opens, streams and scrolls: `python -m tests.bench.bench_transcript`.

Figures are milliseconds of processor time on this machine (gaps: of the clock), and ratios to one repaint of a plain
label of the same size, measured beside them, because machines differ.
"""

import os
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.domain.core.content import Card, CodeBlock, DiffBlock
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.updates import SessionOpened, TextDelta
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.stylesheet import install_theme

PROSE = (
    "The middleware clears the cookie but keeps the `next` parameter, so **each** redirect re-adds it.\n\n"
    "1. Strip the parameter\n2. Stop at the login page\n\n| File | Lines |\n|---|--:|\n| auth.py | 6 |\n"
)
CODE = (
    "```python\n"
    + "\n".join(f"def step_{n}(x: int) -> int:\n    return x + {n}  # one more" for n in range(12))
    + "\n```\n"
)
DIFF = "@@ -1,8 +1,8 @@\n" + "\n".join(f"-old {n}\n+new {n}" for n in range(8))
START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def _turn(number: int) -> list[object]:
    call, turn = f"c{number}", f"t{number}"
    text = (PROSE, CODE, PROSE * 2)[number % 3]
    parts = ({"type": "text", "text": text}, {"type": "tool_use", "id": call, "name": "x", "input": {}})
    blocks = (DiffBlock(path="a.py", unified=DIFF, added=8, removed=8), CodeBlock(language="console", text="ok\n" * 30))
    card = Card(title=f"Edit auth/file_{number}.py", blocks=(CodeBlock(language="text", text="x"),))
    mode = PermissionMode.EDIT
    return [
        TurnStarted(turn_id=turn),
        UserMessage(parts=({"type": "text", "text": f"Request {number}: find out why and fix it."},)),
        AssistantMessage(message_id=f"m{number}", parts=parts, turn_id=turn),
        ToolCallDecided(
            call_id=call, name_called="x", verdict=Verdict.ALLOW, rule="edit", mode=mode, category="write", card=card
        ),
        ToolCallStarted(call_id=call, tool="x"),
        ToolCallFinished(call_id=call, outcome="ok", summary="+8 −8", blocks=blocks, duration_ms=12),
        TurnEnded(turn_id=turn, status="completed", steps=1, duration_ms=900, usage=Usage(input=10), cost_microusd=9),
    ]  # fmt: skip


def log(rows: int) -> tuple[Envelope, ...]:
    """Events that make about this many rows: four a turn."""
    events = [event for number in range(rows // 4) for event in _turn(number)]
    return tuple(
        Envelope(event_id=f"e{n}", session_id="s", seq=n, parent_id=None, at=START + timedelta(milliseconds=n), event=e)
        for n, e in enumerate(events)
    )


class Gaps:
    """Gaps between ticks of a 4 ms timer: how long the UI thread was busy at a stretch, and how much of that it worked,
    which is less where others had the processors or the interpreter."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.worked: list[float] = []
        self._worked = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer(interval=4)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self.values.clear()
        self.worked.clear()
        self._worked = time.thread_time()
        self._clock.start()
        self._timer.start()

    def stop(self) -> str:
        self._timer.stop()
        self._tick()
        late = sum(value > 16 for value in self.values)
        p99 = percentile(self.values, 99)
        own = f"longest own work {max(self.worked):.1f}, over 16 ms: {sum(value > 16 for value in self.worked)}"
        return f"longest {max(self.values):.1f}, p99 {p99:.1f}, over 16 ms: {late} of {len(self.values)}; {own}"

    def _tick(self) -> None:
        self.values.append(self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()
        worked, self._worked = self._worked, time.thread_time()
        self.worked.append((self._worked - worked) * 1000)


def percentile(values: list[float], share: int) -> float:
    """A percentile of the values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


def timed(act: Callable[[], object]) -> float:
    """Milliseconds of this thread's processor time that something takes: other programs do not count."""
    begin = time.thread_time()
    act()
    return (time.thread_time() - begin) * 1000


def run_until(app: QApplication, done: Callable[[], bool], limit_s: float = 60) -> None:
    """Let the event loop run until something is so. It rests while nothing happens: others need the processors."""
    end = time.monotonic() + limit_s
    beat = QTimer(interval=4)
    beat.start()
    while not done() and time.monotonic() < end:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def baseline(app: QApplication) -> float:
    """One repaint of a label as large as the transcript, with the words of one answer."""
    label = QLabel(PROSE)
    label.resize(900, 800)
    label.show()
    app.processEvents()
    times = [timed(label.repaint) for _ in range(50)]
    label.close()
    return statistics.median(times)


def open_chat(app: QApplication, view: TranscriptView, envelopes: tuple[Envelope, ...], rows: int, unit: float) -> None:
    gaps = Gaps()
    gaps.start()

    def first_paint() -> None:
        view.open("s")
        view.hearing.take([SessionOpened(session_id="s", envelopes=envelopes)])
        view.viewport().repaint()

    first = timed(first_paint)
    whole = first + timed(lambda: run_until(app, lambda: view.model.complete))
    print(f"open {rows:,} rows: first paint {first:.1f} ms ({first / unit:.0f} labels), whole {whole:.0f} ms")
    print(f"  gaps {gaps.stop()}; rows in the model: {len(view.model.rows):,}")


def own_cpu(seconds: float) -> float:
    """The share of a core that measuring gaps takes by itself."""
    gaps = Gaps()
    gaps.start()
    cpu = time.process_time()
    sleep_in_loop(seconds)
    cpu = time.process_time() - cpu
    gaps.stop()
    return cpu / seconds


def stream(view: TranscriptView, seconds: float, chars: int, unit: float, own: float) -> None:
    """Batches of 50 ms with this many characters: 50 are 200 tokens a second, 100 are 400."""
    text = (PROSE + CODE) * 40
    gaps, sent, spent = Gaps(), [0], []
    timer = QTimer(interval=50)

    def batch() -> None:
        chunk = text[sent[0] * chars : (sent[0] + 1) * chars]
        sent[0] += 1
        delta = TextDelta(session_id="s", message_id=f"live{chars}", part_index=0, revision=sent[0], text=chunk)
        spent.append(timed(lambda: (view.hearing.take([delta]), view.viewport().repaint())))

    timer.timeout.connect(batch)
    gaps.start()
    timer.start()
    cpu = time.process_time()
    sleep_in_loop(seconds)
    cpu = time.process_time() - cpu
    timer.stop()
    p50, p99 = statistics.median(spent), percentile(spent, 99)
    print(f"stream {chars * 20:,} characters a second:")
    print(f"  batch p50 {p50:.1f}, p99 {p99:.1f}, max {max(spent):.1f} ms ({p50 / unit:.0f} labels)")
    print(f"  CPU {cpu / seconds - own:.1%} of a core, without {own:.1%} for measuring; gaps {gaps.stop()}")


def sleep_in_loop(seconds: float) -> None:
    """Let the event loop run, asleep between events."""
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def scroll(view: QWidget, steps: int, step: int, unit: float, name: str) -> None:
    bar = view.verticalScrollBar()
    times = []
    for _ in range(steps):

        def move() -> None:
            bar.setValue(bar.value() - step)
            view.viewport().repaint()

        times.append(timed(move))
    p95 = percentile(times, 95)
    p50 = statistics.median(times)
    print(f"scroll {name}: p50 {p50:.1f}, p95 {p95:.1f}, max {max(times):.1f} ms a frame ({p95 / unit:.0f} labels)")


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    install_theme(app)
    unit = baseline(app)
    print(f"baseline: one repaint of a label {unit:.2f} ms")
    window = QWidget()
    window.resize(1000, 900)
    view = TranscriptView(window)
    view.resize(900, 800)
    window.show()
    app.processEvents()
    envelopes = log(10_000)
    open_chat(app, view, envelopes, 10_000, unit)
    own = own_cpu(2)
    stream(view, 6, 50, unit, own)
    stream(view, 6, 100, unit, own)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() * 8 // 10)
    scroll(view, 300, 120, unit, "120 px, cold")
    scroll(view, 300, -120, unit, "120 px back, warm")
    bar = view.verticalScrollBar()
    jumps = [
        timed(lambda n=n: (bar.setValue(bar.maximum() * (n * 37 % 100) // 100), view.viewport().repaint()))
        for n in range(60)
    ]
    print(f"jump: p50 {statistics.median(jumps):.1f}, p99 {percentile(jumps, 99):.1f} ms")
    print(f"resize: {timed(lambda: (view.resize(760, 800), view.viewport().repaint())):.1f} ms")


if __name__ == "__main__":
    main()
