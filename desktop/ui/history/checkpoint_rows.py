"""How a checkpoint is painted in the timeline: a row of two lines with marks of what was proved for its files."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from desktop.ui.changes.file_rows import TITLE_LINE, FileDelegate
from desktop.ui.history.timeline_model import CheckpointRow
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE, SPACE_1, SPACE_2, SPACE_3


class CheckpointDelegate(FileDelegate):
    """Paints a row, its marks at the right end of the upper line."""

    def reserved(self, index: QModelIndex | QPersistentModelIndex) -> int:
        """The marks and a gap before them."""
        row: CheckpointRow = index.data(ROW_ROLE)
        step = theme().px(ICON_LINE + SPACE_1)
        return len(row.marks) * step + theme().px(SPACE_2) if row.marks else 0

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row, then its marks."""
        super().paint(painter, option, index)
        row: CheckpointRow = index.data(ROW_ROLE)
        rect: QRect = option.rect
        px = theme().px
        top = rect.top() + px(theme().dense(TITLE_LINE)) - px(ICON_LINE) // 2
        left = rect.right() - px(SPACE_3) - len(row.marks) * px(ICON_LINE + SPACE_1)
        for place, (icon, token) in enumerate(row.marks):
            painter.drawPixmap(left + place * px(ICON_LINE + SPACE_1), top, pixmap(icon, token, ICON_LINE))
