"""What can still be read of a damaged database, put into a new one; the damaged file itself is a copy already."""

import heapq
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from desktop.records import dataclass
from desktop.store.sqlite.connection import Row
from desktop.store.sqlite.soundness import TRUTH

_BATCH = 500
_PAGE = 4096
_LEAF = b"\x0d"
_DIGEST = 64
_MOST_TIMES_LONGER = 1000
_MOST_FAULTS = 30_000
_LEAST_ROW = 24
"""Bytes. No row of the log takes less, so a file holds no more of them than its size over this."""

_COLUMNS = {
    "event": ("event_id", "session_id", "seq", "parent_id", "at", "type", "body", "prev_hash", "hash"),
    "blob": ("sha256", "media_type", "size", "stored", "encoding", "content"),
    "meta": ("key", "value"),
    "deletion": ("session_id", "keep_upto_seq"),
    "lane": ("lane_id", "project_id", "created_at", "body"),
}
_AS_STORED = frozenset({"seq", "size", "keep_upto_seq", "content"})
_KEYS = "SELECT session_id, seq FROM event INDEXED BY sqlite_autoindex_event_2"


@dataclass
class Salvaged:
    """`missing`: the numbers of the entries that cannot be read, by chat. `lists`: project and title of each chat as
    the damaged list had them. `gone`: tables that are not there; `partly`: tables
    of which not all rows came. `events`: how many entries did. `cut`: the end of the entries cannot be told."""

    events: int = 0
    cut: bool = False
    missing: dict[str, set[int]] = field(default_factory=dict)
    lists: dict[str, tuple[str, str]] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)


def salvage(damaged: Path, whole: sqlite3.Connection) -> Salvaged:
    """Copy every readable row of the truth from the file `damaged` into `whole`, an empty store of this version.

    Raises:
        sqlite3.Error: not even the names of its tables can be read.
    """
    found = Salvaged()
    _fill_up(damaged)
    source = sqlite3.connect(damaged, isolation_level=None)
    try:
        source.execute("PRAGMA writable_schema = ON")  # a file that is shorter than it says is read as far as it goes
        tables = {str(name) for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        source.text_factory = bytes
        most = damaged.stat().st_size // _LEAST_ROW + 1
        whole.execute("BEGIN IMMEDIATE")
        for table in TRUTH:
            if table not in tables:
                found.gone.append(table)
            elif not _copy(source, whole, table, most):
                found.partly.append(table)
        if "event" in found.partly:
            _copy_leaves(source, whole, damaged)
        whole.execute("COMMIT")
        if "event" in tables:
            found.missing, found.cut = _missing(source, whole)
        found.lists = _lists(source)
    finally:
        source.close()
    (found.events,) = whole.execute("SELECT count(*) FROM event").fetchone()
    return found


def _fill_up(damaged: Path) -> None:
    """A file that was cut gets its length back, empty at the end: a page that is not there keeps nobody from others."""
    with damaged.open("r+b") as file:
        file.seek(28)
        size = int.from_bytes(file.read(4), "big") * _PAGE
        if damaged.stat().st_size < size < _MOST_TIMES_LONGER * damaged.stat().st_size:
            file.truncate(size)


def _insert(table: str) -> str:
    """A row under the number it had; an identity that is known twice stays the first."""
    columns = _COLUMNS[table]
    values = ", ".join("?" if name in _AS_STORED else "CAST(? AS TEXT)" for name in columns)
    either = "REPLACE" if table == "meta" else "IGNORE"
    return f"INSERT OR {either} INTO {table} (rowid, {', '.join(columns)}) VALUES (?, {values})"  # noqa: S608


def _copy_leaves(source: sqlite3.Connection, whole: sqlite3.Connection, damaged: Path) -> None:
    """Read every page that looks as if it held rows as if it were the whole table: what lies below a lost page of the
    tree is found again. The change to the copy's list of tables is taken back."""
    insert = _insert("event")
    query = f"SELECT rowid, {', '.join(_COLUMNS['event'])} FROM event NOT INDEXED"  # noqa: S608  # our own names
    with suppress(sqlite3.Error):  # this much could be found
        source.execute("BEGIN IMMEDIATE")
        (version,) = source.execute("PRAGMA schema_version").fetchone()
        with damaged.open("rb") as file:
            for page in range(2, damaged.stat().st_size // _PAGE + 1):
                file.seek((page - 1) * _PAGE)
                if file.read(1) != _LEAF:
                    continue
                version += 1
                source.execute("UPDATE sqlite_master SET rootpage = ? WHERE type = 'table' AND name = 'event'", (page,))
                source.execute(f"PRAGMA schema_version = {version:d}")
                whole.executemany(insert, [row for row in _readable(source, query) if _is_entry(row)])
    source.rollback()


def _readable(source: sqlite3.Connection, query: str) -> list[Row]:
    try:
        return source.execute(query).fetchall()
    except sqlite3.Error:
        return []


def _is_entry(row: Row) -> bool:
    """Whether a row has the form of an entry; other tables have pages of the same kind."""
    texts = (row[1], row[2], row[5], row[6], row[7], row[8], row[9])
    digests = row[8], row[9]
    return (
        isinstance(row[3], int)
        and all(isinstance(text, bytes) for text in texts)
        and all(isinstance(digest, bytes) and len(digest) == _DIGEST for digest in digests)
    )


def _copy(source: sqlite3.Connection, whole: sqlite3.Connection, table: str, most: int) -> bool:
    """Copy the rows of one table under the numbers they had; whether all could be read."""
    insert = _insert(table)
    faults: list[int] = []
    for rows in _batches(source, table, _highest(source, table, most), faults):
        whole.executemany(insert, rows)
    return not faults


def _batches(source: sqlite3.Connection, table: str, most: int, faults: list[int]) -> Iterator[list[Row]]:
    """The readable rows, a batch at a time: a stretch that cannot be read is halved, the longest first, until single
    rows are left out or too many look-ups have failed."""
    query = (
        f"SELECT rowid, {', '.join(_COLUMNS[table])} FROM {table} NOT INDEXED "  # noqa: S608  # our own names
        f"WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT {_BATCH}"
    )
    stretches = [(0, 0, most)]
    while stretches:
        _, low, high = heapq.heappop(stretches)
        try:
            rows = source.execute(query, (low, high)).fetchall()
        except sqlite3.Error:
            faults.append(low)
            if low < high and len(faults) < _MOST_FAULTS:
                middle = (low + high) // 2
                heapq.heappush(stretches, (low - middle, low, middle))
                heapq.heappush(stretches, (middle - high, middle + 1, high))
            continue
        yield rows
        if len(rows) == _BATCH:
            following = int(rows[-1][0]) + 1
            heapq.heappush(stretches, (following - high, following, high))


def _highest(source: sqlite3.Connection, table: str, most: int) -> int:
    """No row of the table has a higher number; `most`: no more rows than that can be in the file."""
    seen = 0
    try:
        for (number,) in source.execute(f"SELECT rowid FROM {table} INDEXED BY sqlite_autoindex_{table}_1"):  # noqa: S608
            seen = max(seen, int(number))
        (highest,) = source.execute(f"SELECT max(rowid) FROM {table}").fetchone()  # noqa: S608  # our own names
    except sqlite3.Error:
        return min(most, 2 * seen + 100_000)
    return max(seen, int(highest or 0))


def _missing(source: sqlite3.Connection, whole: sqlite3.Connection) -> tuple[dict[str, set[int]], bool]:
    """Entries that the damaged file's own list of numbers knows, or that leave a gap, and that did not come; and
    whether that list could not be read to its end."""
    known: dict[str, set[int]] = {}
    cut = False
    try:
        for session_id, seq in source.execute(_KEYS):
            if isinstance(session_id, bytes) and isinstance(seq, int):
                known.setdefault(session_id.decode("utf-8", "replace"), set()).add(seq)
    except sqlite3.Error:
        cut = True  # what came before the fault counts
    here: dict[str, set[int]] = {}
    unreadable = "SELECT session_id, seq FROM event WHERE NOT json_valid(body)"
    for session_id, seq in whole.execute(f"SELECT session_id, seq FROM event EXCEPT {unreadable}"):  # noqa: S608
        if isinstance(seq, int):
            here.setdefault(str(session_id), set()).add(seq)
    for session_id, seqs in here.items():
        known.setdefault(session_id, set()).update(range(max(seqs)))
    for session_id, seq in whole.execute(unreadable):
        known.setdefault(str(session_id), set()).add(seq)
    lost = {session_id: seqs - here.get(session_id, set()) for session_id, seqs in known.items()}
    return {session_id: seqs for session_id, seqs in lost.items() if seqs}, cut


def _lists(source: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        rows = source.execute("SELECT session_id, project_id, title FROM session").fetchall()
    except sqlite3.Error:
        return {}
    return {str(session_id): (str(project), str(title)) for session_id, project, title in rows}
