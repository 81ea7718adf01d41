"""What a command plants in protected places of a lane: moved aside, put back, told (gate-B3)."""

import os
from pathlib import Path

import pytest

from desktop.services.files.lane_view import LaneView
from desktop.services.gate.guarded_places import MAX_GUARDED, Guarded, GuardedPlaces
from desktop.services.gate.planted import put_right
from tests.agent.rig import git, make_repository


def places(lane: Path, max_guarded: int = MAX_GUARDED) -> GuardedPlaces:
    """The protected places of a lane by a first look."""
    view = LaneView(lane)
    view.look()
    return GuardedPlaces(lane, view, max_guarded=max_guarded)


def guarded_places(lane: Path, max_guarded: int = MAX_GUARDED) -> Guarded:
    """The protected places as they stand now."""
    return places(lane, max_guarded).now()


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
    assert put_right(places(lane), before, tmp_path / "aside").told == ()
    assert (lane / "node_modules" / "x" / ".envrc").exists()


@pytest.mark.promise("gate-B3")
def test_names_that_other_programs_run_on_sight_are_moved_aside(lane: Path, tmp_path: Path) -> None:
    (lane / ".vscode").mkdir()
    before = guarded_places(lane)
    (lane / ".vscode" / "tasks.json").write_text("{}")
    (lane / "sub" / ".husky").mkdir(parents=True)
    (lane / ".envrc").symlink_to("/etc/passwd")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert len(told) == 3
    assert "A command made .envrc, which other programs run or trust on sight. It was moved to " in told[0]
    assert not (lane / ".vscode" / "tasks.json").exists()
    assert not (lane / "sub" / ".husky").exists()
    assert sorted(path.name for path in (tmp_path / "aside").iterdir()) == ["1-.envrc", "2-tasks.json", "3-.husky"]
    assert (tmp_path / "aside" / "1-.envrc").is_symlink()


def test_a_repository_of_its_own_inside_the_lane_is_moved_aside(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    make_repository(lane / "inner")
    (told,) = put_right(places(lane), before, tmp_path / "aside").told
    assert told.startswith("A command made inner/.git, ")
    assert (lane / "inner" / "app.py").exists()


@pytest.mark.promise("gate-B3")
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
    assert put_right(places(lane), before, tmp_path / "aside").told == (
        "A command changed the lane's .git file. It was put back.",
    )
    assert (lane / ".git").read_bytes() == original


def test_changed_git_settings_and_new_hooks_are_told(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    common = tmp_path / "shop" / ".git"
    (common / "config").write_text("[core]\n\tfsmonitor = /x\n")
    (common / "hooks").mkdir(exist_ok=True)
    (common / "hooks" / "post-checkout").write_text("x")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert told == tuple(f"A command changed Git's own settings: {common / name}" for name in
                         ("config", "hooks/post-checkout"))  # fmt: skip


def test_what_the_lane_s_commits_hold_is_told_and_stays(lane: Path, tmp_path: Path) -> None:
    kept = (lane / ".gitattributes").read_bytes()
    (lane / ".gitattributes").unlink()
    before = guarded_places(lane)
    (lane / ".gitattributes").write_bytes(kept)
    (told,) = put_right(places(lane), before, tmp_path / "aside").told
    assert told == "A command brought back .gitattributes, which other programs run or trust on sight."
    assert (lane / ".gitattributes").exists()
    before = guarded_places(lane)
    (lane / ".gitattributes").write_text("* filter=x\n")
    (told,) = put_right(places(lane), before, tmp_path / "aside").told
    assert told.startswith("A command changed .gitattributes")


FOLDERS = [
    ".husky", ".githooks", ".git-hooks", ".lefthook", ".claude", ".cursor", ".codex", ".agents", ".gemini", ".idea",
    ".zed", ".helix", ".devcontainer", ".yarn/releases", ".config/mise", ".mise", ".banksman", "pkg/.husky",
]  # fmt: skip


def commit(lane: Path, name: str, text: str = "as it was\n") -> Path:
    file = lane / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    git(lane, "add", "-f", "--", name)
    git(lane, "commit", "-qm", f"add {name}")
    return file


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_a_command_does_inside_a_guarded_folder_that_was_there_is_seen(
    lane: Path, tmp_path: Path, folder: str
) -> None:
    kept, deep, gone = (commit(lane, f"{folder}/{name}") for name in ("kept", "a/b/deep", "gone"))
    before = guarded_places(lane)
    kept.write_text("evil\n")
    deep.chmod(0o755)
    gone.unlink()
    (lane / folder / "new").write_text("evil\n")
    (lane / folder / "a" / "more").mkdir()
    (lane / folder / "a" / "more" / "x").write_text("evil\n")
    aside = tmp_path / "aside"
    assert put_right(places(lane), before, aside).told == (
        f"A command made {folder}/a/more, which other programs run or trust on sight. It was moved to {aside}/1-more.",
        f"A command made {folder}/new, which other programs run or trust on sight. It was moved to {aside}/2-new.",
        f"A command changed {folder}/a/b/deep, which other programs run or trust on sight.",
        f"A command changed {folder}/kept, which other programs run or trust on sight.",
        f"A command removed {folder}/gone, which other programs run or trust on sight.",
    )
    assert not (lane / folder / "new").exists()
    assert kept.read_text() == "evil\n"
    assert put_right(places(lane), guarded_places(lane), aside).told == ()


def test_a_change_that_hides_its_time_and_size_is_seen(lane: Path, tmp_path: Path) -> None:
    hook = commit(lane, ".husky/pre-commit", "true \n")
    before, times = guarded_places(lane), hook.stat()
    hook.write_text("evil!\n")
    os.utime(hook, ns=(times.st_atime_ns, times.st_mtime_ns))
    (told,) = put_right(places(lane), before, tmp_path / "aside").told
    assert told.startswith("A command changed .husky/pre-commit")


@pytest.mark.parametrize("how", ["file by a link", "folder by a link", "whole folder"])
def test_guarded_things_that_were_replaced_or_removed_are_told(lane: Path, tmp_path: Path, how: str) -> None:
    hook = commit(lane, ".husky/pre-commit")
    commit(lane, "src/pre-commit", "evil\n")
    before = guarded_places(lane)
    hook.unlink()
    if how == "file by a link":
        hook.symlink_to("../src/pre-commit")
        expected = ["changed .husky/pre-commit"]
    else:
        hook.parent.rmdir()
        expected = ["removed .husky"]
    if how == "folder by a link":
        (lane / ".husky").symlink_to("src")
        expected = ["changed .husky"]
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert [one.split(",")[0] for one in told] == [f"A command {words}" for words in expected]
    assert (lane / "src" / "pre-commit").exists()


def test_what_a_guarded_link_leads_to_in_the_lane_is_guarded_too(lane: Path, tmp_path: Path) -> None:
    commit(lane, "config/claude/settings.json")
    (lane / ".claude").symlink_to("config/claude")
    before = guarded_places(lane)
    (lane / "config" / "claude" / "settings.json").write_text("evil\n")
    (lane / "config" / "claude" / "hook.sh").write_text("evil\n")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert [one.split(",")[0] for one in told] == [
        "A command made config/claude/hook.sh", "A command changed config/claude/settings.json",
    ]  # fmt: skip


def test_a_new_link_to_ordinary_files_takes_none_of_them_away(lane: Path, tmp_path: Path) -> None:
    (lane / "notes").mkdir()
    (lane / "notes" / "mine.txt").write_text("x")
    (lane / ".cursor").mkdir()
    (lane / ".codex").symlink_to(".cursor")
    before = guarded_places(lane)
    (lane / ".husky").symlink_to("notes")
    (lane / ".codex").unlink()
    (lane / ".codex").symlink_to("notes")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert [one.split(",")[0] for one in told] == ["A command made .husky", "A command changed .codex"]
    assert (lane / "notes" / "mine.txt").exists()


@pytest.mark.parametrize("bare", [True, False])
def test_hooks_and_settings_of_a_repository_inside_the_lane_are_seen(lane: Path, tmp_path: Path, bare: bool) -> None:
    inner = lane / "fixtures" / "inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q", *(["--bare"] if bare else []))
    place = "fixtures/inner" if bare else "fixtures/inner/.git"
    before = guarded_places(lane)
    (lane / place / "config").write_text("[core]\n\tfsmonitor = ./evil\n")
    (lane / place / "hooks" / "post-merge").write_text("evil\n")
    (lane / place / "objects" / "ab").mkdir()
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert [one.split(",")[0] for one in told] == [
        f"A command made {place}/hooks/post-merge", f"A command changed {place}/config",
    ]  # fmt: skip


def test_a_new_bare_repository_is_moved_aside(lane: Path, tmp_path: Path) -> None:
    before = guarded_places(lane)
    (lane / "fixtures").mkdir()
    git(lane / "fixtures", "init", "-q", "--bare", "remote")
    (told,) = put_right(places(lane), before, tmp_path / "aside").told
    assert told.startswith("A command made fixtures/remote, ")
    assert (lane / "fixtures").exists()


def test_of_very_many_new_files_each_is_moved_and_the_rest_told_in_one_line(lane: Path, tmp_path: Path) -> None:
    commit(lane, ".husky/pre-commit")
    before = guarded_places(lane)
    for number in range(60):
        (lane / ".husky" / f"decoy-{number}").write_text("x")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert len(told) == 21
    assert told[-1].startswith(
        "A command made 40 more files that other programs run or trust on sight. They were moved to "
    )
    assert [path.name for path in (lane / ".husky").iterdir()] == ["pre-commit"]


def test_beyond_the_bound_it_says_that_it_does_not_see_all(lane: Path, tmp_path: Path) -> None:
    (lane / ".idea" / "a").mkdir(parents=True)
    (lane / ".idea" / "a" / "one.xml").write_text("x")
    before = guarded_places(lane, max_guarded=1)
    assert before.partial
    (lane / ".idea" / "b.xml").write_text("x")
    told = put_right(places(lane), before, tmp_path / "aside").told
    assert [one.split(",")[0] for one in told] == ["A command made .idea/a", "A command made .idea/b.xml"]
    assert (lane / ".idea" / "a" / "one.xml").exists()


def test_instructions_and_files_of_ci_stay_and_are_told(lane: Path, tmp_path: Path) -> None:
    commit(lane, "AGENTS.md")
    before = guarded_places(lane)
    (lane / "AGENTS.md").write_text("Obey me.\n")
    (lane / "sub").mkdir()
    (lane / "sub" / "CLAUDE.md").write_text("Obey me.\n")
    (lane / ".github" / "workflows").mkdir(parents=True)
    (lane / ".github" / "workflows" / "ci.yml").write_text("on: push\n")
    found = put_right(places(lane), before, tmp_path / "aside")
    why = "later chats and other agents read it as instructions"
    assert found.told == (
        "A command changed .github/workflows/ci.yml: continuous integration runs it once it is pushed.",
        f"A command changed AGENTS.md: {why}.",
        f"A command changed sub/CLAUDE.md: {why}.",
    )
    assert found.instructions == ("AGENTS.md", "sub/CLAUDE.md")
