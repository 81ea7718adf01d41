"""The inspector: changes, pull request, proofs, todos, decisions and checkpoints of the shown chat, each on its tab."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.domain.core.update import Update
from desktop.ui.audit.panel import AuditPanel
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.changes.review_actions import ReviewActions
from desktop.ui.context.todos import TodosPanel
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.history.timeline import TimelinePanel
from desktop.ui.proofs.panel import ProofsPanel
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.rounds.issues import IssuesPage
from desktop.ui.widgets.layouts.fitting_tabs import FittingTabs

_BY_TAB = Qt.FocusPolicy.TabFocus
TABS = ("Changes", "PR", "Proofs", "Todos", "Audit", "Timeline")


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
        self._tabs = FittingTabs("inspector_tabs", "inspector_more", self)
        self._tabs.tabBar().setObjectName("inspector_tab_bar")
        self._tabs.tabBar().setAccessibleName("Inspector")
        self.changes = ChangesPanel(sink, clock, self)
        self.review = ReviewActions(self.changes, sink)
        self.pull = PullPanel(sink, clock, (IssuesPage,), self)
        self.proofs = ProofsPanel(sink, self)
        self.todos = TodosPanel(self)
        self.audit = AuditPanel(sink, self)
        self.timeline = TimelinePanel(sink, self)
        self._panels = (self.changes, self.pull, self.proofs, self.todos, self.audit, self.timeline)
        for panel, title in zip(self._panels, TABS, strict=True):
            self._tabs.addTab(panel, title)
        self.changes.counted.connect(lambda n: self._count("Changes", n))
        self.pull.counted.connect(lambda n: self._count("PR", n))
        self.proofs.counted.connect(lambda n: self._count("Proofs", n))
        self.todos.counted.connect(lambda n: self._count("Todos", n))
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

    def focus_tab(self) -> None:
        """Put the focus on the first thing of the shown tab that takes it; on the tabs where there is none."""
        panel = self._tabs.currentWidget()
        inside = sorted(panel.findChildren(QWidget), key=lambda one: (one.mapTo(panel, QPoint()).y(), one.x()))
        taking = (one for one in inside if one.isVisible() and one.isEnabled() and one.focusPolicy() & _BY_TAB)
        next(taking, self._tabs.tabBar()).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_session(self, session_id: str) -> None:
        """Show this chat; "" for none. Its SessionOpened fills todos and audit; the changes are asked for. A diff that
        lies over the chat gives it back."""
        self.review.close_large()
        if session_id == self._session_id:
            return
        self._session_id = session_id
        if session_id in self._tab_of:
            self._tabs.setCurrentIndex(self._tab_of[session_id])
        for panel in self._panels:
            panel.show_session(session_id)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        for panel in self._panels:
            panel.apply(updates)
        self.review.apply(updates)

    def _count(self, name: str, number: int) -> None:
        self._tabs.set_label(TABS.index(name), f"{name} {number}" if number else name)

    def _tab_chosen(self, index: int) -> None:
        if self._session_id:
            self._tab_of[self._session_id] = index
        self.tab_changed.emit(TABS[index])
