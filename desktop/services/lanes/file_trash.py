"""The trash of a lane: deleted files and folders, kept outside of it for 30 days, and how they come back."""

import contextlib
import logging
import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from desktop.domain.core.base import Frozen
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import PathError
from desktop.domain.core.ids import new_id
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.moves import Item, ItemKind, move_in, move_out

logger = logging.getLogger(__name__)

KEPT_DAYS = 30
_RECORD, _CONTENT = "entry.json", "content"


class TrashEntry(Frozen):
    """Something that was deleted. `path`: where it was, lane-relative; `files` and `size` (bytes): what is in it."""

    id: str
    path: str
    kind: ItemKind
    files: int
    size: int
    deleted_at: datetime
    session_id: str = ""


class LaneTrash:
    """One lane's trash in `folder`, which is made when it is needed. Every method is blocking."""

    def __init__(self, folder: Path, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._folder = folder
        self._clock = clock

    def put(self, files: LaneFiles, item: Item, session_id: str = "") -> TrashEntry:
        """The item is in the trash and no longer in the lane. The intent is on disk before it moves.

        Raises:
            PathError: it could not be moved; it is still in the lane.
        """
        self.prune()
        entry = TrashEntry(
            id=new_id("tsh_"),
            path=item.rel,
            kind=item.kind,
            files=len(item.files),
            size=item.size,
            deleted_at=self._clock(),
            session_id=session_id,
        )
        place = self._folder / entry.id
        try:
            place.mkdir(parents=True, mode=0o700)
            _write(place / _RECORD, entry.model_dump_json())
        except OSError as e:
            raise PathError(f"{item.shown} was not deleted: the trash cannot be written ({e.strerror}).") from e
        try:
            move_out(files, item, place, _CONTENT)
        except PathError:
            if not os.path.lexists(place / _CONTENT):
                shutil.rmtree(place, ignore_errors=True)
            raise
        return entry

    def entries(self) -> tuple[TrashEntry, ...]:
        """The files that can be restored, those deleted last first."""
        found = [entry for entry in map(self._entry, self._places()) if entry is not None]
        return tuple(sorted(found, key=lambda entry: (entry.deleted_at, entry.id), reverse=True))

    def restore(self, entry_id: str, files: LaneFiles) -> str:
        """Put a deleted file back where it was, never in the place of another. Gives its lane-relative path.

        Raises:
            PathError: there is no such entry, or something stands in its place.
        """
        entry = next((entry for entry in self.entries() if entry.id == entry_id), None)
        if entry is None:
            raise PathError("This is not in the trash any more.")
        facts = files.resolve(entry.path, "write")
        if facts.exists:
            raise PathError(f"{entry.path} exists again. Move it away first.")
        if facts.deny or facts.rel != entry.path:
            raise PathError(f"{entry.path} cannot be restored: {facts.reason or 'its folder is a link now'}.")
        place = self._folder / entry.id
        move_in(files, place, _CONTENT, facts)
        shutil.rmtree(place, ignore_errors=True)
        return entry.path

    def prune(self) -> int:
        """Entries older than 30 days are gone for good. Gives how many."""
        before = self._clock() - timedelta(days=KEPT_DAYS)
        old = [entry for entry in self.entries() if entry.deleted_at < before]
        for entry in old:
            shutil.rmtree(self._folder / entry.id, ignore_errors=True)
        return len(old)

    def _places(self) -> list[Path]:
        try:
            return list(self._folder.iterdir())
        except OSError:
            return []

    def _entry(self, place: Path) -> TrashEntry | None:
        """The record of an entry whose content is there; one that never got that far is nothing."""
        if not os.path.lexists(place / _CONTENT):
            return None
        try:
            return TrashEntry.model_validate_json((place / _RECORD).read_bytes())
        except (OSError, ValidationError):
            logger.warning("The trash entry %s cannot be read.", place.name)
            return None


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(OSError):  # not every system can sync a folder
        fd = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
