"""Merging in memory where a merge driver is configured: the lane stays as it is, and the result is what git would give
in it."""

import os
from pathlib import Path

import pytest

from desktop.services.git.run import Git
from desktop.services.git.trees.merge import TreeMerge, merge_trees
from desktop.services.lanes.stacks.conflicts import ConflictReader, Predicted
from tests.agent.rig import git, make_repository
from tests.services.merge_place import LINES, Place, make_place

DRIVER = ("config", "merge.mine.driver", "false")
OURS, THEIRS = LINES.replace("one", "ONE"), LINES.replace("six", "SIX")
BOTH = OURS.replace("six", "SIX")
NEVER = 1_000_000_000


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A repository with a driver for all of its files, and files in a subfolder."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    place = make_place(tmp_path)
    git(place.root, *DRIVER)
    place.commit(place.root, "files", {".gitattributes": "* merge=mine\n", "sub/deep/file.txt": LINES})
    return place


def untouched(folder: Path) -> list[Path]:
    """The folders of a lane, with a time that every file which is made or removed in them would change."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for one in folders:
        os.utime(one, (NEVER, NEVER))
    return folders


def sides(place: Place, path: str, ours: str = OURS, theirs: str = THEIRS) -> tuple[Path, str, str]:
    """A lane that changed a file, and the commits of both sides."""
    folder = Path(place.lane("fix").worktree_path)
    mine = place.commit(folder, "ours", {path: ours})
    return folder, mine, place.commit(place.root, "theirs", {path: theirs})


def merged(folder: Path, ours: str, theirs: str) -> TreeMerge:
    """Merge, and see that nothing was made in the lane meanwhile."""
    folders = untouched(folder)
    done = merge_trees(Git(folder), ours, theirs)
    assert [one for one in folders if one.stat().st_mtime != NEVER] == []
    return done


@pytest.mark.parametrize("path", ["app.py", "sub/deep/file.txt"])
def test_a_driver_makes_no_passing_file_in_the_lane(place: Place, path: str) -> None:
    folder, ours, theirs = sides(place, path)
    done = merged(folder, ours, theirs)
    assert done.outcome == "clean"
    assert git(folder, "show", f"{done.tree}:{path}") == BOTH


def test_what_does_not_fit_is_named_with_the_marks_of_git(place: Place) -> None:
    folder, ours, theirs = sides(place, "sub/deep/file.txt", theirs=LINES.replace("one", "uno"))
    done = merged(folder, ours, theirs)
    assert (done.outcome, done.files) == ("conflict", ("sub/deep/file.txt",))
    assert "<<<<<<< ours\nONE\n=======\nuno\n>>>>>>> theirs\n" in git(folder, "show", f"{done.tree}:{done.files[0]}")


@pytest.mark.asyncio
async def test_foretelling_makes_no_passing_file_in_the_lane(place: Place, tmp_path: Path) -> None:
    folder, ours, theirs = sides(place, "sub/deep/file.txt")
    reader = ConflictReader(place.root, tmp_path / "objects")
    folders = untouched(folder)
    assert await reader.merged(folder, ours, theirs) == Predicted("clean")
    assert [one for one in folders if one.stat().st_mtime != NEVER] == []


@pytest.mark.parametrize("where", ["", "sub", "sub/deep"])
def test_attributes_of_every_folder_above_count_before_they_are_committed(place: Place, where: str) -> None:
    folder, ours, theirs = sides(place, "sub/deep/file.txt", theirs=LINES.replace("one", "uno"))
    (folder / where / ".gitattributes").write_text("*.txt merge=union\n")
    done = merged(folder, ours, theirs)
    assert done.outcome == "clean"
    assert "ONE\nuno\n" in git(folder, "show", f"{done.tree}:sub/deep/file.txt")


def test_attributes_that_are_a_link_do_not_count(place: Place, tmp_path: Path) -> None:
    folder, ours, theirs = sides(place, "sub/deep/file.txt", theirs=LINES.replace("one", "uno"))
    (tmp_path / "elsewhere").write_text("*.txt merge=union\n")
    (folder / "sub" / ".gitattributes").symlink_to(tmp_path / "elsewhere")
    assert merged(folder, ours, theirs).outcome == "conflict"


@pytest.mark.parametrize("absolute", [False, True])
def test_a_file_of_attributes_that_the_settings_name_counts(place: Place, absolute: bool) -> None:
    git(place.root, "rm", "-q", ".gitattributes")
    place.commit(place.root, "no attributes", {"app.py": LINES})
    folder, ours, theirs = sides(place, "app.py", theirs=LINES.replace("one", "uno"))
    (folder / "rules").write_text("*.py merge=union\n")
    git(place.root, "config", "core.attributesFile", str(folder / "rules") if absolute else "rules")
    assert merged(folder, ours, theirs).outcome == "clean"


def test_a_repository_inside_that_went_on_is_merged(place: Place, tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    git(place.root, "clone", "-q", str(inner), "inside")
    place.commit(place.root, "inside", {})
    folder = Path(place.lane("fix").worktree_path)
    git(folder, "clone", "-q", str(inner), "inside")
    ours = gone_on(place, folder, "first\n")
    git(place.root / "inside", "fetch", "-q", str(folder / "inside"), "HEAD")
    git(place.root / "inside", "checkout", "-q", "FETCH_HEAD")
    theirs = gone_on(place, place.root, "second\n")
    git(folder / "inside", "fetch", "-q", str(place.root / "inside"), "HEAD")
    newest = git(place.root / "inside", "rev-parse", "HEAD").strip()
    done = merged(folder, ours, theirs)
    assert done.outcome == "clean"
    assert newest in git(folder, "ls-tree", done.tree, "inside")


def gone_on(place: Place, folder: Path, text: str) -> str:
    """One commit more in the repository inside, and one that holds it."""
    (folder / "inside" / "app.py").write_text(text)
    git(folder / "inside", "commit", "-q", "-a", "-m", text)
    return place.commit(folder, text, {})


def test_without_a_driver_git_stands_in_the_lane(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    folder, ours, theirs = sides(place, "app.py")
    assert not Git(folder).has_drivers
    assert merged(folder, ours, theirs).outcome == "clean"


def test_a_commit_that_git_does_not_know_is_unknown(place: Place) -> None:
    folder, ours, _ = sides(place, "app.py")
    assert merged(folder, ours, "0" * 40).outcome == "unknown"
