"""Bytes beside the log, named by their SHA-256: images, documents, full outputs."""

import contextlib
import hashlib
import logging
import re
import zlib
from collections.abc import Collection
from pathlib import Path

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.sqlite.connection import Database, write_failure

logger = logging.getLogger(__name__)

ROW_LIMIT = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXT_TYPES = ("text/", "application/json")


class SqliteBlobs:
    """Content by its digest; the same content is kept once. Up to 1 MiB in the database, above that a file each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.folder / "blobs"

    def put(self, data: bytes, media_type: str, *, lazy: bool = False) -> BlobRef:
        """Keep the bytes; they are on the disk when this returns. An event that names them is appended after.

        `lazy`: they are on the disk before that event is.

        Raises:
            StoreWriteFailed: they did not reach the disk.
        """
        self._database.check()
        sha256 = hashlib.sha256(data).hexdigest()
        if self.get(sha256) is None:
            self._write(sha256, data, media_type, lazy=lazy)
        elif not lazy:
            self._database.flush()  # they may have been put lazily
        return BlobRef(sha256=sha256, media_type=media_type, size=len(data))

    def get(self, sha256: str) -> bytes | None:
        """The bytes; None when they are not there, or are no longer what was put."""
        found = self._database.rows("SELECT stored, encoding, content FROM blob WHERE sha256 = ?", (sha256,))
        if not found:
            return None
        stored, encoding, content = found[0]
        data = blob_content(self._database.folder, sha256, stored, encoding, content)
        if data is None or hashlib.sha256(data).hexdigest() != sha256:
            logger.warning("Blob %s is missing or damaged", sha256)
            return None
        return data

    def has(self, sha256: str) -> bool:
        """Whether something is kept under this digest. Its bytes are not read, so they may be damaged."""
        found = self._database.rows("SELECT stored FROM blob WHERE sha256 = ?", (sha256,))
        return bool(found) and (found[0][0] == "row" or blob_file(self._database.folder, sha256).is_file())

    def remove(self, sha256: str) -> None:
        """Forget the bytes of this digest, for content that must not be kept."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM blob WHERE sha256 = ?", (sha256,))
        with contextlib.suppress(OSError):
            blob_file(self._database.folder, sha256).unlink()

    def find(self, prefix: str, among: Collection[str]) -> str | None:
        """The one digest of `among` that begins with `prefix`; None when there is none, or more than one."""
        found = {sha256 for sha256 in among if sha256.startswith(prefix)} if prefix else set()
        return found.pop() if len(found) == 1 else None

    def _write(self, sha256: str, data: bytes, media_type: str, *, lazy: bool) -> None:
        stored, encoding, content = "row", "raw", data
        if len(data) > ROW_LIMIT:
            stored, content = "file", b""
            try:
                make_private_folder(self._folder)
                make_private_folder(self._folder / sha256[:2])
                write_durably(blob_file(self._database.folder, sha256), data)
            except OSError as error:
                raise StoreWriteFailed(write_failure(self._database.folder, error)) from error
        elif media_type.startswith(_TEXT_TYPES):
            packed = zlib.compress(data, 3)
            if len(packed) < len(data):
                encoding, content = "zlib", packed
        with self._database.transaction(synced=not lazy) as connection:
            connection.execute("DELETE FROM blob WHERE sha256 = ?", (sha256,))
            connection.execute(
                "INSERT INTO blob (sha256, media_type, size, stored, encoding, content) VALUES (?, ?, ?, ?, ?, ?)",
                (sha256, media_type, len(data), stored, encoding, content if stored == "row" else None),
            )


def blob_file(folder: Path, sha256: str) -> Path:
    """The file that holds a large blob of the store in `folder`."""
    return folder / "blobs" / sha256[:2] / sha256


def blob_content(folder: Path, sha256: str, stored: object, encoding: object, content: object) -> bytes | None:
    """The raw bytes of one row of the blob table; None when they are not there or cannot be unpacked."""
    try:
        if stored == "file":
            return blob_file(folder, sha256).read_bytes() if _SHA256.fullmatch(sha256) else None
        if stored != "row" or not isinstance(content, bytes):
            return None
        return zlib.decompress(content) if encoding == "zlib" else content
    except (OSError, zlib.error):
        return None
