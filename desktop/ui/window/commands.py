"""WindowCommands: what each action of the window does; the window only connects them."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop.config.settings import Appearance
from desktop.domain.commands import ArchiveSession, RenameSession, SaveSettings
from desktop.ui.audit.panel import AuditPanel
from desktop.ui.changes.review_actions import REVIEW_ACTIONS
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.history.timeline import TimelinePanel
from desktop.ui.memory.panel import MemoryPanel
from desktop.ui.sidebar.rows import waiting_order
from desktop.ui.sidebar.view import Sidebar
from desktop.ui.terminals.drawer import TerminalDrawer
from desktop.ui.theme.theme import theme
from desktop.ui.window.dialogs.promises import PromisesDialog
from desktop.ui.window.front.frame import Frame
from desktop.ui.window.inspector import Inspector

_REVIEWS = "reviews"
_ZOOM_LEAST, _ZOOM_MOST = 80, 200


class WindowCommands(QObject):
    """Moves among chats, cards and panes, and changes the look. `chat_asked` names a chat to open,
    `window_asked` one for a window of its own ("": a new chat)."""

    chat_asked = Signal(str)
    window_asked = Signal(str)

    def __init__(
        self,
        facts: tuple[ChatBook, EngineFacts],
        sidebar: Sidebar,
        panes: Panes,
        columns: tuple[Frame, Inspector | None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._book, self._engine = facts
        self._sidebar, self._panes, self._window = sidebar, panes, window
        self._frame, self._inspector = columns
        self._card_wanted = False
        panes.each(self._hear_page)
        if self._inspector is not None:
            timeline = self._inspector.of(TimelinePanel)
            timeline.restore_asked.connect(lambda one: self._page.row_actions.history.ask_restore(one))
            timeline.rewind_asked.connect(lambda one: self._page.row_actions.history.rewind_to_checkpoint(one))
            timeline.fork_asked.connect(lambda one: self._page.row_actions.history.fork(one))
            self._inspector.of(MemoryPanel).chat_asked.connect(self.chat_asked)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        tabs = self._inspector.specs if self._inspector is not None else ()
        numbered = {f"chat_{n}": _with(self.open_nth, n - 1) for n in range(1, 10)}
        return {
            "toggle_sidebar": _with(self._frame.toggle, "sidebar"),
            "toggle_inspector": _with(self._frame.toggle, "inspector"),
            "stop": lambda: self._page.stop(),
            "stop_after_step": lambda: self._page.stop(after_step=True),
            "attach": lambda: self._page.attach(),
            "mention": lambda: self._page.mention(),
            "compact": lambda: self._page.compact(),
            "clear_context": lambda: self._page.clear_context(),
            "cycle_mode": lambda: self._page.cycle_mode(),
            "choose_model": lambda: self._page.composer.ask_model(),
            "next_waiting": _with(self.go_waiting, 1),
            "previous_waiting": _with(self.go_waiting, -1),
            "focus_composer": lambda: self._page.composer.text.setFocus(),
            "next_chat": _with(self.step_chat, 1),
            "previous_chat": _with(self.step_chat, -1),
            "next_pane": _with(self.step_pane, 1),
            "previous_pane": _with(self.step_pane, -1),
            "new_window": lambda: self.window_asked.emit(""),
            "chat_window": lambda: self.window_asked.emit(self._page.session_id),
            "find": lambda: self._page.row_actions.find.open(),
            "find_next": lambda: self._page.row_actions.find.step(1),
            "find_previous": lambda: self._page.row_actions.find.step(-1),
            "filter_chats": self.filter_chats,
            "rename": self.rename,
            "archive": self.archive,
            "theme_system": _with(self.choose_theme, "system"),
            "theme_light": _with(self.choose_theme, "light"),
            "theme_dark": _with(self.choose_theme, "dark"),
            "zoom_in": _with(self.zoom, 10),
            "zoom_out": _with(self.zoom, -10),
            "zoom_reset": _with(self.zoom, 0),
            **{spec.action.id: _with(self._go_to_tab, spec.name) for spec in tabs},
            "full_screen": self.toggle_full_screen,
            "promises": self.show_promises,
            **{f"changes_{name}": _with(self.review, name) for name in REVIEW_ACTIONS},
            **numbered,
        }

    def go_waiting(self, step: int) -> None:
        """Focus the next (1) or previous (-1) waiting card, in this chat first, then in the others."""
        if self._page.tray.focus_step(step):
            return
        waiting = [chat.session_id for chat in waiting_order(self._book.chats) if chat.waiting]
        if not waiting:
            return
        here = self._page.session_id
        at = waiting.index(here) + step if here in waiting else 0
        self.go_to_card(waiting[at % len(waiting)])

    def go_to_card(self, session_id: str) -> None:
        """Show a chat and focus what waits in it, once it is there."""
        self._card_wanted = True
        self.chat_asked.emit(session_id)
        self.after_updates()

    def after_updates(self) -> None:
        """Focus the card that was asked for, once it is there."""
        if self._card_wanted and self._page.tray.focus_card():
            self._card_wanted = False

    def show_tab(self, name: str) -> None:
        """Show a tab of the inspector, and the inspector if it is hidden; "reviews": what is to be looked back on."""
        inspector = self._inspector
        if inspector is not None:
            inspector.show_tab("audit" if name == _REVIEWS else name)
            if name == _REVIEWS:
                inspector.of(AuditPanel).show_reviews()
            if not inspector.isVisible():
                self._frame.open_inspector()

    def _go_to_tab(self, name: str) -> None:
        """What its key does: show a tab and go there."""
        self.show_tab(name)
        if self._inspector is not None:
            self._inspector.focus_tab()

    def review(self, action: str) -> None:
        """Do something with the changes of the shown chat, on their tab."""
        if self._inspector is not None:
            self.show_tab("changes")
            self._inspector.of(ChangesTab).review.act(action)

    def go_to_memory(self, act: str, words: str) -> None:
        """What `/memory` and `/remember` do: search all entries, or write one after a look at it."""
        if self._inspector is not None:
            self.show_tab("memory")
            panel = self._inspector.of(MemoryPanel)
            panel.remember(words) if act == "remember" else panel.search(words)

    def show_lane(self) -> None:
        """Select the lane of the chat on screen in the sidebar."""
        facts = self._page.facts
        if facts is not None:
            self._sidebar.show_lane(facts.lane_id)

    def step_chat(self, step: int) -> None:
        """Open the next or previous chat in the order of the sidebar."""
        order = self._sidebar.model.chat_order()
        if order:
            here = self._page.session_id
            at = order.index(here) + step if here in order else (0 if step > 0 else -1)
            self.chat_asked.emit(order[at % len(order)])

    def open_nth(self, at: int) -> None:
        """Open the chat at this place in the sidebar, from 0."""
        order = self._sidebar.model.chat_order()
        if at < len(order):
            self.chat_asked.emit(order[at])

    def step_pane(self, step: int) -> None:
        """Move the focus to the next pane that is shown: sidebar; transcript, card and composer of each chat; terminal;
        inspector."""
        focused = QApplication.focusWidget()
        panes = [pane for pane in self._stops() if pane.isVisible()]
        if not panes:
            return
        at = next(
            (i for i, p in enumerate(panes) if focused is not None and (p is focused or p.isAncestorOf(focused))), -1
        )
        pane = panes[(at + step) % len(panes)]
        if isinstance(pane, PendingTray):
            pane.focus_card()
        else:
            pane.setFocus()

    def filter_chats(self) -> None:
        """Open the filter line over the chats, or close it; in a sidebar that is hidden, open both."""
        if self._sidebar.isVisible():
            self._sidebar.show_filter()
        else:
            self._frame.toggle("sidebar")
            self._sidebar.show_filter(keep=True)

    def rename(self) -> None:
        """Rename the chat in the sidebar if the focus is there, else in the header."""
        row = self._sidebar.tree.row_at(self._sidebar.tree.currentIndex())
        if self._sidebar.tree.hasFocus() and row is not None and row.session_id:
            self._sidebar.rename(row.session_id)
        else:
            self._page.header.edit_title()

    def archive(self) -> None:
        """Archive the chat on screen, or bring it back."""
        facts = self._page.facts
        if facts is not None:
            self._page.archive(not facts.archived)

    def rename_chat(self, session_id: str, title: str) -> None:
        """Give a chat of the sidebar a title."""
        self._page.commands.send(RenameSession(session_id=session_id, title=title))

    def archive_chat(self, session_id: str, archived: bool) -> None:
        """Take a chat of the sidebar out of the lists, or bring it back."""
        self._page.commands.send(ArchiveSession(session_id=session_id, archived=archived))

    def act_on_chat(self, session_id: str, action: str) -> None:
        """Open the chat of a row of the sidebar in a window of its own."""
        if action == "window":
            self.window_asked.emit(session_id)

    def choose_theme(self, name: str) -> None:
        """Use another theme from now on."""
        self._save_look(Appearance.model_validate({**self._look.model_dump(), "theme": name}))

    def zoom(self, step: int) -> None:
        """Larger or smaller by this many percent; 0 is 100 %."""
        wanted = self._look.zoom + step if step else 100
        self._save_look(self._look.model_copy(update={"zoom": min(max(wanted, _ZOOM_LEAST), _ZOOM_MOST)}))

    def show_promises(self) -> None:
        """What Banksman promises, to read and to filter."""
        PromisesDialog(self._window).open()

    def toggle_full_screen(self) -> None:
        """The whole screen, or the window again."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def _hear_page(self, page: ChatPage) -> None:
        page.header.lane_asked.connect(self.show_lane)
        if self._inspector is not None:
            page.memory_asked.connect(self.go_to_memory)

    @property
    def _page(self) -> ChatPage:
        return self._panes.active

    @property
    def _look(self) -> Appearance:
        return self._engine.settings.appearance

    def _save_look(self, look: Appearance) -> None:
        theme().wear(look)
        if not self._engine.ready:
            return
        settings = self._engine.settings.model_copy(update={"appearance": look})
        self._engine.settings = settings
        self._page.commands.send(SaveSettings(settings=settings))

    def _stops(self) -> list[QWidget]:
        inspector: list[QWidget] = [self._inspector] if self._inspector is not None else []
        if self._inspector is not None and self._frame.strip is not None:
            inspector.append(self._frame.strip)
        chats = [part for page in self._panes.pages for part in (page.transcript, page.tray, page.composer.text)]
        terminals = self._window.findChildren(TerminalDrawer)
        return [self._sidebar.tree, *chats, *terminals, *inspector]


def _with(act: Callable[..., object], *arguments: object) -> Callable[[], object]:
    def run() -> object:
        return act(*arguments)

    return run
