"""The one shadow: under palette, popups and toasts."""

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

_BLUR, _DROP, _ALPHA = 24, 6, 90


def add_shadow(widget: QWidget) -> None:
    """Let a widget that lies over others cast a soft shadow."""
    effect = QGraphicsDropShadowEffect(widget)
    effect.setBlurRadius(_BLUR)
    effect.setOffset(0, _DROP)
    effect.setColor(QColor(0, 0, 0, _ALPHA))
    widget.setGraphicsEffect(effect)
