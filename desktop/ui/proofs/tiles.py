"""The painting of a tile in the Proofs tab: the thumbnail, its title, time and commit, state and marks."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.domain.proofs.values import ReviewState
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.proofs.model import ProofsModel, ProofTile
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_CARD, ICON_LINE, RADIUS_CONTROL, SPACE_1, SPACE_2

LEAST_WIDTH = 140
_PICTURE_SHARE = 0.62
_STATE_LOOK: dict[ReviewState, tuple[str, str]] = {
    "pending": ("circle-dashed", "muted"),
    "accepted": ("circle-check", "success"),
    "needs_more": ("message-square", "warning"),
    "dismissed": ("circle-x", "muted"),
}
_KIND_ICONS = {"video_recording": "play", "browser_trace": "archive", "test_results": "list-todo", "file": "file-text"}


def state_look(state: ReviewState) -> tuple[str, str]:
    """Icon and colour of a review state."""
    return _STATE_LOOK[state]


class TileDelegate(QStyledItemDelegate):
    """Two tiles to a row at 360 pixels. `width` is set by the grid."""

    def __init__(self, model: ProofsModel) -> None:
        super().__init__(model)
        self._model = model
        self.width = LEAST_WIDTH

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The size of a tile: as wide as the grid says; the texts under the picture need four lines."""
        line = QFontMetrics(theme().font(CAPTION)).height()
        return QSize(self.width, round(self.width * _PICTURE_SHARE) + 4 * line + theme().px(SPACE_2 * 2))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the tile; the selected one is framed."""
        tile: ProofTile = index.data(ROW_ROLE)
        gap = theme().px(SPACE_1)
        rect: QRect = option.rect.adjusted(gap, gap, -gap, -gap)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._background(painter, option, rect)
        inner = rect.adjusted(gap, gap, -gap, -gap)
        picture = QRect(inner.left(), inner.top(), inner.width(), round(self.width * _PICTURE_SHARE) - 2 * gap)
        self._picture(painter, picture, tile)
        high = inner.bottom() - picture.bottom() - gap
        text = QRect(inner.left() + gap, picture.bottom() + gap, inner.width() - 2 * gap, high)
        self._texts(painter, text, tile)
        painter.restore()

    def _background(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(theme().color("accent") if focused else theme().color("border"))
        painter.setBrush(theme().color("selection" if selected else "sunken" if hovered else "surface"))
        radius = theme().px(RADIUS_CONTROL)
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _picture(self, painter: QPainter, rect: QRect, tile: ProofTile) -> None:
        painter.fillRect(rect, theme().color("sunken"))
        thumb = self._model.thumb(tile.proof_id)
        if not thumb.isNull() and not tile.problem:
            _draw_fitted(painter, rect, thumb)
            return
        proof = tile.shown.proof
        if tile.problem:
            painter.setFont(theme().font(CAPTION))
            painter.setPen(theme().color("muted"))
            gap = theme().px(SPACE_1)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(rect.adjusted(gap, 0, -gap, 0), int(flags), tile.problem)
            return
        name = _KIND_ICONS.get(proof.kind, "file-text") if not proof.is_picture else "image"
        shown = pixmap(name, "muted", ICON_CARD, painter.device().devicePixelRatio())
        side, middle = theme().px(ICON_CARD), rect.center()
        line = QFontMetrics(theme().font(CAPTION)).height() + theme().px(SPACE_1) if tile.kind else 0
        painter.drawPixmap(middle.x() - side // 2, middle.y() - (side + line) // 2, shown)
        below = QRect(rect.left(), middle.y() + (side - line) // 2, rect.width(), line)
        painter.setFont(theme().font(CAPTION))
        painter.setPen(theme().color("muted"))
        painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom), tile.kind)

    def _texts(self, painter: QPainter, rect: QRect, tile: ProofTile) -> None:
        bold = QFont(theme().font(CAPTION))
        bold.setWeight(QFont.Weight.DemiBold)
        line = QFontMetrics(theme().font(CAPTION)).height()
        top = rect.top()
        _line(painter, QRect(rect.left(), top, rect.width(), line), tile.title, bold, "text")
        plain = theme().font(CAPTION)
        _line(painter, QRect(rect.left(), top + line, rect.width(), line), tile.caption, plain, "muted")
        icon, token = state_look(tile.shown.proof.review)
        side = theme().px(ICON_LINE)
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect.left(), top + 2 * line + (line - side) // 2, pixmap(icon, token, ICON_LINE, ratio))
        beside = rect.left() + side + theme().px(SPACE_1)
        state = QRect(beside, top + 2 * line, rect.right() - beside, line)
        _line(painter, state, tile.state, plain, "text")
        if tile.mark:
            _line(painter, QRect(rect.left(), top + 3 * line, rect.width(), line), tile.mark, plain, "warning")


def _line(painter: QPainter, rect: QRect, text: str, font: QFont, token: str) -> None:
    painter.setFont(font)
    painter.setPen(theme().color(token))
    elided = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), elided)


def _draw_fitted(painter: QPainter, rect: QRect, picture: QPixmap) -> None:
    """The picture as large as fits, from its top, never larger than it is."""
    size = picture.size().scaled(rect.size(), Qt.AspectRatioMode.KeepAspectRatio).boundedTo(picture.size())
    left = rect.left() + (rect.width() - size.width()) // 2
    top = rect.top() + (rect.height() - size.height()) // 2
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawPixmap(QRect(left, top, size.width(), size.height()), picture)
