"""Files that people attach, per project: bytes named by their SHA-256 and a manifest of their names. Any thread."""

import hashlib
import json
import logging
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Collection
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import StoreError
from desktop.domain.event_json import load_event
from desktop.store.core.library import Attachment
from desktop.store.history.event_body import parse_at
from desktop.store.sqlite.connection import connect_reading, fetch

logger = logging.getLogger(__name__)

MAX_NAME_CHARS = 160
KEPT_UNNAMED = timedelta(days=30)
KEPT_UNLISTED = timedelta(days=1)
_RECORDED = "SELECT at, body FROM event WHERE type = 'attachment_added' ORDER BY rowid"
_MANIFEST = "manifest.json"
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*`\[\]]')
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_STORED = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]{1,10})?")


class NewFile(Frozen):
    """The facts about a file that is to be kept. `extension` begins with a dot, "" for none."""

    name: str
    mime_type: str
    extension: str = ""
    width_px: int = 0
    height_px: int = 0


def safe_name(name: str, extension: str = "") -> str:
    """A name without folders and without characters that a file system, a terminal or Markdown takes for more
    (sessions-SA3): at most 160 characters, never empty. `extension` is given to a name that has none."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = "".join("_" if unicodedata.category(char) in _UNSEEN else char for char in last)
    plain = _FORBIDDEN.sub("_", plain).lstrip(".").strip()
    if not plain.strip("._ "):
        plain = "attachment"
    stem, ending = _split(plain)
    ending = ending or extension
    return stem[: MAX_NAME_CHARS - len(ending)].rstrip() + ending


class AttachmentStore:
    """The attachments of all projects, each project's in a folder below one. `recorded` gives what the events of all
    chats say was attached."""

    def __init__(
        self, folder: Path, clock: Callable[[], datetime], recorded: Callable[[], Collection[Attachment]]
    ) -> None:
        self._folder = folder
        self._recorded = recorded
        self._clock = clock
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def add(self, project_id: str, data: bytes, new: NewFile) -> Attachment:
        """Keep the bytes under a name of their own. The same bytes are found again under their first name
        (sessions-SA4).

        Raises:
            StoreError: they did not reach the disk, or the folder is not ours.
        """
        stored = hashlib.sha256(data).hexdigest() + new.extension
        with self._lock(project_id):
            folder = self._make(project_id)
            entries = self._read(folder)
            known = next((entry for entry in entries if entry.sha256 == stored[:64]), None)
            if known is not None and (folder / known.stored_file_name).is_file():
                return known
            name = known.logical_name if known else _free_name(safe_name(new.name, new.extension), entries)
            entry = Attachment(
                logical_name=name,
                original_name=new.name[:1000],
                stored_file_name=stored,
                mime_type=new.mime_type,
                size_bytes=len(data),
                created_at=self._clock(),
                width_px=new.width_px,
                height_px=new.height_px,
            )
            try:
                write_durably(folder / stored, data)
                self._write(folder, [*(e for e in entries if e is not known), entry])
            except OSError as error:
                raise StoreError(f"{name} could not be kept: {error.strerror or error}. Try again.") from error
            return entry

    def find(self, project_id: str, logical_name: str) -> Attachment | None:
        """The entry of that name; None: there is none."""
        with self._lock(project_id):
            wanted = logical_name.casefold()
            entries = self._read(self._path(project_id))
            return next((entry for entry in entries if entry.logical_name.casefold() == wanted), None)

    def entries(self, project_id: str) -> list[Attachment]:
        """The attachments that are kept for a project, oldest first."""
        with self._lock(project_id):
            return self._read(self._path(project_id))

    def data(self, project_id: str, entry: Attachment) -> bytes | None:
        """The bytes; None when they are not stored any more, or are no longer what was attached."""
        path = self._path(project_id) / entry.stored_file_name
        try:
            data = None if path.is_symlink() else path.read_bytes()
        except OSError:
            return None
        return data if data is not None and hashlib.sha256(data).hexdigest() == entry.sha256 else None

    def prune(self, project_id: str) -> int:
        """Remove entries that no event names and that are older than 30 days, with their files, and files without an
        entry that are older than a day (sessions-SA8). Gives how many files went; none when the folder leads outside.

        Raises:
            StoreError: the events cannot be read, so nothing was removed.
        """
        with self._lock(project_id):
            folder = self._path(project_id)
            if not folder.is_dir() or not self._ours(folder):
                return 0
            in_use = {entry.stored_file_name for entry in self._recorded()}
            entries = self._read(folder)
            kept = [entry for entry in entries if self._stays(entry, in_use)]
            if kept != entries:
                self._write(folder, kept)
            named = {entry.stored_file_name for entry in kept} | in_use
            was_listed = {entry.stored_file_name for entry in entries}
            return sum(self._remove(path, was_listed) for path in folder.iterdir() if path.name not in named)

    def projects(self) -> list[str]:
        """The projects that have attachments."""
        return [path.name for path in self._folder.iterdir() if path.is_dir()] if self._folder.is_dir() else []

    def _stays(self, entry: Attachment, in_use: Collection[str]) -> bool:
        return entry.stored_file_name in in_use or self._clock() - entry.created_at < KEPT_UNNAMED

    def _remove(self, path: Path, was_listed: set[str]) -> bool:
        if path.is_symlink() or not path.is_file() or not _STORED.fullmatch(path.name):
            return False
        age = self._clock().timestamp() - path.stat().st_mtime
        if path.name not in was_listed and age < KEPT_UNLISTED.total_seconds():
            return False
        path.unlink(missing_ok=True)
        return True

    def _lock(self, project_id: str) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(project_id, threading.Lock())

    def _path(self, project_id: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", project_id):
            raise StoreError(f"{project_id!r} names no project.")
        return self._folder / project_id

    def _make(self, project_id: str) -> Path:
        folder = self._path(project_id)
        try:
            make_private_folder(self._folder)
            if not folder.is_symlink():
                make_private_folder(folder)
        except OSError as error:
            raise StoreError(f"Attachments cannot be kept in {folder}: {error.strerror or error}.") from error
        if not self._ours(folder):
            raise StoreError(f"{folder} leads outside the folder of attachments. Nothing was kept; move it away.")
        return folder

    def _ours(self, folder: Path) -> bool:
        return folder.resolve() == self._folder.resolve() / folder.name

    def _read(self, folder: Path) -> list[Attachment]:
        """The manifest. One that is no JSON list is put aside and made anew from the events and the files; single bad
        entries are dropped."""
        file = folder / _MANIFEST
        try:
            raw = json.loads(file.read_text(encoding="utf-8"))
            if not isinstance(raw, list):
                raise ValueError("not a list")
        except FileNotFoundError:
            return []
        except (ValueError, OSError) as error:
            logger.warning("The list of attachments in %s is not readable: %s", folder, error)
            aside = file.with_name(f"{_MANIFEST}.bad-{self._clock():%Y%m%dT%H%M%S%f}")
            try:
                file.replace(aside)
            except OSError as failed:
                raise StoreError(f"{file} cannot be read: {failed.strerror or failed}.") from failed
            entries = [entry for entry in self._recorded() if (folder / entry.stored_file_name).is_file()]
            self._write(folder, entries)
            return entries
        entries = []
        for one in raw:
            try:
                entry = Attachment.model_validate(one)
            except ValidationError:
                logger.warning("An entry of %s is not usable", file)
                continue
            if _STORED.fullmatch(entry.stored_file_name):
                entries.append(entry)
        return entries

    def _write(self, folder: Path, entries: list[Attachment]) -> None:
        text = json.dumps([entry.model_dump(mode="json") for entry in entries], indent=1)
        write_durably(folder / _MANIFEST, text.encode())


def _split(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem and 0 < len(ending) <= 10 and ending.isalnum() else (name, "")


def _free_name(name: str, entries: list[Attachment]) -> str:
    taken = {entry.logical_name.casefold() for entry in entries}
    stem, ending = _split(name)
    number, candidate = 1, name
    while candidate.casefold() in taken:
        number += 1
        mark = f"-{number}{ending}"
        candidate = stem[: MAX_NAME_CHARS - len(mark)] + mark
    return candidate


def recorded_attachments(database: Path) -> list[Attachment]:
    """The attachments that all chats name, each content once, read from the log on a connection of its own. Any thread.

    Raises:
        StoreError: the log cannot be read.
    """
    found: dict[str, Attachment] = {}
    if not database.exists():
        return []
    try:
        with closing(connect_reading(database)) as connection:
            for at, body in fetch(connection, _RECORDED, ()):
                event = load_event(str(body))
                if isinstance(event, AttachmentAdded) and _STORED.fullmatch(event.stored_file_name):
                    found.setdefault(event.stored_file_name, _as_recorded(event, parse_at(str(at))))
    except sqlite3.Error as error:
        raise StoreError(f"The chats in {database.parent} cannot be read: {error}.") from error
    return list(found.values())


def _as_recorded(event: AttachmentAdded, at: datetime) -> Attachment:
    return Attachment(
        logical_name=event.logical_name,
        original_name=event.logical_name,
        stored_file_name=event.stored_file_name,
        mime_type=event.mime_type,
        size_bytes=event.size_bytes,
        created_at=at,
        width_px=event.width_px,
        height_px=event.height_px,
    )
