"""The picture of a file before and after, beside each other or one below the other, never larger than they are."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop.domain.changes.values import DiffImage
from desktop.language import tr
from desktop.ui.text.format import size
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDE = 480


class _Picture(QWidget):
    """One side: what it is, and the picture, or why it is not shown."""

    def __init__(self, side: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._whole = QPixmap()
        self._words = QLabel(self)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("kind", "caption")
        self._words.setWordWrap(True)
        self._shown = QLabel(self)
        self._shown.setObjectName(f"changes_image_{side}")
        self._shown.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._shown.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addWidget(self._words)
        column.addWidget(self._shown, 1)

    def show_image(self, image: DiffImage | None) -> None:
        """Show this picture; None: there is none on this side."""
        self._whole = QPixmap()
        if image is not None and image.data:
            self._whole.loadFromData(image.data)
        words = [tr("no file") if image is None else size(image.size)]
        if image is not None and self._whole.isNull():
            words.append(tr("too large to be shown") if not image.data else tr("cannot be shown"))
        elif image is not None:
            words.append(f"{self._whole.width()} × {self._whole.height()}")
        self._words.setText(f"{self._name}: {', '.join(words)}")
        self._shown.setAccessibleName(self._words.text())
        self._shown.setVisible(not self._whole.isNull())
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The picture fits."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._whole.isNull():
            self._shown.setPixmap(QPixmap())
            return
        ratio = self.devicePixelRatioF()
        room = QSize(round(self._shown.width() * ratio), round(self._shown.height() * ratio)).boundedTo(
            self._whole.size()
        )
        mode = Qt.TransformationMode.SmoothTransformation
        fitted = self._whole.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, mode)
        fitted.setDevicePixelRatio(ratio)
        self._shown.setPixmap(fitted)


class ImagePair(QWidget):
    """Before and after."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._before, self._after = _Picture("before", tr("Before"), self), _Picture("after", tr("After"), self)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        set_gaps(self._row, (SPACE_3, SPACE_2, SPACE_3, SPACE_2), SPACE_3)
        self._row.addWidget(self._before, 1)
        self._row.addWidget(self._after, 1)

    def show_images(self, before: DiffImage | None, after: DiffImage | None) -> None:
        """Show both sides; one on which there is no file takes one line."""
        for at, (side, image) in enumerate(((self._before, before), (self._after, after))):
            side.show_image(image)
            self._row.setStretch(at, 0 if image is None else 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """One below the other where it is narrow."""
        super().resizeEvent(event)
        wide = self.width() >= theme().px(_WIDE)
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
