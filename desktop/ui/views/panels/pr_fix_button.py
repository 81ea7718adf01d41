"""FixButton: gives what a page of the PR tab shows to an agent; the Issues page says whether that is possible."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from desktop.domain.pr_items import Scope
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.views.panels.pr_desk import PullDesk
from desktop.ui.views.panels.pr_parts import line_of
from desktop.ui.widgets.elided_label import plain_tooltip


class FixButton(QPushButton):
    """Hidden while there is nothing of its kind to fix."""

    def __init__(self, desk: PullDesk, scope: Scope, name: str, parent: QWidget) -> None:
        super().__init__("Fix with the agent…", parent)
        self.scope = scope
        self.setObjectName(name)
        self.setAutoDefault(False)
        self.setProperty("compact", "true")
        self.clicked.connect(lambda: desk.fix_asked.emit(scope, ()))
        self.hide()

    def line(self) -> QHBoxLayout:
        """The button at the begin of a line of its own."""
        row = line_of(self, margins=(SPACE_3, 0, SPACE_2, 0))
        row.addStretch(1)
        return row

    def show_hindrance(self, why: str, *, any_there: bool) -> None:
        """`why` it cannot be given away now, "" if it can; `any_there`: something is to be fixed."""
        self.setVisible(any_there)
        self.setEnabled(not why)
        self.setToolTip(plain_tooltip(why))
