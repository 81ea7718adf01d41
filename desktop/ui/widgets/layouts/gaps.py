"""Gaps of a layout that follow the zoom while the window is open."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QBoxLayout, QFormLayout, QGridLayout

from desktop.ui.theme.theme import theme

_Layout = QBoxLayout | QGridLayout | QFormLayout


class _Gaps(QObject):
    def __init__(
        self, layout: _Layout, margins: tuple[int, int, int, int] | None, spacing: int | None, across: int | None
    ) -> None:
        super().__init__(layout)
        self._layout, self._margins, self._spacing, self._across = layout, margins, spacing, across
        theme().changed.connect(self.take)
        self.take()

    def take(self) -> None:
        """Write them at the zoom in force."""
        px = theme().px
        if self._margins is not None:
            left, top, right, bottom = self._margins
            self._layout.setContentsMargins(px(left), px(top), px(right), px(bottom))
        if self._spacing is not None:
            self._layout.setSpacing(px(self._spacing))
        if self._across is not None and not isinstance(self._layout, QBoxLayout):
            self._layout.setHorizontalSpacing(px(self._across))


def set_gaps(
    layout: _Layout,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
    across: int | None = None,
) -> None:
    """Set margins (left, top, right, bottom) and spacing in logical pixels, now and after every change of the zoom.
    `across`: between the columns of a grid or form, where that is another."""
    _Gaps(layout, margins, spacing, across)
