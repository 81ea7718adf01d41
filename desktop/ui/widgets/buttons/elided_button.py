"""ElidedButton: a flat button whose text, made from data, is cut with an ellipsis when it does not fit."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from desktop.ui.text.direction import as_read
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.chip import button_text

_FEW = 4


class ElidedButton(QPushButton):
    """`full_text` is what was given, `cut` whether the end is missing on screen."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full = ""
        self._shown: Callable[[str], str] = str
        self.cut = False
        self._keep = _FEW
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.set_full_text(text)

    @property
    def full_text(self) -> str:
        """The text without the cut."""
        return self._full

    def set_full_text(self, text: str, *, prose: bool = False) -> None:
        """Show this text on one line; `prose` runs as its first letter says, names always to the right. The same text
        again costs nothing."""
        shown, full = as_read if prose else str, text.replace("\n", " ")
        if (shown, full) == (self._shown, self._full):
            return
        self._shown, self._full = shown, full
        self.setAccessibleName(self._full)
        self.updateGeometry()
        self._elide()

    def set_keep(self, characters: int = _FEW) -> None:
        """Set how many characters of the text stay, wherever there is room for the least of the neighbours."""
        if characters != self._keep:
            self._keep = characters
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for the whole text."""
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(self._full) + 2 * theme().px(SPACE_2) + 4
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The characters that stay, and the ellipsis."""
        self.ensurePolished()
        kept = "M" * _FEW if self._keep == _FEW else self._full[: self._keep]
        least = self.fontMetrics().horizontalAdvance(f"{kept}…") + 2 * theme().px(SPACE_2) + 4
        return QSize(min(least, self.sizeHint().width()), super().sizeHint().height())

    @property
    def cuttable(self) -> int:
        """The width in pixels by which the button can become narrower, its text cut."""
        return self.sizeHint().width() - self.minimumSizeHint().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text anew."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Cut the text anew for another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._elide()

    def room(self) -> int:
        """The width in pixels that the text can have."""
        return self.width() - 2 * theme().px(SPACE_2) - 2

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, max(0, self.room()))
        self.cut = shown != self._full
        words = button_text(self._shown(shown))
        if words != self.text():
            self.setText(words)
