"""What the judgement calls a read, carried out by a real SQLite that reports every action it is asked for."""

import sqlite3
from itertools import product
from pathlib import Path

import pytest

from desktop.policy.sql.assess import assess_sql

HERE = Path(__file__).parent
SCHEMA = """
    CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, email, a, b, c, data TEXT, created_at);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id REFERENCES users, total REAL, status, created_at);
    CREATE TABLE t (id INTEGER, a, b, c, d, e, x, name TEXT, data TEXT);
    CREATE TABLE docs (id, data);
    CREATE INDEX idx_name ON users(name); CREATE INDEX idx ON t(a);
    CREATE VIRTUAL TABLE posts USING fts5(title, body);
    CREATE TRIGGER changed AFTER DELETE ON users BEGIN DELETE FROM orders WHERE user_id = old.id; END;
    INSERT INTO users (name, data) VALUES ('bob', '{"a": {"b": 1}, "tags": [1, 2]}');
    INSERT INTO t VALUES (1,2,3,4,5,6,7,'n','{}');
    INSERT INTO posts VALUES ('cat', 'dog');
"""
READING = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_PRAGMA,
}  # fmt: skip
HARMLESS_IN_PLAN = {sqlite3.SQLITE_DELETE, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_INSERT}


def generated() -> list[str]:
    """A few hundred statements out of parts: sources, projections, conditions, endings, wrappers."""
    sources = ("users", "(SELECT * FROM t)", "orders o JOIN users u ON o.user_id = u.id", "json_each('[1]')")
    columns = ("*", "count(*)", "1 AS one, 'x;y'", "(SELECT max(id) FROM t)", "group_concat(1)")
    where = ("", " WHERE 1 = 1", " WHERE EXISTS (SELECT 1 FROM t)", " WHERE 1 IN (SELECT id FROM t UNION SELECT 2)")
    shapes = (
        "SELECT {c} FROM {s}{w}", "WITH z AS (SELECT {c} FROM {s}{w}) SELECT * FROM z",
        "SELECT {c} FROM {s}{w} UNION ALL SELECT {c} FROM {s}{w}", "EXPLAIN QUERY PLAN SELECT {c} FROM {s}{w}",
    )  # fmt: skip
    return [h.format(c=c, s=s, w=w) for h, s, c, w in product(shapes, sources, columns, where)]


def candidates() -> list[str]:
    listed = [name for name in ("reads_common.txt", "reads_sqlite.txt")]
    lines = [line for name in listed for line in (HERE / name).read_text().splitlines()]
    attacks = [line.partition("\t") for line in (HERE / "attacks.txt").read_text().splitlines()]
    return generated() + [line.replace("\\n", "\n") for line in lines] + [text for _, _, text in attacks]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.commit()
    connection.close()
    return path


def test_no_proven_read_changes_the_file_or_asks_for_more_than_reading(database: Path) -> None:
    proven = [text for text in candidates() if assess_sql(text, "sqlite").proven_read and ";" not in text[:-1]]
    before, files = database.read_bytes(), set(database.parent.iterdir())
    ran, asked = 0, set()
    for text in proven:
        actions: set[tuple[int, str | None, str | None]] = set()

        def note(
            action: int,
            first: str | None,
            second: str | None,
            *_: str | None,
            found: set[tuple[int, str | None, str | None]] = actions,
        ) -> int:
            found.add((action, first, second))
            return sqlite3.SQLITE_OK

        connection = sqlite3.connect(database, isolation_level=None)
        connection.execute("SELECT * FROM posts").fetchall()
        connection.set_authorizer(note)
        try:
            connection.execute(text).fetchmany(50)
            ran += 1
        except sqlite3.Error:
            actions.clear()
        connection.close()
        planned = text.upper().startswith("EXPLAIN")
        allowed = READING | (HARMLESS_IN_PLAN if planned else set())
        asked |= {
            (text, *action)
            for action in actions
            if action[0] not in allowed and action[:2] != (sqlite3.SQLITE_UPDATE, "sqlite_master")
        }
        assert database.read_bytes() == before, text
    assert asked == set()
    assert ran >= 300
    assert set(database.parent.iterdir()) == files
