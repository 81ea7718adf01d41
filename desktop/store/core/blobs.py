"""BlobStore: bytes beside the log, named by their SHA-256: images, documents, full outputs."""

from collections.abc import Collection
from typing import Protocol

from desktop.domain.core.content import BlobRef


class BlobStore(Protocol):
    """Content by its digest; the same content is kept once."""

    def put(self, data: bytes, media_type: str, *, lazy: bool = False) -> BlobRef:
        """Keep the bytes; they are on the disk when this returns. An event that names them is appended after.

        `lazy`: they are on the disk before that event is.

        Raises:
            StoreWriteFailed: they did not reach the disk.
        """

    def get(self, sha256: str) -> bytes | None:
        """The bytes; None when they are not there, or are no longer what was put."""

    def has(self, sha256: str) -> bool:
        """Whether something is kept under this digest. Its bytes are not read, so they may be damaged."""

    def remove(self, sha256: str) -> None:
        """Forget the bytes of this digest, for content that must not be kept."""

    def find(self, prefix: str, among: Collection[str]) -> str | None:
        """The one digest of `among` that begins with `prefix`; None when there is none, or more than one."""
