"""EtagCache: what was answered before, so that GitHub can say that nothing changed (lanes-G20)."""

import hashlib
from collections import OrderedDict

from desktop.records import dataclass

MAX_BYTES = 32 * 1024 * 1024
MAX_BODY_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Kept:
    """An answer: its mark, its body, and where its next page is."""

    etag: str
    body: bytes
    link: str = ""


class EtagCache:
    """By address and token: what one account was told is never shown to another. The oldest answers go first."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()
        self._bytes = 0

    def get(self, address: str, token: str) -> Kept | None:
        """The answer that is kept of this address for this token, None when none is kept."""
        key = _key(address, token)
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
        return kept

    def put(self, address: str, token: str, kept: Kept) -> None:
        """Keep an answer in place of the former one."""
        key = _key(address, token)
        if (old := self._kept.pop(key, None)) is not None:
            self._bytes -= len(old.body)
        if len(kept.body) > MAX_BODY_BYTES:
            return
        self._kept[key] = kept
        self._bytes += len(kept.body)
        while self._bytes > self._max_bytes:
            self._bytes -= len(self._kept.popitem(last=False)[1].body)


def _key(address: str, token: str) -> tuple[str, str]:
    return address, hashlib.sha256(token.encode()).hexdigest()
