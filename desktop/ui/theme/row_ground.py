"""What rows of lists stand on: the chosen one, the one that is pointed at, the one with the focus."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import RADIUS_CONTROL


def paint_row_ground(painter: QPainter, option: QStyleOptionViewItem, box: QRectF) -> None:
    """Fill `box` where the row is chosen or pointed at, and ring it where it has the focus."""
    look = theme()
    chosen = bool(option.state & QStyle.StateFlag.State_Selected)
    if chosen or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("selection" if chosen else "sunken"))
        painter.drawRoundedRect(box, look.px(RADIUS_CONTROL), look.px(RADIUS_CONTROL))
    if option.state & QStyle.StateFlag.State_HasFocus:
        _ring(painter, box, "accent", look.px(2))
    elif chosen:
        paint_chosen_edge(painter, box)


def paint_chosen_edge(painter: QPainter, box: QRectF) -> None:
    """Ring a chosen row in a theme that tells by lines what others tell by tints."""
    if theme().tokens.is_outlined:
        _ring(painter, box, "control", max(1, theme().px(1)))


def _ring(painter: QPainter, box: QRectF, token: str, width: int) -> None:
    look, half = theme(), width / 2
    painter.setPen(QPen(look.color(token), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(half, half, -half, -half), look.px(RADIUS_CONTROL), look.px(RADIUS_CONTROL))
