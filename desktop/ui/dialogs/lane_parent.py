"""LaneParentDialog: which lane another one stacks on."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from desktop.domain.display import display_text
from desktop.domain.lane import Lane
from desktop.ui.dialogs.ask import AskDialog, Question

_TEXT = (
    "The lane's own commits are put on top of the other lane, and those that stack on it follow. Where one does not "
    "fit, nothing changes."
)


class LaneParentDialog(AskDialog):
    """`chosen`: the id of the new parent, "" for none. `possible`: lanes that it could stack on."""

    chosen = Signal(str)

    def __init__(self, lane: Lane, possible: Sequence[Lane], parent: QWidget) -> None:
        question = Question(
            "lane_parent_dialog", f"What does lane “{display_text(lane.name)}” stack on?", _TEXT,
            ("Cancel", "lane_parent_cancel"), ("Rebase onto it", "lane_parent_go"), dangerous=False,
        )  # fmt: skip
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        choice = QComboBox(self)
        choice.setObjectName("lane_parent_choice")
        choice.setAccessibleName("Stacks on")
        choice.addItem("No lane: its base", "")
        for one in possible:
            choice.addItem(display_text(one.name), one.id)
        choice.setCurrentIndex(max(0, choice.findData(lane.parent_id)))
        choice.currentIndexChanged.connect(lambda _row: self.go.setEnabled(choice.currentData() != lane.parent_id))
        self.go.setEnabled(False)
        self.details.addWidget(choice)
        self.agreed.connect(lambda: self.chosen.emit(str(choice.currentData())))
