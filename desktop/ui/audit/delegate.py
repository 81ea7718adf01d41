"""How a decision is painted where the table is narrow: what was asked, and under it who decided and what came of it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.ui.audit.fold import AuditRow
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2


class AuditDelegate(QStyledItemDelegate):
    """Two lines in a cell; the whole of both is in its tooltip."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The cell's ground as any other, then the lines."""
        row: AuditRow = index.data(ROW_ROLE)
        widget = option.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget)
        side = theme().px(SPACE_2)
        rect = option.rect.adjusted(side, 0, -side, 0)
        title, detail = theme().font(), theme().font(CAPTION)
        heights = [QFontMetrics(font).height() for font in (title, detail)]
        top = rect.top() + (rect.height() - sum(heights)) // 2
        painter.save()
        self._line(painter, QRect(rect.left(), top, rect.width(), heights[0]), row.what, title, "text")
        below = QRect(rect.left(), top + heights[0], rect.width(), heights[1])
        self._line(painter, below, row.outcome, detail, "muted")
        painter.restore()

    def _line(self, painter: QPainter, rect: QRect, text: str, font: QFont, token: str) -> None:
        painter.setFont(font)
        painter.setPen(theme().color(token))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine, shown)
