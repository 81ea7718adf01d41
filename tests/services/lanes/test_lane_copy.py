"""Ignored files of the checkout come into a lane, and only those."""

import os
import stat
from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.services.lanes.making.copy import copy_ignored
from tests.agent.rig import git, make_repository


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    ignored = ".env\n*.local\nlinks\nnested/\nout/\n"
    made = make_repository(tmp_path / "shop", {".gitignore": ignored, "app.py": "x", "kept.local.md": "x"})
    (made / "tracked.local").write_text("tracked")
    git(made, "add", "-f", "tracked.local")
    git(made, "commit", "-q", "-m", "more")
    (made / ".env").write_text("KEY=1")
    (made / ".env").chmod(0o640)
    (made / "conf").mkdir()
    (made / "conf" / "a.local").write_text("a")
    (made / "conf" / "run.local").write_text("#!/bin/sh")
    (made / "conf" / "run.local").chmod(0o755)
    (made / "notes.txt").write_text("not ignored")
    (tmp_path / "x").write_text("outside")
    (made / "link.local").symlink_to(tmp_path / "x")
    (made / "links").symlink_to(tmp_path)
    return made


@pytest.fixture
def lane(tmp_path: Path, checkout: Path) -> Path:
    git(checkout, "worktree", "add", "-q", "-b", "lane/a", str(tmp_path / "lane"))
    return tmp_path / "lane"


@pytest.mark.promise("lanes-L19")
def test_ignored_files_are_copied_with_their_permissions_and_the_rest_is_named_with_a_reason(
    checkout: Path, lane: Path
) -> None:
    (lane / "conf").mkdir()
    (lane / "conf" / "a.local").write_text("the lane's own")
    before = {path: path.stat().st_mtime_ns for path in checkout.rglob("*") if path.is_file()}
    patterns = ("../x", ".env", "*.local", "notes.txt", "/conf/../../x", "nothing*")
    result = copy_ignored(checkout, lane, patterns, 50)
    assert result.copied == (".env", "conf/run.local")
    assert result.secrets == (".env",)
    assert dict(result.skipped) == {
        "../x": "it leads out of the checkout",
        "/conf/../../x": "it leads out of the checkout",
        "tracked.local": "git tracks it, so the lane has its own",
        "notes.txt": "git does not ignore it",
        "link.local": "it is a link",
        "conf/a.local": "the lane has a file of this name",
    }
    assert (lane / ".env").read_text() == "KEY=1"
    assert stat.S_IMODE((lane / ".env").stat().st_mode) == 0o640
    assert os.access(lane / "conf" / "run.local", os.X_OK)
    assert (lane / "conf" / "a.local").read_text() == "the lane's own"
    assert not (lane / "link.local").exists()
    assert not (lane / "notes.txt").exists()
    assert before == {path: path.stat().st_mtime_ns for path in checkout.rglob("*") if path.is_file()}
    assert git(checkout, "status", "--porcelain") == "?? notes.txt\n"


def test_a_link_in_the_lane_leads_nothing_out_of_it(checkout: Path, lane: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (lane / "conf").symlink_to(tmp_path / "elsewhere")
    result = copy_ignored(checkout, lane, ("conf/*",), 50)
    assert result.copied == ()
    assert [path for path, _ in result.skipped] == ["conf/a.local", "conf/run.local"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_no_more_is_copied_than_allowed_and_other_repositories_are_left_out(checkout: Path, lane: Path) -> None:
    (checkout / "out").mkdir()
    with (checkout / "out" / "big").open("wb") as file:
        file.truncate(1024 * 1024 + 1)
    (checkout / "out" / "small").write_bytes(b"x")
    make_repository(checkout / "nested" / "inner")
    os.mkfifo(checkout / "pipe.local")
    result = copy_ignored(checkout, lane, ("out/", "nested/", "pipe.*"), 1)
    assert result.copied == ("out/small",)
    assert result.bytes_copied == 1
    reasons = dict(result.skipped)
    assert "copy.max_mb" in reasons["out/big"]
    assert not (lane / "nested").exists()
    assert not (lane / "pipe.local").exists()


def test_a_folder_that_is_no_repository_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(LaneError, match="could not be listed"):
        copy_ignored(tmp_path / "none", tmp_path, (".env",), 1)
    assert copy_ignored(tmp_path / "none", tmp_path, ("../x",), 1).skipped == (
        ("../x", "it leads out of the checkout"),
    )
