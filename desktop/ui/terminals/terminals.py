"""Terminals: what a person does with the terminals of a lane in one window: opening, typing, closing, quoting."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop.domain.changes.commands import (
    SIGN_IN_LANE,
    CloseTerminal,
    EndLeftover,
    LoadTerminals,
    OpenTerminal,
    QuoteTerminal,
    ResizeTerminal,
    TerminalInput,
)
from desktop.domain.core.ids import new_id
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.terminals.updates import TerminalClosed, TerminalQuoted, TerminalScreen
from desktop.domain.updates import ProjectOpened
from desktop.language import tr, trn
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests, answer
from desktop.ui.core.terminal_opener import TerminalOpener
from desktop.ui.terminals.book import TerminalBook, TerminalFacts
from desktop.ui.terminals.dialogs import CloseTerminalDialog, LeftoversDialog, PasteDialog, needs_question
from desktop.ui.terminals.dock import TerminalDock
from desktop.ui.terminals.drawer import SIGN_IN, TerminalDrawer
from desktop.ui.terminals.keys import pasted_text
from desktop.ui.terminals.text import selected_text

QUOTE_CHARS = 30_000
_INPUT_CHARS = 64 * 1024


class Terminals(QObject):
    """`noted`: a sentence for a toast and whether it tells of a failure; `settings_asked`: the page to show."""

    noted = Signal(str, bool)
    settings_asked = Signal(str)

    def __init__(self, requests: Requests, lanes: LaneBook, panes: Panes, window: QWidget) -> None:
        super().__init__(window)
        self._requests, self._lanes, self._panes, self._window = requests, lanes, panes, window
        self.drawer = TerminalDrawer()
        self.dock = TerminalDock(panes, self.drawer, window)
        self.book = TerminalBook(requests, self)
        self.hearing = Hearing().on(ProjectOpened, self._on_project).inside(self.book.hearing)
        self._lane_id = self._chosen_lane = ""
        self._current: dict[str, str] = {}
        self._kept: dict[str, str] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._signing: dict[str, str] = {}
        self._left: LeftoversDialog | None = None
        self._opener = TerminalOpener(window)
        self._opener.asked.connect(self.open_in)
        self._opener.sign_in_asked.connect(self.sign_in)
        self._connect()
        self._show()

    @property
    def is_open(self) -> bool:
        """Whether the drawer is open."""
        return not self.drawer.isHidden()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        return {"terminal": self.toggle, "new_terminal": self.open_new}

    def takes_alone(self, updates: Sequence[Update]) -> bool:
        """Take a batch that holds nothing but screens, which come many times a second. False: it holds more."""
        if not all(isinstance(update, TerminalScreen) for update in updates):
            return False
        self.book.hearing.take(updates)
        return True

    def refresh(self) -> None:
        """Follow the chat on screen: another chat shows the terminals of its lane."""
        facts = self._page.facts
        lane_id = facts.lane_id if facts is not None else ""
        if lane_id != self._lane_id:
            self._lane_id, self._chosen_lane = lane_id, ""
            self._show()
        elif self._words() != self._shown_words:
            self._show()

    def toggle(self) -> None:
        """Open the drawer, with a terminal if the lane never had one; or close it."""
        if self.is_open:
            self.hide()
            return
        self.dock.show_drawer(True)
        if self._lane() is not None and not self._of_lane() and not self._kept.get(self._lane_key):
            self.open_new()
        self.drawer.focus_terminal()

    def hide(self) -> None:
        """Close the drawer; its terminals go on. The focus goes to the composer."""
        had = self.drawer.isAncestorOf(self._window.focusWidget() or self._window)
        self.dock.show_drawer(False)
        if had:
            self._page.composer.text.setFocus()

    def open_new(self, reopen: str = "") -> None:
        """Start a shell in the lane that is shown."""
        lane = self._lane()
        self.dock.show_drawer(True)
        if lane is not None:
            self._start(lane.id, reopen=reopen)

    def sign_in(self, guest_id: str, method_id: str = "") -> None:
        """Open the terminal in which a person signs an agent in, which belongs to no lane."""
        self._chosen_lane = SIGN_IN_LANE
        self.dock.show_drawer(True)
        known = self.book.get(self._signing.get(guest_id, ""))
        if known is None or known.closed is not None:
            if known is not None:
                self.book.forget(known.terminal_id)
            self._signing[guest_id] = self._start(SIGN_IN_LANE, guest_id=guest_id, method_id=method_id)
        else:
            self._current[SIGN_IN_LANE] = known.terminal_id
        self._show()
        self.drawer.focus_terminal()

    def _start(self, lane_id: str, *, reopen: str = "", guest_id: str = "", method_id: str = "") -> str:
        terminal_id = new_id("trm_")
        columns, rows = self.drawer.grid()
        self._sizes[terminal_id] = (columns, rows)
        self._current[lane_id] = terminal_id
        self.book.expect(terminal_id, lane_id)
        opens = OpenTerminal(lane_id=lane_id, terminal_id=terminal_id, reopen=reopen, guest_id=guest_id)
        more = {"columns": columns, "rows": rows, "method_id": method_id}
        self._page.commands.send(opens.model_copy(update=more))
        self.drawer.view.setFocus()
        return terminal_id

    def open_in(self, lane_id: str) -> None:
        """Open the drawer with a terminal of this lane, whatever chat is on screen."""
        self._chosen_lane = lane_id
        self.dock.show_drawer(True)
        self._show()
        if not self._of_lane():
            self.open_new()
        self.drawer.focus_terminal()

    def busy(self) -> int:
        """In how many terminals a program runs."""
        return sum(one.busy for one in self.book.all())

    # what is shown

    @property
    def _page(self) -> ChatPage:
        return self._panes.active

    @property
    def _lane_key(self) -> str:
        return self._chosen_lane or self._lane_id

    def _lane(self) -> Lane | None:
        return self._lanes.lane(self._lane_key)

    def _of_lane(self) -> list[TerminalFacts]:
        return self.book.of_lane(self._lane_key) if self._lane_key else []

    def _words(self) -> str:
        if self._lane_key == SIGN_IN_LANE:
            return SIGN_IN
        lane = self._lane()
        return f"lane/{display_text(lane.name)}".replace("lane/lane/", "lane/") if lane is not None else ""

    def _show(self) -> None:
        terminals = self._of_lane()
        ids = [one.terminal_id for one in terminals]
        current = self._current.get(self._lane_key, "")
        if current not in ids:
            current = ids[-1] if ids else ""
        self._current[self._lane_key] = current
        self._shown_words = self._words()
        self.drawer.show_lane(self._shown_words, can_open=self._lane() is not None)
        self.drawer.show_terminals(terminals, current, kept=self._kept.get(self._lane_key, ""))
        self._fit(*self.drawer.grid())

    def _on_chosen(self, terminal_id: str) -> None:
        self._current[self._lane_key] = terminal_id
        self._show()
        self.drawer.focus_terminal()

    def _on_drawn(self, terminal_id: str, moved: bool, rows: list[int]) -> None:
        current = self.drawer.current
        if current is not None and current.terminal_id == terminal_id:
            self.drawer.view.take_change(moved, rows)

    def _on_closed(self, update: TerminalClosed) -> None:
        if update.lane_id == SIGN_IN_LANE:
            if update.asked and self._chosen_lane == SIGN_IN_LANE and len(self.book.of_lane(SIGN_IN_LANE)) == 0:
                self._chosen_lane = ""
        elif update.kept:
            self._kept[update.lane_id] = update.terminal_id

    def _fit(self, columns: int, rows: int) -> None:
        """Tell the terminal on screen how much room there is."""
        one = self.drawer.current
        if one is None or one.closed is not None or not self.is_open or self.drawer.view.height() < 2:
            return
        if self._sizes.get(one.terminal_id) != (columns, rows):
            self._sizes[one.terminal_id] = (columns, rows)
            self._requests.send(ResizeTerminal(terminal_id=one.terminal_id, columns=columns, rows=rows))

    # what a person does

    def _on_project(self, _update: ProjectOpened) -> None:
        self._requests.send(LoadTerminals())

    def _on_typed(self, text: str) -> None:
        one = self.drawer.current
        if one is not None and one.closed is None:
            for at in range(0, len(text), _INPUT_CHARS):
                self._requests.send(TerminalInput(terminal_id=one.terminal_id, text=text[at : at + _INPUT_CHARS]))

    def _on_pasted(self, text: str) -> None:
        one = self.drawer.current
        if one is None or one.closed is not None:
            return
        terminal_id, modes = one.terminal_id, one.modes

        def paste() -> None:
            now = self.drawer.current
            if now is not None and now.terminal_id == terminal_id:
                self.drawer.view.type_text(pasted_text(text, modes))
                self.drawer.view.setFocus()

        if not needs_question(text):
            paste()
            return
        dialog = PasteDialog(text, self._window, marked="bracketed_paste" in modes)
        dialog.agreed.connect(paste)
        dialog.open()

    def _on_close(self, terminal_id: str) -> None:
        one = self.book.get(terminal_id)
        if one is None:
            return
        if one.closed is not None:
            self.book.forget(terminal_id)
        elif one.busy:
            dialog = CloseTerminalDialog(one.label, self._window)
            dialog.agreed.connect(lambda: self._page.commands.send(CloseTerminal(terminal_id=terminal_id)))
            dialog.open()
        else:
            self._page.commands.send(CloseTerminal(terminal_id=terminal_id))

    def _on_reopen(self, terminal_id: str) -> None:
        lane_id = self._lane_key
        if self._kept.get(lane_id) == terminal_id:
            del self._kept[lane_id]
        self.book.forget(terminal_id)
        self.open_new(reopen=terminal_id)

    def _on_send(self, what: str) -> None:
        one = self.drawer.current
        if one is None:
            return
        text = self.drawer.view.selected_text()
        if what == "command":
            text = selected_text(one.row, (one.command[0], 0), (one.command[1], 0)) if one.command is not None else ""
        if text.strip():
            session = self._page.session_id
            command = QuoteTerminal(terminal_id=one.terminal_id, session_id=session, text=text[-4 * QUOTE_CHARS :])
            self._page.commands.order(command, self, answer(TerminalQuoted, self._put_in_composer))

    def _put_in_composer(self, quoted: TerminalQuoted) -> None:
        """As pasted text goes there; the person sends it."""
        if quoted.session_id != self._page.session_id:
            return
        fence, text = "```", quoted.text
        while fence in text:
            fence += "`"
        field = self._page.composer.text
        before = "\n" if field.toPlainText() and not field.toPlainText().endswith("\n") else ""
        mime = QMimeData()
        mime.setText(f"{before}{fence}\n{text}\n{fence}\n")
        field.moveCursor(QTextCursor.MoveOperation.End)
        field.insertFromMimeData(mime)
        field.setFocus()
        notes = [trn(quoted.removed, "{n} secret left out.", "{n} secrets left out.") if quoted.removed else ""]
        notes += [tr("Only its last 30,000 characters were taken.") if quoted.cut else ""]
        if note := " ".join(filter(None, notes)):
            self.noted.emit(note, False)

    def _on_link(self, address: str) -> None:
        if not QDesktopServices.openUrl(QUrl(address)):
            self.noted.emit(tr("No program opened {address}.", address=address), True)

    # leftovers

    def _on_left(self) -> None:
        processes = self.book.leftovers
        some = trn(
            len(processes),
            "{n} program of earlier terminals still runs.",
            "{n} programs of earlier terminals still run.",
        )
        self.drawer.show_leftovers(some if processes else "")
        if self._left is not None:
            self._left.show_processes(processes)

    def _show_leftovers(self) -> None:
        names = {lane.id: lane.name for lane in self._lanes.lanes}
        dialog = LeftoversDialog(self.book.leftovers, names, self._window)
        dialog.end_asked.connect(self._end_leftover)
        dialog.agreed.connect(self._end_all)
        dialog.finished.connect(self._on_left_closed)
        self._left = dialog
        dialog.open()

    def _end_leftover(self, pid: int, started: float) -> None:
        self._requests.send(EndLeftover(pid=pid, started=started))

    def _end_all(self) -> None:
        for one in self.book.leftovers:
            self._end_leftover(one.pid, one.started)

    def _on_left_closed(self, _result: int) -> None:
        self._left = None

    def _connect(self) -> None:
        drawer, view = self.drawer, self.drawer.view
        self.book.listed.connect(self._show)
        self.book.drawn.connect(self._on_drawn)
        self.book.left.connect(self._on_left)
        self.book.closed.connect(self._on_closed)
        drawer.new_asked.connect(self.open_new)
        drawer.close_asked.connect(self._on_close)
        drawer.reopen_asked.connect(self._on_reopen)
        drawer.chosen.connect(self._on_chosen)
        drawer.send_asked.connect(self._on_send)
        drawer.settings_asked.connect(lambda: self.settings_asked.emit("general"))
        drawer.hide_asked.connect(self.hide)
        drawer.leftovers_asked.connect(self._show_leftovers)
        view.typed.connect(self._on_typed)
        view.pasted.connect(self._on_pasted)
        view.sized.connect(self._fit)
        view.link_asked.connect(self._on_link)
