"""ArchiveLaneDialog: whether the folder of an archived lane stays, and what stacks on it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QRadioButton, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import PlanDelete
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned
from desktop.language import tr
from desktop.ui.core.requests import Ask, answer
from desktop.ui.lanes.loss_words import holder_words
from desktop.ui.text.format import count, size
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.fact_list import FactList

_NOT_OURS = tr("Only the folder of a lane that Banksman made is removed.")
_BELOW = tr("Other lanes are stacked on it: tick that they are archived too.")
_TEXT = tr("It leaves the list. What runs in it is ended. Its branch stays, and it can be brought back at any time.")


class ArchiveLaneDialog(AskDialog):
    """`chosen`: whether the folder goes, and whether the lanes that stack on it are archived too."""

    chosen = Signal(bool, bool)

    def __init__(self, lane: Lane, children: Sequence[Lane], ask: Ask, parent: QWidget) -> None:
        question = Question(
            "lane_archive_dialog",
            tr("Archive lane “{name}”?", name=display_text(lane.name)),
            _TEXT,
            (tr("Cancel"), "lane_archive_cancel"),
            (tr("Archive"), "lane_archive_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        keep = QRadioButton(tr("Keep the folder"), self)
        keep.setObjectName("lane_archive_keep")
        keep.setChecked(True)
        words = tr("Free the disk: keep a snapshot, remove the folder")
        if lane.size_bytes:
            words = tr("Free the disk, {size}: keep a snapshot, remove the folder", size=size(lane.size_bytes))
        free = QRadioButton(words, self)
        free.setObjectName("lane_archive_free")
        caches = tr("Ignored files that are caches, such as installed packages, are not kept.")
        set_off(free, "" if lane.type == "worktree" else _NOT_OURS, caches)
        below = QCheckBox(tr("Archive {lanes} on top of it too", lanes=count(len(children), "lane", "lanes")), self)
        below.setObjectName("lane_archive_children")
        below.setToolTip(", ".join(display_text(child.name) for child in children))
        below.setVisible(bool(children))
        self._why = plain_label(self, "caption", "lane_archive_why")
        self._why.setText(_BELOW)
        below.toggled.connect(self._take_below)
        self._take_below(not children)
        for widget in (keep, free, below, self._why):
            self.details.addWidget(widget)
        self._runs = FactList("lane_archive_runs", tr("What runs in it"), ("triangle-alert", "warning"), self)
        self._runs.hide()
        self.details.addWidget(self._runs)
        self.agreed.connect(lambda: self.chosen.emit(free.isChecked(), below.isChecked()))
        plan = PlanDelete(lane_ids=(lane.id, *(child.id for child in children)))
        ask(plan, self, answer(DeletePlanned, self._take))

    def _take_below(self, possible: bool) -> None:
        """The button works; where it does not, why stands above it."""
        set_off(self.go, "" if possible else _BELOW)
        self._why.setVisible(not possible)

    def _take(self, plan: DeletePlanned) -> None:
        """Say what runs in the lanes."""
        holders = [holder for loss in plan.losses for holder in loss.holders]
        self._runs.show_lines(
            [tr("Runs now and is ended: {holder}.", holder=holder_words(holder)) for holder in holders]
        )
