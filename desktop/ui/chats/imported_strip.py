"""ImportedStrip: over the composer of a chat from a file, which is only read until it is continued here
(sessions-SR8)."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.language import tr
from desktop.ui.widgets.strip import Strip

IMPORTED = tr("This chat came from a file. Until you continue it here it can only be read.")


class ImportedStrip(Strip):
    """`chosen`: how to go on: mode and place (`lane` or `none`)."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("imported_strip", parent, role="warning")
        lane = self.add_button(tr("Continue in a new lane"), "imported_lane")
        lane.setToolTip(tr("In Edit mode, in a worktree and branch of its own. Nothing that the file allowed counts."))
        lane.clicked.connect(lambda: self.chosen.emit(PermissionMode.EDIT.value, "lane"))
        plan = self.add_button(tr("Only plan"), "imported_plan")
        plan.setToolTip(tr("In Plan mode, without a lane: it reads and changes nothing."))
        plan.clicked.connect(lambda: self.chosen.emit(PermissionMode.PLAN.value, "none"))

    def show_for(self, imported: bool) -> None:
        """Whether the chat on screen is such a one."""
        if imported is self.isHidden():
            self.say(IMPORTED if imported else "", "warning")
