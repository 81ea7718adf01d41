"""The inspector: changes, todos, decisions and checkpoints of the shown chat, each on its tab."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QTabWidget, QVBoxLayout, QWidget

from desktop.domain.updates import Update
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.views.panels.audit import AuditPanel
from desktop.ui.views.panels.changes import ChangesPanel
from desktop.ui.views.panels.review_actions import ReviewActions
from desktop.ui.views.panels.timeline import TimelinePanel
from desktop.ui.views.panels.todos import TodosPanel

TABS = ("Changes", "Todos", "Audit", "Timeline")


class Inspector(QFrame):
    """Follows the shown chat. The tab is kept per chat; `tab_changed` tells its name."""

    tab_changed = Signal(str)

    def __init__(self, sink: CommandSink, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setProperty("kind", "side")
        self.setAccessibleName("Inspector")
        self._session_id = ""
        self._tab_of: dict[str, int] = {}
        self._tabs = QTabWidget(self)
        self._tabs.setObjectName("inspector_tabs")
        self._tabs.setDocumentMode(True)
        self._tabs.setUsesScrollButtons(False)
        self._tabs.tabBar().setObjectName("inspector_tab_bar")
        self._tabs.tabBar().setAccessibleName("Inspector")
        self._tabs.tabBar().setExpanding(False)
        self._tabs.tabBar().setElideMode(Qt.TextElideMode.ElideNone)
        self.changes = ChangesPanel(sink, clock, self)
        self.review = ReviewActions(self.changes, sink)
        self.todos = TodosPanel(self)
        self.audit = AuditPanel(sink, self)
        self.timeline = TimelinePanel(sink, self)
        self._panels = (self.changes, self.todos, self.audit, self.timeline)
        for panel, title in zip(self._panels, TABS, strict=True):
            self._tabs.addTab(panel, title)
        self.changes.counted.connect(lambda n: self._count(0, n))
        self.todos.counted.connect(lambda n: self._count(1, n))
        self._tabs.currentChanged.connect(self._tab_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._tabs)

    @property
    def tab(self) -> str:
        """The name of the shown tab, as in TABS."""
        return TABS[self._tabs.currentIndex()]

    def show_tab(self, name: str) -> None:
        """Show a tab by its name; an unknown name changes nothing."""
        if name in TABS:
            self._tabs.setCurrentIndex(TABS.index(name))

    def show_session(self, session_id: str) -> None:
        """Show this chat; "" for none. Its SessionOpened fills todos and audit; the changes are asked for."""
        if session_id == self._session_id:
            return
        self._session_id = session_id
        if session_id in self._tab_of:
            self._tabs.setCurrentIndex(self._tab_of[session_id])
        for panel in self._panels:
            panel.show_session(session_id)
        self.review.close_large()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        for panel in self._panels:
            panel.apply(updates)
        self.review.apply(updates)

    def _count(self, tab: int, number: int) -> None:
        self._tabs.setTabText(tab, f"{TABS[tab]} {number}" if number else TABS[tab])

    def _tab_chosen(self, index: int) -> None:
        if self._session_id:
            self._tab_of[self._session_id] = index
        self.tab_changed.emit(TABS[index])
