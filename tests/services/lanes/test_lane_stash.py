"""Stashes of a lane: put aside and brought back byte for byte, never seen by another lane or by git's own stash."""

import os
from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.making.stash import LaneStashes
from tests.agent.rig import git
from tests.services.merge_place import LINES, Place, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return make_place(tmp_path)


def stashes(lane: Lane) -> LaneStashes:
    return LaneStashes(LaneFiles(Path(lane.worktree_path), name=lane.name), lane.id)


def changed_bytes(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Modes and bytes of all files but git's."""
    files = (path for path in folder.rglob("*") if path.name != ".git" and (path.is_file() or path.is_symlink()))
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode, os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        )
        for path in files
    }  # fmt: skip


def test_every_kind_of_change_comes_back_exactly_and_other_lanes_see_nothing_of_it(place: Place) -> None:
    place.commit(place.root, "attributes", {".gitattributes": "*.txt text=auto\n", ".gitignore": "cache\n"})
    lane, other = place.lane("one"), place.lane("two")
    folder, before = Path(lane.worktree_path), place.untouched()
    clean = changed_bytes(folder)
    (folder / "app.py").write_bytes(b"mixed\r\nends\nno last end \xff\xfe")
    (folder / "a" / "b.txt").write_bytes(b"b\r\n")
    (folder / "readme.md").unlink()
    (folder / "new dir").mkdir()
    script = folder / "new dir" / "ü.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(script.stat().st_mode | (script.stat().st_mode & 0o444) >> 2)  # as Git makes them, whatever the umask
    (folder / "link").symlink_to("app.py")
    (folder / "cache").write_text("ignored stays")
    (folder / "staged.txt").write_text("staged")
    git(folder, "add", "staged.txt")
    dirty = changed_bytes(folder)
    made = stashes(lane).push("half done")
    assert (made.number, made.message, made.files) == (1, "half done", 6)
    assert git(folder, "status", "--porcelain") == ""
    assert changed_bytes(folder) == {**clean, "cache": dirty["cache"]}
    assert stashes(other).all() == []
    assert git(folder, "stash", "list") == ""
    assert git(place.root, "stash", "list") == ""
    assert [stash.number for stash in stashes(lane).all()] == [1]
    assert stashes(lane).apply(None).conflicts == ()
    assert changed_bytes(folder) == dirty
    with pytest.raises(LaneError, match=r"There is no stash 7. There are: 1\."):
        stashes(lane).apply(7)
    stashes(lane).drop(1)
    assert stashes(lane).all() == []
    assert made.commit in git(place.root, "for-each-ref", "refs/banksman/stash-dropped")
    assert stashes(lane).push("again").number == 2
    assert stashes(lane).clear() == 1
    with pytest.raises(LaneError, match="Nothing to put aside"):
        stashes(lane).push("nothing")
    assert place.untouched() == before


def test_a_stash_goes_with_later_changes_of_other_lines_and_is_refused_whole_where_it_does_not(place: Place) -> None:
    lane = place.lane("one")
    folder = Path(lane.worktree_path)
    (folder / "app.py").write_text(LINES.replace("one", "stashed"))
    (folder / "loose.txt").write_text("loose")
    stashes(lane).push("")
    place.commit(folder, "other lines", {"app.py": LINES.replace("six", "later")})
    assert stashes(lane).apply(None).changed == ("app.py", "loose.txt")
    assert (folder / "app.py").read_text() == LINES.replace("one", "stashed").replace("six", "later")
    git(folder, "checkout", "-q", "app.py")
    (folder / "loose.txt").unlink()
    (folder / "app.py").write_text(LINES.replace("one", "against it"))
    done = stashes(lane).apply(None)
    assert (done.conflicts, done.changed) == (("app.py",), ())
    assert not (folder / "loose.txt").exists()
    assert (folder / "app.py").read_text() == LINES.replace("one", "against it")
    assert len(stashes(lane).all()) == 1


def test_nothing_is_put_aside_while_an_operation_is_open(place: Place) -> None:
    lane = place.lane("one")
    folder = Path(lane.worktree_path)
    place.commit(folder, "mine", {"app.py": "mine\n"})
    place.commit(place.root, "main", {"app.py": "main\n"})
    with pytest.raises(Exception, match="returned non-zero"):
        git(folder, "merge", "-q", "main")
    with pytest.raises(LaneError, match="A merge is open"):
        stashes(lane).push("")
