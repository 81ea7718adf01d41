"""Attachments: the files that go with a chat's next message, from the moment a person adds them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from desktop.domain.chats.commands import AddAttachment, LoadAttachment
from desktop.domain.chats.updates import AttachmentLoaded, AttachmentReady
from desktop.domain.core.ids import new_id
from desktop.domain.updates import CommandFailed
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.chats.composer.drafts import NEW_CHAT, DraftFile, Drafts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests

MOST_FILES = 10
MOST_BYTES = 25 * 1024 * 1024
THUMBNAIL_PX, WHOLE_PX = 128, 1600
TOO_MANY = tr("At most {most_files} files go with one message.", most_files=MOST_FILES)
TOO_LARGE = tr("The files of one message may have 25 MB together.")
NO_IMAGES = tr("This model reads no images. Choose another model, or attach the file in another form.")
LOADING = tr("A file is still being attached.")


@dataclass(frozen=True)
class AttachedItem:
    """One file on its way or kept. `file` None: it is being read. `text`: what a person pasted as text."""

    request_id: str
    name: str
    file: DraftFile | None = None
    text: str = ""


class Attachments(QObject):
    """Per chat id, `NEW_CHAT` for one that is not begun. `reads_images`: whether the model of a chat takes pictures.

    `changed`: the chat whose files are others now; `problem`: chat and sentence; `asked`: a command that a person must
    agree to first, because the file looks like it holds secrets; `pictured`: the digest whose thumbnail arrived;
    `opened`: a name and the picture that a person wants to see whole.
    """

    changed = Signal(str)
    problem = Signal(str, str)
    asked = Signal(str, object)
    pictured = Signal(str)
    opened = Signal(str, object)

    def __init__(
        self, requests: Requests, drafts: Drafts, reads_images: Callable[[str], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._reads_images = reads_images
        self._requests, self._drafts = requests, drafts
        self._items: dict[str, tuple[AttachedItem, ...]] = {}
        self._reading: dict[str, tuple[str, AddAttachment]] = {}
        self._thumbnails: dict[str, QPixmap | None] = {}
        self._numbers: dict[str, int] = {}
        self._wanted: dict[str, str] = {}
        self.hearing = Hearing().on(AttachmentReady, self._on_ready).on(AttachmentLoaded, self._on_loaded)

    def items(self, key: str) -> tuple[AttachedItem, ...]:
        """The files of a chat's next message, in order."""
        if key not in self._items:
            self._items[key] = tuple(AttachedItem("", file.logical_name, file) for file in self._drafts.files(key))
        return self._items[key]

    def files(self, key: str) -> tuple[DraftFile, ...]:
        """Those that are kept."""
        return tuple(item.file for item in self.items(key) if item.file is not None)

    def loading(self, key: str) -> bool:
        """Whether one is still being read."""
        return any(item.file is None for item in self.items(key))

    def add_paths(self, key: str, paths: Sequence[str]) -> None:
        """Attach files by their paths."""
        for path in paths:
            self._add(key, AddAttachment(request_id=new_id("att_"), session_id=_session(key), path=path))

    def add_picture(self, key: str, png: bytes) -> None:
        """Attach a picture from the clipboard."""
        self._add(key, self._of_data(key, tr("Pasted picture{number}.png", number=self._number(key)), png))

    def add_data(self, key: str, name: str, data: bytes) -> None:
        """Attach bytes that somebody else gave, under a name."""
        self._add(key, self._of_data(key, name, data))

    def add_text(self, key: str, text: str) -> None:
        """Attach a long text that was pasted."""
        name = tr(
            "Pasted text{number} ({thousands}k characters).txt",
            number=self._number(key),
            thousands=number(round(len(text) / 1000)),
        )
        self._add(key, self._of_data(key, name, text.encode("utf-8", "replace")), text)

    def add_anyway(self, key: str, command: AddAttachment) -> None:
        """A person agreed to attach a file that looks like it holds secrets."""
        again = AddAttachment(
            request_id=new_id("att_"),
            session_id=command.session_id,
            path=command.path,
            name=command.name,
            data=command.data,
            secret_accepted=True,
        )
        self._add(key, again)

    def remove(self, key: str, item: AttachedItem) -> None:
        """Take one out again."""
        self._reading.pop(item.request_id, None)
        self._set(key, tuple(one for one in self.items(key) if one != item))

    def sent(self, key: str) -> None:
        """They are on their way: nothing is shown any more. The draft keeps them until the engine has accepted."""
        self._items[key] = ()
        self.changed.emit(key)

    def put_back(self, key: str, files: Sequence[DraftFile]) -> None:
        """A message was refused: its files stand before what was attached meanwhile."""
        back = tuple(AttachedItem("", file.logical_name, file) for file in files)
        digests = {file.sha256 for file in files}
        others = tuple(one for one in self.items(key) if one.file is None or one.file.sha256 not in digests)
        self._set(key, (*back, *others))

    def reload(self, key: str) -> None:
        """Show what the draft has."""
        self._items.pop(key, None)
        self.changed.emit(key)

    def thumbnail(self, key: str, file: DraftFile) -> QPixmap | None:
        """The small picture, None while it is not there; it is asked for once."""
        if file.sha256 not in self._thumbnails:
            self._thumbnails[file.sha256] = None
            self._requests.send(LoadAttachment(sha256=file.sha256, session_id=_session(key), max_px=THUMBNAIL_PX))
        return self._thumbnails[file.sha256]

    def open(self, key: str, file: DraftFile) -> None:
        """Ask for a picture whole; `opened` brings it."""
        self._wanted[file.sha256] = file.logical_name
        self._requests.send(LoadAttachment(sha256=file.sha256, session_id=_session(key), max_px=WHOLE_PX))

    def _on_failed(self, request_id: str, failed: CommandFailed) -> None:
        """The engine took the file not at all, as in a chat that is only read."""
        self._on_ready(AttachmentReady(request_id=request_id, problem=failed.text))

    def _on_loaded(self, loaded: AttachmentLoaded) -> None:
        if loaded.sha256 not in self._thumbnails:
            return
        image = QImage.fromData(loaded.data) if loaded.data else QImage()
        name = self._wanted.pop(loaded.sha256, "")
        if image.isNull():
            return
        if name:
            self.opened.emit(name, QPixmap.fromImage(image))
        else:
            self._thumbnails[loaded.sha256] = QPixmap.fromImage(image)
            self.pictured.emit(loaded.sha256)

    def _add(self, key: str, command: AddAttachment, text: str = "") -> None:
        if len(self.items(key)) >= MOST_FILES:
            self.problem.emit(key, TOO_MANY)
            return
        name = command.name or command.path.rpartition("/")[2]
        self._reading[command.request_id] = (key, command)
        self._set(key, (*self.items(key), AttachedItem(command.request_id, name, text=text)))
        self._requests.ask(command, self, failed=partial(self._on_failed, command.request_id))

    def _on_ready(self, ready: AttachmentReady) -> None:
        key, command = self._reading.pop(ready.request_id, ("", None))
        if command is None:
            return
        problem = ready.problem
        if ready.looks_secret:
            self.asked.emit(key, command)
        elif not problem and ready.width_px and not self._reads_images(key):
            problem = NO_IMAGES
        elif not problem and self._bytes(key) + ready.size_bytes > MOST_BYTES:
            problem = TOO_LARGE
        if problem or ready.looks_secret:
            self._set(key, tuple(one for one in self.items(key) if one.request_id != ready.request_id))
            if problem:
                self.problem.emit(key, problem)
            return
        self._keep(key, ready)
        if ready.notice:
            self.problem.emit(key, ready.notice)

    def _keep(self, key: str, ready: AttachmentReady) -> None:
        """The file takes the place of the one being read; the same content twice is there once."""
        file = DraftFile(
            logical_name=ready.logical_name,
            sha256=ready.sha256,
            mime_type=ready.mime_type,
            size_bytes=ready.size_bytes,
            width_px=ready.width_px,
        )
        known = any(one.logical_name == file.logical_name for one in self.files(key))
        kept = [
            replace(one, name=file.logical_name, file=file) if one.request_id == ready.request_id else one
            for one in self.items(key)
            if not (known and one.request_id == ready.request_id)
        ]
        self._set(key, tuple(kept))

    def _set(self, key: str, items: tuple[AttachedItem, ...]) -> None:
        self._items[key] = items
        self._drafts.keep_files(key, self.files(key))
        self.changed.emit(key)

    def _bytes(self, key: str) -> int:
        return sum(file.size_bytes for file in self.files(key))

    def _of_data(self, key: str, name: str, data: bytes) -> AddAttachment:
        return AddAttachment(request_id=new_id("att_"), session_id=_session(key), name=name, data=data)

    def _number(self, key: str) -> str:
        """ "" for the first pasted thing of a chat, then " 2", " 3"…"""
        self._numbers[key] = self._numbers.get(key, 0) + 1
        return f" {self._numbers[key]}" if self._numbers[key] > 1 else ""


def _session(key: str) -> str:
    return "" if key == NEW_CHAT else key
