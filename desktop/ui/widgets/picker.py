"""Picker: a field and a list that is searched by what is typed; the command palette and the model list are such."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.ui.fuzzy import fuzzy_score
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import (
    BODY,
    CAPTION,
    CONTROL_HEIGHT,
    ICON_LINE,
    RADIUS_CONTROL,
    SIDEBAR_ROW,
    SPACE_1,
    SPACE_2,
    SPACE_3,
)
from desktop.ui.widgets.gaps import set_gaps

_SHOWN_ROWS = 10
_KEY_ROLE = Qt.ItemDataRole.UserRole + 1
_ITEM_ROLE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class PickItem:
    """One entry. `detail` stands muted after the title, `keys` at the right, `below` in a second line: all entries of
    a picker have one or none has. All texts are display-safe."""

    key: str
    title: str
    detail: str = ""
    keys: str = ""
    icon: str = ""
    chosen: bool = False
    below: str = ""

    @property
    def height(self) -> int:
        """The height of its row at 100 %."""
        return SIDEBAR_ROW if self.below else CONTROL_HEIGHT


class _Items(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.items: list[PickItem] = []

    def take(self, items: list[PickItem]) -> None:
        if self.items:
            self.beginRemoveRows(QModelIndex(), 0, len(self.items) - 1)
            self.items = []
            self.endRemoveRows()
        if items:
            self.beginInsertRows(QModelIndex(), 0, len(items) - 1)
            self.items = items
            self.endInsertRows()

    def rowCount(self, parent: _Index | None = None) -> int:
        return len(self.items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self.items):
            return None
        item = self.items[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (item.title, item.detail, item.below, item.keys) if part)
        return {Qt.ItemDataRole.DisplayRole: item.title, _KEY_ROLE: item.key, _ITEM_ROLE: item}.get(role)


class _PickDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        item: PickItem = index.data(_ITEM_ROLE)
        return QSize(0, theme().px(item.height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        item: PickItem = index.data(_ITEM_ROLE)
        px = theme().px
        rect = option.rect.adjusted(px(SPACE_1), 0, -px(SPACE_1), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color("selection"))
            painter.drawRoundedRect(rect, px(RADIUS_CONTROL), px(RADIUS_CONTROL))
        rect = rect.adjusted(px(SPACE_2), 0, -px(SPACE_2), 0)
        side = px(ICON_LINE)
        name = "check" if item.chosen else item.icon
        if name:
            ratio = option.widget.devicePixelRatio() if option.widget is not None else 1.0
            shape = pixmap(name, "accent" if item.chosen else "muted", ICON_LINE, ratio)
            painter.drawPixmap(rect.left(), rect.top() + (rect.height() - side) // 2, shape)
        rect.setLeft(rect.left() + side + px(SPACE_2))
        rect.setRight(rect.right() - self._text(painter, rect, item.keys, "muted", right=True))
        if item.below:
            rect = self._two_lines(painter, rect, item.below)
        rect.setLeft(rect.left() + self._text(painter, rect, item.title, "text"))
        self._text(painter, rect, item.detail, "muted")
        painter.restore()

    def _two_lines(self, painter: QPainter, rect: QRect, below: str) -> QRect:
        """Draw the second line; where the first one goes."""
        first, second = QFontMetrics(theme().font()).height(), QFontMetrics(theme().font(CAPTION)).height()
        top = rect.top() + (rect.height() - first - second) // 2
        self._text(painter, QRect(rect.left(), top + first, rect.width(), second), below, "muted", scale=CAPTION)
        return QRect(rect.left(), top, rect.width(), first)

    def _text(
        self, painter: QPainter, rect: QRect, text: str, token: str, *, right: bool = False, scale: float = BODY
    ) -> int:
        """Draw one elided line; the width it took with a gap."""
        if not text or rect.width() <= 0:
            return 0
        font = theme().font(scale)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme().color(token))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        return metrics.horizontalAdvance(shown) + theme().px(SPACE_3)


class Picker(QFrame):
    """Lies over its window. Enter or a click emits `picked` with the entry's key and closes it; so do, without a pick,
    Esc, a click elsewhere, and the focus going elsewhere. Closing gives the focus back to where it was."""

    picked = Signal(str)

    def __init__(self, names: tuple[str, str, str], title: str, placeholder: str, parent: QWidget) -> None:
        """`names`: object names of the popup, the field and the list; `title`: its accessible name."""
        super().__init__(parent.window())
        self.hide()
        self._items: tuple[PickItem, ...] = ()
        self._before: QWidget | None = None
        self._above = False
        self._size_of_window = QSize()
        self._accepts: Callable[[str], tuple[str, str]] = _everything
        self.setObjectName(names[0])
        self.setAccessibleName(title)
        self.setProperty("kind", "popup")
        add_shadow(self)
        self.field = QLineEdit(self)
        self.field.setObjectName(names[1])
        self.field.setAccessibleName(title)
        self.field.setPlaceholderText(placeholder)
        self._model = _Items(self)
        self.list = QListView(self)
        self.list.setObjectName(names[2])
        self.list.setAccessibleName("Results")
        self.list.setProperty("kind", "list")
        self.list.setModel(self._model)
        self.list.setItemDelegate(_PickDelegate(self.list))
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.nothing = QLabel("", self)
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.setProperty("kind", "muted")
        self.nothing.setIndent(SPACE_2)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_2, SPACE_2, SPACE_2, SPACE_2), SPACE_2)
        layout.addWidget(self.field)
        layout.addWidget(self.nothing)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._pick)

    def set_items(self, items: Sequence[PickItem], accepts: Callable[[str], tuple[str, str]] | None = None) -> None:
        """What can be picked, in order. `accepts` splits what is typed into a key prefix and the words to look for."""
        self._items = tuple(items)
        self._accepts = accepts or _everything
        self._search(self.field.text())

    def open_at(self, rect: QRect, text: str = "") -> None:
        """Show it under (or, without room, over) this global rectangle, as wide as that."""
        self.field.setText(text)
        self._search(text)
        window, gap = self.window(), theme().px(SPACE_1)
        area = self.parentWidget() or self
        origin = area.mapFromGlobal(rect.topLeft())
        height = min(self.sizeHint().height(), area.height() - 2 * gap)
        top = origin.y() + rect.height() + gap
        self._above = top + height > area.height()
        if self._above:
            top = max(gap, origin.y() - height - gap)
        left = min(max(gap, origin.x()), max(gap, area.width() - rect.width() - gap))
        self.setGeometry(left, top, rect.width(), height)
        self._before, self._size_of_window = window.focusWidget(), window.size()
        self.show()
        self.raise_()
        self.field.setFocus()
        self._watch_application(True)

    def sizeHint(self) -> QSize:
        """Up to ten rows of what matches."""
        rows = min(_SHOWN_ROWS, max(1, self._model.rowCount()))
        height = self._items[0].height if self._items else CONTROL_HEIGHT
        return QSize(theme().px(320), theme().px(height * rows + CONTROL_HEIGHT + 3 * SPACE_2) + 2)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while the field keeps the focus; Enter picks; a click elsewhere closes, and so
        does another size of the window: what it was opened at is elsewhere then."""
        if event.type() == QEvent.Type.Resize and watched is self.window() and watched.size() != self._size_of_window:
            self.dismiss()
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget) and self._outside(watched):
            self.dismiss(give_back=False)
        if watched is self.field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.dismiss(give_back=False)
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10}.get(Qt.Key(key), 10)
                self._move(step)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._pick(self.list.currentIndex())
                return True
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
        return super().eventFilter(watched, event)

    def dismiss(self, *, give_back: bool = True) -> None:
        """Close it; `give_back` the focus to where it was."""
        if self.isHidden():
            return
        before, self._before = self._before, None
        self._watch_application(False)
        self.hide()
        if give_back and before is not None:
            before.setFocus()

    def _watch_application(self, watched: bool) -> None:
        """See clicks elsewhere, only while it is open."""
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self) if watched else application.removeEventFilter(self)

    def _outside(self, widget: QWidget) -> bool:
        return (
            self.isVisible()
            and widget is not self
            and not self.isAncestorOf(widget)
            and widget.window() is self.window()
        )

    def _move(self, step: int) -> None:
        count = self._model.rowCount()
        if count:
            at = min(max(self.list.currentIndex().row() + step, 0), count - 1)
            self.list.setCurrentIndex(self._model.index(at, 0))

    def _search(self, text: str) -> None:
        prefix, words = self._accepts(text)
        scored = []
        for at, item in enumerate(self._items):
            score = (
                fuzzy_score(words, f"{item.title} {item.detail} {item.below}") if item.key.startswith(prefix) else None
            )
            if score is not None:
                scored.append((-score, at, item))
        self._model.take([item for _, _, item in sorted(scored, key=lambda entry: entry[:2])])
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.nothing.setText(f"Nothing matches “{text}”.")
        self.nothing.setVisible(not scored)
        self.list.setVisible(bool(scored))
        if self.isVisible():
            self._fit()

    def _fit(self) -> None:
        """As high as what matches needs, staying where it touches what it was opened at."""
        area = self.parentWidget() or self
        frame, gap = self.geometry(), theme().px(SPACE_1)
        room = frame.bottom() + 1 - gap if self._above else area.height() - gap - frame.top()
        height = min(self.sizeHint().height(), room)
        top = frame.bottom() + 1 - height if self._above else frame.top()
        self.setGeometry(frame.left(), top, frame.width(), height)

    def _pick(self, index: QModelIndex) -> None:
        key = index.data(_KEY_ROLE)
        if isinstance(key, str):
            self.dismiss()
            self.picked.emit(key)


def _everything(text: str) -> tuple[str, str]:
    return "", text.strip()
