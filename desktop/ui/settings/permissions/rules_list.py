"""RulesList: all rules in force, painted; the chosen one is told in full below, where it can be removed."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.language import tr
from desktop.ui.gate.rules_model import NOTES, RuleRow, RulesModel
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SIDEBAR_ROW, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.badge import paint_pill
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_HEADING, _NONE = 34, 30
_MOST = 330
_CHIP_WIDTH, _CHIP_HEIGHT = 52, 20
_AFTER_CHIP = 20
_CHIPS = (tr("Allow"), tr("Ask"), tr("Deny"))
"""What the chip of a rule may say; all have one width."""
_OFF = "off"


class RulesDelegate(QStyledItemDelegate):
    """Paints one RuleRow: decision, text, and what is known of it below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Fixed heights at the zoom in force."""
        row: RuleRow = index.data(ROW_ROLE)
        heights = {"file": _HEADING, "none": _NONE}
        return QSize(theme().px(120), theme().px(heights.get(row.kind, SIDEBAR_ROW)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        row: RuleRow = index.data(ROW_ROLE)
        px, rect = theme().px, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "file":
            self._paint_file(painter, rect, row)
        elif row.kind == "none":
            box = rect.adjusted(px(SPACE_3), 0, -px(SPACE_2), 0)
            self._line(painter, box, row.words, theme().font(CAPTION), "muted")
        else:
            inset = theme().px(SPACE_1)
            paint_row_ground(painter, option, QRectF(option.rect.adjusted(inset, 1, -inset, -1)))
            self._paint_rule(painter, rect.adjusted(px(SPACE_2), 0, -px(SPACE_3), 0), row)
        painter.restore()

    def _paint_file(self, painter: QPainter, rect: QRect, row: RuleRow) -> None:
        px = theme().px
        box = rect.adjusted(px(SPACE_3), px(SPACE_1), -px(SPACE_3), 0)
        font = theme().font(CAPTION, semibold=True)
        self._line(painter, box, row.words, font, "text")
        taken = QFontMetrics(font).horizontalAdvance(row.words) + px(SPACE_3)
        room = box.adjusted(taken, 0, 0, 0)
        self._line(painter, room, row.detail, theme().font(CAPTION), "muted", Qt.TextElideMode.ElideMiddle)

    def _paint_rule(self, painter: QPainter, rect: QRect, row: RuleRow) -> None:
        px = theme().px
        half = rect.height() // 2
        metrics = QFontMetrics(theme().font(CAPTION, semibold=True))
        room = max(px(_CHIP_WIDTH), *(metrics.horizontalAdvance(one) + 2 * px(SPACE_2) for one in _CHIPS))
        chip = QRect(rect.left() + px(SPACE_1), 0, room, px(_CHIP_HEIGHT))
        chip.moveTop(rect.top() + (rect.height() - chip.height()) // 2)
        self._pill(painter, chip, row.chip, row.role if not row.off else "")
        right = self._paint_note(painter, rect, row)
        text = rect.adjusted(room + px(_AFTER_CHIP), px(SPACE_1), -right, 0)
        top, below = QRect(text), QRect(text)
        top.setHeight(half - px(SPACE_1))
        below.setTop(rect.top() + half)
        below.setHeight(half - px(SPACE_1))
        self._line(painter, top, row.words, theme().mono(), "muted" if row.off else "text")
        self._line(painter, below, row.detail, theme().font(CAPTION), "danger" if row.note == _OFF else "muted")

    def _paint_note(self, painter: QPainter, rect: QRect, row: RuleRow) -> int:
        """The note at the right; the width that the texts leave free."""
        if not row.note:
            return 0
        px, metrics = theme().px, QFontMetrics(theme().font(CAPTION))
        words, role = NOTES.get(row.note, (row.note, ""))
        width = metrics.horizontalAdvance(words) + 2 * px(SPACE_2)
        box = QRect(rect.right() - width, 0, width, px(_CHIP_HEIGHT))
        box.moveTop(rect.top() + (rect.height() - box.height()) // 2)
        self._pill(painter, box, words, role)
        return width + px(SPACE_2)

    def _pill(self, painter: QPainter, box: QRect, text: str, role: str) -> None:
        paint_pill(painter, box, f"{role}_bg" if role else "sunken")
        painter.setFont(theme().font(CAPTION, semibold=bool(role)))
        painter.setPen(theme().color(role or "muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _line(
        self,
        painter: QPainter,
        box: QRect,
        text: str,
        font: QFont,
        token: str,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        painter.setFont(font)
        painter.setPen(theme().color(token))
        shown = QFontMetrics(font).elidedText(text, cut, max(0, box.width()))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(box, flags, shown)


class RulesList(QListView):
    """As high as its rows, up to a limit. `chosen` carries the row, or None; Delete asks to remove it, Enter and a
    double click to change it."""

    chosen = Signal(object)
    edit_asked = Signal()
    remove_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rules = RulesModel(self)
        self.setObjectName("settings_permissions_rules")
        self.setAccessibleName(tr("Rules"))
        self.setProperty("kind", "list")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setModel(self.rules)
        self.setItemDelegate(RulesDelegate(self))
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        EdgeFade(self, "raised")
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.doubleClicked.connect(lambda _index: self.edit_asked.emit())
        theme().changed.connect(self._fit)

    @property
    def row(self) -> RuleRow | None:
        """The rule that is chosen, None if none is."""
        indexes = self.selectionModel().selectedIndexes()
        return indexes[0].data(ROW_ROLE) if indexes else None

    def show_rows(self, rows: list[RuleRow]) -> None:
        """Show these rows; the chosen rule stays chosen if it is still there."""
        self.rules.set_rows(rows)
        self._fit()
        self.chosen.emit(self.row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete asks to remove the chosen rule, Enter to change it."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.row is not None:
            self.remove_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.row is not None:
            self.edit_asked.emit()
        else:
            super().keyPressEvent(event)

    def _on_selection(self) -> None:
        self.chosen.emit(self.row)

    def _fit(self) -> None:
        wanted = sum(self.sizeHintForRow(row) for row in range(self.rules.rowCount())) + 2 * self.frameWidth()
        self.doItemsLayout()
        self.setFixedHeight(min(theme().px(_MOST), max(theme().px(_NONE), wanted)))
