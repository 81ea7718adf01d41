"""The room that a lane takes, and what of it can be had back."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.services.lanes.endings.disk_use import check_removable, ignored_folders, measure
from tests.agent.rig import git, make_repository

KB = 1024


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "shop", {".gitignore": "node_modules/\nout/\n*.log\nrepos/\n", "app.py": "x"})
    for folder in ("node_modules/a", "web/node_modules", "out", "mixed", "repos"):
        (made / folder).mkdir(parents=True)
    (made / "node_modules" / "a" / "big").write_bytes(b"x" * 400 * KB)
    (made / "web" / "node_modules" / "b").write_bytes(b"x" * 100 * KB)
    os.link(made / "web" / "node_modules" / "b", made / "web" / "node_modules" / "again")
    (made / "web" / "kept.log").write_text("ignored, but not its folder")
    (made / "api").mkdir()
    (made / "api" / "index.js").write_text("untracked")
    (made / "mixed" / "a.log").write_bytes(b"x" * 50 * KB)
    (made / "mixed" / "note.txt").write_text("untracked")
    (made / "out" / "tracked.txt").write_text("tracked")
    (made / "out" / "big").write_bytes(b"x" * 50 * KB)
    git(made, "add", "-f", "out/tracked.txt")
    make_repository(made / "repos" / "inner")
    (made / "link").symlink_to(tmp_path)
    return made


@pytest.mark.promise("lanes-L5")
def test_ignored_folders_are_told_by_size_and_nothing_else(lane: Path) -> None:
    use = measure(lane)
    assert [path for path, _ in use.folders] == ["node_modules", "web/node_modules"]
    sizes = dict(use.folders)
    assert 400 * KB <= sizes["node_modules"] < 420 * KB
    assert 100 * KB <= sizes["web/node_modules"] < 120 * KB
    assert use.reclaimable == sum(sizes.values())
    assert 600 * KB <= use.size < 1300 * KB
    assert not use.more_than


def test_what_is_too_much_is_not_counted_to_the_end(lane: Path) -> None:
    assert measure(lane, most=5).more_than
    assert measure(lane, most=5).folders == ()
    for number in range(1100):
        (lane / "node_modules" / f"f{number}").touch()
    assert measure(lane, limit_s=0).more_than
    assert measure(lane, stop=lambda: True).more_than


@pytest.mark.promise("lanes-L6")
def test_a_folder_may_go_only_while_all_of_it_is_ignored(lane: Path) -> None:
    for folder in ignored_folders(lane):
        if folder in ("node_modules", "web/node_modules"):
            check_removable(lane, folder)
    for folder, why in (
        ("web", "not ignore"), ("api", "not ignore"),
        ("mixed", "not ignore"), ("out", "not ignore"), ("repos", "repository of its own"),
        ("link", "not ignore"), ("../shop", "not ignore"), ("", "not ignore"), (".git", "not ignore"),
    ):  # fmt: skip
        with pytest.raises(LaneError, match=why):
            check_removable(lane, folder)
    git(lane, "add", "-f", "node_modules/a/big")
    with pytest.raises(LaneError, match="not ignore"):
        check_removable(lane, "node_modules")
    (lane / ".gitignore").write_text("")
    with pytest.raises(LaneError, match="any more"):
        check_removable(lane, "web/node_modules")
