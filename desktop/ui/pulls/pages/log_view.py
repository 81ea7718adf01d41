"""LogList: the rows of a job's log, painted line by line in the colours of its terminal; steps fold."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.language import tr
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.pulls.log_model import LogModel, LogRow
from desktop.ui.text.ansi import parse, text_format
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE, SPACE_1
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_LEFT = 26


class _LogDelegate(QStyledItemDelegate):
    """Paints one row. `found`: what is searched for; each place of it is filled."""

    def __init__(self, model: LogModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.found = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As wide as the longest line; all rows are equally high."""
        metrics = QFontMetrics(theme().mono())
        wide = metrics.horizontalAdvance("m") * (self._model.longest + 4) + theme().px(_LEFT)
        return QSize(wide, metrics.height() + theme().px(SPACE_1))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a heading or a line."""
        row: LogRow = index.data(ROW_ROLE)
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme().color("selection"))
        if row.line < 0:
            self._heading(painter, rect, row)
        else:
            self._line(painter, rect, row)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: LogRow) -> None:
        one, px = self._model.sections[row.section], theme().px
        side = px(ICON_LINE)
        top = rect.center().y() - side // 2
        arrow = "chevron-down" if one.open else "chevron-right"
        painter.drawPixmap(rect.left() + px(SPACE_1), top, pixmap(arrow, "muted", ICON_LINE))
        painter.setFont(theme().font(semibold=True))
        painter.setPen(theme().color("danger" if one.failed else "text"))
        box = rect.adjusted(px(_LEFT), 0, 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, safe_text(one.title))

    def _line(self, painter: QPainter, rect: QRect, row: LogRow) -> None:
        line = self._model.line(row)
        if line.kind in ("error", "warning"):
            selected = {"error": "danger_bg", "warning": "warning_bg"}[line.kind]
            painter.fillRect(rect, theme().color(selected))
        font = theme().mono(semibold=line.kind == "group")
        metrics = QFontMetrics(font)
        left = rect.left() + theme().px(_LEFT)
        tinted = {"error": "danger", "warning": "warning", "command": "accent"}.get(line.kind, "")
        self._marks(painter, QRect(left, rect.top(), rect.width(), rect.height()), line.words, metrics)
        for run in parse(line.text):
            for text, style in run:
                shown, look = safe_text(text), text_format(style)
                painter.setFont(font)
                painter.setPen(theme().color(tinted) if tinted else look.foreground().color())
                width = metrics.horizontalAdvance(shown)
                box = QRect(left, rect.top(), width + metrics.averageCharWidth(), rect.height())
                if look.hasProperty(look.Property.BackgroundBrush):
                    painter.fillRect(QRect(left, rect.top(), width, rect.height()), look.background())
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
                left += width

    def _marks(self, painter: QPainter, rect: QRect, words: str, metrics: QFontMetrics) -> None:
        wanted = self.found.casefold()
        at = words.casefold().find(wanted) if wanted else -1
        while at >= 0:
            left = rect.left() + metrics.horizontalAdvance(words[:at])
            width = metrics.horizontalAdvance(words[at : at + len(wanted)])
            painter.fillRect(QRect(left, rect.top() + 1, width, rect.height() - 2), theme().color("selection"))
            at = words.casefold().find(wanted, at + len(wanted))


class LogList(QListView):
    """Lines can be selected and copied; Enter, Left and Right, or a click fold the step they stand on."""

    def __init__(self, model: LogModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._log = model
        self._delegate = _LogDelegate(model, self)
        self.setObjectName("pr_check_log")
        self.setAccessibleName(tr("Log of the check"))
        self.setProperty("kind", "evidence")
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        EdgeFade(self, "sunken")
        theme().changed.connect(self.doItemsLayout)

    def mark(self, text: str) -> None:
        """Fill the places of this text."""
        self._delegate.found = text
        self.viewport().update()

    def show_failure(self) -> None:
        """Bring the first failing step into view, its end where the reason stands."""
        for at, one in enumerate(self._log.sections):
            if one.failed and one.open:
                errors = [n for n, line in enumerate(one.lines) if line.kind == "error"]
                row = self._log.row_of(at, errors[-1] if errors else len(one.lines) - 1)
                self.scrollTo(self._log.index(row, 0), QAbstractItemView.ScrollHint.PositionAtBottom)
                return
        self.scrollToBottom()

    def go_to(self, row: LogRow) -> None:
        """Select a line, unfolding its step."""
        self._log.fold(row.section, shown=True)
        index = self._log.index(self._log.row_of(row.section, row.line), 0)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold by keys, copy the selected lines."""
        row = self.currentIndex().data(ROW_ROLE)
        keys = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif isinstance(row, LogRow) and event.key() in keys:
            self._fold(row, shown=keys[Qt.Key(event.key())])
        elif isinstance(row, LogRow) and row.line < 0 and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._fold(row, shown=not self._log.sections[row.section].open)
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a heading folds it."""
        super().mousePressEvent(event)
        row = self.indexAt(event.position().toPoint()).data(ROW_ROLE)
        if isinstance(row, LogRow) and row.line < 0 and event.button() == Qt.MouseButton.LeftButton:
            self._fold(row, shown=not self._log.sections[row.section].open)

    def copy(self) -> None:
        """Put the selected lines on the clipboard, as they are shown."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        words = [str(self._log.index(row, 0).data() or "") for row in rows]
        if words:
            QGuiApplication.clipboard().setText("\n".join(words))

    def _fold(self, row: LogRow, *, shown: bool) -> None:
        self._log.fold(row.section, shown=shown)
        self.setCurrentIndex(self._log.index(self._log.row_of(row.section), 0))
