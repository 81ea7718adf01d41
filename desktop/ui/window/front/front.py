"""Front: what of a window is painted first, before the rest of it is loaded: bar, sidebar, columns, names of tabs."""

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.core.sink import Clock
from desktop.ui.core.ticker import AgeTicker
from desktop.ui.sidebar.view import Sidebar
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.fitting_tabs import FittingTabs
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.window.front.frame import Frame
from desktop.ui.window.front.place import Place, SidePlace
from desktop.ui.window.front.starting import Starting
from desktop.ui.window.front.top_bar import TopBar

TABS = (tr("Changes"), "PR", tr("Proofs"), tr("Todos"), tr("Audit"), tr("Timeline"), tr("Ledger"), tr("Memory"))
"""The titles of the inspector's tabs; their panels, which say them too, are not loaded yet."""


class _Tabs(QWidget):
    """The tabs by their titles, the first one as it looks without a chat."""

    def __init__(self, titles: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        tabs = FittingTabs("inspector_titles", "inspector_titles_more", self)
        tabs.tabBar().setAccessibleName(tr("Inspector"))
        pages = [QWidget(tabs) for _ in titles]
        for page, title in zip(pages, titles, strict=True):
            tabs.addTab(page, title)
        page = pages[0]
        column = QVBoxLayout(page)
        set_gaps(column, (0, SPACE_2, 0, 0))
        column.addWidget(EmptyPage(EmptyState("file-diff", tr("Open a chat to see its changes."), "", page), page))
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(tabs)


class Front(QWidget):
    """The window's body. `tabs`: the titles of the inspector's tabs, () where there is no inspector."""

    def __init__(
        self, clock: Clock, ticker: AgeTicker, store: LayoutStore, tabs: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.top = TopBar(self)
        self.top.show_inspector_toggle(bool(tabs))
        self.sidebar = Sidebar(clock, ticker, self)
        self.sidebar.keep_in(store)
        self.sidebar.set_project_open(False, listed=False)
        self.centre = Place("surface", self)
        self.starting = Starting(self.centre)
        self.centre.put(self.starting)
        self.inspector = SidePlace(self) if tabs else None
        if self.inspector is not None:
            self.inspector.put(_Tabs(tabs, self.inspector))
        self.frame = Frame(self.sidebar, self.centre, self.inspector, self)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addWidget(self.top)
        self._rows.addWidget(self.frame, 1)

    def put_below_top(self, strips: QWidget) -> None:
        """What is said over all columns."""
        self._rows.insertWidget(1, strips)
