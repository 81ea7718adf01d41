"""RowLayouts: heights and layouts of a model's rows for one width, made when asked for and kept while used."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QTimer, Signal

from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Row, default_expanded
from desktop.ui.chats.transcript.painting.blocks import Builder
from desktop.ui.chats.transcript.painting.layout import Heights, Recent
from desktop.ui.chats.transcript.painting.markdown_marks import Marks
from desktop.ui.chats.transcript.painting.painter import lay_out
from desktop.ui.chats.transcript.painting.row_layout import Estimate, RowLayout
from desktop.ui.chats.transcript.painting.thumbnails import Thumbnails
from desktop.ui.text.highlight import Highlighter
from desktop.ui.theme.font_cover import font_cover

LAYOUTS_KEPT = 300


class RowLayouts(QObject):
    """Where each row of the model stands. `changed` says that something must be painted again.

    `inserted` and `removed` (first, count) come after the heights followed the model.
    """

    changed = Signal()
    inserted = Signal(int, int)
    removed = Signal(int, int)
    cleared = Signal()

    def __init__(self, model: TranscriptModel, parent: QObject) -> None:
        super().__init__(parent)
        self.model = model
        self.width = 0
        self.heights = Heights()
        self.copied = ""
        self._highlighter = Highlighter(self)
        self.thumbnails = Thumbnails(self)
        self._layouts: Recent[RowLayout] = Recent(LAYOUTS_KEPT)
        self._stale: set[str] = set()
        self._marks = Marks(self)
        self._unfinished: set[str] = set()
        self._go_on = QTimer(self, singleShot=True, interval=0)
        self._go_on.timeout.connect(self._more)
        self._estimate = Estimate(0)
        self._opened: dict[tuple[str, str, str], bool] = {}
        model.rowsInserted.connect(self._on_inserted)
        model.rowsRemoved.connect(self._on_removed)
        model.dataChanged.connect(self._on_changed)
        model.modelReset.connect(self.reset)

    def reset(self) -> None:
        """Forget all layouts and guess all heights again: other rows, another width, or another look."""
        self._layouts.clear()
        self._stale.clear()
        self._estimate = Estimate(self.width)
        self.heights = Heights(map(self._estimate, self.model.rows if self.width else ()))
        self.cleared.emit()

    def set_width(self, width: int) -> bool:
        """Use this column width; True when it is another one."""
        if width == self.width:
            return False
        self.width = width
        self.reset()
        return True

    def layout_of(self, index: int) -> RowLayout:
        """The row's layout; its height is exact from now on."""
        row = self.model.rows[index]
        former = self._layouts.get(row.key)
        if former is not None and former.row is row and row.key not in self._stale:
            return former
        self._stale.discard(row.key)
        builder = Builder(self.width, self._opener(row), self._highlighter, self._coloured(row.key))
        builder.copied, builder.marks = self.copied, partial(self._marks.get, drop=partial(self.refresh, row.key))
        builder.thumbnail = partial(self.thumbnails.get, drop=self._coloured(row.key))
        layout = lay_out(row, builder, former)
        self._layouts.put(row.key, layout)
        font_cover().look(row.text)
        if layout.unfinished:
            self._unfinished.add(row.key)
            self._go_on.start()
        self.heights.set(index, max(layout.height, self._estimate(row)) if layout.unfinished else layout.height)
        return layout

    def settled(self, index: int) -> bool:
        """Whether the row's layout is there and up to date."""
        row = self.model.rows[index]
        layout = self._layouts.get(row.key)
        return layout is not None and layout.row is row and row.key not in self._stale

    @property
    def unfinished(self) -> bool:
        """Whether a row was laid out in part, so that more of it follows."""
        return bool(self._unfinished)

    def is_open(self, row: Row, part: str) -> bool:
        """Whether a part of a row is open: as the person left it, else by default."""
        return self._opened.get((self.model.session_id, row.key, part), default_expanded(row, part))

    def set_open(self, key: str, part: str, opened: bool) -> None:
        """Open or close a part of a row; kept while the app runs."""
        self._opened[(self.model.session_id, key, part)] = opened
        self.refresh(key)

    def refresh(self, key: str) -> None:
        """Lay a row out again."""
        self._stale.add(key)
        self.changed.emit()

    def _more(self) -> None:
        """Lay out a little more of a row that was too long for one go, if it is in view still."""
        self._stale.add(self._unfinished.pop())
        if self._unfinished:
            self._go_on.start()
        self.changed.emit()

    def _opener(self, row: Row) -> Callable[[str], bool]:
        return lambda part: self.is_open(row, part)

    def _coloured(self, key: str) -> Callable[[], None]:
        def drop_picture() -> None:
            layout = self._layouts.get(key)
            if layout is not None:
                layout.forget_look()
                self.changed.emit()

        return drop_picture

    def _on_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        if self.width:
            rows = self.model.rows[first : last + 1]
            self.heights.insert(first, [self._estimate(row) for row in rows])
        self.inserted.emit(first, last - first + 1)

    def _on_removed(self, parent: QModelIndex, first: int, last: int) -> None:
        if self.width:
            self.heights.remove(first, last - first + 1)
        self.removed.emit(first, last - first + 1)

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        """What is still written may grow below the view: guess again, or the scroll bar would stand still."""
        for index in range(first.row(), last.row() + 1) if self.width else ():
            row = self.model.rows[index]
            if row.live:
                self.heights.set(index, max(self.heights[index], self._estimate(row)))
            elif (layout := self._layouts.get(row.key)) is not None and layout.row.live:
                layout.forget_look()  # the pictures of what stood already, for one that is in view no more
        self.changed.emit()
