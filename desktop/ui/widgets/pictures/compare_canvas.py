"""CompareCanvas: two pictures beside each other, one over the other, in turn, or what differs between them."""

from typing import Literal

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QPixmap, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2

CompareMode = Literal["side", "overlay", "blink", "difference"]
BLINK_MS = 700
_NAMES = (tr("Before"), tr("After"))


class CompareCanvas(QWidget):
    """`divide`: percent of the width that shows the older one in overlay. It blinks only while it is on screen and was
    told to."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("proof_compare_canvas")
        self.setAccessibleName(tr("The two pictures"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme().px(200), theme().px(160))
        self.mode: CompareMode = "side"
        self.after_shown = True
        self._divide = 50
        self._pair = (QPixmap(), QPixmap())
        self._marked = QPixmap()
        self._blinks = False
        self._timer = QTimer(self, interval=BLINK_MS)
        self._timer.timeout.connect(self.turn)

    def set_pictures(self, before: QPixmap, after: QPixmap) -> None:
        """Compare these two pictures."""
        self._pair = (before, after)
        self.update()

    def set_marked(self, marked: QPixmap) -> None:
        """Set the newer picture with the differences marked in it."""
        self._marked = marked
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Set how the pictures are shown."""
        self.mode, self.after_shown = mode, True
        self.set_blinking(False)
        self.update()

    def set_divide(self, percent: int) -> None:
        """Set how far the older picture reaches in overlay, in percent of the width."""
        self._divide = percent
        self.update()

    def set_blinking(self, blinks: bool) -> None:
        """Show the two in turn by itself, or only when asked."""
        self._blinks = blinks
        self._run()

    @property
    def blinking(self) -> bool:
        """Whether they are shown in turn by itself."""
        return self._blinks

    def turn(self) -> None:
        """Show the other one."""
        self.after_shown = not self.after_shown
        self.setAccessibleDescription(tr("{name} is shown", name=_NAMES[self.after_shown]))
        self.update()

    def sizeHint(self) -> QSize:
        """A size that is as large as the dialog lets the canvas be."""
        return QSize(theme().px(860), theme().px(500))

    def showEvent(self, event: QShowEvent) -> None:
        """Go on with blinking."""
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop blinking while nobody looks."""
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The pictures in the chosen way."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), theme().color("sunken"))
        painter.setFont(theme().font(CAPTION))
        before, after = self._pair
        if self.mode == "side":
            gap = theme().px(SPACE_2)
            half = (self.width() - gap) // 2
            self._one(painter, QRect(0, 0, half, self.height()), before, _NAMES[0])
            self._one(painter, QRect(half + gap, 0, half, self.height()), after, _NAMES[1])
        elif self.mode == "overlay":
            self._overlay(painter)
        elif self.mode == "blink":
            self._one(painter, self.rect(), after if self.after_shown else before, _NAMES[self.after_shown])
        else:
            self._one(painter, self.rect(), self._marked, tr("What differs, in the newer one"))

    def _overlay(self, painter: QPainter) -> None:
        before, after = self._pair
        room = self._below_name(self.rect())
        whole = _fitted(room, before.size().expandedTo(after.size()))
        share = whole.width() / max(before.width(), after.width(), 1)
        at = whole.left() + round(whole.width() * self._divide / 100)
        for picture, left, right in ((after, at, whole.right() + 1), (before, whole.left(), at)):
            painter.save()
            painter.setClipRect(QRect(left, whole.top(), right - left, whole.height()))
            painter.drawPixmap(QRect(whole.topLeft(), picture.size() * share), picture)
            painter.restore()
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.drawLine(at, whole.top(), at, whole.bottom())
        self._name(
            painter,
            self.rect(),
            tr("Before on the left, after on the right"),
        )

    def _one(self, painter: QPainter, rect: QRect, picture: QPixmap, name: str) -> None:
        self._name(painter, rect, name)
        if not picture.isNull():
            painter.drawPixmap(_fitted(self._below_name(rect), picture.size()), picture)

    def _name(self, painter: QPainter, rect: QRect, name: str) -> None:
        painter.setPen(theme().color("muted"))
        line = QRect(rect.left(), rect.top(), rect.width(), painter.fontMetrics().height())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignHCenter), name)

    def _below_name(self, rect: QRect) -> QRect:
        return rect.adjusted(0, self.fontMetrics().height() + theme().px(SPACE_2), 0, 0)

    def _run(self) -> None:
        if self._blinks and self.mode == "blink" and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()


def _fitted(rect: QRect, size: QSize) -> QRect:
    """A picture of that size in the rectangle, never larger than it is."""
    fits = size.scaled(rect.size(), Qt.AspectRatioMode.KeepAspectRatio).boundedTo(size)
    return QRect(QPoint(rect.left() + (rect.width() - fits.width()) // 2, rect.top()), fits)
