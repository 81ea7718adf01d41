"""Every button by which lanes end, come back, are freed and repaired, on a repository as real ones are."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane
from tests.agent.lane_ground import record, with_lanes
from tests.agent.rig import folders_below, git
from tests.e2e.conftest import Desk
from tests.e2e.hands import Hands
from tests.e2e.odd_repository import ABOUT, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DRIVES: frozenset[str] = frozenset({
    "action_delete_lanes", "action_deleted_lanes", "lane_archive_cancel", "lane_archive_children", "lane_archive_free",
    "lane_archive_go", "lane_archive_keep", "lane_delete", "lane_delete_branch", "lane_delete_cancel",
    "lane_delete_children", "lane_delete_remote", "lane_free_forever_go", "lane_free_forever_keep",
    "lane_free_space_again", "lane_free_space_close", "lane_free_space_go", "lane_menu_archive", "lane_menu_delete",
    "lane_menu_free_space", "lane_menu_new_chat", "lane_menu_unarchive", "lane_pick_cancel", "lane_pick_go",
    "lane_purge_go", "lane_purge_keep", "lane_repair_delete", "lane_repair_recreate", "lane_restore", "lane_strip_more",
    "lane_strip_trash", "lane_strip_unarchive", "lane_trash_close", "lane_trash_purge",
})  # fmt: skip
REPAIRS: frozenset[str] = frozenset({
    "lane_forget_go", "lane_forget_keep", "lane_repair_finish", "lane_repair_follow", "lane_repair_forget",
    "lane_repair_locate", "lane_repair_recreate", "lane_repair_recreate_branch", "lane_repair_recreate_checkpoint",
    "lane_repair_restore_link", "lane_repair_switch_back", "lane_repair_take_back", "lane_repair_unlock",
})  # fmt: skip
HURT = ("weg", "gemerkt", "bewegt", "ohne-Link", "vergessen", "ohne-Zweig", "anderswo", "daneben", "gesperrt",
        "halb", "halb-weg")  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_odd_repository(tmp_path, remote=True, huge=False)


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trash of the system, of this test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    (tmp_path / "share" / "Trash").mkdir(parents=True)
    return tmp_path / "share" / "Trash"


@pytest.mark.timeout(240)
def test_lanes_end_and_come_back_by_every_button(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi, tmp_path: Path, trash: Path
) -> None:
    folders = folders_below(tmp_path / "home")
    (stem,) = with_lanes(folders, repository, "Stämmchen")
    branch, other = with_lanes(folders, repository, "Äste", "übrig", parent_id=stem.id)
    before = checkout_hash(repository)
    hands = Hands(start())
    free_space(hands, branch, trash)
    archive(hands, stem, branch, other)
    delete(hands, repository, stem, other)
    chat_of_a_lane(hands, model_api, branch)
    assert checkout_hash(repository) == before
    assert git(repository, "stash", "list") == ""
    hands.check(DRIVES)


def free_space(hands: Hands, lane: Lane, trash: Path) -> None:
    """Ignored folders go to the trash, or for good where there is none."""
    cache = Path(lane.worktree_path) / "cache"
    for there_is_trash in (True, False):
        (cache / "größer").mkdir(parents=True)
        (cache / "größer" / "data").write_bytes(b"1" * 100_000)
        hands.menu(hands.lane(lane.name), "free_space")
        hands.press("lane_free_space_again")
        hands.check_all("lane_free_space_list")
        if there_is_trash:
            hands.press("lane_free_space_go")
            hands.until(lambda: not cache.exists(), "the folder to go")
            assert any(trash.rglob("data"))
        else:
            trash.rename(trash.with_name("Full"))
            trash.write_text("no folder")
            hands.press("lane_free_space_go")
            hands.press("lane_free_forever_keep")
            assert cache.exists()
            hands.press("lane_free_space_go")
            hands.press("lane_free_forever_go")
            hands.until(lambda: not cache.exists(), "the folder to go")
        hands.press("lane_free_space_close")
        hands.desk.gone("lane_free_space")


def archive(hands: Hands, stem: Lane, branch: Lane, other: Lane) -> None:
    """With the lanes on top, with and without the folder; and back."""
    hands.menu(stem, "archive")
    hands.press("lane_archive_cancel")
    (Path(branch.worktree_path) / ABOUT).write_text("Anders\n", encoding="utf-8")
    hands.menu(branch, "archive")
    hands.tick("lane_archive_free")
    hands.tick("lane_archive_keep")
    hands.tick("lane_archive_free")
    hands.press("lane_archive_go")
    hands.until(lambda: hands.state(branch) == "archived", "the archive")
    assert not Path(branch.worktree_path).exists()
    hands.menu(branch, "unarchive")
    hands.until(lambda: hands.state(branch) == "active", "the lane to be back")
    assert (Path(branch.worktree_path) / ABOUT).read_text(encoding="utf-8") == "Anders\n"
    hands.menu(stem, "archive")
    hands.tick("lane_archive_children")
    hands.press("lane_archive_go")
    hands.until(lambda: {hands.state(one) for one in (stem, branch, other)} == {"archived"}, "all archived")
    for lane in (stem, branch, other):
        hands.menu(lane, "unarchive")
        hands.until(lambda one=lane: hands.state(one) == "active", f"{lane.name} to be back")


def delete(hands: Hands, repository: Path, stem: Lane, other: Lane) -> None:
    """With what stands on top, with both branches; restored, purged; several at once."""
    hands.menu(stem, "delete")
    hands.tick("lane_delete_children")
    hands.press("lane_delete_cancel")
    folder, remote = Path(other.worktree_path), repository.parent / "origin.git"
    git(folder, "push", "-q", "-u", "origin", other.branch)
    hands.desk.window.lane_host.send(RefreshLanes(lane_ids=(other.id,)))
    hands.menu(other, "delete")
    hands.tick("lane_delete_branch")
    hands.tick("lane_delete_remote")
    if hands.shows("lane_delete_confirm"):
        hands.write("lane_delete_confirm", other.name)
    hands.press("lane_delete")
    hands.desk.gone("lane_delete_dialog")
    assert not folder.exists()
    assert other.branch not in git(repository, "branch", "--list", "--format=%(refname:short)")
    assert other.branch not in git(remote, "branch", "--list", "--format=%(refname:short)")
    hands.act("deleted_lanes")
    hands.press("lane_restore")
    hands.until(lambda: folder.exists() and "is back" in hands.text("lane_trash_state"), "the lane to be back")
    hands.press("lane_trash_close")

    hands.act("delete_lanes")
    hands.press("lane_pick_cancel")
    hands.act("delete_lanes")
    hands.check_all("lane_pick_list", but=2)
    hands.press("lane_pick_go")
    hands.desk.see("lane_delete_dialog")
    hands.press("lane_delete_cancel")
    hands.menu(hands.lane(other.name), "delete")
    hands.press("lane_delete")
    hands.desk.gone("lane_delete_dialog")
    kept = git(repository, "for-each-ref", "--format=%(refname)", "refs/banksman/trash")
    hands.act("deleted_lanes")
    hands.press("lane_trash_purge")
    hands.press("lane_purge_keep")
    hands.press("lane_trash_purge")
    hands.press("lane_purge_go")
    hands.until(lambda: "No lane was deleted" in hands.text("lane_trash_state"), "the lane to go for good")
    assert git(repository, "for-each-ref", "--format=%(refname)", "refs/banksman/trash") != kept
    hands.press("lane_trash_close")


def chat_of_a_lane(hands: Hands, model_api: FakeModelApi, lane: Lane) -> None:
    """What the line over a chat offers when its lane is gone, archived or deleted."""
    hands.menu(lane, "new_chat")
    model_api.script(text_turn("Grüß Gott."))
    hands.desk.send("Hello")
    hands.until(lambda: "Grüß Gott." in hands.desk.transcript_text(), "the answer")
    hands.desk.idle()
    folder = Path(lane.worktree_path)
    shutil.rmtree(folder)
    hands.desk.window.lane_host.send(RefreshLanes(lane_ids=(lane.id,)))
    hands.press("lane_repair_delete")
    hands.press("lane_delete_cancel")
    hands.press("lane_strip_more")
    hands.hide_menus()
    hands.press("lane_repair_recreate")
    hands.until(lambda: (folder / "win.txt").exists() and hands.state(lane) == "active", "the folder to be back")
    hands.menu(lane, "archive")
    hands.press("lane_archive_go")
    hands.press("lane_strip_unarchive")
    hands.until(lambda: hands.state(lane) == "active", "the lane to be back")
    hands.menu(lane, "delete")
    hands.until(lambda: hands.is_on("lane_delete") or hands.shows("lane_delete_confirm"), "what would be lost")
    if hands.shows("lane_delete_confirm"):
        hands.write("lane_delete_confirm", lane.name)
    hands.press("lane_delete")
    hands.desk.gone("lane_delete_dialog")
    hands.press("lane_strip_trash")
    hands.desk.see("lane_trash_dialog")
    hands.press("lane_trash_close")


def hurt(folders: Path, repository: Path, lanes: dict[str, Lane], tmp_path: Path) -> None:
    """Do to lanes what happens outside of the window."""
    for name in ("weg", "gemerkt"):
        shutil.rmtree(lanes[name].worktree_path)
    shutil.move(lanes["bewegt"].worktree_path, tmp_path / "neuer Ort")
    for name in ("ohne-Link", "vergessen"):
        Path(lanes[name].worktree_path, ".git").unlink()
    git(repository, "update-ref", "-d", f"refs/heads/{lanes['ohne-Zweig'].branch}")
    git(Path(lanes["anderswo"].worktree_path), "switch", "-q", "-c", "anders/wo")
    git(Path(lanes["daneben"].worktree_path), "switch", "-q", "--detach")
    git(repository, "worktree", "lock", lanes["gesperrt"].worktree_path)


@pytest.mark.timeout(240)
def test_lanes_are_repaired_by_every_button(start: Callable[[], Desk], repository: Path, tmp_path: Path) -> None:
    folders = folders_below(tmp_path / "home")
    lanes = {lane.name: lane for lane in with_lanes(folders, repository, *HURT)}
    git(repository, "update-ref", f"refs/banksman/checkpoints/{lanes['gemerkt'].id}/1", "HEAD")
    oid = git(repository, "rev-parse", "main").strip()
    hurt(tmp_path, repository, lanes, tmp_path)
    record(
        folders,
        *(lanes[name].model_copy(update={"state": "creating", "base_oid": oid}) for name in ("halb", "halb-weg")),
    )
    before = checkout_hash(repository)
    hands = Hands(start())

    def whole(name: str) -> bool:
        found = hands.desk.window.lane_host
        lane = lanes[name]
        return hands.state(lane) == "active" and found.finding(lane.id) is None

    hands.menu(lanes["vergessen"], "repair_forget")
    hands.press("lane_forget_keep")
    hands.menu(lanes["vergessen"], "repair_forget")
    hands.press("lane_forget_go")
    hands.until(lambda: hands.state(lanes["vergessen"]) == "", "the lane to be forgotten")
    assert Path(lanes["vergessen"].worktree_path, "win.txt").exists()
    for name, offer in (
        ("ohne-Link", "restore_link"), ("weg", "recreate"), ("gemerkt", "recreate_checkpoint"), ("bewegt", "locate"),
        ("ohne-Zweig", "recreate_branch"), ("anderswo", "follow"), ("daneben", "switch_back"), ("gesperrt", "unlock"),
        ("halb", "finish"),
    ):  # fmt: skip
        hands.menu(lanes[name], f"repair_{offer}")
        if offer == "locate" and hands.shows("lane_locate_dialog"):
            hands.folder("lane_locate_dialog", str(tmp_path / "neuer Ort"))
        hands.until(lambda one=name: whole(one), f"{name} to be whole after {offer}")
        place = Path(hands.again(lanes[name]).worktree_path)
        assert (place / ABOUT).read_text(encoding="utf-8") == "# Über uns\n\nGrüße\n"
    assert hands.again(lanes["anderswo"]).branch == "anders/wo"
    hands.menu(lanes["halb-weg"], "repair_take_back")
    hands.until(lambda: hands.state(lanes["halb-weg"]) == "", "the half lane to go")
    assert checkout_hash(repository) == before
    hands.check(REPAIRS)
