"""What a killed process left in temporary folders goes, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.services.files.leftovers import passing_prefix, sweep

ENDED = "import sys; from desktop.services.files.leftovers import passing_prefix; sys.stdout.write(passing_prefix())"


@pytest.fixture(scope="module")
def ended() -> str:
    """What the names of a process that is no more begin with."""
    return subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, check=True).stdout


def test_folders_files_and_sockets_of_ended_processes_go(ended: str, tmp_path: Path) -> None:
    folder, key = tmp_path / f"{ended}abc", tmp_path / f".{ended}abc.key"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text("x")
    key.write_text("x")
    assert set(sweep([tmp_path])) >= {folder, key}
    assert list(tmp_path.iterdir()) == []


def test_what_lives_and_what_only_looks_like_it_stays(ended: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("x")
    kept = ["banksman-12345-notes", "banksman-passing-pid", "banksman-passing-pid7", f"x{ended}abc", "banksman-abc"]
    for name in (*kept, f"{passing_prefix()}abc", f"banksman-passing-pid{os.getppid()}-abc"):
        (tmp_path / name).mkdir()
    (tmp_path / f"{ended}link").symlink_to(outside)
    assert sweep([tmp_path / "none", tmp_path])[-1:] == (tmp_path / f"{ended}link",)
    assert (outside / "file").read_text() == "x"
    assert len(list(tmp_path.iterdir())) == len(kept) + 3
