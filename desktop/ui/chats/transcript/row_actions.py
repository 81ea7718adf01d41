"""RowActions: carries out what a person asks of a transcript row."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.domain.chats.commands import LoadAttachment, RetryNow
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import AttachmentLoaded
from desktop.domain.commands import ContinueTurn, Interrupt, LoadBlob, OpenSession, SaveText
from desktop.domain.display.text import display_text
from desktop.domain.reports.commands import CheckClaims, WantedCheck
from desktop.domain.reports.values import ReportView
from desktop.domain.reports.verdicts import command_sha256
from desktop.domain.updates import BlobLoaded, TextSaved
from desktop.language import tr
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.find_bar import FindBar
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.history_actions import HistoryActions
from desktop.ui.chats.transcript.painting.child import FOLLOW_CHILD, OPEN_CHILD, STOP_CHILD
from desktop.ui.chats.transcript.painting.report import CHECK_AGAIN
from desktop.ui.chats.transcript.painting.thumbnails import OPEN_PICTURE
from desktop.ui.chats.transcript.selection import row_text
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.widgets.dialogs.output_viewer import OutputViewer
from desktop.ui.widgets.dialogs.picture import PictureDialog
from desktop.ui.widgets.links import Links

THUMBNAIL_PX, WHOLE_PX = 320, 1600
_OF_TURNS: dict[str, type[ContinueTurn] | type[RetryNow] | type[Interrupt]] = {
    "continue": ContinueTurn,
    "retry_now": RetryNow,
    "retry_stop": Interrupt,
}


class RowActions(QObject):
    """`limits`: those in force in the chat on screen. `note`: a sentence for a toast and whether it is an error;
    `tab_asked`: a tab of the inspector; `key_asked`: the chat's key was refused and is to be replaced;
    `chat_asked`: a sub-agent is to be shown."""

    note = Signal(str, bool)
    tab_asked = Signal(str)
    key_asked = Signal()
    agents_asked = Signal()
    sign_in_asked = Signal()
    chat_asked = Signal(str)

    def __init__(
        self,
        view: TranscriptView,
        requests: Requests,
        commands: ChatCommands,
        limits: Callable[[], Limits],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.history = HistoryActions(view, requests, commands, limits, parent)
        self.find = FindBar(view, requests)
        self.history.refused.connect(lambda sentence: self.note.emit(sentence, True))
        self._view, self._commands, self._page = view, commands, parent
        self._wanted: dict[str, str] = {}
        self._pictures: dict[str, str] = {}
        self._thumbnails = view.layouts.thumbnails
        self._thumbnails.wanted.connect(lambda sha256: self._load_picture(sha256, THUMBNAIL_PX))
        self.links = Links(parent)
        self.hearing = (
            Hearing(self.history.hearing, self.find.hearing)
            .on(BlobLoaded, self._on_blob)
            .on(TextSaved, self._on_saved)
            .on(AttachmentLoaded, self._on_picture)
        )
        view.row_action.connect(self._on_action)
        view.row_action.connect(self._on_child)
        view.row_action.connect(self._on_open_picture)
        view.open_full_output.connect(self._on_full_output)
        view.link_activated.connect(self.links.ask)
        view.copy_warning.connect(self._on_warning)
        view.export_asked.connect(self._on_export)

    def _on_blob(self, update: BlobLoaded) -> None:
        if update.sha256 in self._wanted:
            OutputViewer(self._wanted.pop(update.sha256), update.text, self._page).open()

    def _on_saved(self, update: TextSaved) -> None:
        if update.session_id == self._view.model.session_id:
            self.note.emit(tr("Saved {path}", path=update.path), False)

    def _on_action(self, key: str, action: str) -> None:
        session_id, at = self._view.model.session_id, self._view.model.index_of(key)
        if at >= 0 and self.history.act(self._view.model.rows[at], action):
            return
        if action in _OF_TURNS:
            self._commands.send(_OF_TURNS[action](session_id=session_id))
        elif action == "copy_details":
            if at >= 0:
                QGuiApplication.clipboard().setText(row_text(self._view.model.rows[at]))
                self.note.emit(tr("Copied"), False)
        elif action == CHECK_AGAIN and at >= 0:
            self._check_again(self._view.model.rows[at].report)
        elif action == "sign_in":
            self.sign_in_asked.emit()
        elif action == "agents":
            self.agents_asked.emit()
        elif action == "replace_key":
            self.key_asked.emit()
        elif action in ("show_changes", "show_audit"):
            self.tab_asked.emit(action.removeprefix("show_"))

    def _on_open_picture(self, key: str, action: str) -> None:
        """Ask for the picture whole; the second one of a row is called `picture_open_2`."""
        at = self._view.model.index_of(key)
        if at < 0 or not action.startswith(OPEN_PICTURE):
            return
        row, number = self._view.model.rows[at], action.removeprefix(OPEN_PICTURE).removeprefix("_")
        self._show_picture(row, int(number or 1))

    def _show_picture(self, row: Row, number: int) -> None:
        file = [file for file in row.files if file.width_px and file.sha256][number - 1]
        self._pictures[file.sha256] = file.name
        self._load_picture(file.sha256, WHOLE_PX)

    def _load_picture(self, sha256: str, max_px: int) -> None:
        session_id = self._view.model.session_id
        self._commands.send(LoadAttachment(sha256=sha256, session_id=session_id, max_px=max_px))

    def _on_picture(self, loaded: AttachmentLoaded) -> None:
        image = QImage.fromData(loaded.data) if loaded.data else QImage()
        name = self._pictures.pop(loaded.sha256, "")
        if image.isNull():
            if name:
                self.note.emit(tr("{name} is no longer kept.", name=display_text(name)), True)
            return
        if name:
            PictureDialog(display_text(name), QPixmap.fromImage(image), self._page).open()
        else:
            self._thumbnails.take(loaded.sha256, QPixmap.fromImage(image))

    def _on_child(self, _key: str, action: str) -> None:
        child_id = action.partition(":")[2]
        if action.startswith(OPEN_CHILD):
            self.chat_asked.emit(child_id)
        elif action.startswith(STOP_CHILD):
            self._commands.stop_child(child_id)
        elif action.startswith(FOLLOW_CHILD) and self._view.model.below.follow(child_id):
            self._commands.send(OpenSession(session_id=child_id))

    def _check_again(self, view: ReportView | None) -> None:
        """Let exactly the commands run that the card shows."""
        if view is not None:
            wanted = tuple(
                WantedCheck(claim=place, command_sha256=command_sha256(view.claims[place].subject))
                for place in view.stale
            )
            self._commands.send(CheckClaims(session_id=view.session_id, report_id=view.report_id, claims=wanted))

    def _on_full_output(self, title: str, sha256: str) -> None:
        self._wanted[sha256] = title
        self._commands.send(LoadBlob(session_id=self._view.model.session_id, sha256=sha256))

    def _on_export(self, text: str) -> None:
        """Ask where the table goes; the engine writes it, and never over a file that is there."""
        dialog = QFileDialog(self._page, tr("Export as CSV"))
        dialog.setObjectName("csv_export_dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("result.csv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        session_id = self._view.model.session_id
        dialog.fileSelected.connect(
            lambda path: self._commands.send(SaveText(session_id=session_id, path=path, text=text))
        )
        dialog.open()

    def _on_warning(self, sentence: str) -> None:
        self.note.emit(sentence, False)
