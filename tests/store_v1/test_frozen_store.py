"""A store of version 1 as it was written once: every later version opens it, with the same chats in it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreUnavailable
from desktop.domain.history.builder import to_messages
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.library.search import search
from desktop.store.sqlite.migrations import MIGRATIONS

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "expected.json").read_text("utf-8"))


@pytest.fixture
def frozen(tmp_path):
    """The folder of a store, as version 1 left it."""
    folder = tmp_path / "store"
    folder.mkdir()
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        connection.executescript((HERE / "banksman.sql").read_text("utf-8"))
    return folder


def test_frozen_store_opens_with_the_same_chats(frozen):
    store = open_store(frozen)
    try:
        assert set(store.events.session_ids()) == set(EXPECTED["messages"])
        for session_id, messages in EXPECTED["messages"].items():
            assert to_messages(store.events.path(session_id), session_id=session_id) == messages
            assert len(store.events.read(session_id)) == EXPECTED["events"][session_id]
            assert {found.kind for found in store.events.verify(session_id)} <= {"blob_missing"}
        index = store.search
        while not index.step():
            pass
        assert search(frozen / DATABASE_NAME, "hello").hits != ()
    finally:
        store.close()
    backups = list((frozen / "backups").glob("*.db")) if MIGRATIONS[-1].version > 1 else []
    assert len(backups) == (1 if MIGRATIONS[-1].version > 1 else 0)


def test_newer_store_is_not_touched(frozen):
    with closing(sqlite3.connect(frozen / DATABASE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 999")
    before = {file.name: file.read_bytes() for file in frozen.iterdir()}
    with pytest.raises(StoreUnavailable, match="newer Banksman"):
        open_store(frozen)
    after = {file.name: file.read_bytes() for file in frozen.iterdir() if file.name != "store.lock"}
    assert after == before


@pytest.mark.parametrize("harm", [
    "DROP TABLE session", "DELETE FROM session", "DROP TABLE session_state", "ALTER TABLE session DROP COLUMN title",
    "UPDATE meta SET value = '0' WHERE key = 'index_version'", "DROP TABLE session; CREATE TABLE session (x)",
])  # fmt: skip
def test_harmed_lists_are_made_anew(frozen, harm):
    store = open_store(frozen)
    rows = store.events.rows()
    store.close()
    with closing(sqlite3.connect(frozen / DATABASE_NAME)) as connection:
        connection.executescript(harm)
    store = open_store(frozen)
    assert store.events.rows() == rows
    store.close()


@pytest.mark.parametrize("harm", ["cut", "noise", "no table"])
def test_damaged_store_is_only_read_with_a_sentence_and_kept(frozen, harm):
    file = frozen / DATABASE_NAME
    if harm == "no table":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("DROP TABLE event")
    else:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2] if harm == "cut" else data[:4096] + b"\xff" * (len(data) - 4096))
    before = file.read_bytes()
    store = open_store(frozen)
    store.close()
    assert "are damaged" in store.problems[0]
    assert file.read_bytes() == before
