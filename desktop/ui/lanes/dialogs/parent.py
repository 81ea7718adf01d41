"""LaneParentDialog: which lane another one stacks on."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.language import tr
from desktop.ui.lanes.base_words import NONE
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.pick_list import PickItem

_THERE = tr("It stands there already. Choose another.")
_TEXT = tr(
    "The lane's own commits are put on top of the other lane, and those that stack on it follow. Where one does not "
    "fit, nothing changes."
)


class LaneParentDialog(AskDialog):
    """`chosen`: the id of the new parent, "" for none. `possible`: lanes that it could stack on."""

    chosen = Signal(str)

    def __init__(self, lane: Lane, possible: Sequence[Lane], parent: QWidget) -> None:
        question = Question(
            "lane_parent_dialog",
            tr("What does lane “{name}” stack on?", name=display_text(lane.name)),
            _TEXT,
            (tr("Cancel"), "lane_parent_cancel"),
            (tr("Rebase onto it"), "lane_parent_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        choice = ChoiceButton("lane_parent_choice", tr("Stacks on"), self)
        items = [PickItem(one.id, display_text(one.name), display_text(one.branch)) for one in possible]
        choice.set_items([PickItem(NONE, tr("No lane: its base")), *items])
        stands_on = lane.parent_id or NONE
        choice.set_value(stands_on)
        choice.chosen.connect(lambda key: set_off(self.go, "" if key != stands_on else _THERE))
        set_off(self.go, _THERE)
        self.details.addWidget(choice)
        self.agreed.connect(lambda: self.chosen.emit(choice.value if choice.value != NONE else ""))
