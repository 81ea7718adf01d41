"""The folders of tests in memory: at their usual place, for the tests alone, and gone with them."""

import getpass
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import in_memory
import pytest

PLACE = Path(tempfile.gettempdir()) / f"pytest-of-{getpass.getuser()}"
needs_root = pytest.mark.skipif(
    not in_memory.begin_with(), reason="only root may mount something, where a container lets it, and has the memory"
)


@needs_root
def test_what_is_written_there_is_seen_by_the_tests_alone() -> None:
    written = PLACE / f"in-memory-{os.getpid()}"
    script = f"import os; open({str(written)!r}, 'x'); print(os.listdir({str(PLACE)!r}))"
    done = subprocess.run([*in_memory.begin_with(), sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.decode().strip() == f"['{written.name}']"
    assert not written.exists()


@needs_root
def test_the_status_is_that_of_the_tests() -> None:
    words = [*in_memory.begin_with(), sys.executable, "-c", "raise SystemExit(5)"]
    assert subprocess.run(words, check=False).returncode == 5


def test_where_memory_is_short_they_are_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_memory, "ENOUGH_MB", 10**9)
    assert in_memory.begin_with() == []
