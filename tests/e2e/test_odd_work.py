"""Every button that brings the work of lanes together, on a repository as real ones are."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane
from desktop.ui.changes.tab import ChangesTab
from tests.agent.lane_ground import with_lanes
from tests.agent.rig import folders_below, git
from tests.e2e.conftest import Desk
from tests.e2e.hands import Hands
from tests.e2e.odd_repository import ABOUT, WINDOWS, contents, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DRIVES: frozenset[str] = frozenset({
    "behind_strip_dismiss", "behind_strip_later", "behind_strip_update",
    "changes_conflicts", "conflict_abort", "conflict_abort_go", "conflict_abort_stay", "conflict_as_is",
    "conflict_ask_agent", "conflict_close", "conflict_continue", "conflict_show_base", "conflict_take_ours",
    "conflict_take_theirs", "handover_bring_back", "lane_archive_cancel", "lane_menu_conflicts", "lane_menu_merge",
    "lane_menu_new_chat", "lane_menu_overlaps", "lane_menu_try", "lane_menu_update", "lane_merge_archive",
    "lane_merge_cancel", "lane_merge_checkout", "lane_merge_children", "lane_merge_go", "lane_merge_method_merge",
    "lane_merge_method_rebase", "lane_merge_method_squash", "lane_merge_push", "lane_overlap_show",
    "lane_overlaps_close", "push_lanes_cancel", "push_lanes_go", "stack_run_push",
    "lane_try_cancel", "lane_try_go", "operation_strip_abort", "operation_strip_continue", "operation_strip_show",
    "stack_resolve", "stack_run", "stack_run_cancel", "stack_run_children", "stack_undo",
})  # fmt: skip
THEIRS = WINDOWS.replace(b"line 1\r", b"theirs\r")
OURS = WINDOWS.replace(b"line 1\r", b"ours\r")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_odd_repository(tmp_path, remote=False, huge=False)


@pytest.fixture(autouse=True)
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def commit(folder: Path | str, subject: str, content: bytes, words: str) -> None:
    """Change the file with Windows line ends, and the one with an odd name."""
    Path(folder, "win.txt").write_bytes(content)
    Path(folder, ABOUT).write_text(words, encoding="utf-8")
    git(Path(folder), "commit", "-q", "-a", "-m", subject)


@pytest.mark.timeout(240)
def test_lanes_are_brought_together_by_every_button(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    folders = folders_below(tmp_path / "home")
    (lane,) = with_lanes(folders, repository, "Grüße")
    (child,) = with_lanes(folders, repository, "Kind", parent_id=lane.id)
    (other,) = with_lanes(folders, repository, "Anderes")
    commit(lane.worktree_path, "The lane's", THEIRS, "theirs\n")
    commit(other.worktree_path, "Another's", WINDOWS + b"more\r\n", "another's\n")
    commit(repository, "Main's", OURS, "ours\n")
    before = checkout_hash(repository)
    hands = Hands(start())
    overlaps(hands, lane)
    resolve(hands, model_api, lane)
    assert checkout_hash(repository) == before
    undo(hands, lane)
    merge(hands, repository, lane, child)
    try_it(hands, repository, lane)
    assert git(repository, "stash", "list") == ""
    hands.check(DRIVES)


def overlaps(hands: Hands, lane: Lane) -> None:
    """Files that another lane changes too."""
    status = hands.desk.window.lane_host.status
    hands.until(lambda: (one := status(lane.id)) is not None and bool(one.overlaps), "the overlap")
    hands.menu(lane, "overlaps")
    hands.press("lane_overlap_show")
    hands.desk.gone("lane_overlaps_dialog")
    hands.menu(lane, "overlaps")
    hands.press("lane_overlaps_close")


def resolve(hands: Hands, model_api: FakeModelApi, lane: Lane) -> None:
    """A conflict is looked at, left, taken back, and resolved; from every place where it shows."""
    folder = Path(lane.worktree_path)
    stood = git(folder, "rev-parse", "HEAD")
    hands.menu(lane, "new_chat")
    model_api.script(text_turn("Hello."), text_turn("I looked."))
    hands.desk.send("Hello")
    hands.until(lambda: "Hello." in hands.desk.transcript_text(), "the answer")
    hands.desk.idle()
    hands.press("behind_strip_update")
    hands.press("stack_run_cancel")
    hands.from_menu("behind_strip_later", "behind_strip_dismiss")
    hands.desk.gone("behind_strip")
    begin_rebase(hands, lane)
    hands.tick("conflict_show_base")
    hands.press("conflict_abort")
    hands.press("conflict_abort_stay")
    hands.press("conflict_close")
    hands.press("operation_strip_show")
    hands.press("conflict_abort")
    hands.press("conflict_abort_go")
    hands.desk.gone("operation_strip")
    assert git(folder, "rev-parse", "HEAD") == stood
    assert git(folder, "status", "--porcelain") == ""

    begin_rebase(hands, lane)
    hands.press("conflict_close")
    hands.press("operation_strip_abort")
    hands.press("conflict_abort_go")
    hands.desk.gone("operation_strip")
    assert git(folder, "rev-parse", "HEAD") == stood

    begin_rebase(hands, lane)
    hands.press("conflict_ask_agent")
    hands.until(lambda: "I looked." in hands.desk.transcript_text(), "the agent")
    hands.desk.idle()
    hands.inspector.of(ChangesTab).load()
    hands.press("changes_conflicts")
    hands.press("conflict_take_theirs")
    hands.until(lambda: "1 file in conflict" in hands.text("conflict_state"), "one file left")
    hands.press("conflict_take_ours")
    hands.press("conflict_close")
    hands.press("operation_strip_continue")
    hands.desk.gone("operation_strip")
    assert git(folder, "log", "-2", "--format=%s").split("\n")[:2] == ["The lane's", "Main's"]


def begin_rebase(hands: Hands, lane: Lane) -> None:
    """Run into the conflict, and open it."""
    hands.menu(lane, "update")
    hands.tick("stack_run_children", on=False)
    hands.press("stack_run")
    hands.press("stack_resolve")
    hands.until(lambda: "2 files in conflict" in hands.text("conflict_state"), "the files")


def undo(hands: Hands, lane: Lane) -> None:
    """A run that went well is taken back; a conflict that a person resolved by hand is gone on with."""
    child = hands.lane("Kind")
    stood = git(Path(child.worktree_path), "rev-parse", "HEAD")
    hands.menu(child, "update")
    hands.tick("stack_run_push")
    hands.press("stack_run")
    hands.until(lambda: "There is nothing to push." in hands.text("push_lanes_state"), "the repository has no remote")
    hands.press("push_lanes_cancel")
    hands.press("stack_undo")
    hands.until(lambda: git(Path(child.worktree_path), "rev-parse", "HEAD") == stood, "the undo")
    hands.press("stack_run_cancel")
    other = hands.lane("Anderes")
    folder = Path(other.worktree_path)
    hands.menu(other, "update")
    hands.press("stack_run")
    hands.press("stack_resolve")
    hands.until(lambda: "1 file in conflict" in hands.text("conflict_state"), "the file")
    hands.press("conflict_close")
    (folder / ABOUT).write_text("both\n", encoding="utf-8")
    hands.menu(other, "conflicts")
    hands.press("conflict_as_is")
    hands.until(lambda: "Nothing is in conflict" in hands.text("conflict_state"), "nothing in conflict")
    hands.press("conflict_continue")
    hands.desk.gone("conflicts_dialog")
    assert (folder / "win.txt").read_bytes() == OURS + b"more\r\n"


def merge(hands: Hands, repository: Path, lane: Lane, child: Lane) -> None:
    """In each way it is planned; done in the checkout, which was asked; what follows is offered."""
    hands.menu(lane, "merge")
    for method in ("squash", "rebase", "merge"):
        hands.press(f"lane_merge_method_{method}")
    hands.press("lane_merge_cancel")
    hands.menu(lane, "merge")
    hands.tick("lane_merge_checkout")
    hands.press("lane_merge_go")
    hands.press("lane_merge_children")
    hands.until(lambda: hands.again(child).parent_id == "", "the child to stand on the base")
    hands.press("lane_merge_cancel")
    assert git(repository, "status", "--porcelain") == ""
    assert (repository / ABOUT).read_text(encoding="utf-8") in ("ours\n", "theirs\n")
    Path(child.worktree_path, "neu ü.txt").write_text("neu\n")
    git(Path(child.worktree_path), "add", "-A")
    git(Path(child.worktree_path), "commit", "-q", "-m", "The child's")
    hands.desk.window.lane_host.send(RefreshLanes(lane_ids=(child.id,)))
    hands.menu(child, "merge")
    hands.tick("lane_merge_checkout")
    hands.press("lane_merge_go")
    hands.desk.see("lane_merge_push")
    remote = repository.parent / "origin.git"
    git(repository, "init", "-q", "--bare", str(remote))
    git(repository, "remote", "add", "origin", str(remote))
    hands.press("lane_merge_push")
    hands.press("push_lanes_go")
    hands.until(lambda: "is at" in hands.rows("push_lanes_list"), "the push")
    assert git(remote, "rev-parse", "main") == git(repository, "rev-parse", "main")
    hands.press("push_lanes_cancel")
    hands.press("lane_merge_archive")
    hands.press("lane_archive_cancel")
    assert (repository / "neu ü.txt").read_text() == "neu\n"


def try_it(hands: Hands, repository: Path, lane: Lane) -> None:
    """The checkout shows the lane, and what is edited there comes into it."""
    before = git(repository, "status", "--porcelain", "--branch"), contents(repository)
    hands.menu(lane, "try")
    hands.press("lane_try_cancel")
    hands.menu(lane, "try")
    hands.press("lane_try_go")
    hands.desk.see("handover_strip")
    (repository / "no end.txt").write_text("edited without an end")
    hands.press("handover_bring_back")
    hands.desk.gone("handover_strip")
    assert Path(lane.worktree_path, "no end.txt").read_text() == "edited without an end"
    assert (git(repository, "status", "--porcelain", "--branch"), contents(repository)) == before
