"""TerminalBook: every terminal as the engine last told it: screen, scroll-back, title, how it ended."""

from collections import deque
from dataclasses import field

from PySide6.QtCore import QObject, Signal

from desktop.domain.changes.commands import TerminalShown
from desktop.domain.display.text import display_text
from desktop.domain.terminals.updates import (
    Leftover,
    LeftoversFound,
    Row,
    TerminalClosed,
    TerminalScreen,
    TerminalStarting,
)
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.sink import CommandSink

SCROLL_BACK = 10_000


@dataclass
class TerminalFacts:
    """One terminal. `shell`: the name of its program. `back`: the scroll-back, `rows` the screen; `dropped`: rows that
    left the front of the scroll-back. `closed`: how it ended, None while it runs or starts. Texts are display-safe."""

    terminal_id: str
    lane_id: str
    shell: str = ""
    started: bool = False
    columns: int = 80
    rows: list[Row] = field(default_factory=list)
    back: deque[Row] = field(default_factory=lambda: deque(maxlen=SCROLL_BACK))
    dropped: int = 0
    cursor: tuple[int, int] | None = None
    title: str = ""
    busy: bool = False
    modes: frozenset[str] = frozenset()
    command: tuple[int, int] | None = None
    closed: TerminalClosed | None = None

    @property
    def label(self) -> str:
        """What its tab says."""
        return self.title or self.shell or tr("Terminal")

    @property
    def end(self) -> int:
        """Behind the number of the last row; the first is `dropped`."""
        return self.dropped + len(self.back) + len(self.rows)

    def row(self, number: int) -> Row:
        """The row of that number, counted from the first that ever was; () for one that is gone."""
        at = number - self.dropped
        if 0 <= at < len(self.back):
            return self.back[at]
        at -= len(self.back)
        return self.rows[at] if 0 <= at < len(self.rows) else ()

    def take(self, update: TerminalScreen) -> bool:
        """Take a frame. True: rows moved, so all of it is to be drawn."""
        change, old = update.change, (self.columns, len(self.rows), self.dropped + len(self.back))
        if change.cleared:
            self.back.clear()
            self.rows = []
        self.back.extend(change.scrolled)
        self.rows = (self.rows + [()] * update.height)[: update.height]
        for at, row in change.rows:
            self.rows[at] = row
        self.columns, self.cursor, self.busy = update.columns, update.cursor, update.busy
        self.title = display_text(update.title)
        self.modes, self.command = frozenset(update.modes), update.command
        self.dropped, self.started = update.dropped, True
        return change.cleared or old != (self.columns, len(self.rows), self.dropped + len(self.back))


class TerminalBook(QObject):
    """`listed`: there are more, fewer or other ones, or one has another title or end. `drawn`: a screen changed: which,
    whether all of it moved, and the rows of the screen that are new. `closed`: the TerminalClosed of one that ended.
    `left`: there are other leftovers."""

    listed = Signal()
    drawn = Signal(str, bool, object)
    closed = Signal(object)
    left = Signal()

    def __init__(self, sink: CommandSink, parent: QObject) -> None:
        super().__init__(parent)
        self._sink = sink
        self._terminals: dict[str, TerminalFacts] = {}
        self.leftovers: tuple[Leftover, ...] = ()
        self.hearing = Hearing().on(TerminalScreen, self._take_screen).on(TerminalStarting, self._take_start)
        self.hearing.on(TerminalClosed, self._take_end).on(LeftoversFound, self._take_leftovers)

    def of_lane(self, lane_id: str) -> list[TerminalFacts]:
        """The terminals of a lane, oldest first."""
        return [one for one in self._terminals.values() if one.lane_id == lane_id]

    def all(self) -> list[TerminalFacts]:
        """Every terminal, oldest first."""
        return list(self._terminals.values())

    def get(self, terminal_id: str) -> TerminalFacts | None:
        """The terminal of that id, None when there is none."""
        return self._terminals.get(terminal_id)

    def expect(self, terminal_id: str, lane_id: str) -> None:
        """One that was asked for just now."""
        self._terminals.setdefault(terminal_id, TerminalFacts(terminal_id, lane_id))
        self.listed.emit()

    def forget(self, terminal_id: str) -> None:
        """Take one that has ended off the list."""
        if self._terminals.pop(terminal_id, None) is not None:
            self.listed.emit()

    def _take_start(self, update: TerminalStarting) -> None:
        one = self._known(update.terminal_id, update.lane_id)
        one.shell, one.closed = display_text(update.shell), None
        self.listed.emit()

    def _take_leftovers(self, update: LeftoversFound) -> None:
        self.leftovers = update.processes
        self.left.emit()

    def _take_screen(self, update: TerminalScreen) -> None:
        one = self._known(update.terminal_id, update.lane_id)
        was = (one.title, one.busy, one.started, one.command is None)
        moved = one.take(update)
        self._sink.send(TerminalShown(terminal_id=update.terminal_id, frame=update.frame))
        if was != (one.title, one.busy, one.started, one.command is None):
            self.listed.emit()
        self.drawn.emit(update.terminal_id, moved, [at for at, _ in update.change.rows])

    def _take_end(self, update: TerminalClosed) -> None:
        one = self._known(update.terminal_id, update.lane_id)
        one.closed, one.busy, one.cursor = update, False, None
        while one.rows and not one.rows[-1]:
            one.rows.pop()
        if update.asked:
            del self._terminals[update.terminal_id]
        self.drawn.emit(update.terminal_id, True, [])
        self.closed.emit(update)
        self.listed.emit()

    def _known(self, terminal_id: str, lane_id: str) -> TerminalFacts:
        return self._terminals.setdefault(terminal_id, TerminalFacts(terminal_id, lane_id))
