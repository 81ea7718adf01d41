"""Cover: something that lies over the whole of a region until it is left."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget


class Cover(QFrame):
    """Hidden until `take`. Esc leaves. `left`: the region is seen again."""

    left = Signal()

    def __init__(self, region: QWidget, name: str, says: str) -> None:
        """`name` is its object name, `says` what people hear."""
        super().__init__(region)
        self.setObjectName(name)
        self.setProperty("kind", "surface")
        self.setAutoFillBackground(True)
        self.setAccessibleName(says)
        self._region = region
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        region.installEventFilter(self)
        self.hide()

    def take(self, widget: QWidget) -> None:
        """Show this over the region."""
        self._column.addWidget(widget)
        self.setGeometry(self._region.rect())
        self.show()
        self.raise_()

    def leave(self) -> None:
        """Hide; the widget stays here unless somebody takes it back."""
        if not self.isHidden():
            self.hide()
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes."""
        if event.matches(QKeySequence.StandardKey.Cancel) or event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the whole region."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._region.rect())
        return super().eventFilter(watched, event)
