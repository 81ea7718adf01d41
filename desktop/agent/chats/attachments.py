"""AttachmentCommands: files and pictures that a person attaches: kept, shown, and sent with a message."""

import asyncio
import logging
import math
import stat
from collections.abc import Callable
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.config.folders import typed_path
from desktop.domain.chats.commands import AddAttachment, LoadAttachment
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.chats.updates import AttachmentLoaded, AttachmentReady
from desktop.domain.core.command import Command
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.core.work import Project
from desktop.domain.history.own_words import ATTACHED
from desktop.policy.protected_names import name_classes
from desktop.services.pictures.header import ImageHeader, kind_of, read_header
from desktop.services.pictures.scaling import Picture, PictureError, fitting_picture
from desktop.store.core.blobs import BlobStore
from desktop.store.core.library import Attachment
from desktop.store.library.attachments import AttachmentStore, NewFile

logger = logging.getLogger(__name__)

MAX_FILES = 10
MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_MESSAGE_BYTES = 25 * 1024 * 1024
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
_PLAIN_ENDING_CHARS = 10


class AttachmentCommands:
    """All on the engine thread; files are read and pictures scaled on threads of the pool."""

    def __init__(
        self,
        sessions: Sessions,
        store: AttachmentStore,
        blobs: BlobStore,
        publish: Publish,
        project: Callable[[], Project | None],
    ) -> None:
        self._sessions = sessions
        self._store = store
        self._blobs = blobs
        self._publish = publish
        self._project = project
        self._pictures: dict[str, BlobRef] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """Adding and showing attachments."""
        return {AddAttachment: self.add, LoadAttachment: self.load}

    async def add(self, command: AddAttachment) -> None:
        """Keep one file; what cannot be kept is answered with a sentence, not as a failure of the command."""
        try:
            ready = await self._add(command, self._project_of(command.session_id))
        except (CommandError, StoreError) as error:
            ready = AttachmentReady(request_id=command.request_id, problem=str(error))
        self._publish(ready)

    async def load(self, command: LoadAttachment) -> None:
        """The bytes of an attachment of the open project, or of a picture that the chat's log names."""
        found = await asyncio.to_thread(self._stored, command.session_id, command.sha256)
        if found is None and command.session_id:
            session = self._sessions.get(command.session_id)
            data = self._blobs.get(command.sha256) if command.sha256 in session.blob_ids else None
            found = (data, "") if data is not None else None
        if found is None:
            self._publish(AttachmentLoaded(sha256=command.sha256, mime_type="", data=b""))
            return
        data, mime_type = found
        if command.max_px and read_header(data) is not None:
            try:
                small = await asyncio.to_thread(fitting_picture, data, max_side_px=command.max_px)
                data, mime_type = small.data, small.media_type
            except PictureError:
                data = b""
        self._publish(AttachmentLoaded(sha256=command.sha256, mime_type=mime_type, data=data))

    def parts(self, session: Session, names: tuple[str, ...]) -> list[JsonValue]:
        """What the model gets of these attachments: their names, and each picture. The chat's log has them from here.

        Raises:
            CommandError: there are too many, they are too large together, or one is no longer kept.
        """
        if len(names) > MAX_FILES:
            raise CommandError("too_many_files", f"At most {MAX_FILES} files go with one message.")
        found = [(name, self._store.find(session.state.project_id, name)) for name in dict.fromkeys(names)]
        gone = [name for name, entry in found if entry is None]
        if gone:
            raise CommandError("attachment_gone", f"{gone[0]} is no longer kept. Attach it again.")
        entries = [entry for _, entry in found if entry is not None]
        if sum(entry.size_bytes for entry in entries) > MAX_MESSAGE_BYTES:
            raise CommandError("too_large", "The files of one message may have 25 MB together.")
        if not entries:
            return []
        pictures = [self._picture(session, entry) for entry in entries if entry.is_image]
        new = [_added(entry) for entry in entries if entry.logical_name not in session.attachments]
        if new:
            session.append_many([*new])
        lines = [f"attachments:{e.logical_name} ({e.mime_type}, {_size(e.size_bytes)})" for e in entries]
        return [{"type": "text", "text": ATTACHED + "\n".join(lines)}, *pictures]

    def read(self, session: Session, name: str) -> bytes | None:
        """The bytes that the model knows as `attachments:<name>`; None: this chat has no such file. Any thread."""
        if name not in session.attachments:
            return None
        project = session.state.project_id
        entry = self._store.find(project, name)
        return self._store.data(project, entry) if entry is not None else None

    async def prune(self) -> None:
        """Remove what no chat names any more, in every project. What cannot be read or removed stays."""
        try:
            for project in await asyncio.to_thread(self._store.projects):
                await asyncio.to_thread(self._store.prune, project)
        except (StoreError, OSError):
            logger.exception("attachments could not be pruned")

    async def _add(self, command: AddAttachment, project_id: str) -> AttachmentReady:
        name = Path(command.path).name if command.path else command.name
        if not command.secret_accepted and "secret" in name_classes(Path(command.path or name).parts[-3:]):
            return AttachmentReady(request_id=command.request_id, logical_name=name, looks_secret=True)
        data = await asyncio.to_thread(_read, typed_path(command.path)) if command.path else command.data
        _refuse_size(name, len(data))
        entry, picture, notice = await asyncio.to_thread(self._keep, project_id, name, data)
        if picture is not None:
            self._pictures[entry.sha256] = self._blobs.put(picture.data, picture.media_type)
        return AttachmentReady(
            request_id=command.request_id,
            logical_name=entry.logical_name,
            sha256=entry.sha256,
            mime_type=entry.mime_type,
            size_bytes=entry.size_bytes,
            width_px=entry.width_px,
            height_px=entry.height_px,
            notice=notice,
        )

    def _keep(self, project_id: str, name: str, data: bytes) -> tuple[Attachment, Picture | None, str]:
        header, picture, notice = read_header(data), None, ""
        if header is not None:
            try:
                picture = fitting_picture(data)
            except PictureError as error:
                header, notice = None, f"{name} is sent as a file, not as a picture. {error}"
        return self._store.add(project_id, data, _described(name, data, header)), picture, notice

    def _picture(self, session: Session, entry: Attachment) -> JsonValue:
        """The picture as a message names it: its bytes stand beside the log."""
        ref = self._pictures.get(entry.sha256)
        if ref is None:  # attached before the app was started again
            data = self._store.data(session.state.project_id, entry)
            if data is None:
                raise CommandError("attachment_gone", f"{entry.logical_name} is no longer kept. Attach it again.")
            picture = fitting_picture(data)
            ref = self._pictures[entry.sha256] = self._blobs.put(picture.data, picture.media_type)
        kept: JsonValue = {"$blob": ref.sha256, "form": "base64", "media_type": ref.media_type, "size": ref.size}
        return {"type": "image", "source": {"type": "base64", "media_type": ref.media_type, "data": kept}}

    def _stored(self, session_id: str, sha256: str) -> tuple[bytes, str] | None:
        project = self._project_of(session_id)
        entry = next((one for one in self._store.entries(project) if one.sha256 == sha256), None)
        data = self._store.data(project, entry) if entry is not None else None
        return (data, entry.mime_type) if entry is not None and data is not None else None

    def _project_of(self, session_id: str) -> str:
        """The project of a chat; of one that is only being written, the open project."""
        if session_id and self._sessions.knows(session_id):
            return self._sessions.get(session_id).state.project_id
        project = self._project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        return project.id


def _read(path: Path) -> bytes:
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            raise CommandError("folder", f"{path.name} is a folder. Attach the files in it.")
        if not stat.S_ISREG(facts.st_mode):  # opening a pipe would wait for a writer
            raise CommandError("no_file", f"{path.name} is no file.")
        _refuse_size(path.name, facts.st_size)
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise CommandError("unreadable", f"{path.name} cannot be read: {error.strerror or error}.") from error


def _refuse_size(name: str, size: int) -> None:
    if size == 0:
        raise CommandError("empty_file", f"{name} is empty.")
    if size > MAX_FILE_BYTES:
        raise CommandError("too_large", f"{name} is {_size(size)}; the limit is 10 MB.")


def _described(name: str, data: bytes, header: ImageHeader | None) -> NewFile:
    if header is not None:
        ending = _ENDINGS[header.media_type]
        return NewFile(
            name=name,
            mime_type=header.media_type,
            extension=ending,
            width_px=header.width_px,
            height_px=header.height_px,
        )
    suffix = Path(name).suffix.lower()
    ending = suffix if suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) <= _PLAIN_ENDING_CHARS else ""
    return NewFile(name=name, mime_type=_mime_type(data), extension=ending)


def _mime_type(data: bytes) -> str:
    if kind_of(data) == "PDF":
        return "application/pdf"
    if b"\0" in data:
        return "application/octet-stream"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain"


def _added(entry: Attachment) -> AttachmentAdded:
    return AttachmentAdded(
        logical_name=entry.logical_name,
        stored_file_name=entry.stored_file_name,
        sha256=entry.sha256,
        mime_type=entry.mime_type,
        size_bytes=entry.size_bytes,
        width_px=entry.width_px,
        height_px=entry.height_px,
    )


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    tenths = math.ceil(size * 10 / 1024**2)
    return f"{tenths / 10:g} MB" if tenths >= 10 else f"{math.ceil(size / 1024)} KB"
