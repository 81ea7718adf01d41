"""Badges: small counts, painted in lists."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter

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
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_pill(painter, rect, "info_bg" if role == "accent" else f"{role}_bg")
    painter.setPen(theme().color(role))
    painter.setFont(theme().font(CAPTION, semibold=True))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def paint_pill(painter: QPainter, rect: QRect, background: str) -> None:
    """The ground of a badge or chip in this token, with an edge where edges tell what tints tell elsewhere."""
    outlined = theme().tokens.is_outlined
    painter.setPen(theme().color("border") if outlined else Qt.PenStyle.NoPen)
    painter.setBrush(theme().color(background))
    shape = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5) if outlined else QRectF(rect)
    painter.drawRoundedRect(shape, shape.height() / 2, shape.height() / 2)
