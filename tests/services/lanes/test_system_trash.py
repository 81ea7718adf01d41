"""What is moved to the trash can be brought back by the desktop."""

import sys
from pathlib import Path

import pytest

from desktop.services.lanes.endings.system_trash import NoTrash, move_to_trash

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="FreeDesktop rules")


def test_folders_of_one_name_lie_beside_each_other_with_where_they_came_from(tmp_path: Path) -> None:
    trash = tmp_path / "data" / "Trash"
    for number in (1, 2):
        folder = tmp_path / f"at {number}" / "node_modules"
        folder.mkdir(parents=True)
        (folder / "a.js").write_text(str(number))
        move_to_trash(folder, {"XDG_DATA_HOME": str(tmp_path / "data")})
        assert not folder.exists()
    assert (trash / "files" / "node_modules" / "a.js").read_text() == "1"
    assert (trash / "files" / "node_modules.2" / "a.js").read_text() == "2"
    told = (trash / "info" / "node_modules.2.trashinfo").read_text().splitlines()
    assert told[0] == "[Trash Info]"
    assert told[1] == f"Path={tmp_path}/at%202/node_modules"
    assert told[2].startswith("DeletionDate=20")


def test_without_a_trash_nothing_is_moved(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "Trash").write_text("in the way")
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(NoTrash, match="could not take it"):
        move_to_trash(folder, {"XDG_DATA_HOME": str(tmp_path / "share")})
    assert folder.is_dir()


def test_another_file_system_has_a_trash_of_its_own_at_its_top(tmp_path: Path) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    folder = other / f"banksman {tmp_path.name}" / "out"
    folder.mkdir(parents=True)
    try:
        move_to_trash(folder, {"XDG_DATA_HOME": str(tmp_path)})
        assert not folder.exists()
        (info,) = (one for one in other.glob(".Trash*/**/info/out*.trashinfo") if tmp_path.name in one.read_text())
        assert f"Path=banksman%20{tmp_path.name}/out" in info.read_text()
        (info.parent.parent / "files" / info.stem).rmdir()
        info.unlink()
    finally:
        folder.parent.rmdir()
