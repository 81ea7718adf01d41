"""A layout that sets items side by side and goes on in the next line where the width ends."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget

_Sized = tuple[QLayoutItem, QSize]


class FlowLayout(QLayout):
    """Items keep their size hints, centred in their line; one wider than a whole line is given the line's width.
    `fair`: the last line takes items of the one before, so that none stands alone where two lines could share them."""

    def __init__(self, parent: QWidget | None = None, *, gap_x: int = 0, gap_y: int = 0, fair: bool = False) -> None:
        super().__init__(parent)
        self._fair = fair
        self._items: list[QLayoutItem] = []
        self._gap_x = gap_x
        self._gap_y = gap_y
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """The number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """The item at the index; None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Remove and give back the item at the index; None past the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """None: the layout never asks for more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at that width."""
        return self._arrange(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place the items in lines within this rectangle."""
        super().setGeometry(rect)
        self._arrange(rect, place=True)

    def sizeHint(self) -> QSize:
        """The room for all items in one line."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._gap_x * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest and highest of the items' minimum sizes."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((s.width() for s in sizes), default=0), max((s.height() for s in sizes), default=0))

    def _arrange(self, rect: QRect, *, place: bool) -> int:
        owner = self.parentWidget()
        direction = owner.layoutDirection() if owner is not None else Qt.LayoutDirection.LeftToRight
        y = rect.y()
        for line in self._lines(rect.width()):
            height = max(size.height() for _item, size in line)
            x = rect.x()
            for item, size in line:
                if place:
                    box = QRect(QPoint(x, y + (height - size.height()) // 2), size)
                    item.setGeometry(QStyle.visualRect(direction, rect, box))
                x += size.width() + self._gap_x
            y += height + self._gap_y
        return max(0, y - rect.y() - self._gap_y)

    def _lines(self, width: int) -> list[list[_Sized]]:
        lines: list[list[_Sized]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            size = QSize(min(hint.width(), width), hint.height())
            if item.hasHeightForWidth() and hint.width() > width:
                size.setHeight(item.heightForWidth(width))
            if not lines or used + self._gap_x + size.width() > width:
                lines.append([])
                used = size.width()
            else:
                used += self._gap_x + size.width()
            lines[-1].append((item, size))
        if self._fair and len(lines) > 1:
            self._share(lines[-2], lines[-1], width)
        return lines

    def _share(self, before: list[_Sized], last: list[_Sized], width: int) -> None:
        """Move items to the last line while it stays the shorter one and has room."""
        used = sum(size.width() + self._gap_x for _item, size in last)
        while len(before) > len(last) + 1 and used + before[-1][1].width() <= width:
            last.insert(0, before.pop())
            used += last[0][1].width() + self._gap_x
