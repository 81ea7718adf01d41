"""PickLanesDialog: several lanes to delete together."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidgetItem, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.language import tr
from desktop.ui.text.format import size
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

_WIDTH, _HEIGHT = 460, 260
_TEXT = tr("What would be lost with them is shown before anything goes.")
_TICK = tr("Tick the lanes that are to go.")
_STATES = {"archived": tr("archived"), "broken": tr("needs repair")}


class PickLanesDialog(AskDialog):
    """`picked`: the ids of the ticked lanes, a tuple."""

    picked = Signal(object)

    def __init__(self, lanes: Sequence[Lane], parent: QWidget) -> None:
        question = Question(
            "lane_pick_dialog",
            tr("Delete lanes"),
            _TEXT,
            (tr("Cancel"), "lane_pick_cancel"),
            (tr("Continue…"), "lane_pick_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.list = BoxList("lane_pick_list", tr("Lanes to delete"), self, sideways=True)
        self.list.setMinimumSize(theme().px(_WIDTH), theme().px(_HEIGHT))
        for lane in lanes:
            item = QListWidgetItem(_words(lane), self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            item.setData(Qt.ItemDataRole.UserRole, lane.id)
        self.list.itemChanged.connect(lambda _item: set_off(self.go, "" if self._ticked() else _TICK))
        set_off(self.go, _TICK)
        self.go.setProperty("kind", "primary")
        self.details.addWidget(self.list)
        self.agreed.connect(lambda: self.picked.emit(self._ticked()))
        self.list.setFocus()

    def _ticked(self) -> tuple[str, ...]:
        items = (self.list.item(row) for row in range(self.list.count()))
        ticked = (item for item in items if item.checkState() is Qt.CheckState.Checked)
        return tuple(str(item.data(Qt.ItemDataRole.UserRole)) for item in ticked)


def _words(lane: Lane) -> str:
    parts = (lane.branch, _STATES.get(lane.state, ""), size(lane.size_bytes) if lane.size_bytes else "")
    return "  ·  ".join(display_text(part) for part in (lane.name, *parts) if part)
