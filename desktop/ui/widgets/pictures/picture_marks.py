"""PictureMarks: a picture of which a person chooses a part, and hides others, by mouse or by keys."""

from typing import Literal

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme

Tool = Literal["crop", "blank"]
Box = tuple[int, int, int, int]
_LEAST_PX = 8
_STEPS, _SHARE = 50, 4
_DIM = 150
_HEIGHT, _LEAST_HEIGHT = 260, 90
KEYS = tr("Drag a part with the mouse, or move a frame with the arrow keys, size it with Shift, and press Enter.")


class PictureMarks(QWidget):
    """`crop` is the part that stays (None: all), `blanks` what is painted over, in pixels of the picture. `changed`
    follows each change."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("The picture that would be sent"))
        self.setAccessibleDescription(KEYS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme().px(_LEAST_HEIGHT))
        self.tool: Tool = "crop"
        self.crop: Box | None = None
        self.blanks: tuple[Box, ...] = ()
        self._picture = QPixmap()
        self._begun: QPoint | None = None
        self._draft = QRect()

    def set_picture(self, picture: QPixmap) -> None:
        """Show this picture, in which no part is chosen yet."""
        self._picture = picture
        self.reset()

    def set_tool(self, tool: Tool) -> None:
        """Set what the next part that is drawn means: what stays, or what is hidden."""
        self.tool = tool
        self._draft = QRect()
        self.update()

    def reset(self) -> None:
        """Choose the whole picture again."""
        self.crop, self.blanks, self._draft, self._begun = None, (), QRect(), None
        self.changed.emit()
        self.update()

    def add(self, part: QRect) -> None:
        """Choose a part, in pixels of the picture."""
        inside = part.normalized().intersected(QRect(QPoint(0, 0), self._picture.size()))
        if inside.width() < 1 or inside.height() < 1:
            return
        box = (inside.left(), inside.top(), inside.width(), inside.height())
        if self.tool == "crop":
            self.crop = box
        else:
            self.blanks = (*self.blanks, box)
        self.changed.emit()
        self.update()

    def sizeHint(self) -> QSize:
        """A size that is as high as a card lets the picture be."""
        return QSize(theme().px(2 * _HEIGHT), theme().px(_HEIGHT))

    def give_way(self, over: int) -> None:
        """Make the picture lower by this many pixels, but still to be seen; 0: not at all."""
        self.setFixedHeight(max(theme().px(_HEIGHT) - over, theme().px(_LEAST_HEIGHT)))

    def place(self) -> QRect:
        """The rectangle in which the picture is painted."""
        size = self._picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self._picture.size())
        return QRect(QPoint((self.width() - size.width()) // 2, (self.height() - size.height()) // 2), size)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, dimmed where it is not sent, black where it is hidden, and the frame that is being drawn."""
        painter = QPainter(self)
        place = self.place()
        if self._picture.isNull():
            painter.setPen(theme().color("muted"))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), tr("Loading the picture…"))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(place, self._picture)
        for box in self.blanks:
            painter.fillRect(self._on_screen(QRect(*box)), QColor(0, 0, 0))
        if self.crop is not None:
            self._dim(painter, place, self._on_screen(QRect(*self.crop)))
        if not self._draft.isEmpty():
            painter.setPen(QPen(theme().color("accent"), 2, Qt.PenStyle.DashLine))
            painter.drawRect(self._on_screen(self._draft))
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to draw a part."""
        if event.button() == Qt.MouseButton.LeftButton and not self._picture.isNull():
            self._begun = self._in_picture(event.position().toPoint())
            self._draft = QRect()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the part that would be chosen."""
        if self._begun is not None:
            self._draft = QRect(self._begun, self._in_picture(event.position().toPoint())).normalized()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose it, unless it is hardly more than a click."""
        draft, self._begun, self._draft = self._draft, None, QRect()
        if draft.width() >= _LEAST_PX and draft.height() >= _LEAST_PX:
            self.add(draft)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move a frame, with Shift they size it; Enter chooses it, Backspace takes the last part back."""
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if key in steps and plain and not self._picture.isNull():
            self._step(*steps[key], sizing=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and not self._draft.isEmpty():
            draft, self._draft = self._draft, QRect()
            self.add(draft)
        elif key == Qt.Key.Key_Backspace and plain:
            self._take_back()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring of the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring of the focus away."""
        super().focusOutEvent(event)
        self.update()

    def _step(self, right: int, down: int, *, sizing: bool) -> None:
        size = self._picture.size()
        if self._draft.isEmpty():
            corner = QPoint(size.width() // _SHARE, size.height() // _SHARE)
            self._draft = QRect(corner, QSize(size.width() // 2, size.height() // 2))
        across, along = max(size.width() // _STEPS, 1) * right, max(size.height() // _STEPS, 1) * down
        moved = self._draft.adjusted(0, 0, across, along) if sizing else self._draft.translated(across, along)
        if QRect(QPoint(0, 0), size).contains(moved) and not moved.isEmpty():
            self._draft = moved
        self.update()

    def _take_back(self) -> None:
        if not self._draft.isEmpty():
            self._draft = QRect()
        elif self.blanks:
            self.blanks = self.blanks[:-1]
            self.changed.emit()
        elif self.crop is not None:
            self.crop = None
            self.changed.emit()
        self.update()

    def _dim(self, painter: QPainter, place: QRect, kept: QRect) -> None:
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, _DIM))
        painter.drawRect(QRect(place.left(), place.top(), place.width(), kept.top() - place.top()))
        painter.drawRect(QRect(place.left(), kept.bottom() + 1, place.width(), place.bottom() - kept.bottom()))
        painter.drawRect(QRect(place.left(), kept.top(), kept.left() - place.left(), kept.height()))
        painter.drawRect(QRect(kept.right() + 1, kept.top(), place.right() - kept.right(), kept.height()))
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(kept)
        painter.restore()

    def _on_screen(self, part: QRect) -> QRect:
        place, share = self.place(), self._share()
        return QRect(
            place.left() + round(part.left() * share),
            place.top() + round(part.top() * share),
            max(1, round(part.width() * share)),
            max(1, round(part.height() * share)),
        )

    def _in_picture(self, at: QPoint) -> QPoint:
        place, share = self.place(), self._share()
        x, y = round((at.x() - place.left()) / share), round((at.y() - place.top()) / share)
        return QPoint(min(max(x, 0), self._picture.width() - 1), min(max(y, 0), self._picture.height() - 1))

    def _share(self) -> float:
        return self.place().width() / self._picture.width() if self._picture.width() else 1.0
