"""git_status, git_diff and git_log on real repositories: what they show, and what they never run or show."""

import os
import shutil
from pathlib import Path

import pytest

from desktop.domain.core.content import DiffBlock, TableBlock
from desktop.services.git.refs import ref_problem
from desktop.tools.arguments import ArgumentsError
from desktop.tools.tool import ToolError
from tests.tools.git_lanes import Trap, commit_all, git

pytestmark = pytest.mark.asyncio
READS = [("git_status", {}), ("git_diff", {}), ("git_diff", {"ref": "HEAD"}), ("git_log", {"oneline": False})]


async def refused(bench, name: str, **arguments) -> str:
    with pytest.raises(ToolError) as caught:
        await bench.call(name, **arguments)
    return str(caught.value)


async def test_status_names_every_file_with_its_state(bench) -> None:
    for name in ("a.py", "b.py", "c.py"):
        bench.write(name, "1\n2\n3\n4\n5\n")
    commit_all(bench.root)
    bench.write("a.py", "changed\n")
    git(bench.root, "mv", "b.py", "renamed.py")
    (bench.root / "c.py").unlink()
    bench.write("new/übung é.txt", "x")
    result = await bench.call("git_status")
    assert result.text == (
        "On main.\n\nStaged:\n  renamed      b.py → renamed.py\n\n"
        "Not staged:\n  modified     a.py\n  deleted      c.py\n\nUntracked:\n  new          new/übung é.txt"
    )
    (table,) = result.blocks
    assert isinstance(table, TableBlock)
    assert table.rows[0] == ("Staged", "renamed", "b.py → renamed.py")
    assert result.summary == "4 files"


async def test_status_of_a_clean_lane_and_of_one_without_commits(bench) -> None:
    empty = await bench.call("git_status")
    assert empty.text == "On main, no commit yet.\nNothing has changed."
    bench.write("a", "x")
    commit_all(bench.root)
    assert (await bench.call("git_status")).text == "On main.\nNothing has changed."


async def test_status_tells_a_detached_head_and_how_far_it_is_from_upstream(bench) -> None:
    bench.write("a", "x")
    first = commit_all(bench.root)
    git(bench.root, "branch", "base")
    git(bench.root, "branch", "-q", "--set-upstream-to=base")
    commit_all(bench.root, "second")
    assert (await bench.call("git_status")).text.startswith("On main, 1 ahead of base.")
    git(bench.root, "checkout", "-q", first)
    assert (await bench.call("git_status")).text.startswith(f"On no branch, at {first[:7]}.")


async def test_a_merge_conflict_is_shown_as_what_it_is(bench) -> None:
    bench.write("a", "1\n")
    commit_all(bench.root)
    git(bench.root, "checkout", "-q", "-b", "other")
    bench.write("a", "2\n")
    commit_all(bench.root, "other")
    git(bench.root, "checkout", "-q", "main")
    bench.write("a", "3\n")
    commit_all(bench.root, "mine")
    git(bench.root, "merge", "other", check=False)
    text = (await bench.call("git_status")).text
    assert text == "On main, a merge is under way.\n\nConflicts:\n  both changed a"
    diff = await bench.call("git_diff")
    assert "++<<<<<<< HEAD" in diff.text
    assert diff.blocks[0].path == "a"


async def test_a_diff_has_the_patch_and_a_block_for_each_file(bench) -> None:
    bench.write("a.py", "1\n2\n")
    bench.write("with space.txt", "a\n")
    commit_all(bench.root)
    bench.write("a.py", "1\n2\n3\n")
    bench.write("with space.txt", "b\n")
    result = await bench.call("git_diff")
    assert "diff --git a/a.py b/a.py" in result.text
    assert "+3" in result.text
    assert result.blocks == (
        DiffBlock(path="a.py", unified="@@ -1,2 +1,3 @@\n 1\n 2\n+3\n", added=1, removed=0),
        DiffBlock(path="with space.txt", unified="@@ -1 +1 @@\n-a\n+b\n", added=1, removed=1),
    )
    assert result.summary == "2 files · +2 −1"
    only = await bench.call("git_diff", path="a.py")
    assert "with space" not in only.text


async def test_a_diff_can_be_of_the_index_of_a_commit_or_of_a_range(bench) -> None:
    bench.write("a", "1\n")
    commit_all(bench.root)
    bench.write("a", "2\n")
    commit_all(bench.root, "second")
    bench.write("a", "3\n")
    assert (await bench.call("git_diff", staged=True)).text == "Nothing is staged."
    git(bench.root, "add", "a")
    assert "-2\n+3" in (await bench.call("git_diff", staged=True)).text
    assert "There is no difference. New files" in (await bench.call("git_diff")).text
    assert "-1\n+3" in (await bench.call("git_diff", ref="HEAD~1")).text
    assert "-1\n+2" in (await bench.call("git_diff", ref="HEAD~1..HEAD")).text
    assert "-1\n+2" in (await bench.call("git_diff", ref="HEAD^...")).text
    assert (await bench.call("git_diff", ref="HEAD", path="b")).text == "There is no difference to HEAD in b."


async def test_names_of_every_kind_are_told_apart(bench) -> None:
    names = [
        'quo"te',
        "tab\tname",
        "new\nline",
        "naïve",
        "two  blanks ",
        "b b b/x b/x",
        "-dash",
        "caf\u0301e",
        "\\back",
    ]
    for name in names:
        bench.write(name, "1\r\n2\r\n")
    os.close(os.open(os.fsencode(bench.root) + b"/latin-\xe9", os.O_CREAT))
    commit_all(bench.root)
    for name in names:
        bench.write(name, "1\r\n3\r\n")
    Path(os.fsdecode(os.fsencode(bench.root) + b"/latin-\xe9")).write_text("x")
    result = await bench.call("git_diff")
    paths = {block.path for block in result.blocks}
    assert {'quo"te', "tab\\tname", "new\\nline", "naïve", "two  blanks ", "b b b/x b/x", "-dash"} < paths
    assert "latin-\\xe9" in paths
    assert len(paths) == len(names) + 1
    status = (await bench.call("git_status")).text
    assert len(status.splitlines()) == len(names) + 4


async def test_mode_changes_binaries_and_renames_carry_their_names(bench) -> None:
    bench.write("run.sh", "x\n")
    bench.write("logo.png", b"\x89PNG\0\0")
    bench.write("old name.txt", "1\n2\n3\n4\n")
    commit_all(bench.root)
    (bench.root / "run.sh").chmod(0o755)
    bench.write("logo.png", b"\x89PNG\0\1")
    git(bench.root, "mv", "old name.txt", "new name.txt")
    result = await bench.call("git_diff", ref="HEAD")
    assert [block.path for block in result.blocks] == ["logo.png", "new name.txt", "run.sh"]
    assert "Binary files a/logo.png and b/logo.png differ" in result.text
    assert "rename from old name.txt" in result.text


async def test_the_content_of_protected_files_is_withheld_and_counted(bench) -> None:
    bench.write(".env", "KEY=old-secret\n")
    bench.write(".env.example", "KEY=\n")
    bench.write("deploy/id_rsa", "old-secret\n")
    bench.write("a", "1\n")
    commit_all(bench.root)
    bench.write(".env", "KEY=new-secret\n")
    bench.write(".env.example", "KEY=fill me\n")
    bench.write("a", "2\n")
    git(bench.root, "mv", "deploy/id_rsa", "deploy/key.pem")
    result = await bench.call("git_diff", ref="HEAD")
    assert "secret" not in result.text
    assert result.text.startswith("[3 protected files, content withheld: .env, deploy/id_rsa, deploy/key.pem]\n")
    assert "fill me" in result.text
    assert "-1\n+2" in result.text
    assert all("secret" not in block.unified for block in result.blocks)
    below = await bench.call("git_diff", path="deploy", ref="HEAD")
    assert "secret" not in below.text


async def test_a_protected_file_that_a_person_allowed_by_name_is_shown_alone(bench) -> None:
    bench.write(".env", "KEY=old\n")
    bench.write("sub/.env", "KEY=other\n")
    commit_all(bench.root)
    bench.write(".env", "KEY=new\n")
    bench.write("sub/.env", "KEY=hidden\n")
    facts = bench.context.files.resolve(".env", "read")
    assert facts.ask
    result = await bench.call("git_diff", path=".env")
    assert "KEY=new" in result.text
    assert "hidden" not in result.text


async def test_a_long_diff_is_cut_and_kept_whole_without_protected_content(bench) -> None:
    bench.write("big.txt", "a\n")
    bench.write(".env", "a\n")
    commit_all(bench.root)
    bench.write("big.txt", "line of text\n" * 9_000)
    bench.write(".env", "very-secret\n" * 9_000)
    result = await bench.call("git_diff")
    assert len(result.text) <= 30_000
    assert "lines left out; whole text: blob:" in result.text
    kept = bench.context.blobs.get(result.full.sha256)
    assert kept.count(b"+line of text\n") == 9_000
    assert b"very-secret" not in kept
    assert "Too long to show here; see Changes." in result.blocks[0].text


async def test_log_lists_the_newest_commits(bench) -> None:
    assert (await bench.call("git_log")).text == "There are no commits."
    bench.write("a", "x")
    ids = [commit_all(bench.root, f"Change {number}\n\nBecause of {number}.") for number in range(3)]
    result = await bench.call("git_log", count=2)
    assert result.text == (
        f"{ids[2][:7]} Change 2\n{ids[1][:7]} Change 1\n"
        "[older commits not shown; raise count or begin at an older commit with ref]"
    )
    (table,) = result.blocks
    assert [row[2:] for row in table.rows] == [("Anna", "Change 2"), ("Anna", "Change 1")]
    whole = await bench.call("git_log", count=1, oneline=False)
    assert f"commit {ids[2]}\nAuthor: Anna <anna@example.org>\nDate:   " in whole.text
    assert "\n\n    Change 2\n\n    Because of 2.\n[older" not in whole.text
    assert "    Because of 2." in whole.text
    assert (await bench.call("git_log", ref=f"{ids[0]}..{ids[1]}")).text == f"{ids[1][:7]} Change 1"
    assert (await bench.call("git_log", path="a")).text == f"{ids[0][:7]} Change 0"
    assert (await bench.call("git_log", path="b")).text == "There are no commits for b."


@pytest.mark.promise("tools-T74")
@pytest.mark.parametrize("ref", ["--output=x", "-p", "..", "..main", "a\x00b", "a\nb", "a b", "HEAD:.env", "a..b..c",
    "main^{/x}", ":/fix", "a~b", "refs//x", "x.lock", "/x", "x/", "@{-1", "a?", "", " "])  # fmt: skip
@pytest.mark.parametrize("name", ["git_diff", "git_log"])
async def test_what_is_no_ref_is_no_argument(bench, name: str, ref: str) -> None:
    bench.write("a", "x")
    commit_all(bench.root)
    with pytest.raises(ArgumentsError, match="ref: "):
        await bench.call(name, ref=ref)


@pytest.mark.parametrize("ref", ["main", "HEAD", "@", "HEAD~2", "HEAD^", "HEAD^2~3", "@{u}", "main@{1}", "v1.0",
    "origin/main", "8e1d2c4", "main..", "main..HEAD", "a...b", "lane/fix-login", "äpfel", "stash@{0}",
    "refs/heads/x"])  # fmt: skip
async def test_usual_revisions_are_refs(ref: str) -> None:
    assert ref_problem(ref) == ""


async def test_an_unknown_ref_is_an_error_that_names_it(bench) -> None:
    bench.write("a", "x")
    commit_all(bench.root)
    assert await refused(bench, "git_diff", ref="nope") == 'There is no commit "nope" in this repository.'
    assert await refused(bench, "git_log", ref="main..nope~3") == 'There is no commit "nope~3" in this repository.'
    assert await refused(bench, "git_diff", ref="a") == 'There is no commit "a" in this repository.'


async def test_staged_takes_no_range(bench) -> None:
    with pytest.raises(ArgumentsError, match="staged compares with one commit"):
        await bench.call("git_diff", staged=True, ref="a..b")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", ".git/config"])
@pytest.mark.parametrize("name", ["git_diff", "git_log"])
async def test_paths_elsewhere_give_nothing(bench, name: str, path: str) -> None:
    bench.write("a", "x")
    commit_all(bench.root)
    try:
        text = (await bench.call(name, path=path)).text
    except ToolError:
        return
    assert text.startswith(("There is no difference", "There are no commits"))


@pytest.mark.promise("gate-S17")
@pytest.mark.parametrize(("name", "arguments"), READS)
async def test_nothing_that_the_lane_plants_is_run(bench, tmp_path: Path, name: str, arguments: dict) -> None:
    trap = Trap(tmp_path / "trap")
    bench.write("a.txt", "1\n")
    bench.write(".gitattributes", "*.txt filter=trap diff=trap text=auto\n")
    commit_all(bench.root)
    trap.plant_everywhere(bench.root)
    bench.write("a.txt", "22\n")
    result = await bench.call(name, **arguments)
    assert not result.is_error
    assert not trap.sprung
    git(bench.root, "diff", "--ext-diff", check=False)
    assert trap.sprung, "the trap itself must work"


@pytest.mark.parametrize("place", ["include", "worktree"])
async def test_planted_settings_in_other_files_run_nothing_either(bench, tmp_path: Path, place: str) -> None:
    trap = Trap(tmp_path / "trap")
    bench.write("a.txt", "1\n")
    commit_all(bench.root)
    settings = f'[core]\n\tfsmonitor = {trap.command}\n[filter "odd.name"]\n\tclean = {trap.command}\n\trequired\n'
    if place == "include":
        (bench.root / "more").write_text(settings)
        git(bench.root, "config", "include.path", str(bench.root / "more"))
    else:
        git(bench.root, "config", "extensions.worktreeConfig", "true")
        (bench.root / ".git" / "config.worktree").write_text(settings)
    (bench.root / ".git" / "info" / "attributes").write_text("* filter=odd.name\n")
    bench.write("a.txt", "2\n")
    for name, arguments in READS:
        await bench.call(name, **arguments)
    assert not trap.sprung
    git(bench.root, "status")
    assert trap.sprung


async def test_filters_of_a_submodule_are_not_run(bench, tmp_path: Path) -> None:
    trap = Trap(tmp_path / "trap")
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "x.txt").write_text("1\n")
    commit_all(other)
    git(bench.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    commit_all(bench.root)
    sub = bench.root / "sub"
    trap.plant_everywhere(sub)
    for key, value in (("diff.submodule", "diff"), ("status.submoduleSummary", "true"), ("submodule.recurse", "true")):
        git(bench.root, "config", key, value)
    git(bench.root, "config", "submodule.sub.ignore", "none")
    (sub / "x.txt").write_text("2\n")
    for name, arguments in READS:
        await bench.call(name, **arguments)
    assert not trap.sprung
    git(bench.root, "status", "--ignore-submodules=none", check=False)
    assert trap.sprung


async def test_settings_that_shape_output_do_not_reach_it(bench) -> None:
    bench.write("sub/a.txt", "1\n")
    commit_all(bench.root, "Subject")
    bench.write("sub/a.txt", "2\n")
    for key, value in (("color.ui", "always"), ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"), ("diff.orderFile", "/no/such"), ("log.decorate", "full"), ("status.short", "true"),
        ("format.pretty", "raw"), ("status.showUntrackedFiles", "no"), ("diff.wordRegex", "."), ("log.follow", "true"),
        ("core.quotePath", "true"), ("diff.renames", "copies")):  # fmt: skip
        git(bench.root, "config", key, value)
    bench.write("nëw", "x")
    diff = await bench.call("git_diff")
    assert diff.text.startswith("diff --git a/sub/a.txt b/sub/a.txt\n")
    assert "\x1b" not in diff.text
    assert (await bench.call("git_log")).text.endswith(" Subject")
    assert "nëw" in (await bench.call("git_status")).text


async def test_a_lane_that_points_elsewhere_is_not_read(bench, tmp_path: Path) -> None:
    bench.write("a", "x")
    commit_all(bench.root)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "diary.txt").write_text("private\n")
    git(bench.root, "config", "core.worktree", str(elsewhere))
    for name, arguments in READS:
        assert await refused(bench, name, **arguments) == (
            'Lane "lane" does not point at its own folder. Repair or remove it.'
        )
    git(elsewhere, "init", "-q")
    shutil.rmtree(bench.root / ".git")
    git(tmp_path, "init", "-q")
    assert "does not point at its own folder" in await refused(bench, "git_status")


async def test_a_lane_whose_repository_was_exchanged_is_not_read(bench, tmp_path: Path) -> None:
    bench.write("a", "x")
    commit_all(bench.root)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "diary").write_text("private")
    commit_all(other, "private")
    shutil.rmtree(bench.root / ".git")
    bench.write(".git", f"gitdir: {other / '.git'}\n")
    for name, arguments in READS:
        assert "does not point at its own folder" in await refused(bench, name, **arguments)


async def test_without_a_repository_the_error_is_gits_own(bench) -> None:
    shutil.rmtree(bench.root / ".git")
    assert "not a git repository" in await refused(bench, "git_log")


async def test_reads_leave_the_index_as_it_is(bench) -> None:
    bench.write("a", "x\n")
    commit_all(bench.root)
    os.utime(bench.root / "a", (1, 1))
    before = (bench.root / ".git" / "index").read_bytes()
    for name, arguments in READS:
        await bench.call(name, **arguments)
    assert (bench.root / ".git" / "index").read_bytes() == before


async def test_links_are_shown_as_links(bench, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("private\n")
    (bench.root / "link").symlink_to("a")
    (bench.root / "folder").mkdir()
    bench.write("folder/x", "tracked\n")
    commit_all(bench.root)
    (bench.root / "link").unlink()
    (bench.root / "link").symlink_to(tmp_path / "outside")
    shutil.rmtree(bench.root / "folder")
    (bench.root / "folder").symlink_to(tmp_path)
    (tmp_path / "x").write_text("private\n")
    result = await bench.call("git_diff")
    assert "private" not in result.text
    assert f"+{tmp_path / 'outside'}" in result.text
