"""How fast a diff opens and scrolls: `python -m tests.bench.bench_diff_view`.

Figures are milliseconds of processor time of the window's thread, the least of several runs, and ratios to one paint of
a plain label of the same size, measured beside them, because machines differ. "Wall" is time on the clock, which other
programs lengthen.
"""

import gc
import os
import resource
import sys
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QLabel

from desktop.domain.changes.values import DiffHunk, DiffLine, FileDiff
from desktop.ui.changes.diff.canvas import DiffShape
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.theme.stylesheet import install_theme

CHANGED_LINES, PER_HUNK = 20_000, 12
WIDTH, HEIGHT = 1000, 760
STEP_PX = 120
RUNS = 5
_CODE = (
    "def step_{n}(value: int, name: str = 'x') -> int:",
    "    # one more comment about step {n}",
    "    if value > {n} and name in KNOWN:",
    "        return compute(value + {n}, [1, 2, 3], name=name)",
    "    total = sum(one.size for one in items if one.kind == 'a{n}')",
    '    raise ValueError(f"Not known: {{name}} ({n})")',
)


def sample(changed: int = CHANGED_LINES) -> FileDiff:
    """A diff of that many changed lines: each hunk with lines that were replaced, and context."""
    hunks: list[DiffHunk] = []
    at = 1
    for number in range(changed // PER_HUNK):
        lines: list[DiffLine] = []
        first = at
        for step in range(PER_HUNK // 2):
            code = _CODE[step].format(n=number)
            if step == 3:
                lines += [DiffLine(" ", at + n, at + n, "    same = None") for n in range(3)]
                at += 3
            lines.append(DiffLine("-", at, 0, code))
            lines.append(DiffLine("+", 0, at, code.replace("value", "amount").replace("name", "title")))
            at += 1
        hunks.append(DiffHunk(first, first, f"class Part{number}:", tuple(lines)))
        at += 40
    return FileDiff("shop/parts.py", "", "a" * 64, "b" * 64, tuple(hunks), changed_lines=changed)


def one_file(lines: int = CHANGED_LINES) -> FileDiff:
    """A new file: one hunk."""
    made = tuple(DiffLine("+", 0, n + 1, _CODE[n % len(_CODE)].format(n=n)) for n in range(lines))
    return FileDiff("shop/new.py", "", "", "b" * 64, (DiffHunk(0, 1, "", made),), changed_lines=lines)


def busy(act: Callable[[], object]) -> float:
    """Milliseconds of this thread's processor time."""
    begin = time.thread_time()
    act()
    return (time.thread_time() - begin) * 1000


def least(act: Callable[[], object]) -> float:
    """The least of several runs, in milliseconds of processor time."""
    return min(busy(act) for _ in range(RUNS))


def percentile(values: list[float], share: int) -> float:
    """A percentile of the values."""
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


def open_view(app: QApplication, diff: FileDiff, shape: DiffShape) -> tuple[DiffView, float, float]:
    """A view that shows the diff; how long that took until it was painted, on the clock and of this thread."""
    view = DiffView(None)  # type: ignore[arg-type]  # a window of its own
    view.resize(WIDTH, HEIGHT)
    view.show()
    app.processEvents()
    wall = time.perf_counter()

    def show() -> None:
        view.show_file(diff, (), shape)
        view.viewport().repaint()

    spent = busy(show)
    return view, (time.perf_counter() - wall) * 1000, spent


def scroll(app: QApplication, view: DiffView, frames: int) -> list[float]:
    """Cold scrolling: each frame shows rows that were never laid out."""
    bar = view.verticalScrollBar()

    def frame() -> None:
        bar.setValue(bar.value() + STEP_PX)
        app.processEvents()

    app.processEvents()
    return [busy(frame) for _ in range(frames)]


def jump(app: QApplication, view: DiffView, times: int) -> list[float]:
    """To far away places, each a whole page of new rows."""
    bar, spent = view.verticalScrollBar(), []
    for n in range(1, times):
        place = bar.maximum() * ((n * 37) % 100) // 100

        def go(place: int = place) -> None:
            bar.setValue(place)
            app.processEvents()

        spent.append(busy(go))
    return spent


def memory_mib() -> float:
    """Resident memory of this process at its highest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def settle(app: QApplication, seconds: float) -> None:
    """Let colours arrive."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.002)


def report(app: QApplication, name: str, diff: FileDiff, shape: DiffShape) -> None:
    """Open, scroll, jump; print the figures."""
    opens = [open_view(app, diff, shape) for _ in range(3)]
    view = opens[-1][0]
    print(f"{name}: open {min(o[2] for o in opens):.0f} ms of the thread, {min(o[1] for o in opens):.0f} ms wall")
    cold = min((scroll(app, opens[n][0], 150) for n in range(3)), key=lambda frames: percentile(frames, 95))
    far = jump(app, view, 40)
    settle(app, 1.0)
    for what, frames in ((f"scroll {STEP_PX} px", cold), ("jump a page", far)):
        print(
            f"  {what} cold: p50 {percentile(frames, 50):.1f}, p95 {percentile(frames, 95):.1f}, max {max(frames):.1f}"
        )
    for made, _wall, _spent in opens:
        made.close()
        made.deleteLater()
    app.processEvents()


def main() -> None:
    """Print the figures."""
    app = QApplication(sys.argv[:1])
    install_theme(app)
    label = QLabel("x" * 80)
    label.resize(WIDTH, HEIGHT)
    label.show()
    app.processEvents()
    print(f"one paint of a plain label: {least(label.repaint):.2f} ms")
    before = memory_mib()
    many, whole = sample(), one_file()
    gc.collect()
    values = memory_mib()
    print(f"{CHANGED_LINES:,} changed lines as values: {values - before:.0f} MiB")
    report(app, "unified", many, DiffShape(can_tick=True, can_revert=True))
    report(app, "side by side", many, DiffShape(split=True, can_revert=True))
    report(app, "wrapped", many, DiffShape(wrap=True))
    report(app, "one new file", whole, DiffShape())
    print(f"memory of views, highest: {memory_mib() - values:.0f} MiB")


if __name__ == "__main__":
    main()
