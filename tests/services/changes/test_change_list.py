"""What the Changes tab lists of a real lane, and that looking changes nothing."""

import hashlib
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.changes.values import FileDiff
from desktop.domain.core.work import ChangedFile
from desktop.domain.lanes.lane import Lane
from desktop.services.changes.file_diff import Lines
from desktop.services.changes.lane import Listed, file_diff, listed_changes
from desktop.services.changes.scope import commit_sides, lane_sides, uncommitted_sides
from desktop.services.changes.sides import Sides
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from tests.agent.rig import GIT_ENVIRONMENT, git, make_repository

BODY = "".join(f"{number}\n" for number in range(30))
ODD = "pu\u202egip résumé\n .txt"


def lane_at(root: Path, **more: object) -> Lane:
    found = root.stat()
    values = {
        "id": "ln_1", "project_id": "prj_1", "name": "app", "branch": "main", "worktree_path": str(root),
        "device": found.st_dev, "inode": found.st_ino, "created_at": datetime.now(UTC), **more,
    }  # fmt: skip
    return Lane.model_validate(values)


def listed(root: Path, sides: Sides, **more: bool) -> Listed:
    return listed_changes(LaneFiles(root), sides, {}, **more)


def files_in(root: Path, sides: Sides, **more: bool) -> dict[str, ChangedFile]:
    return {file.path: file for file in listed(root, sides, **more).listing.files}


def diff(root: Path, sides: Sides, path: str, old_path: str = "") -> FileDiff:
    return file_diff(LaneFiles(root), sides, path, old_path, Lines())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository on branch lane, one commit ahead of main, with all kinds of changes that are not committed."""
    root = make_repository(
        tmp_path / "app",
        {"a.txt": BODY, "gone.txt": "gone\n", "old/name.txt": BODY, "run.sh": "true\n", "kind.txt": "a\n",
         "crlf.txt": "1\r\n2\r\n", "same.txt": "x\n", "space.txt": "a b\n", ".gitattributes": "*.win text eol=crlf\n"},
    )  # fmt: skip
    (root / "text.win").write_bytes(b"one\r\ntwo\r\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    git(root, "switch", "-q", "-c", "lane")
    (root / "done.txt").write_text("committed\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "third")
    change(root)
    return root


def change(root: Path) -> None:
    (root / "a.txt").write_text(BODY.replace("5\n", "five\n"))
    (root / "gone.txt").unlink()
    (root / "old/name.txt").rename(root / "new name.txt")
    (root / "new name.txt").write_text(BODY + "more\n")
    (root / "run.sh").chmod(0o755)
    (root / "kind.txt").unlink()
    (root / "kind.txt").symlink_to("a.txt")
    (root / "crlf.txt").write_bytes(b"1\n2\n")
    (root / "text.win").write_bytes(b"one\r\n2\r\n")
    (root / "space.txt").write_text("a  b\n")
    (root / "same.txt").write_text("x\n")
    os.utime(root / "same.txt", (1, 1))
    (root / ODD).write_text("odd\n")
    (root / "package-lock.json").write_text("{}\n")
    (root / "data.bin").write_bytes(b"\0\1")
    (root / ".gitignore").write_text("ignored\n")
    (root / "ignored").write_text("secret\n")


def state_of(root: Path) -> str:
    """Everything of a repository and its files that a look must leave alone."""
    found = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        facts = path.lstat()
        written = 0 if path.name.startswith("sharedindex.") else facts.st_mtime_ns  # git notes that it is in use
        found.update(repr((str(path), facts.st_mode, written, facts.st_size)).encode("utf-8", "replace"))
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


def test_all_kinds_of_changes_are_listed_and_nothing_is_written(root: Path) -> None:
    git(root, "config", "core.splitIndex", "true")
    git(root, "update-index", "--split-index")
    before = state_of(root)
    sides = uncommitted_sides(Git(root))
    files = files_in(root, sides)
    assert {path: (file.status, file.added, file.removed) for path, file in files.items()} == {
        ".gitignore": ("untracked", 1, 0), "a.txt": ("modified", 3, 3), "crlf.txt": ("modified", 2, 2),
        "data.bin": ("untracked", 0, 0), "gone.txt": ("deleted", 0, 1), "kind.txt": ("type_changed", 1, 1),
        "new name.txt": ("renamed", 1, 0), ODD: ("untracked", 1, 0), "package-lock.json": ("untracked", 1, 0),
        "run.sh": ("modified", 0, 0), "space.txt": ("modified", 1, 1), "text.win": ("modified", 1, 1),
    }  # fmt: skip
    assert files["new name.txt"].old_path == "old/name.txt"
    assert files["run.sh"].mode_change == "100644 → 100755"
    assert files["data.bin"].binary
    assert [path for path, file in files.items() if file.generated] == ["package-lock.json"]
    assert (files["a.txt"].size_before, files["a.txt"].size_after) == (len(BODY), len(BODY) + 9)
    assert files["a.txt"].sha256 == hashlib.sha256((root / "a.txt").read_bytes()).hexdigest()
    assert "space.txt" not in files_in(root, sides, ignore_space=True)
    assert "run.sh" in files_in(root, sides, ignore_space=True)
    for path, file in files.items():
        assert diff(root, sides, path, file.old_path).sha256 == file.sha256
    assert state_of(root) == before


def test_a_diff_is_of_the_bytes_in_the_lane(root: Path) -> None:
    sides = uncommitted_sides(Git(root))
    windows = diff(root, sides, "text.win")
    assert [tuple(line[3:]) for line in windows.hunks[0].lines] == [("one", "\r\n"), ("two", "\r\n"), ("2", "\r\n")]
    assert windows.note == ""
    assert diff(root, sides, "crlf.txt").note == "Only the line ends changed: CRLF → LF."
    assert diff(root, sides, "new name.txt", "old/name.txt").changed_lines == 1
    assert diff(root, sides, "gone.txt").sha256 == ""
    assert [line.text for line in diff(root, sides, ODD).hunks[0].lines] == ["odd"]
    link = diff(root, sides, "kind.txt")
    assert (link.note, [line.text for line in link.hunks[0].lines]) == ("Was a file, is a link.", ["a", "a.txt"])


def test_the_lane_is_compared_with_where_it_left_its_base(root: Path) -> None:
    git_in, here = Git(root), git(root, "rev-parse", "main").strip()
    lane = lane_at(root, base_ref="main", base_oid=here)
    found = listed(root, lane_sides(git_in, lane))
    assert "done.txt" in {file.path for file in found.listing.files}
    assert lane_sides(git_in, lane).words == "main"
    git(root, "stash", "-q", "-u")
    git(root, "switch", "-q", "main")
    (root / "a.txt").write_text("other\n")
    git(root, "commit", "-q", "-a", "-m", "main goes on")
    newest = git(root, "rev-parse", "main").strip()
    git(root, "switch", "-q", "lane")
    assert lane_sides(git_in, lane).old.oid == here, "what only the base has is no change of the lane"
    git(root, "merge", "-q", "main")
    assert lane_sides(git_in, lane).old.oid == newest
    assert lane_sides(git_in, lane_at(root, base_ref="no such", base_oid=here)).old.oid == here
    assert lane_sides(git_in, lane_at(root)).old.oid == git(root, "rev-parse", "HEAD").strip()


def test_a_commit_is_compared_with_its_parent(root: Path) -> None:
    third = commit_sides(Git(root), "HEAD")
    assert list(files_in(root, third)) == ["done.txt"]
    first = commit_sides(Git(root), "HEAD~2")
    assert files_in(root, first)["a.txt"].status == "added"
    with pytest.raises(Exception, match='There is no commit "--all"'):
        commit_sides(Git(root), "--all")


def test_a_repository_without_a_commit_and_a_detached_head(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a").write_text("a\n")
    (root / "b").write_text("b\n")
    git(root, "add", "b")
    sides = lane_sides(Git(root), lane_at(root))
    assert {path: file.status for path, file in files_in(root, sides).items()} == {"a": "untracked", "b": "added"}
    assert diff(root, sides, "a").changed_lines == 1
    git(root, "commit", "-q", "-m", "first")
    git(root, "switch", "-q", "--detach")
    assert list(files_in(root, uncommitted_sides(Git(root)))) == ["a"]


def test_conflicts_submodules_and_repositories_inside(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app", {"f": "base\n"})
    inner = make_repository(tmp_path / "inner", {"x": "1\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "-q", "-m", "with a submodule")
    git(root, "switch", "-q", "-c", "side")
    (root / "f").write_text("side\n")
    git(root, "commit", "-q", "-a", "-m", "side")
    git(root, "switch", "-q", "main")
    (root / "f").write_text("main\n")
    git(root, "commit", "-q", "-a", "-m", "main")
    subprocess.run(["git", "merge", "side"], cwd=root, env=GIT_ENVIRONMENT, capture_output=True, check=False)
    (root / "sub" / "x").write_text("2\n")
    git(root / "sub", "commit", "-q", "-a", "-m", "two")
    make_repository(root / "own", {"y": "1\n"})
    sides = uncommitted_sides(Git(root))
    files = files_in(root, sides)
    assert {path: (file.status, file.submodule) for path, file in files.items()} == {
        "f": ("conflicted", False), "own": ("untracked", True), "sub": ("modified", True),
    }  # fmt: skip
    assert diff(root, sides, "sub").note.startswith("Submodule ")
    assert diff(root, sides, "f").changed_lines == 4


def test_a_picture_that_was_only_written_again_does_not_differ(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app")
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a picture")
    (root / "dot.png").unlink()
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert files_in(root, uncommitted_sides(Git(root))) == {}
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\1")
    assert files_in(root, uncommitted_sides(Git(root)))["dot.png"].binary


def test_more_than_300_files_are_counted(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app")
    for number in range(310):
        (root / f"{number}.txt").write_text("x\n")
    found = listed(root, uncommitted_sides(Git(root)))
    assert (len(found.listing.files), found.listing.more, found.listing.count) == (300, 10, 310)


@pytest.mark.promise("lanes-G3")
def test_a_filter_of_the_repository_does_not_run(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app", {"a.txt": "a\n", ".gitattributes": "*.txt filter=x diff=x\n"})
    ran = tmp_path / "ran"
    for key in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.x.command", "diff.external"):
        git(root, "config", key, f"touch {ran}; cat")
    (root / "a.txt").write_text("b\n")
    sides = uncommitted_sides(Git(root))
    assert list(files_in(root, sides)) == ["a.txt"]
    assert diff(root, sides, "a.txt").changed_lines == 2
    assert not ran.exists()


def test_links_that_lead_nowhere_and_files_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app")
    (root / "link").symlink_to("nowhere")
    (root / "closed").write_text("x\n")
    (root / "closed").chmod(0)
    os.mkfifo(root / "pipe")
    files = files_in(root, uncommitted_sides(Git(root)))
    assert sorted(files) == ["closed", "link"]
    assert (files["link"].added, files["link"].status) == (1, "untracked")


def test_names_that_are_no_text_are_listed(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app")
    (root / os.fsdecode(b"bad\xff")).write_text("x\n")
    (name,) = files_in(root, uncommitted_sides(Git(root)))
    assert diff(root, uncommitted_sides(Git(root)), name).changed_lines == 1
