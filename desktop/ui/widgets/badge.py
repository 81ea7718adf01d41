"""Badges: small counts, painted in lists and shown as labels."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2, SPACE_5

_HEIGHT = 20


def badge_text(count: int) -> str:
    """The count as a badge shows it: "" for none, at most 99+."""
    if count <= 0:
        return ""
    return str(count) if count <= 99 else "99+"


def badge_size(text: str) -> QSize:
    """The room a badge of this text takes."""
    width = QFontMetrics(theme().font(CAPTION, semibold=True)).horizontalAdvance(text) + theme().px(SPACE_2 * 2)
    return QSize(max(theme().px(SPACE_5), width), theme().px(_HEIGHT))


def paint_badge(painter: QPainter, rect: QRect, text: str, role: str) -> None:
    """Draw a badge that fills `rect`. `role`: warning, danger, accent or success."""
    background = "info_bg" if role == "accent" else f"{role}_bg"
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color(background))
    radius = rect.height() / 2
    painter.drawRoundedRect(QRectF(rect), radius, radius)
    painter.setPen(theme().color(role))
    painter.setFont(theme().font(CAPTION, semibold=True))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


class Badge(QWidget):
    """A count in a pill; hidden at 0. The accessible name says the whole number."""

    def __init__(self, role: str = "warning", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self._count = 0
        self.hide()
        theme().changed.connect(self.updateGeometry)

    def set_count(self, count: int, name: str) -> None:
        """Show this count; `name` is the accessible name ("3 waiting")."""
        self._count = count
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setVisible(count > 0)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The pill."""
        return badge_size(badge_text(self._count))

    def paintEvent(self, _event: object) -> None:
        """The pill and its number."""
        painter = QPainter(self)
        paint_badge(painter, self.rect(), badge_text(self._count), self._role)
        painter.end()
