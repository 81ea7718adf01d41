"""The one shadow: under palette, popups and toasts."""

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

_BLUR, _DROP, _ALPHA = 24, 6, 90
_LOW_BLUR, _LOW_DROP, _LOW_ALPHA = 16, 2, 70


def add_shadow(widget: QWidget, *, low: bool = False) -> None:
    """Let a widget that lies over others cast a soft shadow. `low`: a short one, of what stands close to others."""
    effect = QGraphicsDropShadowEffect(widget)
    effect.setBlurRadius(_LOW_BLUR if low else _BLUR)
    effect.setOffset(0, _LOW_DROP if low else _DROP)
    effect.setColor(QColor(0, 0, 0, _LOW_ALPHA if low else _ALPHA))
    widget.setGraphicsEffect(effect)
