"""Contents: what is behind the front of a window: its parts, how they are connected, what a person does with them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from desktop.domain.commands import OpenProject
from desktop.domain.core.update import Update
from desktop.domain.display.surfaces import cut_title
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import BringBack
from desktop.domain.updates import ProjectOpened, SessionsChanged
from desktop.language import tr, trn
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.chats.page import ChatPage
from desktop.ui.context.instructions import InstructionsOpener
from desktop.ui.core.actions import BEGINNING, Actions, WindowFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.sink import Clock
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.library.library import Library, LibraryMeans
from desktop.ui.notices.notes import WindowNotes
from desktop.ui.notices.update_strip import UpdateStrip
from desktop.ui.theme.theme import theme
from desktop.ui.window.closing import Closing
from desktop.ui.window.commands import WindowCommands
from desktop.ui.window.dialogs.command_palette import CommandPalette
from desktop.ui.window.dialogs.lazy import OpenSettings, help_dialog, settings_dialog
from desktop.ui.window.dialogs.other_repository import OtherRepositoryDialog
from desktop.ui.window.joins.board import BoardWindow
from desktop.ui.window.joins.changes import connect_review
from desktop.ui.window.joins.compared import CompareWindow
from desktop.ui.window.joins.handover import HandoverWindow
from desktop.ui.window.joins.inbox import InboxWindow
from desktop.ui.window.joins.lanes import LaneWindow
from desktop.ui.window.joins.panes import PaneWindow
from desktop.ui.window.joins.pulls import PullWindow
from desktop.ui.window.joins.rounds import ResolutionWindow
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.parts import Parts
from desktop.ui.window.seen import SeenChats
from desktop.ui.window.slow_parts import SlowParts
from desktop.ui.window.strips import WindowStrips


class Contents(QObject):
    """The parts of a window, put where its front has places for them. `apply_updates` takes each batch."""

    def __init__(self, window: MainWindow, clock: Clock, parts: Parts, made: SlowParts) -> None:
        """`made`: of the parts, those that take long to make."""
        super().__init__(window)
        self._window, self._clock, self._store = window, clock, window.store
        self._top, self.sidebar, self._frame = window.front.top, window.front.sidebar, window.front.frame
        self.book, self.engine, self._drafts = made.facts
        self.panes, self.terminals = made.panes, made.terminals
        self._centre, self._inspector = made.centre, made.inspector
        requests = self._requests = made.requests
        self._beside = PaneWindow(self.panes, self.book, self._store, self._frame, window)
        self.seen = SeenChats(self._store)
        self._project_id = ""
        self._settings: OpenSettings | None = None
        self._over = Hearing()
        self._look = self.engine.settings.appearance
        self._strip = WindowStrips(self.book.lane_book, window.front)
        self.closing = Closing(window, self.book, self.engine, parts.siblings, self.terminals.busy)
        self.notes = WindowNotes(self._centre, self.panes, self.book)
        self._palette = CommandPalette(window)
        library = LibraryMeans(requests, clock, self.page.commands, self.book, self.notes, lambda: self.page.session_id)
        self._library = Library(library, window)
        told = self.book, self.notes, lambda: self.page.session_id
        self._handover = HandoverWindow(requests, clock, told, self._centre, window)
        self._strip.add(self._handover.recap)
        self._updates = UpdateStrip(requests, self.engine, self._store, self._strip)
        self._strip.add(self._updates)
        self._board = BoardWindow(clock, self.book, lambda: self.seen.at, self._centre, window)
        self._board.chat_asked.connect(self.open_chat)
        facts = self.book, self.engine, self.notes
        self._compared = CompareWindow(requests, clock, facts, self._centre, window)
        self._compared.chat_asked.connect(self.open_chat)
        self.inbox = InboxWindow(requests, clock, (self.book, self.engine), window)
        self._instructions = InstructionsOpener(requests, lambda: self.page.session_id, window)
        self.lane_host = WindowLanes(self.book.lane_book, self.page.commands, self.book.title, window)
        self._lanes = LaneWindow(
            self.lane_host, self.panes, self.sidebar, (self.book, self.engine, self._drafts), self.new_chat
        )
        columns = self._frame, self._inspector
        self._commands = WindowCommands((self.book, self.engine), self.sidebar, self.panes, columns, window)
        doors = (self._commands.show_tab, self.open_chat, self.show_settings)
        self.pulls = PullWindow(self._inspector, self.lane_host, self.panes, self.book, doors)
        self.lane_host.launched.connect(self._compared.show)
        self._rounds = ResolutionWindow(self._inspector, self.lane_host, self.engine, self.open_chat, window)
        self._actions = Actions(window, parts.actions, self._handlers())
        self._facts, self._hearing = self._hear_facts(), self._hears()
        window.front.put_below_top(self._strip)
        self._connect()
        self.terminals.dock.set_height(self._store.number("window/terminal", self.terminals.dock.height_px))
        self._refresh()

    @property
    def page(self) -> ChatPage:
        """The chat that keys act on."""
        return self.panes.active

    def apply_updates(self, updates: list[Update]) -> None:
        """Take a batch, in order. Called on the UI thread."""
        if self.terminals.takes_alone(updates):
            return
        self._facts.take(updates)
        self._requests.deliver(updates, self._hearing)

    def open_chat(self, session_id: str) -> None:
        """Show a chat and put the focus in the composer."""
        self._uncover()
        self._beside.show(session_id)
        self._after_switch()
        self.page.composer.text.setFocus()

    def _uncover(self) -> None:
        """Nothing lies over the chat."""
        self._frame.close_overlay()
        for cover in (self._handover, self._board, self._compared):
            cover.leave()

    def _open_entry(self, session_id: str, event_id: str, seq: int) -> None:
        """Show a chat at one of its entries, once it is there."""
        self.open_chat(session_id)
        self.page.transcript.reveal(event_id, seq)

    def new_chat(self) -> None:
        """Show the page of a new chat."""
        if self.engine.project is not None:
            self._uncover()
            self._centre.leave_welcome()
            self._beside.show("")
            self._after_switch()
            self.page.composer.text.setFocus()

    def open_project(self) -> None:
        """Let a person choose a repository folder."""
        dialog = QFileDialog(self._window, tr("Open repository"))
        dialog.setObjectName("open_repository_dialog")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.open_path)
        dialog.open()

    def open_path(self, path: str) -> None:
        """Open the repository at this path; the welcome page, if it is shown, says what stands against it.

        Other windows that show another one go along, which a person is asked about first.
        """
        welcome, project, others = self._centre.welcome, self.engine.project, len(self.closing.siblings())
        if welcome is not None and project is None:
            welcome.open_path(path)
        elif project is None or not others or Path(path).resolve().is_relative_to(project.path):
            self.page.commands.send(OpenProject(path=path))
        else:
            dialog = OtherRepositoryDialog(path, project.name, others, self._window)
            dialog.agreed.connect(lambda: self.page.commands.send(OpenProject(path=path)))
            dialog.open()

    def show_settings(self, page: str = "") -> None:
        """Open the settings over the window, at the page of that name if it is given; after a colon, at what of it."""
        if self._settings is None:
            self._settings = settings_dialog(self._requests, self.engine, self._window, self._clock)
            self._over.inside(self._settings.hearing)
            self._settings.finished.connect(self._on_settings_closed)
            self._settings.open()
        if page:
            self._settings.show_page(page)

    def save(self) -> None:
        """Keep drafts, what was seen, and how panes and terminals share the room."""
        self._drafts.save()
        self._beside.save()
        self.seen.save()
        self._store.save("window/terminal", self.terminals.dock.height_px)

    # what changed

    def _hear_facts(self) -> Hearing:
        """What all parts read. It knows a whole batch before any of them takes some of it."""
        return Hearing(self.book.hearing, self.engine.hearing, self.inbox.inputs.hearing).after(self._take_appearance)

    def _hears(self) -> Hearing:
        """The parts, in the order in which they take an update."""
        inspector = [self._inspector.hearing] if self._inspector is not None else []
        return (
            Hearing(
                self._strip.hearing,
                self._updates.hearing,
                self.panes.hearing,
                *inspector,
                self._centre.hearing,
                self._over,
            )
            .inside(self.inbox.hearing)
            .on(ProjectOpened, self._on_project)
            .on(SessionsChanged, self._open_last_chat)
            .inside(self.notes.hearing, self._library.hearing, self._instructions.hearing, self._handover.hearing)
            .inside(self._beside.hearing, self._compared.hearing)
            .inside(self.lane_host.hearing, self.terminals.hearing)
            .after(self._commands.after_updates)
            .after(self._frame.wait_for_a_pause, unless=lambda: not self.book.is_written(self.page.session_id))
            .after(self._refresh, unless=lambda: self.book.is_still(self.page.session_id))
            .inside(self._lanes.hearing)
        )

    def _refresh(self) -> None:
        project, waiting = self.engine.project, self.inbox.inputs.count + self.book.interrupted_count()
        self._centre.refresh(self.engine)
        self._top.set_project(project, str(Path.home()))
        self._top.set_waiting(waiting)
        self.seen.mark(self.book.chats, self.panes.on_screen if self._window.isActiveWindow() else ())
        known = self.book.listed or (self.engine.ready and project is None) or bool(self.engine.stopped)
        self.sidebar.set_project_open(project is not None, listed=known)
        self._board.refresh()
        self.sidebar.show_lists(self.book.lane_book.lists(self.book.chats, dict(self.seen.at)))
        self.sidebar.set_current(self.page.session_id)
        self.terminals.refresh()
        facts = self.page.facts
        self._actions.set_facts(
            WindowFacts(
                project=project is not None,
                chat=facts is not None,
                turn_running=facts is not None and facts.turn_running,
                waiting=self.book.waiting_count(),
                chats=len(self.book.chats),
                two_panes=len(self.panes.pages) > 1,
            )
        )
        self._take_title(waiting)
        self._window.ticker.check()

    def _take_title(self, waiting: int) -> None:
        facts, project = self.page.facts, self.engine.project
        parts = [trn(waiting, "{n} waiting", "{n} waiting")] if waiting else []
        if project is not None:
            parts += [cut_title(facts.raw_title)] if facts is not None else []
            parts.append(display_text(project.name))
        self._window.setWindowTitle(" · ".join([*parts, tr("Banksman")]).replace("[*]", "[*][*]"))

    def _take_appearance(self) -> None:
        """Follow the settings when they change; what the program was started with stays until then."""
        look = self.engine.settings.appearance
        if look != self._look:
            self._look = look
            theme().wear(look)

    def _open_last_chat(self, _update: SessionsChanged) -> None:
        """Once the chats are listed, open what was open last."""
        if self._beside.restore():
            self.page.composer.text.setFocus()

    def _on_project(self, _update: ProjectOpened) -> None:
        """Another repository: its chats are other chats, unless the same one was opened again."""
        project = self.engine.project
        if project is None:
            return
        if self._project_id and project.id != self._project_id:
            self._beside.close_second()
            self.page.show_new()
            self._after_switch()
        self._project_id = project.id
        if not self.page.session_id:
            self.page.composer.text.setFocus()

    def _after_switch(self) -> None:
        if self._inspector is not None:
            if self._inspector.session_id != self.page.session_id:
                self._frame.end_peek()
            self._inspector.show_session(self.page.session_id)
        self._beside.keep()
        self.notes.settle()
        self._refresh()

    # what a person does

    def _handlers(self) -> dict[str, Callable[[], object]]:
        return {
            **self._commands.handlers(),
            **self._beside.handlers(),
            **self._library.handlers(),
            **self._handover.handlers(),
            **self._board.handlers(),
            **self._compared.handlers(),
            **self.inbox.handlers(),
            **self._instructions.handlers(),
            **self.terminals.handlers(),
            **self._lanes.handlers(),
            **self.pulls.handlers(),
            "palette": self._open_palette,
            "new_chat": self.new_chat,
            "open_project": self.open_project,
            "settings": self._ask_settings,
            "guide": partial(self._open_help, "guide"),
            "shortcuts": partial(self._open_help, "keys"),
            "close_window": self._window.close,
            "quit": self.closing.quit,
        }

    def _open_palette(self) -> None:
        self._palette.open_over(self._window, self._actions, self.book.chats, lane=self._lanes.entries())

    def _open_help(self, page: str) -> None:
        help_dialog(self._actions.specs, self._window, page)

    def _ask_settings(self) -> None:
        self._window.settings_asked.emit("")

    def _ask_key(self, _endpoint_id: str = "") -> None:
        self._window.settings_asked.emit("providers")

    def _on_settings_closed(self, _result: int) -> None:
        if self._settings is not None:
            self._over.leave(self._settings.hearing)
        self._settings = None

    def _on_left(self) -> None:
        """The chat on screen is being deleted."""
        if len(self.panes.pages) > 1:
            self._beside.close()
        else:
            self.new_chat()

    def _on_task(self, text: str) -> None:
        self.page.show_new()
        self.page.suggest(text)

    def _on_action(self, action_id: str) -> None:
        self._actions.action(action_id).trigger()

    # making

    def _connect(self) -> None:
        self.sidebar.set_new([self._actions.action(name) for name in BEGINNING])
        for signal, action_id in (
            (self._top.sidebar_asked, "toggle_sidebar"),
            (self._top.inspector_asked, "toggle_inspector"),
            (self._top.palette_asked, "palette"),
            (self._top.settings_asked, "settings"),
            (self._top.waiting_asked, "inbox"),
            (self.sidebar.new_chat_asked, "new_chat"),
        ):
            signal.connect(self._actions.action(action_id).trigger)
        self.inbox.chat_asked.connect(self._commands.go_to_card)
        self.inbox.tab_asked.connect(self._commands.show_tab)
        self.inbox.repository_asked.connect(self.open_path)
        self.sidebar.opened.connect(self.open_chat)
        self.sidebar.renamed.connect(self._commands.rename_chat)
        self.sidebar.archive_asked.connect(self._commands.archive_chat)
        self.sidebar.chat_action.connect(self._library.act)
        self.lane_host.noted.connect(self.notes.say)
        self.lane_host.offered.connect(self.notes.offer)
        self._strip.back_asked.connect(lambda: self.lane_host.send(BringBack()))
        self._library.chat_asked.connect(self.open_chat)
        self._library.entry_asked.connect(self._open_entry)
        self._library.left.connect(self._on_left)
        self._beside.switched.connect(self._after_switch)
        self._beside.noted.connect(self.notes.say)
        self.sidebar.chat_action.connect(self._beside.act)
        self._handover.entry_asked.connect(self._open_entry)
        self.panes.each(self._hear_page)
        self._commands.chat_asked.connect(self.open_chat)
        self._commands.window_asked.connect(self._window.window_asked)
        self.sidebar.chat_action.connect(self._commands.act_on_chat)
        self._palette.action_picked.connect(self._on_action)
        self._palette.lane_picked.connect(self._lanes.act)
        self._palette.chat_picked.connect(self.open_chat)
        self._window.settings_asked.connect(self.show_settings)
        self.terminals.settings_asked.connect(self._window.settings_asked)
        self.terminals.noted.connect(self.notes.say)
        self._centre.open_asked.connect(self.open_project)
        self._centre.changed.connect(self._refresh)
        if (welcome := self._centre.welcome) is not None:
            welcome.key_asked.connect(self._ask_key)
            welcome.demo_asked.connect(self._window.demo_asked)
            welcome.service_asked.connect(lambda endpoint_id: self.show_settings(f"providers:{endpoint_id}"))
            welcome.task_chosen.connect(self._on_task)
        if self._inspector is not None:
            connect_review(self._inspector.of(ChangesTab).review, self._centre, self.notes.area, self.lane_host.act)
            self._inspector.vacant_changed.connect(self._frame.set_vacant)
            for panel in self._inspector.panels:
                panel.noted.connect(self.notes.say)

    def _hear_page(self, page: ChatPage) -> None:
        page.started.connect(lambda _session_id: self._after_switch())
        page.start_failed.connect(self._after_switch)
        page.key_asked.connect(self._ask_key)
        page.tab_asked.connect(self._commands.show_tab)
        page.action_asked.connect(self._on_action)
        page.strips.lane_asked.connect(self.lane_host.act)
        page.settings_asked.connect(self.show_settings)
        self._window.ticker.watch(page.header, page.header.refresh_state, page.header.needs_clock)
