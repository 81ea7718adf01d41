"""What a lane can begin at, as entries of a list."""

from collections.abc import Sequence

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneBase
from desktop.language import tr, trn
from desktop.ui.text.format import count
from desktop.ui.widgets.pick_list import PickItem

NONE, DEFAULT = "-", "*"
_ICONS = {"default": "git-branch", "branch": "git-branch", "remote": "globe", "lane": "git-fork"}


def base_items(bases: Sequence[LaneBase]) -> list[PickItem]:
    """Every base once, the default first; its key stands for whatever is the default when the lane is made."""
    items = [PickItem(DEFAULT, display_text(bases[0].ref), tr("default"), icon=_ICONS["default"])] if bases else []
    return [*items, *(_item(base) for base in bases[1:] if base.ref != bases[0].ref)]


def branch_items(bases: Sequence[LaneBase]) -> list[PickItem]:
    """The branches that a lane could take over: those that are open nowhere."""
    return [_item(base) for base in bases[1:] if not base.open_in]


def parent_items(lanes: Sequence[Lane]) -> list[PickItem]:
    """The lanes that another one could stand on, after none."""
    usable = [lane for lane in lanes if lane.state == "active" and lane.type != "primary" and lane.branch]
    listed = (
        PickItem(lane.id, display_text(lane.name), display_text(lane.branch), icon="git-branch") for lane in usable
    )
    return [PickItem(NONE, tr("None")), *listed]


def behind_words(base: LaneBase) -> str:
    """That a base is behind, and that this is wanted; for a tick box."""
    return trn(
        base.behind,
        "Begin there although it is {n} commit behind",
        "Begin there although it is {n} commits behind",
    )


def _item(base: LaneBase) -> PickItem:
    behind = tr("{commits} behind", commits=count(base.behind, "commit")) if base.behind else ""
    open_in = tr("open in {place}", place=_place(base.open_in)) if base.open_in else ""
    detail = " · ".join(part for part in (behind, open_in) if part)
    return PickItem(base.ref, display_text(base.ref), detail, icon=_ICONS[base.kind])


def _place(open_in: str) -> str:
    """Where a branch is open: a folder, or in words."""
    return tr("your checkout") if open_in == "your checkout" else display_text(open_in)
