"""Every button by which lanes begin and are changed, on a repository as real ones are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.lanes.lane import Lane
from tests.agent.rig import folders_below, git
from tests.e2e.conftest import Desk
from tests.e2e.hands import Hands, Opened
from tests.e2e.odd_repository import ABOUT, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DRIVES: frozenset[str] = frozenset({
    "action_import_lane", "action_new_lane", "action_several_models", "composer_place_checkout",
    "composer_place_existing", "composer_place_lane", "lane_adopt", "lane_adopt_cancel", "lane_allow_behind",
    "lane_base", "lane_create", "lane_delete", "lane_delete_cancel", "lane_dialog_cancel", "lane_edit_color",
    "lane_edit_dialog_cancel", "lane_edit_icon_bolt", "lane_edit_icon_flag", "lane_edit_icon_none",
    "lane_edit_icon_shield", "lane_edit_icon_star", "lane_edit_icon_tag", "lane_edit_rename_branch", "lane_edit_save",
    "lane_existing", "lane_import", "lane_import_choose", "lane_import_dialog_cancel", "lane_import_show",
    "lane_menu_adopt",
    "lane_menu_copy_branch", "lane_menu_copy_path", "lane_menu_edit", "lane_menu_editor", "lane_menu_new_chat",
    "lane_menu_new_child", "lane_menu_open_folder", "lane_menu_parent", "lane_menu_pull", "lane_menu_switch",
    "lane_menu_unlink", "lane_models_base", "lane_models_dialog_cancel", "lane_models_go", "lane_move",
    "lane_move_cancel", "lane_move_go", "lane_parent", "lane_parent_cancel", "lane_parent_choice", "lane_parent_go",
    "lane_start_base", "lane_start_branch", "lane_start_changes", "lane_start_chat", "lane_switch",
    "lane_switch_branch", "lane_switch_dialog_cancel",
})  # fmt: skip
AT_HOME = "daheim/ümlaut"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = make_odd_repository(tmp_path, remote=True, huge=False)
    git(root, "branch", AT_HOME)
    git(root, "branch", "spare")
    other = tmp_path / "colleague"
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "a colleague's")
    git(other, "push", "-q", "origin", "main")
    git(root, "fetch", "-q")
    return root


@pytest.fixture
def editor(tmp_path: Path, model_api: FakeModelApi) -> Path:
    """Two models, and an editor that notes what it is given; where it notes that."""
    notes = tmp_path / "edited.txt"
    script = tmp_path / "edit.sh"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {notes}\n')
    script.chmod(0o755)
    models = [
        Endpoint(id=name, label=name, kind="compatible", base_url=model_api.url, auth="none", default_model=f"m-{name}")
        for name in ("one", "two")
    ]
    settings = Settings(endpoints=tuple(models), default_endpoint="one", editor=(str(script), "{path}"))
    save_settings(folders_below(tmp_path / "home").settings_file, settings)
    return notes


@pytest.mark.timeout(240)
def test_lanes_begin_and_are_changed_by_every_button(
    start: Callable[[], Desk], repository: Path, editor: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    (repository / ABOUT).write_text("# Über uns\n\nGeändert\n", encoding="utf-8")
    (repository / "neu ü.txt").write_text("new\n")
    before = checkout_hash(repository)
    hands = Hands(start())
    begin(hands, repository)
    assert checkout_hash(repository) == before
    move(hands, repository)
    before = checkout_hash(repository)
    take_over(hands, repository, tmp_path)
    edit_and_switch(hands)
    stack(hands)
    leave_the_window(hands, editor)
    several_models(hands, model_api)
    assert checkout_hash(repository) == before
    assert git(repository, "stash", "list") == ""
    hands.check(DRIVES)


def made(hands: Hands, name: str) -> Lane:
    """The lane that the dialog made, once it is closed."""
    hands.desk.gone("lane_dialog")
    return hands.lane(name)


def begin(hands: Hands, repository: Path) -> None:
    """From a base, from a branch that is behind, with the changes of the checkout, with a chat."""
    hands.act("new_lane")
    hands.press("lane_dialog_cancel")
    hands.desk.gone("lane_dialog")

    hands.act("new_lane")
    hands.write("lane_name", "Grüße & mehr")
    hands.press("lane_start_changes")
    hands.press("lane_start_base")
    hands.choose("lane_base", "main")
    hands.press("lane_start_changes")
    hands.tick("lane_start_chat", on=False)
    hands.press("lane_create")
    copied = Path(made(hands, "Grüße & mehr").worktree_path)
    assert (copied / ABOUT).read_text(encoding="utf-8") == "# Über uns\n\nGeändert\n"
    assert (copied / "neu ü.txt").read_text() == "new\n"

    hands.act("new_lane")
    hands.write("lane_name", "Von gestern")
    hands.choose("lane_base", "1 commit behind")
    hands.tick("lane_allow_behind")
    hands.press("lane_create")
    old = made(hands, "Von gestern")
    assert git(Path(old.worktree_path), "rev-parse", "HEAD") == git(repository, "rev-parse", "main")
    hands.until(lambda: hands.text("composer_place_existing") == "In Von gestern", "the page of a chat in it")
    hands.press("composer_place_checkout")
    hands.press("composer_place_lane")
    hands.press("composer_place_existing")
    hands.desk.see("lane_popup")
    hands.key("lane_search", hands.RETURN)
    hands.desk.gone("lane_popup")

    hands.act("new_lane")
    hands.write("lane_name", "Spare")
    hands.press("lane_start_branch")
    hands.choose("lane_existing", "spare")
    hands.tick("lane_start_chat", on=False)
    hands.press("lane_create")
    assert git(Path(made(hands, "Spare").worktree_path), "branch", "--show-current") == "spare\n"


def move(hands: Hands, repository: Path) -> None:
    """The changes of the checkout go into a lane, once the person has agreed to each of them."""
    hands.act("new_lane")
    hands.write("lane_name", "修复 move")
    hands.press("lane_start_changes")
    hands.tick("lane_move")
    hands.tick("lane_start_chat", on=False)
    hands.press("lane_create")
    hands.press("lane_move_cancel")
    assert (repository / "neu ü.txt").exists()
    hands.press("lane_create")
    hands.press("lane_move_go")
    moved = Path(made(hands, "修复 move").worktree_path)
    assert git(repository, "status", "--porcelain") == ""
    assert (moved / "neu ü.txt").read_text() == "new\n"


def take_over(hands: Hands, repository: Path, tmp_path: Path) -> None:
    """Worktrees of the person become lanes, and are let go or adopted."""
    place = tmp_path / "mein Baum"
    git(repository, "worktree", "add", "-q", str(place), AT_HOME)
    hands.act("import_lane")
    hands.press("lane_import_dialog_cancel")
    for end in ("unlink", "adopt"):
        hands.act("import_lane")
        hands.press("lane_import_choose")
        hands.folder("lane_import_folder_dialog", str(place))
        with Opened() as opened:
            hands.press("lane_import_show")
        assert opened.urls == [str(place)]
        hands.write("lane_import_name", "Daheim & ümlaut")
        hands.press("lane_import")
        hands.desk.gone("lane_import_dialog")
        lane = hands.lane("Daheim & ümlaut")
        assert lane.type == "attached"
        hands.menu(lane, end)
        if end == "unlink":
            hands.press("lane_delete_cancel")
            hands.menu(lane, end)
            hands.press("lane_delete")
            hands.until(lambda one=lane: hands.state(one) == "", "the lane to be let go")
            assert (place / ABOUT).exists()
    hands.press("lane_adopt_cancel")
    hands.menu(lane, "adopt")
    hands.press("lane_adopt")
    hands.until(lambda: hands.again(lane).type == "worktree", "the lane to be ours")


def edit_and_switch(hands: Hands) -> None:
    """Name, branch, looks; then another branch."""
    lane = hands.lane("Von gestern")
    hands.menu(lane, "edit")
    hands.press("lane_edit_dialog_cancel")
    hands.menu(lane, "edit")
    hands.write("lane_edit_name", "Très récent")
    hands.tick("lane_edit_rename_branch")
    hands.press("lane_edit_icon_star")
    for icon in ("flag", "bolt", "shield", "tag", "none", "star"):
        hands.press(f"lane_edit_icon_{icon}")
    free = next(one for one in ("pink", "lime", "brown", "grey", "teal") if hands.is_on(f"lane_edit_color_{one}"))
    hands.press(f"lane_edit_color_{free}")
    hands.press("lane_edit_save")
    hands.desk.gone("lane_edit_dialog")
    looks = ("Très récent", "star", free)
    hands.until(lambda: ((one := hands.again(lane)).name, one.icon, one.color) == looks, "how the lane looks now")
    now = hands.again(lane)
    folder = Path(now.worktree_path)
    assert git(folder, "branch", "--show-current") == "lane/tres-recent\n"
    hands.menu(now, "switch")
    hands.press("lane_switch_dialog_cancel")
    git(folder, "branch", "and/another")
    hands.menu(now, "switch")
    hands.choose("lane_switch_branch", "and/another")
    hands.press("lane_switch")
    hands.desk.gone("lane_switch_dialog")
    assert git(folder, "branch", "--show-current") == "and/another\n"


def stack(hands: Hands) -> None:
    """A lane on top of another one, and a lane that comes to stand on one."""
    lane = hands.lane("Très récent")
    hands.menu(lane, "new_child")
    hands.write("lane_name", "Kind")
    hands.choose("lane_parent", "Très récent")
    hands.tick("lane_start_chat", on=False)
    hands.press("lane_create")
    assert made(hands, "Kind").parent_id == lane.id
    spare = hands.lane("Spare")
    hands.menu(spare, "parent")
    hands.press("lane_parent_cancel")
    hands.menu(spare, "parent")
    hands.choose("lane_parent_choice", "Kind")
    hands.press("lane_parent_go")
    hands.until(lambda: hands.again(spare).parent_id == hands.lane("Kind").id, "the parent")


def leave_the_window(hands: Hands, editor: Path) -> None:
    """The clipboard, the file manager, the editor; the page of a chat and the PR tab."""
    lane = hands.lane("Très récent")
    hands.menu(lane, "copy_path")
    assert QGuiApplication.clipboard().text() == lane.worktree_path
    hands.menu(lane, "copy_branch")
    assert QGuiApplication.clipboard().text() == lane.branch
    with Opened() as opened:
        hands.menu(lane, "open_folder")
    assert opened.urls == [lane.worktree_path]
    hands.menu(lane, "editor")
    hands.until(lambda: editor.exists() and lane.worktree_path in editor.read_text(), "the editor")
    hands.menu(lane, "new_chat")
    hands.until(lambda: hands.text("composer_place_existing") == "In Très récent", "the page of a chat in it")
    hands.menu(lane, "pull")
    chosen = hands.desk.window.sidebar.tree
    hands.until(
        lambda: (row := chosen.row_at(chosen.currentIndex())) is not None and row.lane_id == lane.id,
        "the row of a lane in which no chat has a request",
    )


def several_models(hands: Hands, model_api: FakeModelApi) -> None:
    """One prompt in two lanes."""
    lanes = hands.desk.window.lane_host.lanes
    before = len(lanes())
    hands.act("several_models")
    hands.press("lane_models_dialog_cancel")
    hands.act("several_models")
    hands.write("lane_models_text", "Sag Grüß Gott")
    hands.choose("lane_models_base", "default")
    hands.check_all("lane_models_list", but=1)
    model_api.script(text_turn("Grüß Gott."), text_turn("Grüß Gott."))
    hands.press("lane_models_go")
    hands.desk.gone("lane_models_dialog")
    hands.until(lambda: len(lanes()) == before + 2, "the lanes")
    hands.until(lambda: len(model_api.requests) == 2, "both turns")
    hands.desk.idle()
