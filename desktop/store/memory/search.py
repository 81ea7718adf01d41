"""The search of the memory over a reading connection: no text that is asked for fails, and no common word is slow
(memory-ME13)."""

import math
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from desktop.domain.memory.values import Entry
from desktop.records import dataclass
from desktop.store.core.memory import FoundEntries, FoundEntry, MemoryQuery, Owner, Way
from desktop.store.library.search_query import has_unspaced
from desktop.store.memory.entries import COLUMNS, read_entry
from desktop.store.memory.index import folded, owner_mark, storable
from desktop.store.sqlite.connection import connect_reading, fetch

MOST_QUERY_CHARS = 2_000
MOST_WORDS = 60
MOST_POSTINGS = 6_000
NEWEST = 400
BEST = 200
RAREST = 8
FEW_OWNERS = 8
"""So many owners at most stand in a question to the index: it asks for the list of each, and of more that costs more
than all else. Whose entries words alone led to is looked at as they are read."""
_TERM = re.compile(r'"([^"]+)"|(\w+)')
_LIKE_SIGNS, _ESCAPED = re.compile(r"([\\%_])"), r"\\\1"
_MATCHING = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"


@dataclass(frozen=True)
class _Term:
    """A word or a phrase of the query; `entries`: how many hold it (of a phrase, its rarest word); `weight`: how much
    it says."""

    text: str
    entries: int
    weight: float

    @property
    def quoted(self) -> str:
        """In the language of the index, where nothing in quotes is an operator."""
        return f'text : "{self.text}"'


def search_memory(file: Path, query: MemoryQuery) -> FoundEntries:
    """The entries that match, at most 200, the best of them among these. Any thread.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    text = storable(query.text[:MOST_QUERY_CHARS])
    if not query.owners or not any(character.isalnum() for character in text):
        return FoundEntries()
    with closing(connect_reading(file)) as connection:
        if has_unspaced(text):
            return _by_script(connection, query, text)
        return _by_words(connection, query, text)


def all_entries(file: Path, owners: Sequence[Owner]) -> tuple[Entry, ...]:
    """All entries of these owners, the newest first. Any thread.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    sql = f"SELECT {COLUMNS} FROM memory_entry WHERE scope = ? AND owner = ? ORDER BY number DESC"  # noqa: S608
    with closing(connect_reading(file)) as connection:
        return tuple(read_entry(row) for owner in owners for row in fetch(connection, sql, owner))


def _by_words(connection: sqlite3.Connection, query: MemoryQuery, text: str) -> FoundEntries:
    """All words are required first; where that finds too few, the rarest are enough. An entry counts by how rare the
    words are that it holds: what the index itself would compute grows with all entries that hold them."""
    terms = _terms(connection, text)
    words = tuple(term.text for term in terms)
    known = [term for term in terms if term.entries]
    owners = " OR ".join(f'owner : "{owner_mark(*owner)}"' for owner in query.owners)
    few = len(query.owners) <= FEW_OWNERS
    if known and len(known) == len(terms):
        match = " AND ".join(term.quoted for term in terms)
        rows = _numbers(connection, owners if few else "", match, NEWEST)
        if not few and len(rows) == NEWEST:
            rows = _numbers(connection, owners, match, NEWEST)
        entries = _read(connection, query, dict.fromkeys(rows, sum(term.weight for term in terms)), text)
        if len(entries) >= query.least or len(terms) == 1:
            way: Way = "newest" if len(rows) == NEWEST else "all"
            return FoundEntries(entries=entries, way=way, words=words)
    if not known:
        return FoundEntries(words=words, way="all")
    rarest = _rarest(known)
    scores: dict[int, float] = {}
    for term in rarest:
        whose = owners if few or term.entries > MOST_POSTINGS else ""
        for number in _numbers(connection, whose, term.quoted, MOST_POSTINGS):
            scores[number] = scores.get(number, 0.0) + term.weight
    entries = _read(connection, query, scores, text)
    return FoundEntries(entries=entries, way="rarest", words=tuple(term.text for term in rarest))


def _terms(connection: sqlite3.Connection, text: str) -> list[_Term]:
    """The words and phrases of a query, each once, with how rare they are in the index's own vocabulary."""
    told: dict[str, list[str]] = {}
    for phrase, word in _TERM.findall(text):
        parts = folded(phrase or word)
        if parts and len(told) < MOST_WORDS:
            told[" ".join(parts)] = parts
    (total,) = connection.execute("SELECT count(*) FROM memory_entry").fetchone()
    held = {name: min(_entries(connection, part) for part in parts) for name, parts in told.items()}
    return [_Term(name, number, math.log(1 + total / max(1, number))) for name, number in held.items()]


def _entries(connection: sqlite3.Connection, word: str) -> int:
    row = connection.execute("SELECT entries FROM memory_word WHERE word = ?", (word,)).fetchone()
    return int(row[0]) if row is not None else 0


def _rarest(known: Sequence[_Term]) -> list[_Term]:
    """The rarest eight that few entries hold together, at least one."""
    chosen: list[_Term] = []
    for term in sorted(known, key=lambda one: one.entries)[:RAREST]:
        if chosen and sum(one.entries for one in chosen) + term.entries > MOST_POSTINGS:
            break
        chosen.append(term)
    return chosen


def _numbers(connection: sqlite3.Connection, owners: str, match: str, most: int) -> list[int]:
    """The newest entries of these owners that match; "" for whoever owns them."""
    wanted = f"({owners}) AND ({match})" if owners else match
    return [int(str(row[0])) for row in fetch(connection, _MATCHING, (wanted, most))]


def _read(
    connection: sqlite3.Connection, query: MemoryQuery, scores: dict[int, float], text: str
) -> tuple[FoundEntry, ...]:
    """The best of these entries, as far as the query wants such; of equal ones the newest."""
    marks = [f"({', '.join('?' * len(values))})" for values in (query.statuses, query.tiers)]
    whose, owners = ", ".join("(?, ?)" for _ in query.owners), [part for owner in query.owners for part in owner]
    best = sorted(scores, key=lambda number: (-scores[number], -number))
    found: list[FoundEntry] = []
    phrase = _phrase(text)
    for start in range(0, len(best), BEST):
        part = best[start : start + BEST]
        sql = (
            f"SELECT {COLUMNS}, number FROM memory_entry WHERE number IN ({', '.join('?' * len(part))}) "  # noqa: S608
            f"AND status IN {marks[0]} AND tier IN {marks[1]} AND (scope, owner) IN (VALUES {whose})"
        )
        rows = fetch(connection, sql, (*part, *query.statuses, *query.tiers, *owners))
        found += [_found(row, scores[int(str(row[3]))], phrase) for row in rows]
        if len(found) >= query.least:
            break
    return tuple(found[:BEST])


def _by_script(connection: sqlite3.Connection, query: MemoryQuery, text: str) -> FoundEntries:
    """Scripts without blanks between words: each piece must stand in the text as it is written."""
    words = tuple(dict.fromkeys(text.replace('"', " ").split()))[:RAREST]
    parts = " AND ".join("memory_three.text LIKE ? ESCAPE '\\'" for _ in words)
    owners = " OR ".join("(e.scope = ? AND e.owner = ?)" for _ in query.owners)
    sql = (
        "SELECT number FROM memory_three JOIN memory_entry AS e ON e.number = memory_three.rowid "  # noqa: S608
        f"WHERE {parts} AND ({owners}) ORDER BY number DESC LIMIT {NEWEST}"
    )
    likes = [f"%{_LIKE_SIGNS.sub(_ESCAPED, word)}%" for word in words]
    values = [value for owner in query.owners for value in owner]
    rows = fetch(connection, sql, (*likes, *values))
    entries = _read(connection, query, {int(str(row[0])): 1.0 for row in rows}, text)
    return FoundEntries(entries=entries, way="script", words=words)


def _phrase(text: str) -> str:
    return " ".join(text.split()).casefold()


def _found(row: Sequence[object], score: float, phrase: str) -> FoundEntry:
    entry = read_entry((str(row[0]), int(str(row[1])), row[2] if isinstance(row[2], str) else None))
    return FoundEntry(entry=entry, text=score, phrase=phrase in _phrase(entry.content))
