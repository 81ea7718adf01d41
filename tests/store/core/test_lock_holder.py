"""Who holds the lock of a database, from the system's own list of locks."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from desktop.store.core.lock_holder import lock_holders
from desktop.store.sqlite.connection import write_failure

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the list of locks is one of Linux")
HOLD = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("PRAGMA journal_mode=WAL")
other.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_another_program_is_named_in_the_sentence_and_is_no_longer_once_it_let_go(tmp_path: Path) -> None:
    file = tmp_path / "banksman.db"
    words = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        name = Path(f"/proc/{other.pid}/comm").read_text().strip()
        assert lock_holders(file) == (f"{name} (process {other.pid})",)
        said = write_failure(tmp_path, sqlite3.OperationalError("database is locked"))
        assert said == (
            f"Nothing was recorded: the database in {tmp_path} is locked by {name} (process {other.pid}). Close that, "
            "then try again."
        )
        other.communicate()
    assert lock_holders(file) == ()
    assert "is locked by another program" in write_failure(tmp_path, sqlite3.OperationalError("database is locked"))


def test_this_program_itself_is_not_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "banksman.db", isolation_level=None)) as own:
        own.execute("PRAGMA journal_mode=WAL")
        own.execute("BEGIN IMMEDIATE")
        assert lock_holders(tmp_path / "banksman.db") == ()


def test_without_a_list_nobody_is_named(tmp_path: Path) -> None:
    assert lock_holders(tmp_path / "banksman.db", tmp_path / "missing") == ()


def test_lines_that_name_nobody_are_passed_over_and_one_that_is_gone_has_no_name(tmp_path: Path) -> None:
    file = tmp_path / "banksman.db"
    file.touch()
    facts = file.stat()
    place = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"
    lines = [
        "short",
        f"1: POSIX  ADVISORY  READ 12 {place} 0 EOF",
        "2: POSIX  ADVISORY  WRITE 13 00:00:1 0 EOF",
        f"3: OFDLCK ADVISORY  WRITE -1 {place} 0 EOF",
        f"4: POSIX  ADVISORY  WRITE 999999999 {place} 0 EOF",
        f"4: -> POSIX  ADVISORY  WRITE 999999999 {place} 0 EOF",
    ]
    listed = tmp_path / "locks"
    listed.write_text("\n".join(lines))
    assert lock_holders(file, listed) == ("a program (process 999999999)",)
