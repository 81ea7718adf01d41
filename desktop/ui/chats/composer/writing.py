"""Writing: what a person writes to a chat: drafts, files, the queue, and what comes back when it is refused."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap, QTextCursor
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.domain.boundaries.commands import DismissBoundary, KeepBoundary
from desktop.domain.chats.commands import AddAttachment, ContinueImported
from desktop.domain.chats.mentions import mention_text
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands, SentMessage
from desktop.ui.chats.composer.ahead import LaneAhead
from desktop.ui.chats.composer.area import ComposerArea
from desktop.ui.chats.composer.attachments import LOADING, AttachedItem, Attachments
from desktop.ui.chats.composer.clipboard import PNG, png_of
from desktop.ui.chats.composer.drafts import NEW_CHAT, DraftFile, Drafts
from desktop.ui.chats.composer.edit_bar import Editing
from desktop.ui.chats.composer.mentions import Mentions
from desktop.ui.chats.composer.queue.sending import QueueSending
from desktop.ui.chats.composer.queue.words import MOST_QUEUED, QUEUE_FULL
from desktop.ui.chats.composer.recall import Recall
from desktop.ui.chats.composer.slash_runner import SlashRunner
from desktop.ui.core.actions import ActionSpec
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.gate.keep_secret import KeepSecretDialog
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.dialogs.picture import PictureDialog

LONG_PASTE = 20_000


@dataclass(frozen=True)
class ChatOnScreen:
    """`facts`: of the chat on screen, None where it is a new one; `reads_images`: whether the model of a chat (its id,
    or `NEW_CHAT`) takes pictures; `lane_path`: the folder of its lane, "" for none."""

    facts: Callable[[], ChatFacts | None]
    reads_images: Callable[[str], bool]
    lane_path: Callable[[], str]


class Writing(QObject):
    """Makes the area and sends what is written in it.

    `note`: a sentence for a toast, and whether it is an error; `start_asked`: the first message of a new chat and its
    files; `start_refused`: that one was refused, its draft is back; `sent`: a message is on its way; `changed`: what
    may be sent changed.
    """

    note = Signal(str, bool)
    start_asked = Signal(str, object)
    start_refused = Signal()
    sent = Signal()
    changed = Signal()

    def __init__(
        self,
        requests: Requests,
        commands: ChatCommands,
        drafts: Drafts,
        chat: ChatOnScreen,
        actions: Sequence[ActionSpec],
        page: QWidget,
    ) -> None:
        """`actions`: those of the window."""
        super().__init__(page)
        self._requests, self._starts = requests, False
        self._commands, self._drafts, self._facts = commands, drafts, chat.facts
        self._lane_path = chat.lane_path
        self.area = area = ComposerArea(self, page)
        self._session_id = ""
        self._recall = Recall()
        self._filling = False
        self.files = Attachments(requests, drafts, chat.reads_images, self)
        self.slash = SlashRunner(area.composer, commands, chat.facts, actions)
        self.edit = Editing(area.edit, drafts, self.files, commands, self._write_edit)
        self.mentions = Mentions(area.composer, requests, lambda: self._session_id)
        QueueSending(area.queue, commands, chat.facts, area.secret.cleaned)
        self._ahead = LaneAhead(requests, area.place)
        typed = (self.slash.hearing, self.mentions.hearing, self._recall.hearing)
        self.hearing = Hearing(self.files.hearing, *typed, self._ahead.hearing)
        self._connect()

    @property
    def blocked(self) -> str:
        """Why nothing can be sent now, as far as it lies in what is written; "" if it can."""
        return LOADING if self.files.loading(self._key) else ""

    def show(self, session_id: str) -> None:
        """Show a chat's draft, or that of a new chat ("")."""
        self.area.show_error("")
        self.area.undo.forget()
        if not self._starts:
            self.area.secret.forget()
        self.edit.show(session_id)
        if session_id:
            self._ahead.left(self._drafts.text(NEW_CHAT))
        self._session_id = session_id
        sent = self._commands.on_the_way(session_id)
        draft = self._drafts.text(self._key)
        self._write("" if sent is not None and draft.strip() == sent.text else draft)
        if sent is not None and self._drafts.files(self._key) == sent.files:
            self.files.sent(self._key)
        self._show_files(self._key)

    def refresh(self, facts: ChatFacts | None) -> None:
        """Show what waits in the chat on screen, and that it is only read if it is."""
        self.area.imported.show_for(facts is not None and facts.imported)
        self.area.queue.show_queue(facts.queue if facts is not None else (), facts.queue_held if facts else "")
        self.area.boundaries.show_boundaries(facts.boundaries if facts is not None else ())

    def choose_files(self) -> None:
        """Let a person choose files to attach."""
        dialog = QFileDialog(self.area, tr("Attach files"))
        dialog.setObjectName("attach_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        key = self._key
        dialog.filesSelected.connect(lambda paths: self.files.add_paths(key, paths))
        dialog.open()

    @property
    def _key(self) -> str:
        return self._session_id or NEW_CHAT

    # sending

    def _on_submitted(self, text: str, now: bool) -> None:
        if text and self.slash.take(text):
            return
        self._send(text, now=now)

    def _send(self, text: str, *, now: bool = False) -> None:
        facts = self._facts()
        rewinds = self.edit.under_way
        if facts is not None and facts.turn_running and len(facts.queue) >= MOST_QUEUED and not rewinds:
            self.area.show_error(QUEUE_FULL)
            return
        self.area.show_error("")
        text = self.area.secret.cleaned(text)
        self._drafts.keep(self._key, text)
        self._drafts.save()
        files = self.files.files(self._key)
        if not self._session_id:
            self._ahead.sent()
            self._starts = True
            self.start_asked.emit(text, files)
            self._starts = False
            return
        self._commands.send_message(self._session_id, text, files, interrupt=now, rewind_to=self.edit.take())
        self._empty()
        self.sent.emit()
        self.changed.emit()

    def _on_continue_imported(self, mode: str, place: str) -> None:
        fields = {"session_id": self._session_id, "mode": mode, "place": place}
        self._commands.send(ContinueImported.model_validate(fields))

    def _on_accepted(self, sent: SentMessage) -> None:
        key = NEW_CHAT if sent.new else sent.session_id
        if self._drafts.text(key).strip() == sent.text:
            typed = self.area.composer.text.toPlainText() if key == self._key else ""
            self._drafts.keep(key, typed if typed.strip() == sent.text else "")
        if self._drafts.files(key) == sent.files:
            self._drafts.keep_files(key, ())
            if sent.new:
                self.files.reload(key)

    def _on_refused(self, sent: SentMessage, sentence: str) -> None:
        """The text comes back, before what was typed meanwhile, and so do its files; also what was written for a chat
        that did not begin."""
        key = NEW_CHAT if sent.new else sent.session_id
        keys = (sent.session_id, NEW_CHAT) if sent.new else (key,)
        typed = [one for one in map(self._drafts.text, keys) if one.strip() not in ("", sent.text)]
        both = "\n\n".join([sent.text, *typed])
        files = (*sent.files, *self._drafts.files(sent.session_id)) if sent.new else sent.files
        self._drafts.keep(key, both.strip("\n") if not sent.text else both)
        self.files.put_back(key, files)
        if sent.new:
            self._drafts.forget(sent.session_id)
        if sent.session_id != self._session_id:
            self.note.emit(sentence, True)
            return
        if sent.new:
            self.start_refused.emit()
        else:
            self._write(self._drafts.text(key))
        self.area.show_error(sentence)
        self.changed.emit()

    def _empty(self) -> None:
        """Take text and files from the screen; the draft stays until the engine has accepted it."""
        self._write("")
        self.files.sent(self._key)

    def _write(self, text: str) -> None:
        """Put a text in the field that is not a new draft."""
        self._recall.reset()
        self.area.composer.blockSignals(True)
        self.area.composer.set_text(text)
        self.area.composer.blockSignals(False)
        self.slash.popup.hide()
        self.mentions.popup.hide()

    def _write_edit(self, text: str) -> None:
        self._write(text)
        self.area.composer.text.setFocus()

    def _on_edited(self, text: str) -> None:
        if not self._filling:
            self._recall.reset()
            self._drafts.keep(self._key, text)
        if not self._session_id:
            self._ahead.typed(text)
        self.slash.on_text(text)
        self.mentions.on_text()

    def _on_draft(self, key: str) -> None:
        """Another window wrote this draft: show it, unless somebody writes here."""
        field, draft = self.area.composer.text, self._drafts.text(self._key)
        if key == self._key and not field.hasFocus() and field.toPlainText() != draft:
            self._write(draft)
            self.changed.emit()

    def _on_draft_files(self, key: str) -> None:
        other = self._drafts.files(key) != self.files.files(key)
        if other and not self.area.isActiveWindow() and not self.files.loading(key):
            self.files.reload(key)

    def _on_clear(self) -> None:
        """Clear text and files of the draft, nothing else; both can be taken back."""
        key, text, files = self._key, self.area.composer.text.toPlainText(), self.files.files(self._key)
        self.area.composer.replace_text("")
        for item in self.files.items(key):
            self.files.remove(key, item)
        self.area.undo.offer(tr("Cleared."), lambda: self._uncleared(key, text, files))
        self.area.composer.text.setFocus()

    def _uncleared(self, key: str, text: str, files: tuple[DraftFile, ...]) -> None:
        written = self._drafts.text(key)
        self._drafts.keep(key, f"{text}\n{written}" if written.strip() not in ("", text.strip()) else text)
        self.files.put_back(key, files)
        if key == self._key:
            self._write(self._drafts.text(key))
            self.area.composer.text.setFocus()

    def _on_command_done(self) -> None:
        self._write("")
        self._drafts.keep(self._key, "")

    # keys, paste and drop

    def on_key(self, event: QKeyEvent) -> bool:
        """Whether a key is dealt with: for commands, an edit, or what was sent before."""
        lists = self.slash.on_key(event) or self.mentions.on_key(event)
        return lists or self.edit.on_key(event) or self._on_recall(event)

    def _on_recall(self, event: QKeyEvent) -> bool:
        field = self.area.composer.text
        found = self._recall.on_key(event, field, self._session_id)
        if found is None:
            return False
        self._filling = True
        self.area.composer.set_text(found)
        if event.key() == Qt.Key.Key_Up:
            field.moveCursor(QTextCursor.MoveOperation.Start)
        self._filling = False
        return True

    def take(self, data: QMimeData) -> bool:
        """Attach what is pasted or dropped, where it is no plain text. True: it is dealt with."""
        paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []
        if paths:
            self._take_paths(paths)
            return True
        text = data.text() if data.hasText() else ""
        if len(text) > LONG_PASTE:
            self.files.add_text(self._key, self.area.secret.cleaned(text))
            return True
        if not text.strip() and (data.hasImage() or data.hasFormat(PNG)):
            self.files.add_picture(self._key, png_of(data))
            return True
        return False

    def _take_paths(self, paths: Sequence[str]) -> None:
        """What lies in the lane of the chat is named, so that the agent has the file itself; a copy of all others is
        attached."""
        root = f"{self._lane_path()}/"
        inside = [path.removeprefix(root) for path in paths if root != "/" and path.startswith(root) and path != root]
        if inside:
            words = " ".join(mention_text("file", path) for path in inside)
            self.area.composer.text.insertPlainText(f"{words} ")
            self.mentions.popup.hide()
        self.files.add_paths(self._key, [path for path in paths if path.removeprefix(root) not in inside])

    def _on_dropped(self, data: QMimeData) -> None:
        if not self.take(data) and data.hasText():
            self.area.composer.text.insertPlainText(data.text())
        self.area.composer.text.setFocus()

    # files

    def _on_pictures(self, server_id: str, pictures: tuple[bytes, ...]) -> None:
        """Pictures of a prompt are files of the message, to be looked at and taken out like all others."""
        for number, data in enumerate(pictures, 1):
            self.files.add_data(self._key, tr("{server_id} picture {number}", server_id=server_id, number=number), data)

    def thumbnail(self, file: DraftFile) -> QPixmap | None:
        """The small picture of an attached file, None while there is none."""
        return self.files.thumbnail(self._key, file)

    def _show_files(self, key: str) -> None:
        if key == self._key:
            self.area.composer.show_files(self.files.items(key))
            self.changed.emit()

    def _on_file_problem(self, key: str, sentence: str) -> None:
        if key == self._key:
            self.area.show_error(sentence)
        else:
            self.note.emit(sentence, True)

    def _on_secret(self, key: str, command: AddAttachment) -> None:
        name = display_text(command.name or command.path.rpartition("/")[2])
        question = Question(
            "secret_file_dialog",
            tr("Attach {name}?", name=name),
            tr("This file looks like it holds secrets. Attach it anyway?"),
            (tr("Leave it out"), "secret_file_leave"),
            (tr("Attach it"), "secret_file_attach"),
        )
        ask_first(question, self.area, lambda: self.files.add_anyway(key, command))

    def _on_put_in(self, item: AttachedItem) -> None:
        self.files.remove(self._key, item)
        self.area.composer.text.insertPlainText(item.text)
        self.area.composer.text.setFocus()

    def _on_keep_secret(self, name: str, value: str) -> None:
        if not self._session_id:
            self.area.show_error(tr("Send the message first: a secret is kept for the chats of its repository."))
            return
        dialog = KeepSecretDialog(self._session_id, (name, value), self._requests, self.area.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(self.area.secret.kept)
        dialog.open()

    def _connect(self) -> None:
        area, composer, send = self.area, self.area.composer, self._commands.send
        self.area.imported.chosen.connect(self._on_continue_imported)
        composer.submitted.connect(self._on_submitted)
        composer.edited.connect(self._on_edited)
        composer.attach_asked.connect(self.choose_files)
        composer.mention_asked.connect(self.mentions.begin)
        composer.clear_asked.connect(self._on_clear)
        composer.files.removed.connect(lambda item: self.files.remove(self._key, item))
        composer.files.text_wanted.connect(self._on_put_in)
        composer.files.opened.connect(lambda item: self.files.open(self._key, item.file))
        self.files.opened.connect(lambda name, whole: PictureDialog(display_text(name), whole, area).open())
        area.dropped.connect(self._on_dropped)
        area.secret.keep_asked.connect(self._on_keep_secret)
        area.boundaries.kept.connect(
            lambda one, scope, until: send(
                KeepBoundary(session_id=self._session_id, boundary_id=one, scope=scope, until=until)
            )
        )
        area.boundaries.dismissed.connect(
            lambda one: send(DismissBoundary(session_id=self._session_id, boundary_id=one))
        )
        self._drafts.changed.connect(self._on_draft)
        self._drafts.files_changed.connect(self._on_draft_files)
        self.files.changed.connect(self._show_files)
        self.files.problem.connect(self._on_file_problem)
        self.files.asked.connect(self._on_secret)
        self.files.pictured.connect(lambda _sha256: composer.files.redraw())
        self.edit.changed.connect(self.changed)
        self.slash.problem.connect(area.show_error)
        self.slash.done.connect(self._on_command_done)
        self.slash.message.connect(self._send)
        self.slash.pictured.connect(self._on_pictures)
        self._commands.message_accepted.connect(self._on_accepted)
        self._commands.message_refused.connect(self._on_refused)
