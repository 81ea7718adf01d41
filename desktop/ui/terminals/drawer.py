"""TerminalDrawer: tabs of a lane's terminals, the screen of the one that is chosen, and what stands in its place."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop.domain.changes.commands import SIGN_IN_LANE
from desktop.domain.terminals.updates import TerminalClosed
from desktop.language import number, said, tr
from desktop.ui.terminals.book import TerminalFacts
from desktop.ui.terminals.find import TerminalFind
from desktop.ui.terminals.view import TerminalView
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import icon_button
from desktop.ui.widgets.buttons.off import set_action_off, set_off
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.strip import Strip

NOTHING = tr("No terminal.")
YOURS = tr("Not sandboxed: your shell")
AGENTS = tr("In the sandbox of the agent")
SIGN_IN = tr("its sign-in")
NOT_CONFINED = tr("Your shell runs with your own rights, outside the sandbox. Agents do not see it.")
_NO_TERMINAL = tr("No terminal is open.")
_SAY_STARTING_MS = 200
_TAB_WIDTH = 220
_BUSY = "circle-dot"


class TerminalDrawer(QFrame):
    """Closed until a person opens it. Asks by signals. `new_asked`; `close_asked`, `chosen`, `reopen_asked`: which;
    `send_asked`: "selection" or "command"; `settings_asked`; `hide_asked`; `leftovers_asked`."""

    new_asked = Signal()
    close_asked = Signal(str)
    reopen_asked = Signal(str)
    chosen = Signal(str)
    send_asked = Signal(str)
    settings_asked = Signal()
    hide_asked = Signal()
    leftovers_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("terminal_drawer")
        self.setAccessibleName(tr("Terminals"))
        self.setProperty("kind", "surface")
        self._ids: list[str] = []
        self._current: TerminalFacts | None = None
        self._kept = ""
        self.tabs = QTabBar(self)
        self.tabs.setObjectName("terminal_tabs")
        self.tabs.setAccessibleName(tr("Terminals of this lane"))
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.currentChanged.connect(self._on_tab)
        self.tabs.tabBarDoubleClicked.connect(self.focus_terminal)
        self._whose = ElidedLabel("", self)
        self._whose.setObjectName("terminal_whose")
        self._whose.setProperty("kind", "caption")
        self.view = TerminalView(self)
        self.setFocusProxy(self.view)
        self.finder = TerminalFind(self.view, self)
        self.view.find_asked.connect(self.finder.open)
        self.view.selected.connect(self._on_selected)
        self._strip = Strip("terminal_ended", self, "warning")
        self._strip.add_button(tr("Reopen"), "terminal_reopen").clicked.connect(self._on_reopen)
        self._strip.add_button(tr("Close"), "terminal_close_ended").clicked.connect(self._on_close)
        self._left = Strip("terminal_leftovers", self, "warning")
        self._left.add_button(tr("Show…"), "terminal_leftovers_show").clicked.connect(self.leftovers_asked)
        self._make_pages()
        self._saying = QTimer(self, singleShot=True, interval=_SAY_STARTING_MS)
        self._saying.timeout.connect(self._say_starting)
        self._lay_out()
        theme().changed.connect(self._take_sizes)
        self._take_sizes()

    @property
    def current(self) -> TerminalFacts | None:
        """The terminal that is shown."""
        return self._current

    def grid(self) -> tuple[int, int]:
        """Columns and rows of a terminal that is shown here, also before the first is."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
        return self.view.grid(self._pages.size())

    def show_terminals(self, terminals: Sequence[TerminalFacts], current: str, *, kept: str = "") -> None:
        """Show the tabs of these, and this one. `kept`: a closed one that can be reopened."""
        self._kept = kept
        ids = [one.terminal_id for one in terminals]
        blocker = QSignalBlocker(self.tabs)
        while self.tabs.count() > len(ids):
            self.tabs.removeTab(self.tabs.count() - 1)
        for at, one in enumerate(terminals):
            if at >= self.tabs.count():
                self.tabs.addTab("")
            self._name_tab(at, one)
        self._ids = ids
        at = ids.index(current) if current in ids else -1
        self.tabs.setCurrentIndex(at)
        blocker.unblock()
        self.tabs.setVisible(bool(ids))
        self._show(terminals[at] if at >= 0 else None)

    def show_lane(self, words: str, *, can_open: bool) -> None:
        """Whose terminals these are. Without a lane none can be opened."""
        whose = AGENTS if words == SIGN_IN else YOURS
        self._whose.set_full_text(f"{whose} · {words}" if words else whose)
        no_lane = "" if can_open else tr("A terminal belongs to a lane: open a chat first.")
        for button in (self._new, self._empty_new):
            set_off(button, no_lane)
        sentence = no_lane or NOT_CONFINED
        self._empty.set_texts(NOTHING, sentence)

    def show_leftovers(self, text: str) -> None:
        """Say that programs of earlier terminals still run; "" for none."""
        self._left.say(text, "warning")

    def focus_terminal(self) -> None:
        """Put the focus where keys go to the shell, or to what can be done instead."""
        page = self._pages.currentWidget()
        if page is self.view:
            self.view.setFocus()
        elif page is self._empty_page:
            self._empty_new.setFocus()
        elif page is self._failed_page:
            self._failed_settings.setFocus()

    def _show(self, facts: TerminalFacts | None) -> None:
        other = facts is not self._current
        self._current = facts
        if other:
            self.finder.hide()
            self.view.show_terminal(facts)
        closed = facts.closed if facts is not None else None
        self._saying.stop()
        if facts is None:
            self._reopen.setVisible(bool(self._kept))
            self._go(self._empty_page)
        elif closed is not None and not facts.started:
            self._failed.set_texts(said(closed.problem) or tr("The shell could not be started."), "")
            self._go(self._failed_page)
        elif not facts.started:
            self._starting.set_texts("")
            self._go(self._starting)
            self._saying.start()
        else:
            self._go(self.view)
        look = ("accent", "terminal") if closed is not None and closed.exit_code == 0 else ("warning", "")
        self._strip.say(_ended(closed) if facts is not None and facts.started else "", *look)
        for button in (self._close, self._find, self._send):
            set_off(button, "" if facts is not None else _NO_TERMINAL)
        self._on_selected()

    def _go(self, page: QWidget) -> None:
        had = self._pages.currentWidget() is not page and self._pages.isAncestorOf(self.focusWidget() or self)
        self._pages.setCurrentWidget(page)
        if had:
            self.focus_terminal()

    def _say_starting(self) -> None:
        shell = self._current.shell if self._current is not None else ""
        self._starting.set_texts(tr("Starting {shell}…", shell=shell) if shell else tr("Starting your shell…"))

    def _name_tab(self, at: int, one: TerminalFacts) -> None:
        label = one.label.replace("&", "&&")
        if self.tabs.tabText(at) != label:
            self.tabs.setTabText(at, label)
        name = tr("Terminal {n}: {label}", n=number(at + 1), label=one.label)
        if one.busy:
            name = tr("{terminal}, a program runs", terminal=name)
        elif one.closed is not None:
            name = tr("{terminal}, ended", terminal=name)
        self.tabs.setAccessibleTabName(at, name)
        mark = _BUSY if one.busy else "circle-x" if one.closed is not None else "square-terminal"
        if self.tabs.tabData(at) != mark:
            self._mark_tab(at, mark)

    def _mark_tab(self, at: int, mark: str) -> None:
        self.tabs.setTabData(at, mark)
        self.tabs.setTabIcon(at, icon(mark, "accent" if mark == _BUSY else "muted"))

    def _on_tab(self, at: int) -> None:
        if 0 <= at < len(self._ids):
            self.chosen.emit(self._ids[at])

    def _on_close(self) -> None:
        if self._current is not None:
            self.close_asked.emit(self._current.terminal_id)

    def _on_reopen(self) -> None:
        self.reopen_asked.emit(self._current.terminal_id if self._current is not None else self._kept)

    def _on_selected(self) -> None:
        facts = self._current
        set_action_off(
            self._send_selection, "" if self.view.selected_text() else tr("Select some of the terminal first.")
        )
        known = facts is not None and facts.command is not None
        set_action_off(self._send_command, "" if known else tr("No command is known to have run here."))

    def _on_send_selection(self) -> None:
        self.send_asked.emit("selection")

    def _on_send_command(self) -> None:
        self.send_asked.emit("command")

    # making

    def _make_pages(self) -> None:
        self._empty = EmptyState("square-terminal", NOTHING, NOT_CONFINED, self)
        self._empty_new = self._empty.add_button(tr("New terminal"), "terminal_empty_new", primary=True)
        self._empty_new.clicked.connect(self.new_asked)
        self._reopen = self._empty.add_button(tr("Reopen"), "terminal_empty_reopen")
        self._reopen.clicked.connect(self._on_reopen)
        self._failed = EmptyState("circle-x", "", "", self)
        self._failed_settings = self._failed.add_button(tr("Settings"), "terminal_settings", primary=True)
        self._failed_settings.clicked.connect(self.settings_asked)
        self._failed.add_button(tr("Close"), "terminal_close_failed").clicked.connect(self._on_close)
        self._starting = EmptyState("loader-circle", "", "", self)
        self._pages = QStackedWidget(self)
        self._empty_page, self._failed_page = EmptyPage(self._empty, self), EmptyPage(self._failed, self)
        for page in (self._empty_page, self._starting, self._failed_page, self.view):
            self._pages.addWidget(page)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        set_gaps(bar, (SPACE_3, 0, SPACE_2, 0), SPACE_1)
        bar.addWidget(self.tabs)
        self._new = icon_button("plus", tr("New terminal"), "terminal_new", self, self.new_asked.emit)
        bar.addWidget(self._new)
        bar.addSpacing(theme().px(SPACE_2))
        bar.addWidget(self._whose, 1)
        self._send = icon_button("message-square", tr("Send to chat"), "terminal_send", self, self._open_send_menu)
        self._find = icon_button("search", tr("Find (Ctrl+Shift+F)"), "terminal_find_open", self, self.finder.open)
        self._close = icon_button("trash-2", tr("Close this terminal"), "terminal_close", self, self._on_close)
        hide = icon_button(
            "chevron-down", tr("Hide the terminals (Ctrl+`)"), "terminal_hide", self, self.hide_asked.emit
        )
        for button in (self._send, self._find, self._close, hide):
            bar.addWidget(button)
        self._menu = QMenu(self)
        self._menu.setObjectName("terminal_send_menu")
        self._send_selection = self._menu.addAction(tr("Send selection to chat"), self._on_send_selection)
        self._send_selection.setObjectName("terminal_send_selection")
        self._send_command = self._menu.addAction(tr("Send last command and output"), self._on_send_command)
        self._send_command.setObjectName("terminal_send_command")
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, 0, 0, 0), 0)
        layout.addLayout(bar)
        for strip in (self._left, self._strip):
            strip.go_across()
        for part in (self._left, self._strip, self.finder):
            layout.addWidget(part)
        layout.addWidget(self._pages, 1)

    def _open_send_menu(self) -> None:
        self._on_selected()
        self._menu.popup(self._send.mapToGlobal(self._send.rect().topLeft()))

    def _take_sizes(self) -> None:
        self.tabs.setMaximumWidth(theme().px(_TAB_WIDTH) * 4)
        for at in range(self.tabs.count()):
            self._mark_tab(at, self.tabs.tabData(at))


def _ended(closed: TerminalClosed | None) -> str:
    if closed is None:
        return ""
    signed_in = closed.lane_id == SIGN_IN_LANE
    if closed.exit_code is None:
        return tr("The sign-in ended.") if signed_in else tr("The shell ended.")
    if signed_in:
        return tr("The sign-in ended with exit code {exit_code}.", exit_code=closed.exit_code)
    return tr("The shell ended with exit code {exit_code}.", exit_code=closed.exit_code)
