"""The sidebar: chats and lanes by what they need, with a filter, keys and a context menu."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.lanes.lane import LaneStatus
from desktop.language import tr
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.core.sidebar_row import LANE_ORDERS, RECENT_STEP, LaneOrder, Lists, SidebarRow
from desktop.ui.core.sink import Clock
from desktop.ui.core.ticker import AgeTicker
from desktop.ui.sidebar.tree import SessionTree
from desktop.ui.sidebar.tree_model import ROW_ROLE, SessionTreeModel
from desktop.ui.text.waiting import Waiting
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import HEADER, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps

_HOLD_MS = 10_000


class Sidebar(QFrame):
    """Title row, filter line and list. What a person wants of a chat is asked by signals; `chat_action`: beside,
    window, pin, fork, export or delete; `lane_menu_asked`: the menu of this lane, at this point of the screen;
    `clash_asked`: which lanes change the same files as this one; `lane_action`: an entry of its menu, by its id."""

    opened = Signal(str)
    new_chat_asked = Signal()
    renamed = Signal(str, str)
    archive_asked = Signal(str, bool)
    chat_action = Signal(str, str)
    lane_menu_asked = Signal(str, QPoint)
    clash_asked = Signal(str)
    lane_action = Signal(str, str)

    def __init__(self, clock: Clock, ticker: AgeTicker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAccessibleName(tr("Sidebar"))
        self.setProperty("kind", "side")
        self._ticker = ticker
        self._current = ""
        self.model = SessionTreeModel(clock, self)
        self.tree = SessionTree(self.model, self)
        self._orders = QMenu(self)
        self._orders.setObjectName("sidebar_orders")
        self._orders.aboutToShow.connect(self._fill_orders)
        self._filter = self._make_filter()
        self._rename = self._make_rename_field()
        self._renaming = ""
        self._store: LayoutStore | None = None
        self._project, self._listed = False, True
        self._loading = Waiting(tr("Loading chats…"), tr("Still loading chats…"), self)
        self._loading.said.connect(self._say_loading)
        self._words = ""
        self._empty = _plain_label("sidebar_nothing", self)
        self._empty.setContentsMargins(SPACE_3 + 2, SPACE_2, SPACE_3, SPACE_2)
        self._empty.hide()
        self._start = self._make_start()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_title_row())
        filter_row = QHBoxLayout()
        set_gaps(filter_row, (SPACE_3, 0, SPACE_3, 0))
        filter_row.addWidget(self._filter)
        layout.addLayout(filter_row)
        layout.addWidget(self._empty)
        layout.addWidget(self._start)
        layout.addWidget(self.tree, 1)
        self._hold_timer = QTimer(self)
        self._hold_timer.setSingleShot(True)
        self._hold_timer.setInterval(_HOLD_MS)
        self._hold_timer.timeout.connect(self._release)
        self._connect()

    def show_lists(self, lists: Lists) -> None:
        """Show these chats and lanes, with the filter and limit in force; the same ones again cost nothing."""
        before = self.model.lists
        lanes = lists.lanes is before.lanes and lists.findings is before.findings
        lanes = lanes and _says_the_same(lists.statuses, before.statuses)
        lanes = lanes and lists.reports is before.reports and lists.pulls is before.pulls
        if lanes and lists.chats is before.chats and lists.seen == before.seen:
            return
        text, limit = before.filter_text, before.recent_limit
        self.model.show_lists(replace(lists, filter_text=text, recent_limit=limit, order=before.order))
        self._after_rows()

    def keep_in(self, store: LayoutStore) -> None:
        """Take the order of lanes and the filter from there, and remember them there from now on."""
        known = {name for name, _ in LANE_ORDERS}
        order, text = store.text("window/lane_order"), store.text("window/filter")
        self._store = store
        if order in known:
            self._choose_order(next(name for name, _ in LANE_ORDERS if name == order))
        if text:
            self.show_filter()
            self._filter.setText(text)
            self._filter.clearFocus()

    def set_new(self, actions: Sequence[QAction]) -> None:
        """What can be begun here, for the menu of the plus."""
        self._new.addActions(actions)

    def set_project_open(self, is_open: bool, *, listed: bool = True) -> None:
        """Whether a chat can be started here; until the chats are `listed` nobody knows whether there are any."""
        if (is_open, listed) != (self._project, self._listed):
            self._project, self._listed = is_open, listed
            if listed:
                self._loading.end()
                self._words = ""
            else:
                self._loading.begin()
            self._after_rows()

    def _say_loading(self, words: str) -> None:
        self._words = words
        self._after_rows()

    def set_current(self, session_id: str) -> None:
        """Mark the open chat's row; "" marks none."""
        self._current = session_id
        index = self.model.find(f"session:{session_id}") if session_id else QModelIndex()
        if not index.isValid():
            self.tree.clearSelection()
            self.tree.setCurrentIndex(QModelIndex())
        elif self.tree.currentIndex().data(ROW_ROLE) != index.data(ROW_ROLE):
            selected = self.tree.row_at(self.tree.currentIndex())
            if selected is None or selected.session_id != session_id:
                self.tree.setCurrentIndex(index)

    def show_lane(self, lane_id: str) -> None:
        """Select a lane's row, open, and give the list the focus."""
        index = self.model.find(f"lane:{lane_id}")
        if index.isValid():
            self.tree.setExpanded(index, True)
            self.tree.setFocus()
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)

    def rename(self, session_id: str) -> None:
        """Let a person rename a chat in its row."""
        index = self.model.find(f"session:{session_id}")
        row = self.tree.row_at(index)
        if row is None or row.chat is None:
            return
        self.tree.scrollTo(index)
        self._renaming = session_id
        rect = self.tree.visualRect(index)
        margin = theme().px(SPACE_1)
        self._rename.setGeometry(
            QRect(rect.left() + margin, rect.top() + margin, rect.width() - 2 * margin, rect.height() - 2 * margin)
        )
        self._rename.setText(row.chat.title)
        self._rename.selectAll()
        self._rename.show()
        self._rename.setFocus()

    def show_filter(self, *, keep: bool = False) -> None:
        """Open the filter line, or close it and show everything; `keep`: it is never closed."""
        shown = keep or self._filter.isHidden()
        self._filter.setVisible(shown)
        if shown:
            self._filter.setFocus()
        else:
            self._filter.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rows stay where they are while the pointer or the focus is on them."""
        kind = event.type()
        if watched is self._rename and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._rename.hide()
            self.tree.setFocus()
            return True
        if watched is self._filter and isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.show_filter()
                return True
        elif watched in (self.tree.viewport(), self.tree) and kind in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.model.hold(True)
            self._hold_timer.start()
        elif watched in (self.tree.viewport(), self.tree) and kind in (QEvent.Type.Leave, QEvent.Type.FocusOut):
            self._release()
        return super().eventFilter(watched, event)

    def _make_title_row(self) -> QWidget:
        row = self._title_row = QWidget(self)
        row.setFixedHeight(theme().px(HEADER))
        title = QLabel(tr("Chats"), row)
        title.setProperty("kind", "strong")
        search = IconButton("search", tr("Filter chats"), row)
        search.setObjectName("sidebar_search_toggle")
        search.clicked.connect(self.show_filter)
        order = IconButton("sliders-horizontal", tr("Order of lanes"), row)
        order.setObjectName("sidebar_order")
        order.setMenu(self._orders)
        order.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        new = IconButton("plus", tr("New chat or lane"), row)
        new.setObjectName("sidebar_new")
        self._new = QMenu(new)
        self._new.setObjectName("sidebar_new_menu")
        new.setMenu(self._new)
        new.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        layout = QHBoxLayout(row)
        set_gaps(layout, (SPACE_3 + 2, 0, SPACE_2, 0), SPACE_2)
        layout.addWidget(title)
        layout.addStretch(1)
        layout.addWidget(search)
        layout.addWidget(order)
        layout.addWidget(new)
        return row

    def _make_start(self) -> QWidget:
        """What stands in a list without chats: how to begin one."""
        box = QWidget(self)
        title = _plain_label("sidebar_start_title", box)
        title.setProperty("kind", "strong")
        title.setText(tr("Start a chat."))
        sentence = _plain_label("sidebar_start_sentence", box)
        sentence.setText(tr("Say what should be done; you approve what matters."))
        new = push_button(tr("New chat"), "sidebar_start", box)
        new.clicked.connect(self.new_chat_asked)
        layout = QVBoxLayout(box)
        set_gaps(layout, (SPACE_3 + 2, SPACE_2, SPACE_3, SPACE_2), SPACE_2)
        for label in (title, sentence):
            layout.addWidget(label)
        layout.addWidget(new, 0, Qt.AlignmentFlag.AlignLeft)
        box.hide()
        return box

    def _make_filter(self) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName("sidebar_filter")
        field.setAccessibleName(tr("Filter chats"))
        field.setPlaceholderText(tr("Title, lane, branch or state"))
        add_clear_button(field)
        field.hide()
        return field

    def _make_rename_field(self) -> QLineEdit:
        field = QLineEdit(self.tree.viewport())
        field.setObjectName("sidebar_rename_field")
        field.setAccessibleName(tr("New title"))
        field.setMaxLength(80)
        field.hide()
        return field

    def _connect(self) -> None:
        self._filter.textChanged.connect(self._on_filter)
        self._filter.installEventFilter(self)
        self._rename.installEventFilter(self)
        self._rename.returnPressed.connect(self._on_rename)
        self._rename.editingFinished.connect(self._rename.hide)
        self.tree.installEventFilter(self)
        self.tree.viewport().installEventFilter(self)
        self.tree.activated_row.connect(self._on_activated)
        self.tree.rename_asked.connect(self.rename)
        self.tree.archive_asked.connect(self.archive_asked)
        self.tree.chat_action.connect(self.chat_action)
        self.tree.lane_menu_asked.connect(self.lane_menu_asked)
        self.tree.clash_asked.connect(self.clash_asked)
        self.tree.lane_action.connect(self.lane_action)
        self.model.rowsInserted.connect(self._expand_section)
        self._ticker.watch(self.tree, self.model.refresh_ages, self.model.needs_clock)
        theme().changed.connect(self._on_theme)

    def _on_activated(self, row: SidebarRow) -> None:
        if row.kind == "more":
            self._release()
            lists = self.model.lists
            self.model.show_lists(replace(lists, recent_limit=lists.recent_limit + RECENT_STEP))
        elif row.session_id:
            self.opened.emit(row.session_id)

    def _on_filter(self, text: str) -> None:
        self._release()
        self.model.show_lists(replace(self.model.lists, filter_text=text.strip()))
        self._after_rows()
        if self._store is not None:
            self._store.save("window/filter", text.strip())

    def _fill_orders(self) -> None:
        """The menu is made anew each time it opens, with the order in force ticked."""
        self._orders.clear()
        group = QActionGroup(self._orders)
        for name, title in LANE_ORDERS:
            action = self._orders.addAction(title)
            action.setObjectName(f"sidebar_order_{name}")
            action.setCheckable(True)
            action.setChecked(name == self.model.lists.order)
            action.setActionGroup(group)
            action.triggered.connect(partial(self._choose_order, name))

    def _choose_order(self, order: LaneOrder, _checked: bool = False) -> None:
        self._release()
        self.model.show_lists(replace(self.model.lists, order=order))
        self._after_rows()
        if self._store is not None:
            self._store.save("window/lane_order", order)

    def _after_rows(self) -> None:
        text = self.model.lists.filter_text
        nothing = self.model.rowCount() == 0
        startable = self._project and self._listed and not text
        known = tr("Nothing matches “{text}”.", text=text) if text else tr("No chats yet.")
        self._empty.setText(known if self._listed else self._words)
        self._empty.setVisible(nothing and not startable and bool(self._empty.text()))
        self._start.setVisible(nothing and startable)
        self.set_current(self._current)
        self._ticker.check()

    def _on_rename(self) -> None:
        title = self._rename.text().strip()
        self._rename.hide()
        self.tree.setFocus()
        self.renamed.emit(self._renaming, title)

    def _expand_section(self, parent: QModelIndex, first: int, last: int) -> None:
        """Sections show their rows as they appear, the archived ones stay folded."""
        for at in range(first, last + 1):
            row = self.tree.row_at(self.model.index(at, 0, parent))
            if row is not None and row.kind == "section" and row.key != "section:archived":
                QTimer.singleShot(0, self, self._expand_sections)

    def _expand_sections(self) -> None:
        for at in range(self.model.rowCount()):
            index = self.model.index(at, 0)
            row = self.tree.row_at(index)
            if row is not None and row.key != "section:archived":
                self.tree.expand(index)

    def _release(self) -> None:
        self._hold_timer.stop()
        self.model.hold(False)
        self._after_rows()

    def _on_theme(self) -> None:
        self._title_row.setFixedHeight(theme().px(HEADER))
        self.tree.doItemsLayout()
        self.tree.viewport().update()


def _says_the_same(new: Mapping[str, LaneStatus], old: Mapping[str, LaneStatus]) -> bool:
    """Whether the rows of lanes show nothing else: when a lane was read counts where it could not be read since."""
    if new is old or new.keys() != old.keys():
        return new is old
    for lane_id, status in new.items():
        known = old[lane_id]
        if status is not known and (status.problem or not status.says_as(known)):
            return False
    return True


def _plain_label(name: str, parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("kind", "muted")
    label.setWordWrap(True)
    return label
