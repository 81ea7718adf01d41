"""Opening a store: who may write, what is refused, what is made."""

import errno
import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreError, StoreUnavailable
from desktop.domain.events import SessionStarted
from desktop.store.core.lock import StoreLock, holder_pid, is_held
from desktop.store.core.unwritable import reason_and_way, write_hindrance
from desktop.store.database import open_store
from desktop.store.sqlite.connection import connect_writing, pragmas
from desktop.store.sqlite.migrations import M001_FIRST, Migration, migrate, refuse_unusable

HOLD = """
import sys
from pathlib import Path
from desktop.store.database import open_store
store = open_store(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


def holder(folder: Path) -> subprocess.Popen:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert child.stdout.readline() == b"open\n"
    return child


def end(child: subprocess.Popen) -> None:
    child.kill()
    child.communicate()


def test_folder_and_files_are_for_their_owner_alone(folder, opened):
    store = opened()
    store.events.append("ses_a", SessionStarted())
    store.blobs.put(b"x" * 1_100_000, "image/png")
    for place in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(place.stat().st_mode)
        assert mode == (0o700 if place.is_dir() else 0o600), place


def test_a_folder_left_open_to_others_is_closed(folder, opened):
    folder.mkdir(mode=0o755)
    (folder / "banksman.db").touch(mode=0o644)
    opened()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "banksman.db").stat().st_mode) == 0o600


def test_a_second_process_is_refused_with_the_pid_of_the_first(folder):
    child = holder(folder)
    try:
        with pytest.raises(StoreUnavailable, match=rf"already running \(process {child.pid}\)"):
            open_store(folder)
        assert holder_pid(folder / "store.lock") == child.pid
    finally:
        end(child)


def test_the_lock_file_of_a_killed_process_is_no_obstacle(folder):
    child = holder(folder)
    end(child)
    assert holder_pid(folder / "store.lock") == child.pid
    store = open_store(folder)
    assert holder_pid(folder / "store.lock") == os.getpid()
    store.close()


def test_whether_somebody_is_the_writer_is_told_without_a_change(folder, opened):
    lock = folder / "store.lock"
    assert not is_held(lock)
    store = opened()
    before = lock.read_bytes()
    assert is_held(lock)
    store.close()
    assert not is_held(lock)
    assert lock.read_bytes() == before


def test_the_lock_file_says_who_holds_it(folder, opened):
    opened(clock=lambda: NOW)
    text = json.loads((folder / "store.lock").read_text())
    assert set(text) == {"pid", "host", "started_at", "app_version"}
    assert text["started_at"] == "2026-03-01T10:00:00+00:00"


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b'{"pid": "many"}'])
def test_a_holder_that_cannot_be_named_is_another_process(folder, opened, content):
    opened()
    (folder / "store.lock").write_bytes(content)
    with pytest.raises(StoreUnavailable, match="another process"):
        open_store(folder)


def test_a_missing_lock_file_names_nobody(tmp_path):
    assert holder_pid(tmp_path / "store.lock") is None


def test_a_link_in_place_of_the_database_is_refused(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "elsewhere.db").touch()
    (folder / "banksman.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreUnavailable):
        open_store(folder)
    assert (tmp_path / "elsewhere.db").read_bytes() == b""


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="file/store: Not a directory"):
        open_store(tmp_path / "file" / "store")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path):  # pragma: no cover
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreUnavailable, match="Permission denied"):
            open_store(tmp_path / "store")
    finally:
        tmp_path.chmod(0o700)


def test_a_newer_store_is_refused_and_untouched(folder):
    store = open_store(folder)
    store.events.append("ses_a", SessionStarted())
    store.database.connection.execute("PRAGMA user_version = 99")
    store.close()
    before = (folder / "banksman.db").read_bytes()
    with pytest.raises(StoreUnavailable, match=r"newer Banksman.*store version 99; this one knows up to \d+\)"):
        open_store(folder)
    assert (folder / "banksman.db").read_bytes() == before
    assert not (folder / "backups").exists()
    with pytest.raises(StoreUnavailable, match="newer"):
        open_store(folder)


def test_a_newer_store_that_was_killed_keeps_its_unmerged_log(folder):
    script = HOLD.replace('print("open"', 'store.database.connection.execute("PRAGMA user_version = 99"); print("open"')
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert child.stdout.readline() == b"open\n"
    end(child)
    before = [(folder / name).read_bytes() for name in ("banksman.db", "banksman.db-wal")]
    with pytest.raises(StoreUnavailable, match="newer"):
        open_store(folder)
    assert [(folder / name).read_bytes() for name in ("banksman.db", "banksman.db-wal")] == before


def test_some_other_database_is_refused_and_untouched(folder):
    folder.mkdir()
    with sqlite3.connect(folder / "banksman.db") as other:
        other.execute("CREATE TABLE things (x)")
    other.close()
    before = (folder / "banksman.db").read_bytes()
    with pytest.raises(StoreUnavailable, match="not a store of Banksman"):
        open_store(folder)
    assert (folder / "banksman.db").read_bytes() == before


def test_a_damaged_file_is_refused_with_a_way_out_and_the_lock_is_let_go(folder):
    folder.mkdir()
    (folder / "banksman.db").write_bytes(b"this is no database" * 500)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=r"not a database.*backups/"):
            open_store(folder)
    (folder / "banksman.db").unlink()
    open_store(folder).close()


def test_a_store_whose_tables_are_gone_is_only_read(folder, opened):
    store = open_store(folder)
    store.database.connection.execute("DROP TABLE event")
    store.close()
    damaged = opened()
    assert "no such table: event" in damaged.problems[0]
    assert "The table of the entries is gone." in damaged.problems
    assert damaged.events.rows() == []


def test_a_clock_that_fails_leaves_no_lock(folder):
    def broken() -> datetime:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        open_store(folder, clock=broken)
    open_store(folder).close()


def test_a_place_that_cannot_keep_a_write_ahead_log_is_refused():
    with pytest.raises(StoreUnavailable, match="write-ahead log"):
        connect_writing(Path(":memory:"))


def test_on_a_mac_the_disk_is_told_to_flush():
    assert set(pragmas("darwin")) - set(pragmas("linux")) == {"PRAGMA fullfsync=ON", "PRAGMA checkpoint_fullfsync=ON"}


def test_reading_a_damaged_file_is_an_error_with_a_sentence(store):
    store.database.connection.execute("DROP TABLE blob")
    with pytest.raises(StoreError, match="cannot be read: no such table"):
        store.blobs.get("0" * 64)


def test_the_time_is_aware():
    assert utc_now().tzinfo is UTC


ADD = Migration(2, "m002_add", ("CREATE TABLE extra (x)", "INSERT INTO extra VALUES (1)"))
BROKEN = Migration(3, "m003_broken", ("CREATE TABLE half (x)", "INSERT INTO nowhere VALUES (1)"))


def first_version(folder: Path) -> sqlite3.Connection:
    folder.mkdir()
    connection = connect_writing(folder / "banksman.db")
    migrate(connection, folder, NOW, (M001_FIRST,))
    return connection


def test_a_migration_runs_once_after_a_copy_was_made(folder):
    connection = first_version(folder)
    migrate(connection, folder, NOW, (M001_FIRST, ADD))
    migrate(connection, folder, NOW + timedelta(days=1), (M001_FIRST, ADD))
    assert connection.execute("SELECT x FROM extra").fetchall() == [(1,)]
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()
    (copy,) = (folder / "backups").iterdir()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert copy.name == "banksman-1-20260301T100000000000.db"
    backup = sqlite3.connect(copy)
    assert backup.execute("PRAGMA user_version").fetchone() == (1,)
    assert backup.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    backup.close()


def test_a_migration_that_fails_leaves_the_store_as_it_was(folder):
    connection = first_version(folder)
    with pytest.raises(StoreUnavailable, match=r"from store version 2 to 3.*nowhere"):
        migrate(connection, folder, NOW, (M001_FIRST, ADD, BROKEN))
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "extra" in tables
    assert "half" not in tables
    refuse_unusable(connection, folder, (M001_FIRST, ADD))
    connection.close()


def test_a_copy_that_cannot_be_made_stops_the_migration(folder):
    connection = first_version(folder)
    (folder / "backups").touch()
    with pytest.raises(StoreUnavailable, match="unchanged"):
        migrate(connection, folder, NOW, (M001_FIRST, ADD))
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()


def test_a_migration_that_ends_its_own_transaction_is_told_of(folder):
    connection = first_version(folder)
    with pytest.raises(StoreUnavailable):
        migrate(connection, folder, NOW, (M001_FIRST, Migration(2, "m002", ("COMMIT",))))
    connection.close()


def test_three_copies_are_kept_and_other_files_left_alone(folder):
    connection = first_version(folder)
    (folder / "backups").mkdir()
    (folder / "backups" / "mine.db").touch()
    steps = [M001_FIRST]
    for day in range(5):
        steps.append(Migration(day + 2, f"m{day + 2:03}", (f"CREATE TABLE t{day} (x)",)))
        migrate(connection, folder, NOW + timedelta(days=day), steps)
    connection.close()
    kept = sorted(file.name for file in (folder / "backups").iterdir())
    assert kept == [*(f"banksman-{n}-2026030{n}T100000000000.db" for n in (3, 4, 5)), "mine.db"]


@contextmanager
def no_file_can_grow():
    """As on a full disk."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_without_room_for_the_lock_file_is_named(folder):
    with no_file_can_grow(), pytest.raises(StoreUnavailable, match=r"cannot be kept in .*: File too large"):
        open_store(folder)
    open_store(folder).close()


def test_a_disk_without_room_is_no_damage_whatever_the_database_says(folder):
    open_store(folder).close()
    lock = StoreLock.take(folder / "store.lock", NOW)
    lock.release()
    with no_file_can_grow():
        hindrance = write_hindrance(folder)
    assert hindrance is not None
    assert reason_and_way(folder, hindrance) == ("File too large", "Raise 'ulimit -f', then start Banksman again.")
    assert write_hindrance(folder) is None
    assert not (folder / "written-at-start").exists()


@pytest.mark.parametrize(("number", "way"), [
    (errno.ENOSPC, "Free some space there"), (errno.EROFS, "Make that folder writable"),
    (errno.EACCES, "Make that folder writable"), (errno.EIO, "Choose a folder you can write to"),
])  # fmt: skip
def test_each_reason_that_keeps_a_store_from_being_written_has_its_way_on(tmp_path, number, way):
    reason, told = reason_and_way(tmp_path, OSError(number, os.strerror(number)))
    assert reason == os.strerror(number)
    assert told.startswith(way)


@pytest.mark.parametrize("odd", ["folder", "link"])
def test_a_lock_that_is_no_file_is_named_with_what_to_do(folder, opened, odd):
    opened().close()
    lock = folder / "store.lock"
    lock.unlink()
    lock.mkdir() if odd == "folder" else lock.symlink_to("elsewhere")
    store = opened()
    way = "store.lock there is no plain file. Move it away, then start Banksman again."
    assert store.problems == (f"The chats in {folder} cannot be written: {way}",)
