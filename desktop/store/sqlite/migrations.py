"""The tables that hold the truth, as numbered steps, and how an older store is brought up to date."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from desktop.config.private_files import make_private_file, make_private_folder
from desktop.domain.core.errors import StoreUnavailable
from desktop.records import dataclass

_BACKUPS_KEPT = 3
_READABLE = (
    "SELECT * FROM event ORDER BY rowid LIMIT 1",
    "SELECT * FROM event ORDER BY rowid DESC LIMIT 1",
    "SELECT * FROM meta",
    "SELECT * FROM deletion LIMIT 1",
    "SELECT sha256 FROM blob LIMIT 1",
    "SELECT lane_id FROM lane LIMIT 1",
)
"""What a store that is not damaged from end to end can answer; asked before anything is written."""


@dataclass(frozen=True)
class Migration:
    """One migration: `version` is what `PRAGMA user_version` says after it. The statements run in one transaction."""

    version: int
    name: str
    statements: tuple[str, ...]


M001_FIRST = Migration(
    1,
    "m001_first",
    (
        """CREATE TABLE event (
            event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, seq INTEGER NOT NULL, parent_id TEXT,
            at TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL,
            UNIQUE (session_id, seq))""",
        """CREATE TABLE blob (
            sha256 TEXT PRIMARY KEY, media_type TEXT NOT NULL, size INTEGER NOT NULL,
            stored TEXT NOT NULL CHECK (stored IN ('row', 'file', 'erased')),
            encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'zlib')), content BLOB)""",
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
        "CREATE TABLE deletion (session_id TEXT PRIMARY KEY, keep_upto_seq INTEGER NOT NULL)",
        """CREATE TABLE lane (
            lane_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, created_at TEXT NOT NULL, body TEXT NOT NULL)""",
        "CREATE INDEX lane_of_project ON lane (project_id, created_at)",
        """CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
            BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END""",
        """CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
            WHEN NOT EXISTS (
                SELECT 1 FROM deletion WHERE session_id = OLD.session_id AND OLD.seq > keep_upto_seq)
            BEGIN SELECT RAISE(ABORT, 'an event is never removed'); END""",
        "INSERT INTO meta (key, value) VALUES ('store_id', lower(hex(randomblob(16))))",
    ),
)
M002_PORTS = Migration(
    2,
    "m002_ports",
    ("CREATE TABLE port_lease (base INTEGER PRIMARY KEY, lane_id TEXT NOT NULL UNIQUE)",),
)
M003_REVIEW = Migration(
    3,
    "m003_review",
    (
        "CREATE TABLE review_comment (comment_id TEXT PRIMARY KEY, lane_id TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE INDEX comment_of_lane ON review_comment (lane_id)",
        """CREATE TABLE viewed_file (
            lane_id TEXT NOT NULL, path BLOB NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (lane_id, path))""",
    ),
)
M004_PROOFS = Migration(
    4,
    "m004_proofs",
    (
        """CREATE TABLE proof (
            proof_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, lane_id TEXT NOT NULL, sha256 TEXT NOT NULL,
            thumb_sha256 TEXT NOT NULL, body TEXT NOT NULL)""",
        "CREATE INDEX proof_of_lane ON proof (lane_id)",
        "CREATE INDEX proof_of_content ON proof (sha256)",
        """CREATE TABLE proof_link (
            proof_id TEXT NOT NULL, owner TEXT NOT NULL, owner_id TEXT NOT NULL, relation TEXT NOT NULL,
            address TEXT NOT NULL, UNIQUE (proof_id, owner, owner_id, relation))""",
        "CREATE INDEX link_of_owner ON proof_link (owner, owner_id)",
    ),
)
M005_PULLS = Migration(
    5,
    "m005_pulls",
    (
        "CREATE TABLE pull_link (lane_id TEXT PRIMARY KEY, body TEXT NOT NULL)",
        "CREATE TABLE pull_snapshot (lane_id TEXT PRIMARY KEY, as_of TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE TABLE pull_agent_comment (comment_id TEXT PRIMARY KEY, lane_id TEXT NOT NULL)",
    ),
)
EVIDENCE_EVENTS = "type IN ('completion_reported', 'evidence_recorded', 'claim_checked', 'rewound', 'imported')"
"""The condition of the index below; a query that repeats it reads no other events."""
M006_EVIDENCE = Migration(
    6,
    "m006_evidence",
    (f"CREATE INDEX evidence_of_session ON event (session_id, seq) WHERE {EVIDENCE_EVENTS}",),
)
M007_RESOLUTION = Migration(
    7,
    "m007_resolution",
    (
        """CREATE TABLE pull_item (
            pull TEXT NOT NULL, item_id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (pull, item_id))""",
        """CREATE TABLE pull_round (
            pull TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (pull, number))""",
        "CREATE TABLE pull_pipeline (pull TEXT PRIMARY KEY, synced_at TEXT, settings TEXT, run TEXT)",
    ),
)
INSTRUCTION_EVENTS = "type = 'instruction_files_changed'"
"""The condition of the index below; a query that repeats it reads no other events."""
M008_INSTRUCTIONS = Migration(
    8,
    "m008_instructions",
    (f"CREATE INDEX changed_instructions ON event (session_id, seq) WHERE {INSTRUCTION_EVENTS}",),
)
M009_MEMORY = Migration(
    9,
    "m009_memory",
    (
        """CREATE TABLE memory_entry (
            number INTEGER PRIMARY KEY, memory_id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, owner TEXT NOT NULL,
            status TEXT NOT NULL, tier INTEGER NOT NULL, normal_sha256 TEXT NOT NULL, words INTEGER NOT NULL,
            uses INTEGER NOT NULL, used_at TEXT, body TEXT NOT NULL)""",
        "CREATE INDEX memory_of_owner ON memory_entry (scope, owner, status)",
        """CREATE TABLE memory_history (
            memory_id TEXT NOT NULL, version INTEGER NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (memory_id, version))""",
        "CREATE TABLE memory_deleted (memory_id TEXT PRIMARY KEY, at TEXT NOT NULL)",
        "CREATE VIRTUAL TABLE memory_text USING fts5(owner, text, tokenize = 'unicode61 remove_diacritics 2')",
        "CREATE VIRTUAL TABLE memory_three USING fts5(text, tokenize = 'trigram')",
        "CREATE TABLE memory_word (word TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID",
        """CREATE TRIGGER memory_version_is_never_changed BEFORE UPDATE ON memory_history
            BEGIN SELECT RAISE(ABORT, 'a version of an entry is never changed'); END""",
        """CREATE TRIGGER memory_version_is_never_removed BEFORE DELETE ON memory_history
            WHEN NOT EXISTS (
                SELECT 1 FROM memory_deleted
                WHERE memory_id = OLD.memory_id AND julianday(at) <= julianday('now') - 30)
            BEGIN SELECT RAISE(ABORT, 'a version of an entry is never removed'); END""",
    ),
)
MIGRATIONS: tuple[Migration, ...] = (
    M001_FIRST,
    M002_PORTS,
    M003_REVIEW,
    M004_PROOFS,
    M005_PULLS,
    M006_EVIDENCE,
    M007_RESOLUTION,
    M008_INSTRUCTIONS,
    M009_MEMORY,
)


def refuse_unusable(connection: sqlite3.Connection, folder: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make sure that this version can use the store. Only reads.

    Raises:
        StoreUnavailable: a newer version wrote it, or it is some other database.
        sqlite3.Error: it is no database, or damaged.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    newest = migrations[-1].version
    if version > newest:
        raise StoreUnavailable(
            f"The chats in {folder} were written by a newer Banksman (store version {version}; this one knows up to "
            f"{newest}). Nothing was changed. Start the newer version."
        )
    for probe in _READABLE if version else ():
        connection.execute(probe).fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if version == 0 and tables:
        raise StoreUnavailable(
            f"{folder / 'banksman.db'} is a database, but not a store of Banksman. Nothing was changed. "
            "Move the file away, or choose another folder."
        )


def migrate(
    connection: sqlite3.Connection, folder: Path, now: datetime, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the store to the newest version, after a copy to `backups/` when it holds anything.

    Raises:
        StoreUnavailable: a step failed; the store is as it was before that step.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    due = [migration for migration in migrations if migration.version > version]
    if not due:
        return
    try:
        if version:
            _back_up(connection, folder / "backups", version, now)
        for migration in due:
            _run(connection, migration)
    except (sqlite3.Error, OSError) as error:
        (reached,) = connection.execute("PRAGMA user_version").fetchone()
        raise StoreUnavailable(
            f"The chats in {folder} could not be brought from store version {reached} to {due[-1].version}: {error}. "
            "They are unchanged and whole; the version that wrote them still opens them."
        ) from error


def _run(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {migration.version:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise


def _back_up(connection: sqlite3.Connection, backups: Path, version: int, now: datetime) -> None:
    make_private_folder(backups)
    copy = backups / f"banksman-{version}-{now:%Y%m%dT%H%M%S%f}.db"
    make_private_file(copy)
    with closing(sqlite3.connect(copy)) as target:
        connection.backup(target)
    ours = [file for file in backups.iterdir() if re.fullmatch(r"banksman-\d+-\d{8}T\d{12}\.db", file.name)]
    for old in sorted(ours, key=lambda file: file.name.rsplit("-", 1)[1])[:-_BACKUPS_KEPT]:
        old.unlink()
