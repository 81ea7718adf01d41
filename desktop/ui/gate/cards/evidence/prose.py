"""Prose on a card: Markdown or plain text, read-only, as high as it is up to a limit; knows when its end was seen."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from desktop.domain.display.text import prose_text
from desktop.ui.text.markdown import prose_document
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2

_FEW_LINES = 5


class ProseView(QTextEdit):
    """Never loads anything and follows no link. `seen` becomes true once the end was on screen; `seen_all` follows."""

    seen_all = Signal()

    def __init__(self, parent: QWidget, name: str, accessible: str) -> None:
        super().__init__(parent)
        self.seen = False
        self._text = ""
        self._markdown = True
        self._most = 0
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setProperty("kind", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme().changed.connect(self._draw)

    def show_text(self, text: str, *, markdown: bool = True) -> None:
        """Show this text."""
        self._text, self._markdown = text, markdown
        self._draw()

    def set_most(self, height: int) -> None:
        """A height limit in pixels, never under a few lines; 0: none."""
        if height != self._most:
            self._most = height
            self.updateGeometry()

    def show_all(self) -> None:
        """Count as seen."""
        self._mark_seen()

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The text's height at that width, at most the limit."""
        document = self.document().clone()
        document.setTextWidth(max(1, width))
        height = int(document.size().height() + 0.99) + theme().px(SPACE_2)
        document.deleteLater()
        few = self.fontMetrics().lineSpacing() * _FEW_LINES
        return min(height, max(few, self._most)) if self._most else height

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(max(1, self.width()), self.heightForWidth(max(1, self.width())))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(1, self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and notice whether the end was visible."""
        super().paintEvent(event)
        if not self.seen and self._end_is_visible():
            self._mark_seen()

    def changeEvent(self, event: QEvent) -> None:
        """Another font: another height."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def _draw(self) -> None:
        if self._markdown:
            document = prose_document(self._text)
            document.setParent(self)
            self.setDocument(document)
        else:
            self.setPlainText(prose_text(self._text, multiline=True))
        self.updateGeometry()

    def _end_is_visible(self) -> bool:
        shown = self.viewport().visibleRegion().boundingRect()
        bottom = self.document().size().height() - self.verticalScrollBar().value()
        return not shown.isEmpty() and bottom <= shown.bottom() + theme().px(SPACE_2)

    def _mark_seen(self) -> None:
        if not self.seen:
            self.seen = True
            QTimer.singleShot(0, self, self.seen_all.emit)
