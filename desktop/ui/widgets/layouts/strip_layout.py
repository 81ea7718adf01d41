"""A layout of an icon, a text and what stands at its end, which goes below the text where that would be squeezed."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QLayoutItem

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_LINES_BESIDE = 2


class StripLayout(FlowLayout):
    """The first item is the icon, the second the text. Beside the others a text has two lines at most."""

    def heightForWidth(self, width: int) -> int:
        """The height of the text with what stands beside it or below it."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place the items of the strip within this rectangle."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        """The room for all items in one line."""
        around, gap = self._around(), theme().px(SPACE_2)
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() + gap for size in sizes) - gap
        return QSize(width + around.width(), max((size.height() for size in sizes), default=0) + around.height())

    def minimumSize(self) -> QSize:  # noqa: N802
        """The room for the items at the end of the strip; the text can be narrow."""
        around, gap = self._around(), theme().px(SPACE_2)
        ends = sum(item.sizeHint().width() + gap for item in self._ends()) - gap
        lines = [item.minimumSize().height() for item in self._items if not item.isEmpty()]
        narrow = sum(item.minimumSize().width() + gap for item in self._items[:2]) - gap
        return QSize(max(ends, narrow) + around.width(), max(lines, default=0) + around.height())

    def _place(self, rect: QRect, *, move: bool) -> int:
        """The height that is needed at the width of `rect`."""
        px = theme().px
        gap, top, inner = px(SPACE_2), rect.y() + px(SPACE_1), rect.width() - self._around().width()
        icon, text, ends = self._items[0], self._items[1], self._ends()
        left = rect.x() + px(SPACE_3)
        first = left + icon.sizeHint().width() + gap
        room = inner - (first - left)
        ends_width = sum(item.sizeHint().width() + gap for item in ends)
        ends_height = max((item.sizeHint().height() for item in ends), default=0)
        beside = self._fits(text, room - ends_width) or not ends
        text_width = room - ends_width if beside else room
        words = self._height_of(text, text_width)
        line = max(words, icon.sizeHint().height(), ends_height if beside else 0)
        if move:
            icon.setGeometry(QRect(left, top, icon.sizeHint().width(), line))
            text.setGeometry(QRect(first, top, text_width, line))
            x = first + text_width + gap if beside else first
            y, height = (top, line) if beside else (top + line + px(SPACE_1), ends_height)
            for item in ends:
                size = item.sizeHint()
                item.setGeometry(QRect(x, y + (height - size.height()) // 2, size.width(), size.height()))
                x += size.width() + gap
        below = 0 if beside else ends_height + px(SPACE_1)
        return line + below + 2 * px(SPACE_1)

    def _ends(self) -> list[QLayoutItem]:
        return [item for item in self._items[2:] if not item.isEmpty()]

    def _fits(self, text: QLayoutItem, width: int) -> bool:
        widget = text.widget()
        most = _LINES_BESIDE * widget.fontMetrics().lineSpacing() if widget is not None else 0
        return width > 0 and self._height_of(text, width) <= most

    def _height_of(self, text: QLayoutItem, width: int) -> int:
        return text.heightForWidth(max(1, width)) if text.hasHeightForWidth() else text.sizeHint().height()

    def _around(self) -> QSize:
        px = theme().px
        return QSize(px(SPACE_3) + px(SPACE_2), 2 * px(SPACE_1))
