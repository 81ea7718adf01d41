"""LargeReview: lays the diff over the whole centre of the window, and gives it back."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.ui.changes.review_actions import ReviewActions


class LargeReview(QFrame):
    """Covers `region` while it holds the diff of a review. `left`: it was given back."""

    left = Signal()

    def __init__(self, region: QWidget, review: ReviewActions) -> None:
        super().__init__(region)
        self.setObjectName("changes_large_page")
        self.setProperty("kind", "surface")
        self.setAutoFillBackground(True)
        self.setAccessibleName("Changes, large")
        self._region = region
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        region.installEventFilter(self)
        review.large_asked.connect(self.take)
        review.large_ended.connect(self.leave)
        self.left.connect(review.take_back)
        self.hide()

    def take(self, widget: QWidget) -> None:
        """Show this over the region."""
        self._column.addWidget(widget)
        self.setGeometry(self._region.rect())
        self.show()
        self.raise_()

    def leave(self) -> None:
        """Hide; the widget is its former parent's to take back."""
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
