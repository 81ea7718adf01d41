"""TickFrames: entries of a list with ticks whose frames can be seen on every ground; the style draws them too dark."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.ui.theme.theme import theme


class TickFrames(QStyledItemDelegate):
    """For a list whose entries can be ticked."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The entry, then the frame of its tick over it."""
        super().paint(painter, option, index)
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        if drawn.widget is None or not drawn.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            return
        place = drawn.widget.style().subElementRect(
            QStyle.SubElement.SE_ItemViewItemCheckIndicator, drawn, drawn.widget
        )
        painter.setPen(theme().color("control"))
        painter.drawRect(place.adjusted(0, 0, -1, -1))
