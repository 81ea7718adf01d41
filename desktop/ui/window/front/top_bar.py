"""The top bar: what is open, the way to every command, and how much waits."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from desktop.domain.core.work import Project
from desktop.domain.display.text import display_text
from desktop.language import tr, trn
from desktop.ui.core.actions import key_text
from desktop.ui.text.places import short_path
from desktop.ui.theme.icons import icon, pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, ICON_LINE, SPACE_2, SPACE_3, TOP_BAR
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_SEARCH_WIDTH, _SEARCH_LEAST, _NAME_LEAST = 360, 44, 72
_SEARCH_WORDS = tr("Search or run a command")
_NARROW, _TINY = 820, 560


class _SearchButton(QPushButton):
    """Looks like a field; 360 wide where there is room."""

    def sizeHint(self) -> QSize:
        """The width of the field."""
        width = _SEARCH_WIDTH if self.text() else _SEARCH_LEAST
        return QSize(theme().px(width), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The icon alone."""
        return QSize(theme().px(_SEARCH_LEAST), super().sizeHint().height())


class TopBar(QFrame):
    """44 high with a line below. Its buttons ask by signals."""

    sidebar_asked = Signal()
    palette_asked = Signal()
    waiting_asked = Signal()
    settings_asked = Signal()
    inspector_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("top_bar")
        self._shown: tuple[Project | None, str] | None = None
        self._counted = -1
        self.setProperty("kind", "bar")
        self._name = ElidedLabel(tr("Banksman"), self)
        self._name.setObjectName("top_repo_name")
        self._name.setProperty("kind", "strong")
        self._path = ElidedLabel("", self, Qt.TextElideMode.ElideMiddle)
        self._path.setObjectName("top_repo_path")
        self._path.setProperty("kind", "muted")
        self._bell = QLabel(self)
        self._waiting = QPushButton(self)
        self._waiting.setObjectName("top_waiting")
        self._waiting.setProperty("kind", "alert")
        self._waiting.setAutoDefault(False)
        self._waiting.clicked.connect(self.waiting_asked)
        self._search = _SearchButton(_SEARCH_WORDS, self)
        self._search.setObjectName("top_search")
        self._search.setAccessibleName(_SEARCH_WORDS)
        self._search.setProperty("kind", "field")
        self._search.setAutoDefault(False)
        self._search.setToolTip(tr("Search or run a command ({key_text})", key_text=key_text("palette")))
        self._search.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._search.clicked.connect(self.palette_asked)
        self._lay_out()
        self.set_waiting(0)
        self._take_theme()
        theme().changed.connect(self._take_theme)

    def set_project(self, project: Project | None, home: str = "") -> None:
        """Show the repository; `home` at the start of its path is written `~`."""
        if self._shown == (project, home):
            return
        self._shown = project, home
        self._name.set_full_text(display_text(project.name) if project is not None else tr("Banksman"))
        self._path.set_full_text(display_text(short_path(project.path, home) if project is not None else ""))
        self._fit()

    def set_waiting(self, count: int) -> None:
        """Show how many decisions wait; 0 hides it."""
        if self._counted == count:
            return
        self._counted = count
        self._waiting.setText(trn(count, "{n} waiting", "{n} waiting"))
        self._waiting.setAccessibleName(self._waiting.text())
        self._waiting.setToolTip(tr("Go to the next waiting card ({key_text})", key_text=key_text("next_waiting")))
        self._waiting.setVisible(count > 0)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """A narrow window does without the path, a very narrow one without the words of the search and the bell; the
        search gives way before the name of the repository does, and what waits comes before both."""
        px = theme().px
        tiny = self.width() < px(_TINY)
        self._path.setVisible(self.width() >= px(_NARROW))
        self._search.setText("" if tiny else _SEARCH_WORDS)
        self._bell.setVisible(not tiny and self._counted > 0)
        self._name.ensurePolished()
        self._name.setMinimumWidth(0 if tiny else min(self._name.sizeHint().width(), px(_NAME_LEAST)))

    def _lay_out(self) -> None:
        sidebar = IconButton("panel-left", tr("Show or hide the sidebar"), self)
        sidebar.setObjectName("top_sidebar_toggle")
        sidebar.set_name(tr("Show or hide the sidebar"), key_text("toggle_sidebar"))
        sidebar.clicked.connect(self.sidebar_asked)
        settings = IconButton("settings", tr("Settings"), self)
        settings.setObjectName("top_settings")
        settings.set_name(tr("Settings"), key_text("settings"))
        settings.clicked.connect(self.settings_asked)
        self._inspector = IconButton("panel-right", tr("Show or hide the inspector"), self)
        self._inspector.setObjectName("top_inspector_toggle")
        self._inspector.set_name(tr("Show or hide the inspector"), key_text("toggle_inspector"))
        self._inspector.clicked.connect(self.inspector_asked)
        left = QHBoxLayout()
        set_gaps(left, spacing=SPACE_2)
        left.addWidget(sidebar)
        left.addWidget(self._name)
        left.addWidget(self._path, 1)
        right = QHBoxLayout()
        set_gaps(right, spacing=SPACE_2)
        right.addStretch(1)
        for widget in (self._bell, self._waiting, settings, self._inspector):
            right.addWidget(widget)
        grid = QGridLayout(self)
        set_gaps(grid, (SPACE_3, 0, SPACE_3, 0))
        grid.setVerticalSpacing(0)
        grid.setHorizontalSpacing(SPACE_3)
        grid.addLayout(left, 0, 0)
        grid.addWidget(self._search, 0, 1)
        grid.addLayout(right, 0, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)

    def show_inspector_toggle(self, shown: bool) -> None:
        """Hide the toggle where there is no inspector."""
        self._inspector.setVisible(shown)

    def _take_theme(self) -> None:
        px = theme().px
        self.setFixedHeight(px(TOP_BAR))
        self._fit()
        side = px(ICON_LINE)
        self._search.setIcon(icon("search"))
        self._search.setIconSize(QSize(side, side))
        self._search.updateGeometry()
        self._waiting.setFixedHeight(px(CONTROL_HEIGHT))
        self._bell.setPixmap(pixmap("bell", "warning", ICON_LINE, self.devicePixelRatio()))
