"""Library: what a person does with whole chats: pin, fork, search, export, import, delete and take back."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.domain.chats.commands import ExportSession, ForkSession, ImportSession, MuteSession, PinSession, UndoDelete
from desktop.domain.chats.updates import SessionDeletionScheduled, SessionExported, SessionForkedOff, SessionImported
from desktop.domain.core.ids import new_session_id
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sidebar_row import UNTITLED
from desktop.ui.core.sink import Clock
from desktop.ui.library.delete_chat import DeleteChatDialog
from desktop.ui.library.export_chat import ExportDialog
from desktop.ui.library.search import SearchDialog
from desktop.ui.notices.notes import WindowNotes
from desktop.ui.widgets.dialogs.ask import Question, ask_first

_CHAIN_BROKEN = "chain_broken"


@dataclass(frozen=True)
class LibraryMeans:
    """What the library works with. `here`: the id of the chat on screen, "" for none."""

    requests: Requests
    clock: Clock
    commands: ChatCommands
    book: ChatBook
    notes: WindowNotes
    here: Callable[[], str]


class Library(QObject):
    """`chat_asked`: open this chat; `entry_asked`: open it at this entry; `left`: the chat on screen is going away."""

    chat_asked = Signal(str)
    entry_asked = Signal(str, str, int)
    left = Signal()

    def __init__(self, parts: LibraryMeans, window: QWidget) -> None:
        super().__init__(window)
        self._requests, self._clock, self._commands = parts.requests, parts.clock, parts.commands
        self._book, self._notes, self._here = parts.book, parts.notes, parts.here
        self._window = window
        self._search: SearchDialog | None = None
        self._over = Hearing()
        self.hearing = Hearing(self._over).on(SessionForkedOff, self._on_forked).on(SessionExported, self._on_exported)
        self.hearing.on(SessionImported, self._on_imported).on(SessionDeletionScheduled, self._on_deleting)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        return {
            "search_chats": self.search,
            "import_chat": self.import_chat,
            "export_chat": lambda: self.export_chat(self._here()),
            "fork_chat": lambda: self.act(self._here(), "fork"),
            "pin_chat": lambda: self.act(self._here(), "pin"),
            "mute_chat": lambda: self.act(self._here(), "mute"),
            "delete_chat": lambda: self.ask_delete(self._here()),
        }

    def act(self, session_id: str, action: str) -> None:
        """Carry out an entry of a chat's menu: pin and mute (and the reverse), fork, export, delete."""
        summary = self._book.summary(session_id)
        if summary is None:
            return
        if action == "pin":
            self._commands.send(PinSession(session_id=session_id, pinned=not summary.pinned))
        elif action == "mute":
            self._commands.send(MuteSession(session_id=session_id, muted=not summary.muted))
        elif action == "fork":
            self._fork(session_id)
        elif action == "export":
            self.export_chat(session_id)
        elif action == "delete":
            self.ask_delete(session_id)

    def _lane_of(self, session_id: str) -> str:
        summary = self._book.summary(session_id)
        return display_text(summary.lane_name) if summary is not None else ""

    def search(self, text: str = "") -> None:
        """Open the search over all chats."""
        if self._search is None:
            self._search = SearchDialog(self._requests, self._clock, self._lane_of, self._window)
            self._over.join(self._search.hearing, self._search)
            self._search.chosen.connect(self.entry_asked)
            self._search.finished.connect(self._forget_search)
            self._search.open()
        if text:
            self._search.search(text)

    def export_chat(self, session_id: str) -> None:
        """Ask in which form and where, then have it written."""
        if not session_id:
            return
        dialog = ExportDialog(self._title(session_id), self._window)

        def export(path: str, form: str, redacted: bool) -> None:
            fields = {"session_id": session_id, "path": path, "format": form, "redacted": redacted}
            self._commands.send(ExportSession.model_validate(fields))

        dialog.export_asked.connect(export)
        dialog.open()

    def import_chat(self) -> None:
        """Ask for a file and have it read."""
        dialog = QFileDialog(self._window, tr("Import chat"), "", tr("Chats (*.jsonl *.json);;All files (*)"))
        dialog.setObjectName("import_file_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._import)
        dialog.open()

    def ask_delete(self, session_id: str) -> None:
        """Ask once; archiving is the way that keeps the chat."""
        if not session_id:
            return
        dialog = DeleteChatDialog(session_id, self._title(session_id), self._requests, self._window)
        dialog.wanted.connect(self._commands.send)
        dialog.open()

    def _fork(self, session_id: str) -> None:
        self._commands.send(ForkSession(session_id=session_id, new_session_id=new_session_id()))

    def _import(self, path: str, *, broken_accepted: bool = False) -> None:
        command = ImportSession(path=path, broken_accepted=broken_accepted)
        self._requests.ask(command, self, failed=partial(self._on_import_failed, path))

    def _on_forked(self, update: SessionForkedOff) -> None:
        self.chat_asked.emit(update.session_id)

    def _on_exported(self, update: SessionExported) -> None:
        self._notes.say(tr("Saved {path}", path=update.path))

    def _on_imported(self, update: SessionImported) -> None:
        words = display_text(" ".join(update.report)) or tr("The chat is imported.")
        self._notes.offer(words, tr("Open"), lambda: self.chat_asked.emit(update.session_id))

    def _on_import_failed(self, path: str, failed: CommandFailed) -> None:
        if failed.code != _CHAIN_BROKEN:
            self._notes.say(failed.text, error=True)
            return
        question = Question(
            "import_broken_dialog",
            tr("Import a changed record?"),
            display_text(failed.text),
            (tr("Cancel"), "import_broken_cancel"),
            (tr("Import it"), "import_broken_go"),
        )
        ask_first(question, self._window, lambda: self._import(path, broken_accepted=True))

    def _on_deleting(self, update: SessionDeletionScheduled) -> None:
        if update.session_id == self._here():
            self.left.emit()
        title = prose_text(update.title) or UNTITLED
        undo = UndoDelete(session_id=update.session_id)
        self._notes.offer_undo(
            tr("Deleted “{title}”.", title=title), lambda: self._commands.send(undo), update.session_id
        )

    def _forget_search(self, _result: int) -> None:
        self._search = None

    def _title(self, session_id: str) -> str:
        summary = self._book.summary(session_id)
        return prose_text(summary.title) if summary is not None and summary.title else UNTITLED
