"""The entries that say the same as a text, or nearly so, compared over a reading connection (memory-ME7)."""

import json
from contextlib import closing
from pathlib import Path

from desktop.domain.memory.values import Entry, Scope
from desktop.policy.memory.dedup import NEAR, is_near, normal_sha256, words_of
from desktop.store.memory.entries import COLUMNS, read_entry
from desktop.store.sqlite.connection import connect_reading, fetch

_WANTED = (
    f"SELECT {COLUMNS} FROM memory_entry WHERE scope = ? AND owner = ? AND status IN ('candidate', 'promoted') AND "  # noqa: S608
    "(normal_sha256 = ? OR words BETWEEN ? AND ?) ORDER BY normal_sha256 <> ?, number"
)


def alike(file: Path, scope: Scope, owner: str, content: str) -> tuple[Entry, ...]:
    """Those of an owner that count or may come to count, the equal ones first, then the older. Any thread.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    words, sha256 = words_of(content), normal_sha256(content)
    most = int(len(words) / NEAR) + 1
    with closing(connect_reading(file)) as connection:
        rows = fetch(connection, _WANTED, (scope, owner, sha256, int(len(words) * NEAR), most, sha256))
    texts = (str(json.loads(str(row[0]))["content"]) for row in rows)
    same = (is_near(words, words_of(text)) or normal_sha256(text) == sha256 for text in texts)
    return tuple(read_entry(row) for row, wanted in zip(rows, same, strict=True) if wanted)
