"""ElidedLabel: one line of plain text that ends in an ellipsis when it does not fit, whole in the tooltip."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """A label that may shrink to nothing. Give it its text with `set_full_text`; `full_text` is what was given."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self._full = self._short = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_full_text(text)

    @property
    def full_text(self) -> str:
        """The text without the cut."""
        return self._full

    def set_full_text(self, text: str, short: str = "") -> None:
        """Show this text, one line; the tooltip has it whole when it is cut. `short` is shown where it does not fit.
        The same text again costs nothing."""
        texts = text.replace("\n", " "), short.replace("\n", " ")
        if texts == (self._full, self._short):
            return
        self._full, self._short = texts
        self.setAccessibleName(self._full)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Room for the whole text."""
        hint = super().sizeHint()
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self._full) + margins.left() + margins.right() + 2
        return QSize(width, hint.height())

    def minimumSizeHint(self) -> QSize:
        """The room for one character and the ellipsis."""
        return QSize(min(self.fontMetrics().horizontalAdvance("M…"), self.sizeHint().width()), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text anew."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Cut the text anew for another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._elide()

    def _elide(self) -> None:
        metrics, room = self.fontMetrics(), max(0, self.contentsRect().width())
        text = self._short if self._short and metrics.horizontalAdvance(self._full) > room else self._full
        shown = metrics.elidedText(text, self._mode, room)
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(plain_tooltip(self._full) if shown != self._full else "")


def plain_tooltip(text: str) -> str:
    """The text for a tooltip that must not read it as markup: Qt guesses rich text from a first tag."""
    if "<" not in text:
        return text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<qt>{escaped}</qt>"
