"""The private copy of an index: the same bytes and time, nothing for none, and nothing waits for a pipe."""

import os
import sys
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.git.index_copy import copy_index
from tests.agent.rig import make_repository


def test_the_copy_is_the_index_with_its_time(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "shop") / ".git"
    os.utime(folder / "index", ns=(1, 1_600_000_000_000_000_001))
    copy_index(folder, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (folder / "index").read_bytes()
    assert (tmp_path / "copy").stat().st_mtime_ns == 1_600_000_000_000_000_001


def test_where_there_is_no_index_there_is_no_copy(tmp_path: Path) -> None:
    copy_index(tmp_path, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe in the place of a file")
def test_a_pipe_in_the_place_of_the_index_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "index")
    with pytest.raises(GitError, match="is no regular file"):
        copy_index(tmp_path, tmp_path / "copy")
