"""Full text over all chats (sessions-SG1): an index behind the log, filled in small slices, and one page of hits.

Words are found by SQLite's FTS5 without accents; scripts without blanks between words by groups of three characters.
"""

import logging
import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import StoreError
from desktop.domain.event_json import load_event
from desktop.domain.event_texts import SEARCHED_KINDS, searched
from desktop.store.core.library import Hit, Page
from desktop.store.library.search_query import Query, Term, has_unspaced, match_expression, parse_query
from desktop.store.library.search_tables import TABLES, is_damage, make_tables_anew
from desktop.store.sqlite.connection import Database, connect_reading, fetch

logger = logging.getLogger(__name__)

SEARCH_VERSION = "1"
PAGE = 50
SNIPPET_CHARS = 160
_BATCH = 20
_CANDIDATES = 2000
_NEWEST = 20_000
"""Entries. When the time for all of them is up, only so many of the newest are looked at."""

RANKED_S = 0.08
NEWEST_S = 0.05
"""Seconds for all entries, then for the newest: with opening and marks, a page comes within 0.2 s."""

_STEPS = 1000
_CHANGES = "type IN ('rewound', 'message_deleted', 'deletion_undone')"
_CREATE_MARKS = f"CREATE INDEX IF NOT EXISTS event_marks ON event (session_id, seq) WHERE {_CHANGES}"
"""Derived: without it, whether a chat was ever rewound costs reading all of it."""

_TOO_COMMON = "Only the newest entries were searched. Type more, or rarer words to search all."
_NEXT = (
    f"SELECT rowid, type, body FROM event WHERE rowid > ? AND type IN ({', '.join('?' * len(SEARCHED_KINDS))}) "  # noqa: S608
    "ORDER BY rowid LIMIT ?"
)


class SqliteSearchIndex:
    """Fills the index. Engine thread; a step is short and is never part of an append."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._upto = -1
        self._renewed = False

    def step(self, budget_s: float = 0.01) -> bool:
        """Take in what was recorded since, for about `budget_s`; whether all is in. A damaged index is made anew, and
        again when it is damaged after it once held everything.

        Raises:
            StoreError: the store cannot be read or written, or the index is damaged again before it was filled.
        """
        try:
            done = self._step(budget_s)
        except StoreError as error:
            self._renew_or_raise(error)
            return False
        self._renewed = self._renewed and not done
        return done

    def _renew_or_raise(self, error: StoreError) -> None:
        if self._renewed or not is_damage(error.__cause__):
            raise error
        logger.warning("The search index is made anew: %s", error)
        self._renewed = True
        self.rebuild()

    def _step(self, budget_s: float) -> bool:
        end = time.monotonic() + budget_s
        self._open()
        while True:
            rows = self._database.rows(_NEXT, (self._upto, *SEARCHED_KINDS, _BATCH))
            done = self._take(rows, end)
            if done < len(rows) or time.monotonic() >= end:
                return done == len(rows) < _BATCH
            if len(rows) < _BATCH:
                return True

    def forget(self, session_id: str, most: int = 200) -> bool:
        """Take entries of a chat out before it is removed; whether none is left in. A damaged index is made anew.

        Raises:
            StoreError: the store cannot be read or written, or the index is damaged again before it was filled.
        """
        if self._upto < 0:
            self._open()
        inside = "WHERE rowid IN (SELECT rowid FROM event WHERE session_id = ?) LIMIT ?"
        queries = (f"SELECT rowid FROM {name} {inside}" for name in TABLES)  # noqa: S608
        try:
            found = [self._database.rows(query, (session_id, most)) for query in queries]
            with self._database.transaction() as connection:
                for name, rows in zip(TABLES, found, strict=True):
                    connection.executemany(f"DELETE FROM {name} WHERE rowid = ?", rows)  # noqa: S608
        except StoreError as error:
            self._renew_or_raise(error)
            return False
        return all(len(rows) < most for rows in found)

    def rebuild(self) -> None:
        """Throw the index away, whatever state it is in; steps fill it again.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._database.transaction() as connection:
            make_tables_anew(connection)
            connection.execute("DELETE FROM meta WHERE key IN ('search_version', 'search_upto')")
            connection.execute("INSERT INTO meta VALUES ('search_version', ?)", (SEARCH_VERSION,))
            connection.execute("INSERT INTO meta VALUES ('search_upto', '0')")
        self._upto = 0

    def _open(self) -> None:
        upto = self._database.rows("SELECT value FROM meta WHERE key = 'search_upto'")
        if self._upto >= 0 and upto and str(upto[0][0]).isdigit():
            self._upto = int(str(upto[0][0]))
            return
        with self._database.transaction() as connection:
            connection.execute(_CREATE_MARKS)
        version = self._database.rows("SELECT value FROM meta WHERE key = 'search_version'")
        try:
            for name in TABLES:
                self._database.rows(f"SELECT rowid FROM {name} LIMIT 1")  # noqa: S608
            whole = version == [(SEARCH_VERSION,)] and bool(upto) and str(upto[0][0]).isdigit()
        except StoreError:
            whole = False
        if not whole:
            self.rebuild()
            return
        newest = self._database.rows("SELECT coalesce(max(rowid), 0) FROM event")
        self._upto = min(int(str(upto[0][0])), int(str(newest[0][0])))

    def _take(self, rows: Sequence[Sequence[object]], end: float) -> int:
        """Index rows until the time is up, at least one; how many."""
        if not rows:
            return 0
        done = 0
        with self._database.transaction(synced=False) as connection:
            for rowid, _, body in rows:
                found = searched(load_event(body if isinstance(body, str) else ""))
                if found is not None:
                    _put(connection, "search_text", rowid, found.text, found.kind)
                    if has_unspaced(found.text):
                        _put(connection, "search_three", rowid, found.text, found.kind)
                done += 1
                if time.monotonic() >= end:
                    break
            upto = int(str(rows[done - 1][0]))
            connection.execute("UPDATE meta SET value = ? WHERE key = 'search_upto'", (str(upto),))
        self._upto = upto
        return done


def _put(connection: sqlite3.Connection, name: str, rowid: object, text: str, kind: str) -> None:
    connection.execute(f"DELETE FROM {name} WHERE rowid = ?", (rowid,))  # noqa: S608
    connection.execute(f"INSERT INTO {name}(rowid, text, kind) VALUES (?, ?, ?)", (rowid, text, kind))  # noqa: S608


def search(file: Path, text: str, page: int = 0) -> Page:
    """One page of the entries that match, best first, then newer. Any thread; nothing that is typed raises."""
    query = parse_query(text)
    if not query.wanted:
        return Page(())
    try:
        with closing(connect_reading(file)) as connection:
            return _bounded(connection, query, max(0, page))
    except sqlite3.Error as error:
        logger.warning("The search failed: %s", error)
        problem = "The search could not be carried out. Rebuild the lists in Settings, then try again."
        return Page((), problem=problem, damaged=is_damage(error))


def _bounded(connection: sqlite3.Connection, query: Query, page: int) -> Page:
    """The page out of all entries; when that takes too long, out of fewer and fewer of the newest."""
    (newest,) = connection.execute("SELECT coalesce(max(rowid), 0) FROM event").fetchone()
    for limit_s, entries in ((RANKED_S, 0), (NEWEST_S, _NEWEST), (NEWEST_S, _NEWEST // 20)):
        end = time.monotonic() + limit_s
        connection.set_progress_handler(partial(_is_over, end), _STEPS)
        try:
            found = _page(connection, query, page, after=newest - entries if entries else 0)
        except sqlite3.OperationalError:
            if not _is_over(end):
                raise
            continue
        finally:
            connection.set_progress_handler(None, 0)
        return found._replace(problem=_TOO_COMMON) if entries else found
    return Page((), problem=_TOO_COMMON)


def _is_over(end: float) -> bool:
    return time.monotonic() > end


def _path(chats: dict[str, tuple[str, str]], session_id: str) -> list[str]:
    """A chat and those that it stands below, itself first; logs from elsewhere may lead in a circle."""
    path: list[str] = []
    while session_id in chats and session_id not in path:
        path.append(session_id)
        session_id = chats[session_id][1]
    return path


def _page(connection: sqlite3.Connection, query: Query, page: int, after: int = 0) -> Page:
    table, where, values = _condition(query)
    where += f" AND {table}.rowid > {after:d}" if after > 0 else ""
    sql = (
        f"SELECT {table}.rowid, e.session_id, e.event_id, e.seq, e.at, kind, text FROM {table} "  # noqa: S608
        f"JOIN event AS e ON e.rowid = {table}.rowid WHERE {where} "
    )
    count = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {_matching(table)} LIMIT {_CANDIDATES})"  # noqa: S608
    (matches,) = connection.execute(count, values[:1]).fetchone()
    best = "bm25(" + table + "), " if matches < _CANDIDATES and "MATCH" in where else ""
    rows = fetch(
        connection, f"{sql} ORDER BY {best}{table}.rowid DESC LIMIT ? OFFSET ?", (*values, PAGE + 1, page * PAGE)
    )
    marks = _Marks(connection)
    known = fetch(connection, "SELECT session_id, title, parent_session_id FROM session")
    chats = {str(session): (str(title), str(above)) for session, title, above in known}
    hits = tuple(
        Hit(
            str(session),
            str(event_id),
            int(str(seq)),
            " › ".join(chats[one][0] for one in reversed(_path(chats, str(session)))),
            str(kind),
            snippet(str(text), query.wanted),
            str(at),
            marks.of(str(session), str(event_id)),
            next(reversed(_path(chats, str(session))), ""),
        )
        for _, session, event_id, seq, at, kind, text in rows[:PAGE]
    )
    return Page(hits, len(rows) > PAGE)


def _matching(table: str) -> str:
    return f"{table} MATCH ?" if table == "search_text" else "text LIKE ? ESCAPE '\\'"


def _condition(query: Query) -> tuple[str, str, list[str]]:
    """The table to look into, the condition, and its values; the first is the match itself."""
    table = "search_three" if any(term.unspaced for term in query.wanted) else "search_text"
    if table == "search_text":
        parts, values = ["search_text MATCH ?"], [match_expression(query.terms)]
    else:
        ordered = sorted(query.terms, key=lambda term: not term.wanted)
        parts = [f"text {'' if term.wanted else 'NOT '}LIKE ? ESCAPE '\\'" for term in ordered]
        values = [f"%{_like(term.text)}%" for term in ordered]
    if query.kinds:
        parts.append(f"kind IN ({', '.join('?' * len(query.kinds))})")
        values += sorted(query.kinds)
    for lane in query.lanes:
        parts.append(
            "e.session_id IN (SELECT session_id FROM session WHERE branch LIKE ? ESCAPE '\\' OR lane_id IN "
            "(SELECT lane_id FROM lane WHERE json_extract(body, '$.name') LIKE ? ESCAPE '\\'))"
        )
        values += [f"%{_like(lane)}%"] * 2
    for date, sign in ((query.since, ">="), (query.until, "<")):
        if date:
            parts.append(f"e.at {sign} ?")
            values.append(date)
    return table, " AND ".join(parts), values


def _like(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


class _Marks:
    """Which entries of a chat a rewind left behind or a person removed; chats without either are not looked through."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, tuple[set[str], set[str]]] = {}

    def of(self, session_id: str, event_id: str) -> Literal["", "rewound", "removed"]:
        """The mark of one entry."""
        if session_id not in self._known:
            self._known[session_id] = self._look(session_id)
        left, removed = self._known[session_id]
        return "removed" if event_id in removed else "rewound" if event_id in left else ""

    def _look(self, session_id: str) -> tuple[set[str], set[str]]:
        every = f"SELECT type, body FROM event WHERE session_id = ? AND {_CHANGES} ORDER BY seq"  # noqa: S608
        changes = fetch(self._connection, every, (session_id,))
        removed: set[str] = set()
        for kind, body in changes:
            if kind != "rewound":
                target = str(vars(load_event(str(body))).get("target_id", ""))
                (removed.add if kind == "message_deleted" else removed.discard)(target)
        left: dict[str, str] = {}
        if any(kind == "rewound" for kind, _ in changes):
            rows = fetch(
                self._connection,
                "SELECT event_id, parent_id FROM event WHERE session_id = ? ORDER BY seq",
                (session_id,),
            )
            left = {str(own): str(parent) for own, parent in rows}
            head = str(rows[-1][0])
            while head in left:
                head = left.pop(head)
        return set(left), removed


def snippet(text: str, terms: Sequence[Term]) -> str:
    """At most 160 characters on one line around the first term."""
    line = " ".join(text.split())
    low = line.casefold()
    places = [place for term in terms if (place := low.find(term.text.casefold())) >= 0]
    start = max(0, min(places, default=0) - SNIPPET_CHARS // 4)
    cut = line[start : start + SNIPPET_CHARS]
    if start:
        cut = "…" + cut[1:]
    return cut[:-1] + "…" if start + SNIPPET_CHARS < len(line) else cut
