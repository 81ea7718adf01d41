"""The list of past calls that a rule would have matched: at most twenty, declined ones first."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import PastCall
from desktop.language import tr
from desktop.ui.core.sink import Clock
from desktop.ui.gate.cards.kinds.rule_words import outcome_words
from desktop.ui.text.format import age, full_time
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2
from desktop.ui.widgets.elided_label import plain_tooltip

_MOST, _SHOWN, _ROW = 20, 3, 24
_CALL_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


class PastCallModel(QAbstractListModel):
    """The calls as rows."""

    def __init__(self, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._clock = clock
        self._calls: tuple[PastCall, ...] = ()

    def take(self, calls: Sequence[PastCall]) -> None:
        """These calls in place of the former ones: declined first, else as they come."""
        self.beginRemoveRows(QModelIndex(), 0, max(0, len(self._calls) - 1))
        self._calls = ()
        self.endRemoveRows()
        found = tuple(sorted(calls, key=lambda call: call.outcome != "declined")[:_MOST])
        if found:
            self.beginInsertRows(QModelIndex(), 0, len(found) - 1)
            self._calls = found
            self.endInsertRows()

    def rowCount(self, parent: _Index | None = None) -> int:
        """How many."""
        return 0 if parent is not None and parent.isValid() else len(self._calls)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The call's text, what became of it, and when."""
        call = self._calls[index.row()]
        text = display_text(call.text)
        if role == _CALL_ROLE:
            return call
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{text}\n{outcome_words(call)} · {full_time(call.at)}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{text}, {outcome_words(call)}, {age(call.at, self._clock())}"
        return None


class _PastCallDelegate(QStyledItemDelegate):
    """The text in the fixed font, shortened; at the right what became of it."""

    def __init__(self, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._clock = clock

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """One line."""
        return QSize(1, theme().px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a row; a declined one in the colour of danger."""
        call = index.data(_CALL_ROLE)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look, gap = theme(), theme().px(SPACE_2)
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, look.color("selection"))
        ink = look.color("danger" if call.outcome == "declined" else "muted")
        inner = rect.adjusted(gap, 0, -gap, 0)
        painter.setFont(look.font(CAPTION))
        words = f"{outcome_words(call)} · {age(call.at, self._clock())}"
        wide = painter.fontMetrics().horizontalAdvance(words)
        painter.setPen(ink)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(look.mono(CAPTION / 0.95))
        painter.setPen(look.color("danger" if call.outcome == "declined" else "text"))
        room = inner.width() - wide - 2 * gap
        text = QFontMetrics(painter.font()).elidedText(index.data(), Qt.TextElideMode.ElideRight, max(0, room))
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class PastCalls(QListView):
    """As high as its rows, at most three; hidden while there are none."""

    def __init__(self, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._calls = PastCallModel(clock, self)
        self.setObjectName("rule_preview_list")
        self.setAccessibleName(tr("Past calls this rule would have matched"))
        self.setProperty("kind", "grid")
        self.setModel(self._calls)
        self.setItemDelegate(_PastCallDelegate(clock, self))
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.show_calls(())

    def show_calls(self, calls: Sequence[PastCall]) -> None:
        """Show these in place of the former ones."""
        self._calls.take(calls)
        rows = self._calls.rowCount()
        self.setFixedHeight(min(_SHOWN, max(1, rows)) * theme().px(_ROW) + 2)
        self.setVisible(rows > 0)
