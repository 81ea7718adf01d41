"""What a command plants in protected places of a lane: moved aside, put back, told (gate-B3)."""

from pathlib import Path

import pytest

from desktop.services.planted import guarded_places, put_right
from tests.agent.rig import git, make_repository


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "shop", {"app.py": "x\n", ".gitattributes": "* text\n"})
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    return tmp_path / "lane"


def test_ordinary_changes_are_nobody_s_business(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    (lane / "new.py").write_text("x")
    (lane / ".vscode").mkdir()
    (lane / ".vscode" / "notes.txt").write_text("x")
    (lane / "node_modules" / "x").mkdir(parents=True)
    (lane / "node_modules" / "x" / ".envrc").write_text("x")
    assert put_right(lane, before, tmp_path / "aside") == ()
    assert (lane / "node_modules" / "x" / ".envrc").exists()


def test_names_that_other_programs_run_on_sight_are_moved_aside(lane: Path, tmp_path: Path) -> None:
    (lane / ".vscode").mkdir()
    before = guarded_places(lane)
    (lane / ".vscode" / "tasks.json").write_text("{}")
    (lane / "sub" / ".husky").mkdir(parents=True)
    (lane / ".envrc").symlink_to("/etc/passwd")
    told = put_right(lane, before, tmp_path / "aside")
    assert len(told) == 3
    assert "A command made .envrc, which other programs run or trust on sight. It was moved to " in told[0]
    assert not (lane / ".vscode" / "tasks.json").exists()
    assert not (lane / "sub" / ".husky").exists()
    assert sorted(path.name for path in (tmp_path / "aside").iterdir()) == ["1-.envrc", "2-tasks.json", "3-.husky"]
    assert (tmp_path / "aside" / "1-.envrc").is_symlink()


def test_a_repository_of_its_own_inside_the_lane_is_moved_aside(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    make_repository(lane / "inner")
    (told,) = put_right(lane, before, tmp_path / "aside")
    assert told.startswith("A command made inner/.git, ")
    assert (lane / "inner" / "app.py").exists()


@pytest.mark.parametrize("how", ["write", "remove", "link", "folder"])
def test_the_lane_s_git_file_is_put_back(lane: Path, tmp_path: Path, how: str) -> None:
    before = guarded_places(lane)
    original = (lane / ".git").read_bytes()
    if how == "write":
        (lane / ".git").write_text("gitdir: /elsewhere\n")
    else:
        (lane / ".git").unlink()
    if how == "link":
        (lane / ".git").symlink_to("/etc")
    if how == "folder":
        (lane / ".git").mkdir()
    assert put_right(lane, before, tmp_path / "aside") == ("A command changed the lane's .git file. It was put back.",)
    assert (lane / ".git").read_bytes() == original


def test_changed_git_settings_and_new_hooks_are_told(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    common = tmp_path / "shop" / ".git"
    (common / "config").write_text("[core]\n\tfsmonitor = /x\n")
    (common / "hooks").mkdir(exist_ok=True)
    (common / "hooks" / "post-checkout").write_text("x")
    told = put_right(lane, before, tmp_path / "aside")
    assert told == tuple(f"A command changed Git's own settings: {common / name}" for name in
                         ("config", "hooks/post-checkout"))  # fmt: skip


def test_what_the_lane_s_commits_hold_is_told_and_stays(lane: Path, tmp_path: Path) -> None:
    kept = (lane / ".gitattributes").read_bytes()
    (lane / ".gitattributes").unlink()
    before = guarded_places(lane)
    (lane / ".gitattributes").write_bytes(kept)
    (told,) = put_right(lane, before, tmp_path / "aside")
    assert told == "A command brought back .gitattributes, which other programs run or trust on sight."
    assert (lane / ".gitattributes").exists()
    before = guarded_places(lane)
    (lane / ".gitattributes").write_text("* filter=x\n")
    (told,) = put_right(lane, before, tmp_path / "aside")
    assert told.startswith("A command changed .gitattributes")
