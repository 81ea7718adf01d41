"""Bytes beside the log come back as they were, or not at all."""

import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.database import SqliteStore
from desktop.store.history.blobs import ROW_LIMIT, blob_content, blob_file


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"", "text/plain"),
        (b"short", "text/plain"),
        (b"line\n" * 5000, "text/plain"),
        (b'{"a":1}' * 900, "application/json"),
        (bytes(range(256)) * 40, "image/png"),
        (b"x" * ROW_LIMIT, "image/png"),
        (b"x" * (ROW_LIMIT + 1), "text/plain"),
    ],
)
def test_what_is_put_comes_back(opened, data, media_type):
    store = opened()
    reference = store.blobs.put(data, media_type)
    assert (reference.sha256, reference.size, reference.media_type) == (sha256(data).hexdigest(), len(data), media_type)
    assert store.blobs.get(reference.sha256) == data
    store.close()
    assert opened().blobs.get(reference.sha256) == data


def row(store: SqliteStore) -> tuple:
    (found,) = store.database.rows("SELECT stored, encoding, length(content) FROM blob")
    return found


def test_large_content_is_a_file_and_text_is_packed(store):
    store.blobs.put(b"x" * (ROW_LIMIT + 1), "text/plain")
    assert row(store) == ("file", "raw", None)
    store.database.connection.execute("DELETE FROM blob")
    store.blobs.put(b"word " * 1000, "text/plain")
    stored, encoding, size = row(store)
    assert (stored, encoding) == ("row", "zlib")
    assert size < 500


def test_the_same_content_is_kept_once(store):
    first = store.blobs.put(b"same", "text/plain")
    second = store.blobs.put(b"same", "image/png")
    assert first.sha256 == second.sha256
    assert store.database.rows("SELECT count(*) FROM blob") == [(1,)]


def test_what_is_missing_or_damaged_reads_as_nothing_and_can_be_put_again(store, folder, caplog):
    large = b"y" * (ROW_LIMIT + 5)
    reference = store.blobs.put(large, "text/plain")
    blob_file(folder, reference.sha256).write_bytes(b"other")
    assert store.blobs.get(reference.sha256) is None
    assert "missing or damaged" in caplog.text
    store.blobs.put(large, "text/plain")
    assert store.blobs.get(reference.sha256) == large
    blob_file(folder, reference.sha256).unlink()
    assert store.blobs.get(reference.sha256) is None
    assert store.blobs.get("0" * 64) is None


def test_a_name_that_is_no_digest_reaches_no_file(tmp_path):
    (tmp_path / "secret").write_text("x")
    assert blob_content(tmp_path, "../../secret", "file", "raw", None) is None
    assert blob_content(tmp_path, "0" * 64, "erased", "raw", b"x") is None
    assert blob_content(tmp_path, "0" * 64, "row", "raw", "no bytes") is None


def test_a_name_is_found_by_its_beginning_among_those_of_the_session(store):
    ids = {"aa11", "aa22", "bb33"}
    assert store.blobs.find("bb", ids) == "bb33"
    assert store.blobs.find("aa1", ids) == "aa11"
    assert store.blobs.find("aa", ids) is None
    assert store.blobs.find("cc", ids) is None
    assert store.blobs.find("", {"aa11"}) is None


def test_a_file_that_cannot_be_written_leaves_no_row_and_no_part(store, folder):
    (folder / "blobs").touch()
    with pytest.raises(StoreWriteFailed, match="Nothing was recorded"):
        store.blobs.put(b"z" * (ROW_LIMIT + 1), "text/plain")
    (folder / "blobs").unlink()
    data = b"z" * (ROW_LIMIT + 1)
    blob_file(folder, sha256(data).hexdigest()).mkdir(parents=True)
    with pytest.raises(StoreWriteFailed):
        store.blobs.put(data, "text/plain")
    assert [file for file in Path(folder, "blobs").rglob("*") if file.is_file()] == []
    assert store.database.rows("SELECT count(*) FROM blob") == [(0,)]


def test_a_full_disk_keeps_nothing(store):
    connection = store.database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreWriteFailed, match="full"):
        store.blobs.put(bytes(500_000), "image/png")
    assert store.blobs.get(sha256(bytes(500_000)).hexdigest()) is None


def test_a_writer_elsewhere_is_waited_for_and_then_named(store, folder):
    store.database.connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(folder / "banksman.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreWriteFailed, match="locked"):
        store.blobs.put(b"x", "text/plain")
    other.rollback()
    other.close()
    store.blobs.put(b"x", "text/plain")
