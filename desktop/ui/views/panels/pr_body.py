"""PullProse: Markdown of a forge: no HTML, no picture is loaded, links are followed only through `link_asked`."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.display import display_text
from desktop.domain.display_links import is_safe_link
from desktop.domain.display_markdown import read_markdown
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_3
from desktop.ui.views.cards.prose import ProseView
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.flow_layout import FlowLayout

_KEPT_WIDTHS = 8
_MOST_PICTURES, _MOST_WORDS = 12, 40


class PullProse(ProseView):
    """As high as its text. `link_asked` carries the address of a link that a person clicked, or chose with Enter."""

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


class PictureLinks(QWidget):
    """A button for each picture of a text, which is never loaded here: `link_asked` carries its address."""

    link_asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[tuple[str, str], ...] = ()
        self._flow = FlowLayout(self, gap_x=theme().px(SPACE_3), gap_y=theme().px(SPACE_1))
        self._buttons: list[QPushButton] = []
        self.hide()

    def show_text(self, text: str) -> None:
        """Offer the pictures of this Markdown."""
        links = read_markdown(text).links if "![" in text else []
        found = dict.fromkeys((one.href, one.text) for one in links if one.picture and is_safe_link(one.href))
        shown = tuple(found)[:_MOST_PICTURES]
        if shown == self._shown:
            return
        self._shown = shown
        for button in self._buttons:
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(number, href, words) for number, (href, words) in enumerate(shown)]
        self.setVisible(bool(shown))

    def _button(self, number: int, href: str, words: str) -> QPushButton:
        name = display_text(words)
        name = name if len(name) <= _MOST_WORDS else f"{name[: _MOST_WORDS - 1]}…"
        label = f"Open picture “{name}”" if name else "Open picture"
        button = QPushButton(icon("image", "accent"), button_text(label), self)
        button.setObjectName(f"pr_picture_{number}")
        button.setProperty("kind", "link")
        button.setAutoDefault(False)
        button.setToolTip(plain_tooltip(display_text(href)))
        button.clicked.connect(lambda: self.link_asked.emit(href))
        self._flow.addWidget(button)
        button.show()
        return button
