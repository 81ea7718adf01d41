"""The search of the memory over a reading connection: no text that is asked for fails, and no common word is slow
(memory-ME13)."""

import logging
import math
import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from desktop.records import dataclass
from desktop.store.core.memory import FoundEntries, FoundEntry, MemoryQuery
from desktop.store.library.search_query import has_unspaced
from desktop.store.memory.entries import COLUMNS, read_entry
from desktop.store.sqlite.connection import connect_reading, fetch

logger = logging.getLogger(__name__)

MOST_QUERY_CHARS = 2_000
MOST_WORDS = 60
MOST_POSTINGS = 6_000
NEWEST = 400
BEST = 200
RAREST = 8
_LIKE_SIGNS, _ESCAPED = re.compile(r"([\\%_])"), r"\\\1"
_VOCABULARY = "CREATE VIRTUAL TABLE temp.memory_words USING fts5vocab('main', 'memory_text', 'row')"
_TERM = re.compile(r'"([^"]+)"|(\w+)')
_MATCHING = "FROM memory_text JOIN memory_entry AS e ON e.number = memory_text.rowid WHERE memory_text MATCH ?"


@dataclass(frozen=True)
class _Term:
    """A word or a phrase of the query; `postings`: how many entries hold it (of a phrase, its rarest word)."""

    text: str
    postings: int

    @property
    def quoted(self) -> str:
        """In the language of the index, where nothing in quotes is an operator."""
        return f'"{self.text}"'


def search_memory(file: Path, query: MemoryQuery) -> FoundEntries:
    """The entries that match, at most some hundred, the best of them among these. Any thread.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    text = _storable(query.text[:MOST_QUERY_CHARS])
    if not query.owners or not any(character.isalnum() for character in text):
        return FoundEntries()
    with closing(connect_reading(file)) as connection:
        if has_unspaced(text):
            return _by_script(connection, query, text)
        connection.execute(_VOCABULARY)
        return _by_words(connection, query, text)


def _by_words(connection: sqlite3.Connection, query: MemoryQuery, text: str) -> FoundEntries:
    terms = _terms(connection, text)
    words = tuple(term.text for term in terms)
    known = [term for term in terms if term.postings]
    phrase = " ".join(text.split()).casefold()
    if not known:
        return FoundEntries(words=words, way="all")
    if len(known) == len(terms):
        whole = " AND ".join(term.quoted for term in terms)
        if sum(term.postings for term in terms) > MOST_POSTINGS:
            found = _newest(connection, query, terms, whole, phrase)
            way = "newest"
        else:
            found, way = _best(connection, query, whole, phrase), "all"
        if len(found) >= query.least or len(terms) == 1:
            return FoundEntries(entries=tuple(found), way=way, words=words)
    rarest = _rarest(known)
    found = _best(connection, query, " OR ".join(term.quoted for term in rarest), phrase)
    return FoundEntries(entries=tuple(found), way="rarest", words=tuple(term.text for term in rarest))


def _terms(connection: sqlite3.Connection, text: str) -> list[_Term]:
    """The words and phrases of a query, each once, with their postings in the index's own vocabulary."""
    told: dict[str, list[str]] = {}
    for phrase, word in _TERM.findall(text):
        parts = _folded(phrase or word)
        if parts and len(told) < MOST_WORDS:
            told[" ".join(parts)] = parts
    return [_Term(name, min(_postings(connection, part) for part in parts)) for name, parts in told.items()]


def _folded(text: str) -> list[str]:
    """The words as the index has them: small, without accents."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain)


def _postings(connection: sqlite3.Connection, word: str) -> int:
    row = connection.execute("SELECT doc FROM temp.memory_words WHERE term = ?", (word,)).fetchone()
    return int(row[0]) if row is not None else 0


def _rarest(known: Sequence[_Term]) -> list[_Term]:
    """The rarest eight whose postings together stay small, at least one."""
    chosen: list[_Term] = []
    for term in sorted(known, key=lambda one: one.postings)[:RAREST]:
        if chosen and sum(one.postings for one in chosen) + term.postings > MOST_POSTINGS:
            break
        chosen.append(term)
    return chosen


def _newest(
    connection: sqlite3.Connection, query: MemoryQuery, terms: Sequence[_Term], whole: str, phrase: str
) -> list[FoundEntry]:
    """The newest that hold all the words, which count by how rare they are."""
    (total,) = connection.execute("SELECT coalesce(max(number), 1) FROM memory_entry").fetchone()
    score = sum(math.log(1 + total / term.postings) for term in terms)
    where, values = _condition(query)
    sql = f"SELECT {COLUMNS} {_MATCHING} AND {where} ORDER BY memory_text.rowid DESC LIMIT {NEWEST}"
    rows = fetch(connection, sql, (whole, *values))
    return [_found(row, score, phrase) for row in rows]


def _best(connection: sqlite3.Connection, query: MemoryQuery, match: str, phrase: str) -> list[FoundEntry]:
    where, values = _condition(query)
    ranked = f"SELECT {COLUMNS}, bm25(memory_text) {_MATCHING} AND {where} ORDER BY 4 LIMIT {BEST}"
    rows = fetch(connection, ranked, (match, *values))
    return [_found(row[:3], max(1e-6, -float(str(row[3]))), phrase) for row in rows]


def _by_script(connection: sqlite3.Connection, query: MemoryQuery, text: str) -> FoundEntries:
    """Scripts without blanks between words: each piece must stand in the text as it is written."""
    words = tuple(dict.fromkeys(text.replace('"', " ").split()))[:RAREST]
    where, values = _condition(query)
    parts = " AND ".join("memory_three.text LIKE ? ESCAPE '\\'" for _ in words)
    sql = (
        f"SELECT {COLUMNS} FROM memory_three JOIN memory_entry AS e ON e.number = memory_three.rowid "  # noqa: S608
        f"WHERE {parts} AND {where} ORDER BY memory_three.rowid DESC LIMIT {BEST}"
    )
    likes = [f"%{_LIKE_SIGNS.sub(_ESCAPED, word)}%" for word in words]
    rows = fetch(connection, sql, (*likes, *values))
    phrase = " ".join(text.split()).casefold()
    return FoundEntries(entries=tuple(_found(row, 1.0, phrase) for row in rows), way="script", words=words)


def _condition(query: MemoryQuery) -> tuple[str, list[str | int]]:
    owners = " OR ".join("(e.scope = ? AND e.owner = ?)" for _ in query.owners)
    places = [f"({', '.join('?' * len(values))})" for values in (query.statuses, query.tiers)]
    where = f"({owners}) AND e.status IN {places[0]} AND e.tier IN {places[1]}"
    return where, [*(value for owner in query.owners for value in owner), *query.statuses, *query.tiers]


def _found(row: Sequence[object], text: float, phrase: str) -> FoundEntry:
    entry = read_entry((str(row[0]), int(str(row[1])), row[2] if isinstance(row[2], str) else None))
    return FoundEntry(entry=entry, text=text, phrase=phrase in " ".join(entry.content.split()).casefold())


def _storable(text: str) -> str:
    return text.replace("\0", " ").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
