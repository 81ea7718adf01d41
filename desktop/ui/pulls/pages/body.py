"""PullProse: Markdown of a forge: no HTML, no picture is loaded, links are followed only through `link_asked`."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.gate.cards.evidence.prose import ProseView

_KEPT_WIDTHS = 8


class PullProse(ProseView):
    """Prose on a pull request, as high as its text. `link_asked` carries the address of a link that a person clicked,
    or chose with Enter."""

    link_asked = Signal(str)

    def __init__(self, parent: QWidget, name: str, accessible: str) -> None:
        super().__init__(parent, name, accessible)
        self._heights: dict[int, int] = {}
        self._source = ""
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)

    @property
    def source(self) -> str:
        """The Markdown that is shown."""
        return self._source

    def show_text(self, text: str, *, markdown: bool = True) -> None:
        """Show this text; the same again costs nothing."""
        if text != self._source:
            self._source = text
            self._heights.clear()
            super().show_text(text, markdown=markdown)

    def heightForWidth(self, width: int) -> int:
        """The text's height at that width; asked often while a page is laid out."""
        if width not in self._heights:
            while len(self._heights) >= _KEPT_WIDTHS:
                del self._heights[next(iter(self._heights))]
            self._heights[width] = super().heightForWidth(width)
        return self._heights[width]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over links, with the address they lead to as the tooltip."""
        super().mouseMoveEvent(event)
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if self._link(event) else Qt.CursorShape.IBeamCursor
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a link asks; a selection that ends on one does not."""
        super().mouseReleaseEvent(event)
        target = self._link(event)
        if target and event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.link_asked.emit(target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter on a link asks; letters are left to the panel."""
        href = self.textCursor().charFormat().anchorHref()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and href:
            self.link_asked.emit(href)
        elif event.text() and event.text().isprintable() and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls, not the text."""
        event.ignore()

    def _draw(self) -> None:
        self._heights.clear()
        super()._draw()

    def _link(self, event: QMouseEvent) -> str:
        return self.anchorAt(event.position().toPoint())
