"""A person's commit: exactly what is ticked, by hunk and line, with no hook, no filter and nothing else touched."""

from pathlib import Path

import pytest

from desktop.domain.changes.values import Picked
from desktop.domain.core.errors import GitError
from desktop.services.changes.commit_state import commit_state
from desktop.services.changes.file_diff import Lines
from desktop.services.changes.lane import file_diff
from desktop.services.changes.person_commit import MOVED, Committed, NeedsTick, PersonCommit, commit_picked
from desktop.services.changes.scope import uncommitted_sides
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.reads import Repository
from desktop.services.git.run import Git
from tests.agent.rig import git, make_repository

BODY = "".join(f"{number}\n" for number in range(1, 41))


class Box:
    """A repository and what a commit box does with it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = LaneFiles(root)
        self.repository = Repository(root / ".git", root / ".git")

    def head(self) -> str:
        return git(self.root, "rev-parse", "HEAD").strip()

    def picked(self, path: str, old_path: str = "", **more: object) -> Picked:
        sides = uncommitted_sides(Git(self.root))
        found = file_diff(self.files, sides, path, old_path, Lines())
        hashes = {"base_sha256": found.base_sha256, "sha256": found.sha256}
        return Picked.model_validate({"path": path, "old_path": old_path, **hashes, **more})

    def commit(self, *picked: Picked, amend: bool = False, message: str = "message", head: str = "") -> Committed:
        order = PersonCommit(message, picked, head or self.head(), amend)
        return commit_picked(self.files, self.repository, order)

    def shown(self, oid: str = "HEAD") -> str:
        return git(self.root, "show", "--format=%an %s", "--name-status", oid)


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname=Ann\nemail=ann@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    files = {
        "a.txt": BODY,
        "b.txt": "b\n",
        "gone.txt": "g\n",
        "old.txt": BODY,
        ".gitattributes": "*.win text eol=crlf\n",
    }
    box = Box(make_repository(tmp_path / "app", files))
    hook = box.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran; exit 1\n")
    hook.chmod(0o755)
    return box


def test_only_the_ticked_hunk_goes_in_and_the_rest_stays_uncommitted(box: Box) -> None:
    (box.root / "a.txt").write_text(BODY.replace("5\n", "five\n", 1).replace("35\n", "thirty-five\n"))
    (box.root / "b.txt").write_text("staged\n")
    git(box.root, "add", "b.txt")
    made = box.commit(box.picked("a.txt", hunks=(1,)))
    assert box.shown() == "Ann message\n\nM\ta.txt\n"
    assert git(box.root, "show", "HEAD:a.txt") == BODY.replace("35\n", "thirty-five\n")
    assert git(box.root, "diff", "--cached", "--name-only") == "b.txt\n"
    assert "+five" in git(box.root, "diff", "a.txt")
    assert made.notes == ("Hooks were not run: pre-commit.",)
    assert not (box.root.parent / "ran").exists()
    lines = box.picked("a.txt", lines=((0, 3),))
    box.commit(lines)
    assert "4\n6\n" in git(box.root, "show", "HEAD:a.txt")


def test_new_deleted_renamed_and_mode_changes_go_in_and_eol_is_stored_as_git_does(box: Box) -> None:
    (box.root / "pu\u202egip \n.txt").write_text("new\n")
    (box.root / "gone.txt").unlink()
    (box.root / "old.txt").rename(box.root / "new.txt")
    (box.root / "b.txt").chmod(0o755)
    (box.root / "x.win").write_bytes(b"1\r\n2\r\n")
    picks = [box.picked(path) for path in ("pu\u202egip \n.txt", "gone.txt", "b.txt", "x.win")]
    box.commit(*picks, box.picked("new.txt", "old.txt"))
    assert git(box.root, "status", "--short") == ""
    assert git(box.root, "cat-file", "-s", "HEAD:x.win").strip() == "4"
    (box.root / "x.win").write_bytes(b"1\r\n2\r\n3\r\n")
    box.commit(box.picked("x.win", hunks=(0,)))
    assert git(box.root, "status", "--short") == ""


def test_what_changed_or_moved_since_it_was_shown_is_refused_and_nothing_is_lost(box: Box) -> None:
    (box.root / "a.txt").write_text("one\n")
    pick, head = box.picked("a.txt"), box.head()
    (box.root / "a.txt").write_text("two\n")
    with pytest.raises(GitError, match=r"a.txt changed since it was shown"):
        box.commit(pick)
    git(box.root, "commit", "-q", "--no-verify", "--allow-empty", "-m", "outside")
    with pytest.raises(GitError, match=MOVED):
        box.commit(box.picked("a.txt"), head=head)
    assert (box.root / "a.txt").read_text() == "two\n"
    assert box.shown() == "A outside\n"
    with pytest.raises(GitError, match="Nothing is ticked"):
        box.commit()
    with pytest.raises(GitError, match="ticked twice"):
        box.commit(box.picked("a.txt"), box.picked("a.txt"))


def test_secrets_and_large_files_need_a_tick_of_their_own(box: Box) -> None:
    (box.root / ".env").write_text("KEY=1\n")
    with (box.root / "big.bin").open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    picks = (box.picked(".env"), box.picked("big.bin"))
    with pytest.raises(NeedsTick) as held:
        box.commit(*picks)
    assert (held.value.secret, held.value.large) == ((".env",), ("big.bin",))
    order = PersonCommit("message", picks[:1], box.head(), allowed=frozenset({".env"}))
    assert commit_picked(box.files, box.repository, order).paths == (".env",)
    (box.root / ".env").write_text("KEY=2\n")
    with pytest.raises(NeedsTick):
        box.commit(box.picked(".env"))
    (box.root / ".env").unlink()
    assert box.commit(box.picked(".env")).paths == (".env",)


def test_only_the_last_unpushed_commit_is_amended(box: Box) -> None:
    (box.root / "b.txt").write_text("2\n")
    box.commit(box.picked("b.txt"))
    (box.root / "gone.txt").unlink()
    box.commit(box.picked("gone.txt"), amend=True, message="better")
    assert box.shown() == "Ann better\n\nM\tb.txt\nD\tgone.txt\n"
    box.commit(amend=True, message="best\n\nwhy")
    assert box.shown().startswith("Ann best\n")
    git(box.root, "update-ref", "refs/remotes/origin/main", "HEAD")
    with pytest.raises(GitError, match="pushed already"):
        box.commit(amend=True)


def test_the_box_is_told_who_commits_and_what_stands_against_it(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = commit_state(Git(box.root), box.repository)
    assert (state.author, state.branch, state.message) == ("Ann <ann@example.org>", "main", "first")
    assert (state.amend_problem, state.blocked) == ("", "")
    assert state.push_problem.startswith("This repository has no remote")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    assert "git config --global user.name" in commit_state(Git(box.root), box.repository).no_author
    (box.root / "b.txt").write_text("2\n")
    with pytest.raises(GitError, match=r"user\.name"):
        box.commit(box.picked("b.txt"))
    git(box.root, "switch", "-q", "--detach")
    assert "HEAD is detached" in commit_state(Git(box.root), box.repository).blocked


def test_a_conflict_and_a_file_for_a_filter_block_the_commit(box: Box) -> None:
    (box.root / "f.lfs").write_text("x\n")
    (box.root / ".gitattributes").write_text("*.lfs filter=lfs\n")
    with pytest.raises(GitError, match=r"f.lfs goes through the Git filter"):
        box.commit(box.picked("f.lfs"))
    blob = git(box.root, "rev-parse", "HEAD:b.txt").strip()
    git(box.root, "update-index", "--force-remove", "b.txt")
    stages = "".join(f"100644 {blob} {stage}\tb.txt\n" for stage in (1, 2, 3))
    Git(box.root).run_now("update-index", "--index-info", given=stages.encode())
    with pytest.raises(GitError, match=r"b.txt is in conflict"):
        box.commit(box.picked(".gitattributes"))


def test_the_first_commit_of_a_repository(box: Box, tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("1\n2\n")
    fresh = Box(root)
    order = PersonCommit("first", (fresh.picked("a.txt", lines=((0, 0),)),), "")
    commit_picked(fresh.files, fresh.repository, order)
    assert git(root, "show", "HEAD:a.txt") == "1\n"
    assert (root / "a.txt").read_text() == "1\n2\n"
