"""move_file and delete_file over real files: what moves, what comes back, and what stays where it is."""

import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.domain.core.content import FileListBlock
from desktop.domain.core.errors import PathError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.file_trash import LaneTrash
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


@pytest.fixture
def lane(bench, tmp_path: Path):
    """A lane with a trash beside it."""
    bench.context = replace(bench.context, files=bench.context.files.with_trash(tmp_path / "trash" / "ln_1"))
    return bench


@pytest.fixture
def trash(lane) -> LaneTrash:
    return LaneTrash(lane.context.files.trash)


async def refused(bench, name: str, **arguments) -> str:
    with pytest.raises(ToolError) as caught:
        await bench.call(name, **arguments)
    return str(caught.value)


def tree(root: Path) -> dict[str, bytes | str]:
    """Every file below, with its content; links with their target."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        if ".git" in path.relative_to(root).parts[:1]:
            continue
        if path.is_symlink():
            found[str(path.relative_to(root))] = str(path.readlink())
        elif path.is_file():
            found[str(path.relative_to(root))] = path.read_bytes()
    return found


async def test_a_deleted_file_is_gone_and_comes_back(lane, trash: LaneTrash) -> None:
    lane.write("src/a.py", "1\n2\n").chmod(0o755)
    before = tree(lane.root)
    result = await lane.call("delete_file", file_path="src/a.py")
    assert result.text == "Deleted src/a.py (4 bytes). A person can restore it for 30 days."
    assert result.blocks == (FileListBlock(paths=("src/a.py",)),)
    (touched,) = result.touched
    assert (touched.path, touched.kind, touched.removed, touched.after_sha256) == ("src/a.py", "delete", 2, None)
    assert len(touched.before_sha256) == 64
    assert tree(lane.root) == {}
    (entry,) = trash.entries()
    assert (entry.path, entry.kind, entry.session_id) == ("src/a.py", "file", lane.context.session_id)
    assert result.data == {"trash_entry": entry.id}
    assert trash.restore(entry.id, lane.context.files) == "src/a.py"
    assert tree(lane.root) == before
    assert os.access(lane.root / "src/a.py", os.X_OK)
    assert trash.entries() == ()


async def test_a_deleted_folder_comes_back_whole_with_its_links(lane, trash: LaneTrash) -> None:
    lane.write("src/a.py", "1\n")
    lane.write("src/ünter ordner/b c.py", "2\r\n")
    (lane.root / "src/link").symlink_to("/etc/passwd")
    (lane.root / "src/empty").mkdir()
    before = tree(lane.root)
    result = await lane.call("delete_file", file_path="src/")
    assert result.text == "Deleted src/ (2 files, 5 bytes). A person can restore it for 30 days."
    assert [touched.path for touched in result.touched] == ["src/a.py", "src/ünter ordner/b c.py"]
    assert not (lane.root / "src").exists()
    trash.restore(trash.entries()[0].id, lane.context.files)
    assert tree(lane.root) == before
    assert (lane.root / "src/empty").is_dir()


async def test_a_link_is_deleted_and_what_it_leads_to_stays(lane, trash: LaneTrash) -> None:
    lane.write("real/a.py", "1\n")
    (lane.root / "link.py").symlink_to("real/a.py")
    (lane.root / "dangling").symlink_to("nowhere")
    (lane.root / "folder").symlink_to("real")
    assert (await lane.call("delete_file", file_path="link.py")).text.startswith("Deleted link.py (a link).")
    await lane.call("delete_file", file_path="dangling")
    await lane.call("delete_file", file_path="folder")
    assert tree(lane.root) == {"real/a.py": b"1\n"}
    newest = trash.entries()[-1]
    trash.restore(newest.id, lane.context.files)
    assert (lane.root / "link.py").readlink() == Path("real/a.py")


async def test_a_file_behind_a_linked_folder_is_deleted_where_it_really_is(lane) -> None:
    lane.write("real/a.py", "1\n")
    (lane.root / "folder").symlink_to("real")
    result = await lane.call("delete_file", file_path="folder/a.py")
    assert result.text.startswith("Deleted real/a.py ")


@pytest.mark.parametrize("path", [".", "./", ".git", ".git/config", ".GIT", "../x", "/etc/hostname", "a/.."])
@pytest.mark.parametrize("tool", ["delete_file", "move_file"])
async def test_the_lane_git_and_what_is_outside_stay(lane, tool: str, path: str) -> None:
    lane.write("a/b", "x")
    arguments = {"file_path": path} if tool == "delete_file" else {"from_path": path, "to_path": "new"}
    await refused(lane, tool, **arguments)
    assert (lane.root / ".git/config").exists()
    assert (lane.root / "a/b").exists()


@pytest.mark.parametrize(
    ("inner", "way"),
    [
        (".git/config", "it belongs to Git's own files. No mode or rule can allow it."),
        ("deep/er/.git", "it belongs to Git's own files. No mode or rule can allow it."),
        (".banksman/rules.toml", "it belongs to Banksman. No mode or rule can allow it."),
        (".env", "a file of this name usually holds secrets. Name it by itself, so that a person is asked."),
        ("x/.envrc", "other programs run or trust this file on sight. Name it by itself, so that a person is asked."),
    ],
)
@pytest.mark.parametrize("tool", ["delete_file", "move_file"])
async def test_a_folder_that_holds_a_protected_path_stays(lane, tool: str, inner: str, way: str) -> None:
    lane.write("vendor/lib.py", "x")
    lane.write(f"vendor/{inner}", "x")
    arguments = {"file_path": "vendor"} if tool == "delete_file" else {"from_path": "vendor", "to_path": "new"}
    text = await refused(lane, tool, **arguments)
    assert text.startswith("vendor/")
    assert text.endswith(f" is protected: {way}")
    assert (lane.root / "vendor/lib.py").exists()


async def test_a_folder_that_git_takes_for_a_repository_stays(lane) -> None:
    for name in ("HEAD", "objects/x", "refs/x"):
        lane.write(f"vendor/store/{name}", "x")
    assert "vendor/store is protected: it belongs to Git's own files." in await refused(
        lane, "delete_file", file_path="vendor"
    )


async def test_names_that_become_protected_by_the_move_are_refused(lane) -> None:
    lane.write("conf/settings.json", "{}")
    text = await refused(lane, "move_file", from_path="conf", to_path=".vscode")
    assert text.startswith(".vscode/settings.json is protected: ")
    assert lane.context.files.resolve(".vscode/settings.json", "write").ask
    assert (lane.root / "conf/settings.json").exists()


async def test_more_than_ten_thousand_entries_are_refused(lane) -> None:
    folder = lane.root / "many"
    folder.mkdir()
    for number in range(10_001):
        (folder / str(number)).touch()
    assert await refused(lane, "delete_file", file_path="many") == (
        "many/ holds more than 10,000 entries. Do it in parts, or with a command."
    )
    (folder / "0").unlink()
    result = await lane.call("move_file", from_path="many", to_path="lots")
    assert result.text == "Moved many/ to lots (10,000 files, 0 bytes)."
    assert [touched.path for touched in result.touched] == ["lots/"]
    assert result.blocks[0].more == 9_500


async def test_a_move_makes_folders_and_keeps_what_was_read(lane) -> None:
    lane.write("a.py", "1\n")
    await lane.call("read_file", file_path="a.py")
    result = await lane.call("move_file", from_path="a.py", to_path="src/new/b.py")
    assert result.text == "Moved a.py to src/new/b.py."
    (touched,) = result.touched
    assert (touched.kind, touched.from_path, touched.path) == ("move", "a.py", "src/new/b.py")
    assert touched.before_sha256 == touched.after_sha256
    edited = await lane.call("edit_file", file_path="src/new/b.py", old_string="1", new_string="2")
    assert edited.text.startswith("Edited src/new/b.py")


@pytest.mark.parametrize("target", ["there.py", "folder", "sub/there.py", "link", "dangling"])
async def test_nothing_is_replaced_by_a_move(lane, target: str) -> None:
    lane.write("a.py", "mine\n")
    lane.write("there.py", "kept\n")
    lane.write("sub/there.py", "kept\n")
    (lane.root / "folder").mkdir()
    (lane.root / "link").symlink_to("there.py")
    (lane.root / "dangling").symlink_to("there.py")
    before = tree(lane.root)
    assert "exists already" in await refused(lane, "move_file", from_path="a.py", to_path=target)
    assert tree(lane.root) == before


async def test_a_folder_is_moved_with_everything_and_not_into_itself(lane) -> None:
    lane.write("src/a.py", "1\n")
    lane.write("src/sub/b.py", "2\n")
    result = await lane.call("move_file", from_path="src", to_path="lib/src/")
    assert result.text == "Moved src/ to lib/src (2 files, 4 bytes)."
    assert result.blocks == (FileListBlock(paths=("lib/src/a.py", "lib/src/sub/b.py")),)
    assert tree(lane.root) == {"lib/src/a.py": b"1\n", "lib/src/sub/b.py": b"2\n"}
    assert await refused(lane, "move_file", from_path="lib", to_path="lib/src/x/y") == (
        "lib/ cannot be moved into itself."
    )
    assert not (lane.root / "lib/src/x").exists()


async def test_missing_things_and_targets_outside_are_errors(lane) -> None:
    lane.write("a.py", "1\n")
    assert await refused(lane, "delete_file", file_path="no.py") == "no.py does not exist."
    assert await refused(lane, "move_file", from_path="no.py", to_path="b") == "no.py does not exist."
    for target in ("../b.py", "/tmp/banksman-test-move", ".git/hooks/x", "a.py/below"):
        await refused(lane, "move_file", from_path="a.py", to_path=target)
    (lane.root / "out").symlink_to("/tmp")
    await refused(lane, "move_file", from_path="a.py", to_path="out/banksman-test-move")
    await refused(lane, "delete_file", file_path="out/banksman-test-move")
    assert (lane.root / "a.py").read_text() == "1\n"
    assert not Path("/tmp/banksman-test-move").exists()


async def test_a_file_that_changed_since_it_was_read_is_not_deleted(lane) -> None:
    file = lane.write("src/a.py", "1\n")
    await lane.call("read_file", file_path="src/a.py")
    file.write_text("a person's work\n")
    for path in ("src/a.py", "src"):
        assert "src/a.py changed on disk since you read it (was " in await refused(lane, "delete_file", file_path=path)
    assert file.exists()


async def test_what_was_deleted_must_be_read_again(lane) -> None:
    lane.write("src/a.py", "1\n")
    await lane.call("read_file", file_path="src/a.py")
    await lane.call("delete_file", file_path="src")
    lane.write("src/a.py", "1\n")
    assert "Read src/a.py before you replace it." in await refused(
        lane, "write_file", file_path="src/a.py", content="2\n"
    )


async def test_a_hard_link_loses_one_name_only(lane, trash: LaneTrash) -> None:
    lane.write("a.py", "1\n")
    os.link(lane.root / "a.py", lane.root / "b.py")
    assert lane.context.files.resolve("a.py", "delete").ask
    await lane.call("delete_file", file_path="a.py")
    assert tree(lane.root) == {"b.py": b"1\n"}
    assert (lane.root / "b.py").stat().st_nlink == 2
    trash.restore(trash.entries()[0].id, lane.context.files)
    assert (lane.root / "a.py").samefile(lane.root / "b.py")


async def test_pipes_are_refused(lane) -> None:
    os.mkfifo(lane.root / "pipe")
    await refused(lane, "delete_file", file_path="pipe")
    assert (lane.root / "pipe").exists()


async def test_a_protected_file_named_by_itself_is_asked_about_and_then_moved(lane) -> None:
    lane.write(".env", "KEY=1\n")
    assert lane.context.files.resolve(".env", "delete").ask
    await lane.call("delete_file", file_path=".env")
    assert not (lane.root / ".env").exists()


async def test_held_to_what_was_judged_nothing_else_is_used(lane) -> None:
    lane.write("a.py", "1\n")
    lane.write("b.py", "2\n")
    lane.write(".env", "KEY=1\n")
    judged = (lane.context.files.resolve("a.py", "delete"),)
    (lane.root / "a.py").unlink()
    (lane.root / "a.py").symlink_to("b.py")
    lane.context = replace(lane.context, files=lane.context.files.held_to(judged))
    await refused(lane, "delete_file", file_path="a.py")
    await refused(lane, "delete_file", file_path=".env")
    assert (lane.root / "b.py").exists()
    assert (lane.root / ".env").exists()


async def test_without_a_trash_nothing_is_deleted(bench) -> None:
    bench.write("a.py", "1\n")
    assert "Deleting is not available" in await refused(bench, "delete_file", file_path="a.py")
    assert (bench.root / "a.py").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write to every folder")
async def test_a_folder_that_may_not_be_written_keeps_its_files(lane) -> None:
    lane.write("closed/a.py", "1\n")
    (lane.root / "closed").chmod(0o555)
    assert "Permission denied" in await refused(lane, "delete_file", file_path="closed/a.py")
    (lane.root / "closed").chmod(0o755)
    assert (lane.root / "closed/a.py").exists()


async def test_a_trash_that_cannot_be_written_costs_nothing(lane, tmp_path: Path) -> None:
    lane.write("a.py", "1\n")
    (tmp_path / "trash").write_text("in the way")
    assert "a.py was not deleted: the trash cannot be written" in await refused(lane, "delete_file", file_path="a.py")
    assert (lane.root / "a.py").exists()


async def test_restoring_replaces_nothing_and_follows_no_link(lane, trash: LaneTrash, tmp_path: Path) -> None:
    lane.write("src/a.py", "1\n")
    await lane.call("delete_file", file_path="src/a.py")
    (entry,) = trash.entries()
    lane.write("src/a.py", "new\n")
    with pytest.raises(PathError, match="exists again"):
        trash.restore(entry.id, lane.context.files)
    shutil.rmtree(lane.root / "src")
    (lane.root / "src").symlink_to(tmp_path)
    with pytest.raises(PathError, match="cannot be restored"):
        trash.restore(entry.id, lane.context.files)
    (lane.root / "src").unlink()
    (lane.root / "other").mkdir()
    (lane.root / "src").symlink_to("other")
    with pytest.raises(PathError, match="its folder is a link now"):
        trash.restore(entry.id, lane.context.files)
    (lane.root / "src").unlink()
    trash.restore(entry.id, lane.context.files)
    assert tree(lane.root) == {"src/a.py": b"1\n"}
    with pytest.raises(PathError, match="not in the trash any more"):
        trash.restore(entry.id, lane.context.files)


async def test_the_trash_forgets_after_thirty_days(lane) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    trash = LaneTrash(lane.context.files.trash, clock=lambda: now[0])
    lane.write("a.py", "1\n")
    await lane.call("delete_file", file_path="a.py")
    (entry,) = trash.entries()
    now[0] = entry.deleted_at + timedelta(days=29)
    assert trash.prune() == 0
    now[0] = entry.deleted_at + timedelta(days=31)
    assert trash.prune() == 1
    assert trash.entries() == ()
    assert list(lane.context.files.trash.iterdir()) == []


async def test_entries_that_are_half_there_are_passed_over(lane, trash: LaneTrash) -> None:
    lane.write("a.py", "1\n")
    await lane.call("delete_file", file_path="a.py")
    folder = lane.context.files.trash
    (folder / "tsh_intent").mkdir()
    (folder / "tsh_intent/entry.json").write_text("{}")
    (folder / "tsh_damaged").mkdir()
    (folder / "tsh_damaged/entry.json").write_text("{")
    (folder / "tsh_damaged/content").write_text("x")
    assert [entry.path for entry in trash.entries()] == ["a.py"]


@pytest.mark.parametrize("handles", [True, False])
async def test_a_trash_on_another_disk_gets_a_copy_before_the_original_goes(lane, handles: bool) -> None:
    place = Path("/dev/shm")
    if not place.is_dir() or place.stat().st_dev == lane.root.stat().st_dev:
        pytest.skip("there is no second disk here")
    folder = place / f"banksman-{lane.context.session_id}"
    try:
        files = LaneFiles(lane.root, name="lane", handles=handles).with_trash(folder)
        lane.context = replace(lane.context, files=files)
        lane.write("src/a.py", "1\n").chmod(0o755)
        lane.write("src/sub/b.py", "2\n")
        (lane.root / "src/link").symlink_to("/etc/passwd")
        before = tree(lane.root)
        await lane.call("delete_file", file_path="src")
        assert tree(lane.root) == {}
        trash = LaneTrash(folder)
        trash.restore(trash.entries()[0].id, files)
        assert tree(lane.root) == before
        assert os.access(lane.root / "src/a.py", os.X_OK)
        os.mkfifo(lane.root / "src/pipe")
        assert "cannot be copied" in await refused(lane, "delete_file", file_path="src")
        assert tree(lane.root) == before
        assert trash.entries() == ()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def test_without_folder_handles_the_same_holds(lane, trash: LaneTrash) -> None:
    files = LaneFiles(lane.root, name="lane", handles=False).with_trash(lane.context.files.trash)
    lane.context = replace(lane.context, files=files)
    lane.write("a.py", "1\n")
    lane.write("there.py", "2\n")
    assert "exists already" in await refused(lane, "move_file", from_path="a.py", to_path="there.py")
    await lane.call("move_file", from_path="a.py", to_path="new/b.py")
    await lane.call("delete_file", file_path="new")
    trash.restore(trash.entries()[0].id, files)
    assert tree(lane.root) == {"new/b.py": b"1\n", "there.py": b"2\n"}
