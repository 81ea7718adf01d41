"""Column: lays its contents out in the one column of the centre."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import COLUMN_MARGIN, COLUMN_MARGIN_NARROW, SPACE_2, SPACE_3
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDE = 700


def column_width(centre_width: int) -> int:
    """The width of the column in a centre of this width, in pixels: the same for rows, tray and composer."""
    px = theme().px
    if centre_width >= px(_WIDE):
        return min(px(theme().reading_width), centre_width - px(COLUMN_MARGIN))
    return centre_width - px(COLUMN_MARGIN_NARROW)


class Column(QWidget):
    """Widgets one under the other, centred, as wide as the column."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = QVBoxLayout(self)
        set_gaps(self.rows, spacing=SPACE_3)
        self._tight = False
        theme().changed.connect(self._place)
        self._place()

    def set_tight(self, tight: bool) -> None:
        """Give the margins to the contents, where there is hardly room for them."""
        if tight != self._tight:
            self._tight = tight
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column in the middle."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        width = self.width() - theme().px(2 * SPACE_2) if self._tight else column_width(self.width())
        left = max(0, self.width() - width) // 2
        self.rows.setContentsMargins(left, 0, max(0, self.width() - width - left), 0)
