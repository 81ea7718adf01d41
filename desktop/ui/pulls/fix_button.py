"""FixButton: gives what a page of the PR tab shows to an agent."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from desktop.domain.rounds.items import Availability, Scope
from desktop.language import said, tr
from desktop.ui.pulls.parts import line_of
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label, say


class FixButton(QPushButton):
    """Hidden while there is nothing of its kind to fix."""

    def __init__(self, shown: ShownPull, scope: Scope, name: str, parent: QWidget) -> None:
        super().__init__(tr("Fix with the agent…"), parent)
        self._shown, self._scope = shown, scope
        self.setObjectName(name)
        self.setAutoDefault(False)
        self.setProperty("compact", "true")
        self.clicked.connect(lambda: shown.fix_asked.emit(scope, ()))
        self._why = plain_label(parent, "caption", f"{name}_why")
        self.hide()
        say(self._why, "")

    def line(self) -> QHBoxLayout:
        """The button at the begin of a line of its own, and beside it why it is off."""
        row = line_of(self, self._why, margins=(SPACE_3, 0, SPACE_2, 0))
        row.setStretch(1, 1)
        row.setAlignment(self, Qt.AlignmentFlag.AlignLeft)
        return row

    def refresh(self) -> None:
        """Show whether there is something to give away, and why it cannot be now."""
        told, why = self._shown.fold.inventory, self._shown.fold.why_not_fix(self._scope)
        found = told.availability if told is not None else Availability()
        talk = (found.open_threads or 0) + (found.new_comments or 0)
        there = bool(found.failing if self._scope == "checks" else talk)
        self.setVisible(there)
        say(self._why, said(why) if there else "")
        set_off(self, said(why))
