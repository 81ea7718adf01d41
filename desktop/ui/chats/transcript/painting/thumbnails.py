"""Thumbnails: small pictures of what was attached to messages, asked for when they are first painted."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPixmap

from desktop.language import tr
from desktop.ui.chats.folds.rows import SentFile
from desktop.ui.chats.transcript.painting.pieces import Piece, PieceHit
from desktop.ui.text.safe_text import safe_line
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_CARD, RADIUS_CONTROL, SPACE_2

OPEN_PICTURE = "picture_open"
KEPT = 200
_WIDTH, _HEIGHT = 160, 108


class Thumbnails(QObject):
    """`wanted`: the digest of a picture that is to be shown and is not here; it is asked for once."""

    wanted = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pictures: dict[str, QPixmap | None] = {}
        self._shown_in: dict[str, set[Callable[[], None]]] = {}

    def get(self, sha256: str, drop: Callable[[], None]) -> QPixmap | None:
        """The small picture; None while it is not here, and `drop` is called when it came."""
        if sha256 not in self._pictures:
            if len(self._pictures) >= KEPT:
                self._pictures.pop(next(iter(self._pictures)))
            self._pictures[sha256] = None
            self.wanted.emit(sha256)
        if self._pictures[sha256] is None:
            self._shown_in.setdefault(sha256, set()).add(drop)
        return self._pictures[sha256]

    def take(self, sha256: str, picture: QPixmap) -> None:
        """It came."""
        if self._pictures.get(sha256, picture) is None:
            self._pictures[sha256] = picture
            for drop in self._shown_in.pop(sha256, ()):
                drop()


class PicturesPiece(Piece):
    """Pictures of a message side by side, each in a frame of one size; a click shows it whole."""

    def __init__(
        self, x: int, width: int, files: Sequence[SentFile], thumbnail: Callable[[str], QPixmap | None]
    ) -> None:
        px, gap = theme().px, theme().px(SPACE_2)
        self._size = QSize(min(px(_WIDTH), width), px(_HEIGHT))
        self._per_line = max(1, (width + gap) // (self._size.width() + gap))
        lines = -(-len(files) // self._per_line)
        super().__init__(x, width, lines * (self._size.height() + gap), gap=0)
        self.files, self._thumbnail = tuple(files), thumbnail

    def _frame(self, number: int) -> QRect:
        gap = theme().px(SPACE_2)
        line, place = divmod(number, self._per_line)
        left = self.x + place * (self._size.width() + gap)
        return QRect(QPoint(left, self.y + gap // 2 + line * (self._size.height() + gap)), self._size)

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint what is here, and an icon for what is not."""
        look = theme()
        radius = look.px(RADIUS_CONTROL)
        for number, file in enumerate(self.files):
            frame = self._frame(number)
            painter.setPen(look.color("border"))
            painter.setBrush(look.color("sunken"))
            painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            picture = self._thumbnail(file.sha256)
            if picture is None:
                side = look.px(ICON_CARD)
                shape = pixmap("image", "muted", ICON_CARD, ratio)
                painter.drawPixmap(frame.center() - QPoint(side // 2, side // 2), shape)
                continue
            inner = frame.adjusted(1, 1, -1, -1)
            size = picture.size().scaled(inner.size(), Qt.AspectRatioMode.KeepAspectRatio)
            free = inner.size() - size
            if max(free.width(), free.height()) <= look.px(2):  # the frame is that of the picture, but for rounding
                size = picture.size().scaled(inner.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
            place = QRect(QPoint(0, 0), size)
            place.moveCenter(inner.center())
            clip = QPainterPath()
            clip.addRoundedRect(QRectF(inner), radius, radius)
            painter.save()
            painter.setClipPath(clip, Qt.ClipOperation.IntersectClip)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, picture)
            painter.restore()

    def hits(self) -> list[PieceHit]:
        """Each picture."""
        return [
            PieceHit(OPEN_PICTURE, self._frame(number), tr("Show {name}", name=safe_line(file.name)), file.sha256)
            for number, file in enumerate(self.files)
        ]
