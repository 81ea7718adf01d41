"""The list of the inbox: rows of three lines, and the view that paints them."""

from datetime import datetime

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.changes.file_rows import FileDelegate
from desktop.ui.inbox.rows import InboxEntry
from desktop.ui.models.keyed_rows import ROW_ROLE, KeyedRows
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SIDEBAR_ROW, SPACE_3
from desktop.ui.widgets.elided_label import plain_tooltip

_MORE, _THIRD_MIDDLE, _LEFT = 18, 50, 38


@dataclass(frozen=True)
class InboxRow:
    """One entry as it is shown. `state`: words for what a person did with it; `muted`: it was put off."""

    entry: InboxEntry
    last: str
    muted: bool = False

    @property
    def key(self) -> str:
        """That of the entry."""
        return self.entry.key

    @property
    def icon(self) -> tuple[str, str]:
        """The shape of what waits, grey while it is put off."""
        return (self.entry.icon[0], "muted") if self.muted else self.entry.icon

    @property
    def title(self) -> str:
        """What waits."""
        return self.entry.title

    @property
    def detail(self) -> str:
        """In which chat and lane."""
        return self.entry.where


def shown(entry: InboxEntry, now: datetime, *, snoozed: str = "", marked: bool = False) -> InboxRow:
    """An entry with its age. `snoozed`: until when it is put off, in words."""
    words = fmt.waiting_since(entry.since, now) if entry.inputs else fmt.ago(entry.since, now)
    parts = [words, *entry.facts, *([tr("second look")] if marked else []), *([snoozed] if snoozed else [])]
    return InboxRow(entry, " · ".join(parts), muted=bool(snoozed))


class InboxModel(KeyedRows[InboxRow]):
    """Rows in the order of the inbox."""

    def text_of(self, row: InboxRow, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: InboxRow) -> str:
        """The row, read out."""
        return ", ".join(part for part in (row.title, row.detail, row.last) if part)

    def tip_of(self, row: InboxRow) -> str:
        """All lines, whole."""
        return plain_tooltip(f"{row.title}\n{row.detail}\n{row.last}")


class InboxDelegate(FileDelegate):
    """Paints one row: what, where, and since when with the words of its risk. A command is read from its beginning."""

    cut = Qt.TextElideMode.ElideRight

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A line more than other rows have."""
        return QSize(theme().px(SIDEBAR_ROW * 2), theme().px(theme().dense(SIDEBAR_ROW) + _MORE))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The row, with its last line."""
        super().paint(painter, option, index)
        row: InboxRow = index.data(ROW_ROLE)
        rect: QRect = option.rect
        font = theme().font(CAPTION)
        metrics = QFontMetrics(font)
        left = rect.left() + theme().px(_LEFT)
        width = rect.right() - theme().px(SPACE_3) - left
        middle = rect.top() + theme().px(theme().dense(SIDEBAR_ROW) + _THIRD_MIDDLE - SIDEBAR_ROW)
        painter.save()
        painter.setFont(font)
        token = row.icon[1] if row.icon[1] in ("danger", "warning") and row.entry.facts else "muted"
        painter.setPen(theme().color(token))
        place = QRect(left, middle - metrics.height() // 2, width, metrics.height())
        text = metrics.elidedText(row.last, Qt.TextElideMode.ElideRight, width)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


def row_of(model: QAbstractItemModel, at: int) -> InboxRow | None:
    """The row at this place, None where there is none."""
    row = model.index(at, 0).data(ROW_ROLE)
    return row if isinstance(row, InboxRow) else None
