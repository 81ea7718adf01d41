"""Command lines judged in a real lane: links, secret files, globs, programs, repositories."""

import os
import subprocess
from pathlib import Path

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.verdict import ShellVerdict
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate import shell_world
from desktop.services.gate.shell_world import LaneWorld
from desktop.services.git.config import settings_sha256


def git(folder: Path, *words: str) -> None:
    """A plain git call in a folder."""
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, timeout=10)


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    """A repository with a few files; outside it lies a secret."""
    root = tmp_path / "lane"
    (root / "src" / "deep").mkdir(parents=True)
    for name in ("a.py", "b.py", "README.md", "src/c.py", "src/deep/d.py"):
        (root / name).write_text("x\n", "utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("s\n", "utf-8")
    git(root.parent, "init", "-q", "lane")
    return root


def judged(root: Path, line: str, *, cwd: str = ".", git_sha256: str | None = None) -> ShellVerdict:
    """The verdict over a line in this lane."""
    return assess_shell(line, LaneWorld(LaneFiles(root), git_sha256=git_sha256), cwd=cwd)


@pytest.mark.parametrize(
    "line",
    [
        "ls", "cat a.py b.py", "cat *.py", "cat src/*.py", "cat src/*/d.py", "cat */*/d.py",
        "cat s*/*.py", "cat nothing*", "ls src/",
        "cd src && cat c.py ../a.py", "cd src/deep && ls ..", "cat missing.py", "grep -rn x .", "diff -r src src/deep",
        "ls -RL src", "git status", "git -C src log", "git log -- src", "cat < a.py", "grep -R x src",
        "cd src; cat *.py", "python3 --version", "test -d src", 'cat "src"/*.py', "ls ?.py", "grep x -- *.py",
        "git diff HEAD -- a.py",
    ],
)  # fmt: skip
def test_a_read_of_a_plain_lane_is_proven(lane: Path, line: str) -> None:
    assert judged(lane, line).code == "proven_read"


@pytest.mark.parametrize("line", ["cat {}/a.py", "cd {} && ls", "cd {}/src && git status", "ls {}/src/../*.py"])
def test_the_lane_may_be_named_by_its_absolute_path(lane: Path, line: str) -> None:
    verdict = judged(lane, line.format(lane))

    assert verdict.code in ("proven_read", "glob") if "*" in line else verdict.code == "proven_read"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("cat out", "path"), ("cat to-file", "path"), ("cat out/secret.txt", "path"), ("cat o*", "path"),
        ("cd out && ls", "cd"), ("cd in && ls", "cd"), ("ls -RL .", "link_out"), ("grep -R x .", "link_out"),
        ("diff -r . src", "link_out"), ("diff . src", "link_out"),
        ("test -f to-file", "path"), ("wc < to-file", "redirect"),
        ("find out -name x", "path"), ("readlink -f out", "path"), ("cat in/../a.py", "proven_read"),
        ("cat in/d.py", "proven_read"),
    ],
)  # fmt: skip
def test_links_are_followed_as_the_kernel_does(lane: Path, line: str, code: str) -> None:
    (lane / "out").symlink_to(lane.parent / "outside")
    (lane / "to-file").symlink_to(lane.parent / "outside" / "secret.txt")
    (lane / "in").symlink_to("src/deep")
    (lane / "src" / "a.py").write_text("x", "utf-8")

    assert judged(lane, line).code == code


@pytest.mark.promise("gate-S9")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("cat .env", "path"), ("grep -r x .", "secret_below"), ("git ls-files", "proven_read"),
        ("git grep x", "secret_below"), ("git grep x -- src", "proven_read"), ("grep -r x src", "proven_read"),
        ("cat config/*", "path"), ("ls config/*", "path"), ("ls config", "proven_read"), ("cat .e*", "path"),
        ("diff config src", "secret_below"), ("find . -name '*.pem'", "proven_read"), ("grep x *", "proven_read"),
    ],
)  # fmt: skip
def test_files_that_hold_secrets_are_not_read(lane: Path, line: str, code: str) -> None:
    (lane / ".env").write_text("K=1", "utf-8")
    (lane / "config").mkdir()
    (lane / "config" / "server.pem").write_text("K", "utf-8")

    assert judged(lane, line).code == code


def test_a_file_that_looks_like_an_option_is_not_handed_to_a_program(lane: Path) -> None:
    (lane / "--output=x").write_text("", "utf-8")

    assert judged(lane, "sort *").code == "glob"
    assert judged(lane, "cat *").code == "glob"
    assert judged(lane, "sort -- *").code == "proven_read"
    assert judged(lane, "sort ./*").code == "proven_read"


@pytest.mark.parametrize("name", ["a b.py", "-n.py", "it's.py", 'a"b.py', "a\\b.py", "a\nb.py"])
def test_a_name_that_xargs_would_take_for_more_is_asked_about(lane: Path, name: str) -> None:
    lines = ("find src -name '*.py' | xargs cat", "rg -l x src | xargs wc -l")
    assert all(judged(lane, line).proven_read for line in lines)
    assert judged(lane, "find src -name '*.py' -print0 | xargs -0 cat").proven_read

    (lane / "src" / name).write_text("x", "utf-8")

    assert [judged(lane, line).code for line in lines] == ["names", "names"]
    assert judged(lane, "find src -name '*.py' -print0 | xargs -0 cat").proven_read


@pytest.mark.promise("gate-S10")
def test_a_glob_looks_at_folders_of_the_lane_only(lane: Path) -> None:
    (lane / "out").symlink_to(lane.parent / "outside")

    assert judged(lane, "ls /etc/*").code == "glob"
    assert judged(lane, "ls ../*").code == "glob"
    assert judged(lane, "ls out/*").code == "glob"
    assert judged(lane, "ls .*").code == "path"
    assert judged(lane, "ls a.py/*").code == "path"


def test_a_glob_with_too_many_matches_is_not_proven(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_world, "MAX_MATCHES", 1)
    assert judged(lane, "cat *.py").code == "glob"
    monkeypatch.setattr(shell_world, "MAX_LISTED", 1)
    assert judged(lane, "cat z*").code == "glob"


def test_what_cannot_be_looked_over_is_taken_for_the_worst(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_world, "MAX_SCANNED", 1)

    assert judged(lane, "grep -r x .").code == "secret_below"
    assert judged(lane, "ls -RL").code == "link_out"


def test_a_folder_that_cannot_be_entered_or_listed_is_not_relied_on(
    lane: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    (lane / "file").write_text("", "utf-8")
    assert judged(lane, "cd file && ls").code == "cd"
    assert judged(lane, "cd missing; cat ../x").code == "cd"
    monkeypatch.setattr(os, "listdir", refuse)
    assert judged(lane, "cat z*").code == "glob"
    world = LaneWorld(LaneFiles(lane))
    monkeypatch.setattr(os, "scandir", refuse)
    assert assess_shell("ls -RL", world).code == "link_out"


def test_a_tool_chain_file_of_the_lane_names_what_cargo_runs(lane: Path) -> None:
    for name in ("cargo", "rustc"):
        program = lane.parent / "outside" / name
        program.write_text("#!/bin/sh\n", "utf-8")
        program.chmod(0o755)
    world = LaneWorld(LaneFiles(lane), environment={"PATH": str(lane.parent / "outside")})
    assert assess_shell("cargo --version; rustc --version", world).proven_read
    (lane / "src" / "rust-toolchain.toml").write_text("", "utf-8")

    assert not assess_shell("cargo --version", world).proven_read
    assert not assess_shell("rustc --version", world).proven_read


@pytest.mark.promise("gate-S6")
def test_a_program_must_be_on_the_path_outside_the_lane(lane: Path) -> None:
    tool = lane / "bin" / "tac"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n", "utf-8")
    tool.chmod(0o755)
    files = LaneFiles(lane)

    assert assess_shell("tac a.py", LaneWorld(files, environment={"PATH": str(tool.parent)})).proven_read
    assert not assess_shell("rg x src", LaneWorld(files, environment={"PATH": str(lane.parent)})).proven_read
    assert assess_shell("echo x", LaneWorld(files, environment={"PATH": str(lane.parent)})).proven_read


@pytest.mark.promise("gate-S12")
@pytest.mark.parametrize(("cwd", "line", "code"), [
    ("src", "cat c.py", "proven_read"), ("src", "cat ../a.py", "proven_read"), ("src", "cat ../../x", "path"),
    ("missing", "ls", "folder"), (".git", "cat HEAD", "folder"), ("../outside", "ls", "folder"),
])  # fmt: skip
def test_a_line_is_judged_in_the_folder_that_it_would_run_in(lane: Path, cwd: str, line: str, code: str) -> None:
    assert judged(lane, line, cwd=cwd).code == code


def test_a_launcher_that_a_file_of_the_lane_directs_is_not_proven(lane: Path) -> None:
    shim = lane.parent / "outside" / "shims" / "node"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\n", "utf-8")
    shim.chmod(0o755)
    world = LaneWorld(LaneFiles(lane), environment={"PATH": str(shim.parent)})
    assert assess_shell("node --version", world).proven_read
    (lane / ".tool-versions").write_text("nodejs path:./evil\n", "utf-8")

    assert not assess_shell("node --version", world).proven_read


@pytest.mark.promise("gate-S15")
def test_git_reads_rest_on_a_clean_configuration(lane: Path) -> None:
    assert judged(lane, "git status").code == "proven_read"
    git(lane, "config", "core.fsmonitor", "/x")

    verdict = judged(lane, "git status")

    assert verdict.code == "git_config"
    assert "core.fsmonitor" in verdict.fragment
    assert "config" in verdict.fragment
    assert judged(lane, "git --version").code == "proven_read"


@pytest.mark.promise("gate-S16")
def test_git_reads_stop_when_the_settings_changed_since_the_lane_was_opened(lane: Path) -> None:
    before = settings_sha256(lane)
    assert judged(lane, "git status", git_sha256=before).code == "proven_read"
    (lane / ".git" / "hooks" / "pre-commit").write_text("", "utf-8")

    assert judged(lane, "git status", git_sha256=before).code == "git_config"


@pytest.mark.promise("gate-S14")
def test_other_repositories_always_ask(lane: Path) -> None:
    git(lane, "init", "-q", "sub")
    (lane / "bare").mkdir()
    git(lane / "bare", "init", "-q", "--bare")

    assert judged(lane, "git -C sub log").code == "git_config"
    assert judged(lane, "cd sub && git status").code == "git_config"
    assert judged(lane, "git log -- sub/x").code == "git_config"
    assert judged(lane, "cd bare && git log").code == "cd"
    (lane / ".git").rename(lane.parent / "gone")
    assert judged(lane, "git status").code == "git_config"


@pytest.fixture
def told(lane: Path) -> Path:
    """The lane with two commits: the first with plain files, the second with a file that usually holds secrets, and a
    tag on each."""
    git(lane, "config", "user.name", "A")
    git(lane, "config", "user.email", "a@b.example")
    (lane / ".env").write_text("KEY=1\n", "utf-8")
    for names, tag in ((["a.py", "b.py", "README.md"], "plain"), ([".env", "src"], "secret")):
        git(lane, "add", "-f", *names)
        git(lane, "commit", "-q", "-m", tag)
        git(lane, "tag", tag)
    return lane


def object_name(root: Path, revision: str) -> str:
    """The name of an object of this repository."""
    argv = ["git", "-C", str(root), "rev-parse", revision]
    return subprocess.run(argv, check=True, capture_output=True, timeout=10, text=True).stdout.strip()


@pytest.mark.parametrize(
    "line",
    [
        "git show", "git show HEAD", "git show secret", "git log -p", "git log -p -1", "git log --patch --stat",
        "git diff plain secret", "git diff plain..HEAD", "git diff plain -- .", "git -C src show HEAD",
        "git grep KEY HEAD", "git grep -e KEY secret", "git show --format=%s --graph HEAD", "git log -U1 -- . src",
        "git show --oneline HEAD -- .", "cd src && git show HEAD", "git reflog -p", "git diff-tree -p HEAD",
        "git show HEAD:a.py HEAD",
    ],
)  # fmt: skip
def test_a_read_of_history_that_shows_a_secret_file_asks(told: Path, line: str) -> None:
    verdict = judged(told, line)

    assert verdict.code == "secret_shown"
    assert verdict.fragment.endswith(".env")


@pytest.mark.parametrize(
    "line",
    [
        "git show plain", "git log", "git log --stat", "git show --stat HEAD", "git show -s HEAD", "git diff",
        "git diff --name-only plain HEAD", "git log -p -- src", "git diff plain HEAD -- src", "git show HEAD -- src",
        "git show HEAD:a.py", "git log -p plain", "git grep x plain", "git diff --cached", "git show nothing-of-this",
        "git stash list", "git cat-file -t HEAD", "git log -L1,1:a.py",
    ],
)  # fmt: skip
def test_a_read_of_history_without_a_secret_file_is_proven(told: Path, line: str) -> None:
    assert judged(told, line).code == "proven_read"


def test_a_change_of_a_tracked_secret_file_is_not_shown_unasked(told: Path) -> None:
    (told / ".env").write_text("KEY=2\n", "utf-8")

    assert judged(told, "git diff").code == "secret_shown"
    git(told, "stash")
    assert judged(told, "git stash show -p").code == "secret_shown"
    assert judged(told, "git stash list -p").code == "secret_shown"
    assert judged(told, "git stash show").code == "proven_read"


def test_words_that_change_the_names_that_git_lists_hide_no_secret_file(told: Path) -> None:
    (told / "secret").write_text("x\n", "utf-8")
    git(told, "mv", "-f", ".env", "notes.txt")
    git(told, "commit", "-q", "-m", "renamed")

    for line in (
        "git log --relative=. -p", "git log -p -1 HEAD", "git show -M --diff-filter=R HEAD", "git log --check",
        "git grep KEY secret --",
        "git show --name-status -p HEAD", "git show -s -p HEAD", "git show --raw --patch HEAD",
        "git show -ps HEAD", "git diff --quiet -p secret --", "git diff --check secret --",
    ):  # fmt: skip
        assert judged(told, line).code == "secret_shown", line
    for line in ("git grep KEY HEAD --", "git show -M --name-only HEAD"):
        assert judged(told, line).code == "proven_read", line


def test_the_content_of_a_file_is_not_shown_by_the_name_of_its_object(told: Path) -> None:
    blob, commit = object_name(told, "HEAD:.env"), object_name(told, "plain")

    for line in (
        f"git cat-file -p {blob}", f"git show {blob[:10]}", f"git diff {blob} {blob}", f"git cat-file blob {blob}",
        f"git show {blob.upper()}", f"git show any-g{blob}", f"git diff {blob}..{blob}", f"git grep KEY {blob}",
        f"git show HEAD^ HEAD^ HEAD^ HEAD^ HEAD^ {blob}",
        "git show " + " ".join(f"{number}{commit[:6]}" for number in range(1, 10)),
    ):  # fmt: skip
        assert judged(told, line).code == "secret_shown", line
    for line in (f"git cat-file -p {commit}", f"git show {commit[:10]}", f"git cat-file -s {blob}"):
        assert judged(told, line).code == "proven_read"
