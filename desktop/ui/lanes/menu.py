"""The menu of a lane: one entry a line. The sidebar's context menu and the palette read it."""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Literal

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from desktop.domain.lanes.commands import OpenInEditor
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.terminal_opener import TerminalOpener
from desktop.ui.lanes.begin import (
    adopt_lane,
    can_be_edited,
    can_switch,
    edit_lane,
    is_attached,
    new_chat_here,
    new_lane,
    switch_branch,
    switch_hindrance,
    takes_chats,
    takes_children,
)
from desktop.ui.lanes.care import (
    free_space,
    has_ignored,
    is_ours,
    review_lane_file,
    run_lane,
    show_setup,
    stop_setup,
)
from desktop.ui.lanes.dialogs.overlaps import overlaps, show_overlaps
from desktop.ui.lanes.ends import archive_lane, delete_lane, show_trash, unarchive_lane
from desktop.ui.lanes.host import LaneHost
from desktop.ui.lanes.repairs import OFFERS, labels, repair
from desktop.ui.lanes.stacks.menu import (
    abort_operation,
    choose_parent,
    continue_operation,
    has_operation,
    is_workable,
    merge_into_base,
    show_conflicts,
    try_hindrance,
    try_in_checkout,
    update_from_base,
    work_hindrance,
)
from desktop.ui.theme.icons import icon
from desktop.ui.widgets.buttons.off import set_action_off

Group = Literal["chat", "open", "work", "lane", "end"]
GROUPS: tuple[Group, ...] = ("chat", "open", "work", "lane", "end")
"""In the order of the menu, with a line between them: its chats, looking at it, its work, the lane itself, its end."""


def _always(_lane: Lane, _status: LaneStatus | None) -> bool:
    return True


def _nothing(_lane: Lane, _status: LaneStatus | None) -> str:
    return ""


@dataclass(frozen=True)
class LaneAction:
    """One entry. `run` is given the `LaneHost` and the lane's id. `shown`: whether the lane has this entry at all;
    `hindrance`: why it cannot be chosen now, "" if it can; shown as its tooltip."""

    id: str
    title: str
    run: Callable[[LaneHost, str], object]
    group: Group = "lane"
    icon: str = ""
    shown: Callable[[Lane, LaneStatus | None], bool] = _always
    hindrance: Callable[[Lane, LaneStatus | None], str] = _nothing


def copy_path(host: LaneHost, lane_id: str) -> None:
    """Put the path of the lane's folder on the clipboard."""
    lane = host.lane(lane_id)
    if lane is not None:
        QGuiApplication.clipboard().setText(lane.worktree_path)
        host.note(tr("Path copied"))


def copy_branch(host: LaneHost, lane_id: str) -> None:
    """Put the name of the lane's branch on the clipboard."""
    lane = host.lane(lane_id)
    if lane is not None and lane.branch:
        QGuiApplication.clipboard().setText(lane.branch)
        host.note(tr("Branch name copied"))


def open_folder(host: LaneHost, lane_id: str) -> None:
    """Show the lane's folder in the system's file manager."""
    lane = host.lane(lane_id)
    if lane is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(lane.worktree_path)):
        host.note(tr("No program opened the folder. Copy its path instead."), error=True)


def open_terminal(host: LaneHost, lane_id: str) -> None:
    """Show the lane's terminals, with a new one if it has none."""
    opener = host.window.findChild(TerminalOpener)
    if opener is not None:
        opener.asked.emit(lane_id)


def show_pull(host: LaneHost, lane_id: str) -> None:
    """Show the lane's pull request, or what stands in the way of one."""
    host.ask_pull("show", lane_id)


def open_in_editor(host: LaneHost, lane_id: str) -> None:
    """Open the lane's folder in the person's editor."""
    host.send(OpenInEditor(lane_id=lane_id))


def _usable(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.state == "active" and not lane.freed


def _has_folder(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.state != "creating" and not lane.freed


def _has_branch(lane: Lane, _status: LaneStatus | None) -> bool:
    return bool(lane.branch)


def _in_use(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.type != "primary" and lane.state in ("active", "broken")


def _archived(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.state == "archived"


def _own(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.type == "worktree" and lane.state in ("active", "broken", "archived")


def _attached(lane: Lane, _status: LaneStatus | None) -> bool:
    return lane.type == "attached" and lane.state in ("active", "broken", "archived")


def _repair(offer: str, host: LaneHost, lane_id: str) -> None:
    repair(host, lane_id, offer)


LANE_ACTIONS: tuple[LaneAction, ...] = (
    LaneAction("new_chat", tr("New chat here"), new_chat_here, "chat", "plus", takes_chats),
    LaneAction("new_child", tr("New child lane…"), new_lane, "chat", "git-branch", takes_children),
    LaneAction("open_folder", tr("Open folder"), open_folder, "open", "folder-open", _has_folder),
    LaneAction("terminal", tr("Terminal"), open_terminal, "open", "square-terminal", _usable),
    LaneAction("editor", tr("Open in editor"), open_in_editor, "open", "external-link", _has_folder),
    LaneAction("copy_path", tr("Copy path"), copy_path, "open", "copy", _has_folder),
    LaneAction("copy_branch", tr("Copy branch name"), copy_branch, "open", "git-branch", _has_branch),
    LaneAction("run", tr("Run…"), run_lane, "work", "play", is_ours),
    LaneAction("setup", tr("Setup…"), show_setup, "work", "wrench", is_ours),
    LaneAction("conflicts", tr("Resolve conflicts…"), show_conflicts, "work", "git-merge", has_operation),
    LaneAction("update", tr("Update from base…"), update_from_base, "work", "refresh-cw", is_workable, work_hindrance),
    LaneAction("merge", tr("Merge into base…"), merge_into_base, "work", "git-merge", is_workable, work_hindrance),
    LaneAction("pull", tr("Pull request…"), show_pull, "work", "git-pull-request", is_workable),
    LaneAction("try", tr("Try in my checkout…"), try_in_checkout, "work", "eye", is_workable, try_hindrance),
    LaneAction("parent", tr("Stack on…"), choose_parent, "work", "list-tree", is_workable, work_hindrance),
    LaneAction("overlaps", tr("Overlaps…"), show_overlaps, "work", "git-merge", overlaps),
    LaneAction("edit", tr("Edit…"), edit_lane, "lane", "pencil", can_be_edited),
    LaneAction("switch", tr("Switch branch…"), switch_branch, "lane", "git-branch", can_switch, switch_hindrance),
    LaneAction("adopt", tr("Adopt…"), adopt_lane, "lane", "check", is_attached),
    LaneAction("free_space", tr("Free space…"), free_space, "lane", "database", has_ignored),
    LaneAction("archive", tr("Archive…"), archive_lane, "end", "archive", _in_use),
    LaneAction("unarchive", tr("Bring back"), unarchive_lane, "end", "archive", _archived),
    LaneAction("delete", tr("Delete…"), delete_lane, "end", "trash-2", _own),
    LaneAction("unlink", tr("Unlink…"), delete_lane, "end", "trash-2", _attached),
)


CARE_ACTIONS: tuple[LaneAction, ...] = (
    LaneAction("review_lane_file", tr("Review the lane file…"), review_lane_file),
    LaneAction("continue", tr("Continue"), continue_operation, shown=has_operation),
    LaneAction("abort", tr("Abort…"), abort_operation, shown=has_operation),
    LaneAction("stop_setup", tr("Stop the setup"), stop_setup),
    LaneAction("trash", tr("Deleted lanes…"), lambda host, _lane_id: show_trash(host)),
    *(LaneAction(f"repair_{offer}", label, partial(_repair, offer)) for offer, (label, _) in OFFERS.items()),
)
"""What is asked for elsewhere in the window and stands in no menu."""


def offered(lane: Lane, status: LaneStatus | None) -> list[LaneAction]:
    """The entries that this lane has, by group and then as they are listed."""
    entries = [entry for entry in LANE_ACTIONS if entry.shown(lane, status)]
    return sorted(entries, key=lambda entry: GROUPS.index(entry.group))


def fill_lane_menu(menu: QMenu, host: LaneHost, lane_id: str) -> bool:
    """Add the entries of a lane, each named `lane_menu_<id>`; whether there are any."""
    lane = host.lane(lane_id)
    entries = offered(lane, host.status(lane_id)) if lane is not None else []
    menu.setToolTipsVisible(True)
    finding = host.finding(lane_id)
    for offer, label, tip in labels(finding.offers if lane is not None and finding is not None else ()):
        action = menu.addAction(icon("wrench"), label)
        action.setObjectName(f"lane_menu_repair_{offer}")
        action.setToolTip(tip)
        action.triggered.connect(partial(_repair, offer, host, lane_id))
    for _group, of_group in groupby(entries, key=lambda entry: entry.group):
        if not menu.isEmpty():
            menu.addSeparator()
        for entry in of_group:
            _add(menu, host, lane_id, entry)
    return bool(entries)


def _add(menu: QMenu, host: LaneHost, lane_id: str, entry: LaneAction) -> None:
    lane = host.lane(lane_id)
    hindrance = entry.hindrance(lane, host.status(lane_id)) if lane is not None else ""
    action = menu.addAction(entry.title)
    action.setObjectName(f"lane_menu_{entry.id}")
    if entry.icon:
        action.setIcon(icon(entry.icon))
    set_action_off(action, hindrance)
    action.triggered.connect(lambda _checked=False: entry.run(host, lane_id))
