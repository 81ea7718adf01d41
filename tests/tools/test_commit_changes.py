"""commit_changes on real repositories: what goes in, as whom, and what never runs."""

import os
import shutil
from pathlib import Path

import pytest

from desktop.domain.core.content import FileListBlock
from desktop.tools.arguments import ArgumentsError
from desktop.tools.tool import ToolError
from tests.tools.git_lanes import Trap, commit_all, git

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own Git configuration."""
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Ben Überall\n\temail = ben@example.org\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    return config


@pytest.fixture
def lane(bench):
    """A lane with one commit on a branch of its own."""
    bench.write("a.py", "1\n")
    bench.write("sub/b.py", "1\n")
    commit_all(bench.root)
    git(bench.root, "checkout", "-q", "-b", "lane/fix-login")
    return bench


async def refused(bench, **arguments) -> str:
    arguments.setdefault("message", "Change it")
    with pytest.raises(ToolError) as caught:
        await bench.call("commit_changes", **arguments)
    return str(caught.value)


def committed(root: Path, commit: str = "HEAD") -> list[str]:
    return git(root, "-c", "core.quotePath=false", "show", "--format=", "--name-status", "--no-renames", commit).split(
        "\n"
    )[:-1]


async def test_everything_that_changed_is_committed_as_the_person(lane) -> None:
    lane.write("a.py", "2\n")
    lane.write("new/übung é.txt", "x\r\n")
    (lane.root / "sub/b.py").unlink()
    result = await lane.call("commit_changes", message="Fix the login\n\nIt was broken.\n")
    oid = git(lane.root, "rev-parse", "HEAD").strip()
    assert result.text == f"Committed 3 files as {oid[:7]} on lane/fix-login."
    assert result.blocks == (FileListBlock(paths=("a.py", "new/übung é.txt", "sub/b.py")),)
    assert result.data["commit"] == oid
    assert committed(lane.root) == ["M\ta.py", "A\tnew/übung é.txt", "D\tsub/b.py"]
    shown = git(lane.root, "log", "-1", "--format=%an <%ae> %cn|%B")
    assert shown == "Ben Überall <ben@example.org> Ben Überall|Fix the login\n\nIt was broken.\n\n"
    assert git(lane.root, "status", "--porcelain") == ""


async def test_only_named_paths_go_in_and_the_rest_stays_as_it_was(lane) -> None:
    lane.write("a.py", "2\n")
    lane.write("sub/b.py", "2\n")
    lane.write("sub/new.py", "x\n")
    lane.write("staged.py", "x\n")
    git(lane.root, "add", "staged.py")
    result = await lane.call("commit_changes", message="Part", paths=["sub"])
    assert result.text.startswith("Committed 2 files as ")
    assert committed(lane.root) == ["M\tsub/b.py", "A\tsub/new.py"]
    assert git(lane.root, "status", "--porcelain").splitlines() == [" M a.py", "A  staged.py"]


async def test_odd_names_and_names_that_look_like_patterns_are_committed_as_they_are(lane) -> None:
    names = ["-dash", "star*.py", ":(top)x", 'quo"te', "new\nline", "two  blanks ", "back\\slash", "[a]", "--all"]
    for name in names:
        lane.write(name, "x")
    lane.write("starfish.py", "x")
    os.close(os.open(os.fsencode(lane.root) + b"/latin-\xe9", os.O_CREAT))
    result = await lane.call("commit_changes", message="Names", paths=["star*.py"])
    assert result.text.startswith("Committed 1 file as ")
    result = await lane.call("commit_changes", message="-m looks like an option")
    assert result.text.startswith("Committed 10 files as ")
    assert "latin-\\xe9" in result.blocks[0].paths
    assert git(lane.root, "status", "--porcelain") == ""


async def test_nothing_to_commit_is_an_error(lane) -> None:
    assert await refused(lane) == "Nothing to commit: nothing has changed."
    assert await refused(lane, paths=["a.py"]) == "Nothing was committed: a.py has no change."
    lane.write("ignored.log", "x")
    lane.write(".git/info/exclude", "*.log\n")
    assert "nothing has changed" in await refused(lane)


async def test_a_file_that_became_a_folder_a_link_or_a_program_is_committed_so(lane) -> None:
    (lane.root / "a.py").unlink()
    lane.write("a.py/inner.txt", "x")
    shutil.rmtree(lane.root / "sub")
    (lane.root / "sub").symlink_to("/etc")
    lane.write("run.sh", "x").chmod(0o755)
    await lane.call("commit_changes", message="Kinds")
    assert committed(lane.root) == ["D\ta.py", "A\ta.py/inner.txt", "A\trun.sh", "A\tsub", "D\tsub/b.py"]
    assert "100755" in git(lane.root, "ls-tree", "HEAD", "run.sh")
    assert git(lane.root, "cat-file", "-p", "HEAD:sub") == "/etc"
    assert git(lane.root, "status", "--porcelain") == ""


async def test_new_protected_files_are_left_out_unless_they_are_named(lane) -> None:
    lane.write(".env", "KEY=1\n")
    lane.write("keys/server.pem", "x")
    lane.write("a.py", "2\n")
    result = await lane.call("commit_changes", message="Work")
    assert result.text.splitlines()[1:] == [
        f"Left out: {path}, because a file of this name usually holds secrets and Git does not know it yet; name it in "
        "paths to be asked." for path in (".env", "keys/server.pem")
    ]  # fmt: skip
    assert committed(lane.root) == ["M\ta.py"]
    assert ".env is left out: a file of this name usually holds secrets" in await refused(lane)
    assert "keys/server.pem is left out" in await refused(lane, paths=["keys"])
    assert lane.context.files.resolve(".env", "read").ask, "naming it asks a person"
    await lane.call("commit_changes", message="Known", paths=[".env"])
    assert committed(lane.root) == ["A\t.env"]


async def test_protected_files_that_git_knows_are_committed(lane) -> None:
    lane.write(".env", "KEY=1\n")
    git(lane.root, "add", "-f", ".env")
    commit_all(lane.root)
    lane.write(".env", "KEY=2\n")
    assert (await lane.call("commit_changes", message="Env")).text.startswith("Committed 1 file")


async def test_huge_new_files_are_left_out(lane) -> None:
    with (lane.root / "huge.bin").open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    assert "huge.bin is left out: it is larger than 50 MB" in await refused(lane)


async def test_repositories_inside_the_lane_are_left_out(lane) -> None:
    inner = lane.root / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "x").write_text("x")
    commit_all(inner)
    lane.write("a.py", "2\n")
    result = await lane.call("commit_changes", message="Work")
    assert "Left out: inner, because it is a repository of its own." in result.text
    assert committed(lane.root) == ["M\ta.py"]


async def test_no_identity_is_an_error_that_says_what_to_do(lane, person: Path) -> None:
    person.write_text("")
    lane.write("a.py", "2\n")
    assert "git config --global user.name" in await refused(lane)
    git(lane.root, "config", "user.name", "Local")
    git(lane.root, "config", "user.email", "local@example.org")
    await lane.call("commit_changes", message="x")
    assert git(lane.root, "log", "-1", "--format=%an").strip() == "Local"


async def test_the_identity_of_the_person_wins_over_what_the_lane_says(lane) -> None:
    for key in ("user", "author", "committer"):
        git(lane.root, "config", f"{key}.name", "Planted")
        git(lane.root, "config", f"{key}.email", "planted@example.org")
    lane.write("a.py", "2\n")
    await lane.call("commit_changes", message="x")
    assert git(lane.root, "log", "-1", "--format=%an%ae%cn%ce") == "Ben Überallben@example.org" * 2 + "\n"


async def test_a_detached_head_is_refused(lane) -> None:
    git(lane.root, "checkout", "-q", "--detach")
    lane.write("a.py", "2\n")
    assert "This lane is on no branch" in await refused(lane)


async def test_the_first_commit_of_a_repository_can_be_made(bench) -> None:
    bench.write("a", "x")
    result = await bench.call("commit_changes", message="First")
    assert result.text.startswith("Committed 1 file as ")
    assert result.text.endswith(" on main.")
    assert git(bench.root, "log", "--format=%s") == "First\n"
    assert git(bench.root, "status", "--porcelain") == ""


async def test_a_merge_that_is_open_is_refused(lane) -> None:
    git(lane.root, "checkout", "-q", "-b", "other")
    lane.write("a.py", "other\n")
    commit_all(lane.root, "other")
    git(lane.root, "checkout", "-q", "lane/fix-login")
    lane.write("a.py", "mine\n")
    commit_all(lane.root, "mine")
    git(lane.root, "merge", "other", check=False)
    before = git(lane.root, "rev-parse", "HEAD")
    assert await refused(lane) == "A merge is under way in this lane. A person has to finish or abort it first."
    (Path(lane.root) / ".git" / "MERGE_HEAD").unlink()
    assert await refused(lane) == "Not committed: a.py is in conflict. Resolve that first."
    assert git(lane.root, "rev-parse", "HEAD") == before


async def test_nothing_that_the_lane_plants_is_run_and_its_hooks_are_named(lane, tmp_path: Path) -> None:
    trap = Trap(tmp_path / "trap")
    trap.plant_everywhere(lane.root)
    lane.write("a.py", "2\n")
    lane.write("new.py", "x\n")
    result = await lane.call("commit_changes", message="Work")
    assert not trap.sprung
    assert (
        "Hooks were not run: pre-commit, prepare-commit-msg, commit-msg, post-commit, reference-transaction."
        in result.text
    )
    assert "Filters of this repository were not run: trap." in result.text
    assert git(lane.root, "show", "HEAD:new.py") == "x\n"
    assert "gpgsig" not in git(lane.root, "cat-file", "-p", "HEAD")
    git(lane.root, "commit", "-q", "--amend", "-m", "x", check=False)
    assert trap.sprung


async def test_hooks_of_a_planted_folder_are_not_run(lane, tmp_path: Path) -> None:
    trap = Trap(tmp_path / "trap")
    trap.plant_hooks(lane.root / ".husky")
    git(lane.root, "config", "core.hooksPath", ".husky")
    result = await lane.call("commit_changes", message="Work")
    assert not trap.sprung
    assert "Hooks were not run: pre-commit" in result.text


async def test_files_for_a_filter_of_the_person_are_refused(lane, person: Path) -> None:
    lane.write(".gitattributes", "*.bin filter=lfs\n*.enc filter=mine\n")
    lane.write("a.py", "2\n")
    lane.write("x.bin", "x")
    assert 'x.bin goes through the Git filter "lfs"' in await refused(lane)
    (lane.root / "x.bin").unlink()
    lane.write("x.enc", "x")
    assert (await lane.call("commit_changes", message="x", paths=["a.py"])).text.startswith("Committed 1 file")
    person.write_text(person.read_text() + '[filter "mine"]\n\tclean = cat\n')
    assert 'x.enc goes through the Git filter "mine"' in await refused(lane)


async def test_amend_replaces_the_last_commit_of_the_lane(lane) -> None:
    base = git(lane.root, "rev-parse", "HEAD").strip()
    assert (
        await refused(lane, amend=True)
        == "The last commit was not made in this lane, so it cannot be amended. Make a new one."
    )
    lane.write("a.py", "2\n")
    await lane.call("commit_changes", message="First try")
    author = git(lane.root, "log", "-1", "--format=%ad %ae")
    lane.write("a.py", "3\n")
    result = await lane.call("commit_changes", message="Second try", amend=True)
    oid = git(lane.root, "rev-parse", "HEAD").strip()
    assert result.text == f"Amended the last commit with 1 file, now {oid[:7]} on lane/fix-login."
    assert git(lane.root, "rev-parse", "HEAD~1").strip() == base
    assert git(lane.root, "show", "HEAD:a.py") == "3\n"
    assert git(lane.root, "log", "-1", "--format=%ad %ae") == author
    only_words = await lane.call("commit_changes", message="Third try", amend=True)
    assert ", its message changed, now " in only_words.text
    lane.write("a.py", "1\n")
    assert await refused(lane, amend=True) == "Not amended: the commit would have no changes left."


async def test_a_change_in_the_moment_in_which_the_index_was_written_is_seen(lane) -> None:
    index, at = lane.root / ".git/index", 0
    for number in range(10):
        text = f"{number}\n"
        file = lane.write("moment.py", text)
        if number:
            os.utime(file, ns=(at, at))
        result = await lane.call("commit_changes", message=text)
        assert result.text.startswith("Committed 1 file as "), text
        at = file.stat().st_mtime_ns
        os.utime(index, ns=(at, at))


async def test_amend_of_what_others_have_is_refused(lane) -> None:
    lane.write("a.py", "2\n")
    await lane.call("commit_changes", message="Mine")
    git(lane.root, "update-ref", "refs/remotes/origin/lane", "HEAD")
    assert "The last commit was pushed already" in await refused(lane, amend=True)
    git(lane.root, "update-ref", "-d", "refs/remotes/origin/lane")
    git(lane.root, "tag", "v1")
    assert "not made in this lane" in await refused(lane, amend=True)


async def test_amend_in_a_checkout_needs_a_commit_of_ours_and_in_a_worktree_none_of_others(
    lane, tmp_path: Path
) -> None:
    lane.write("a.py", "2\n")
    commit_all(lane.root, "by hand")
    assert "not made in this lane" in await refused(lane, amend=True)
    tree = tmp_path / "worktree"
    git(lane.root, "worktree", "add", "-q", "-b", "lane/two", str(tree))
    lane.context = type(lane.context)(**{**vars(lane.context), "files": type(lane.context.files)(tree, name="two")})
    assert "not made in this lane" in await refused(lane, amend=True)
    (tree / "a.py").write_text("3\n")
    commit_all(tree, "by hand")
    assert (await lane.call("commit_changes", message="better", amend=True)).text.startswith("Amended")
    assert git(lane.root, "log", "-1", "--format=%s", "lane/two") == "better\n"


async def test_a_branch_that_moved_meanwhile_is_not_overwritten(lane) -> None:
    lane.write("a.py", "2\n")
    (lane.root / ".git/refs/heads/lane/fix-login.lock").write_text("")
    before = git(lane.root, "rev-parse", "HEAD")
    assert "update-ref failed" in await refused(lane)
    assert git(lane.root, "rev-parse", "HEAD") == before
    assert git(lane.root, "status", "--porcelain") == " M a.py\n"


async def test_an_index_that_is_busy_is_told_and_nothing_is_lost(lane) -> None:
    lane.write("staged.py", "s\n")
    git(lane.root, "add", "staged.py")
    lane.write("a.py", "2\n")
    lock = lane.root / ".git/index.lock"
    lock.write_text("")
    result = await lane.call("commit_changes", message="x", paths=["a.py"])
    assert "another program holds its index.lock" in result.text
    assert "Run “git reset” there first" in result.text
    assert committed(lane.root) == ["M\ta.py"]
    lane.write("b.py", "3\n")
    await lane.call("commit_changes", message="y", paths=["b.py"])
    assert committed(lane.root) == ["A\tb.py"]  # and does not take a.py back
    lock.unlink()
    git(lane.root, "reset", "-q", "--", "a.py", "b.py")
    assert git(lane.root, "status", "--porcelain") == "A  staged.py\n"
    assert (lane.root / "a.py").read_text() == "2\n"


async def test_a_split_index_and_line_ends_are_kept(lane) -> None:
    git(lane.root, "update-index", "--split-index")
    lane.write("crlf.txt", "1\r\n")
    await lane.call("commit_changes", message="x")
    assert git(lane.root, "ls-files", "--eol", "crlf.txt").split()[:2] == ["i/crlf", "w/crlf"]
    assert git(lane.root, "status", "--porcelain") == ""


async def test_a_lane_in_a_worktree_leaves_the_checkout_alone(lane, tmp_path: Path) -> None:
    tree = tmp_path / "worktree"
    git(lane.root, "worktree", "add", "-q", "-b", "lane/two", str(tree))
    index = (lane.root / ".git/index").read_bytes()
    (tree / "a.py").write_text("9\n")
    lane.context = type(lane.context)(**{**vars(lane.context), "files": type(lane.context.files)(tree, name="two")})
    result = await lane.call("commit_changes", message="x")
    assert result.text.endswith(" on lane/two.")
    assert (lane.root / ".git/index").read_bytes() == index
    assert (lane.root / "a.py").read_text() == "1\n"


@pytest.mark.parametrize("message", [" \n", "", "nul\x00", "bell\x07"])
async def test_messages_without_words_are_no_messages(lane, message: str) -> None:
    with pytest.raises(ArgumentsError, match="message: "):
        await lane.call("commit_changes", message=message)
    with pytest.raises(ArgumentsError, match="paths: "):
        await lane.call("commit_changes", message="x", paths=[])


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd"])
async def test_paths_outside_are_refused(lane, path: str) -> None:
    assert "outside" in await refused(lane, paths=[path]) or "no change" in await refused(lane, paths=[path])
