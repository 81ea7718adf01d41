"""LaneLogDialog: what the dialogs of a lane's setup and of its run command share: state, facts, log, buttons."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.log_view import LogView

_WIDTH, _HEIGHT = 720, 520


class LaneLogDialog(Dialog):
    """`name`: the beginning of its object names; `title` names the lane."""

    def __init__(self, name: str, title: str, lane: Lane, ask: Ask, parent: QWidget) -> None:
        super().__init__(parent)
        self.lane_id, self._ask = lane.id, ask
        self.hearing = Hearing()
        self.setObjectName(f"{name}_dialog")
        self.setWindowTitle(title)
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        heading = plain_label(self, "title")
        heading.setText(title)
        self._icon = IconLabel("info", "muted", self)
        self._state = plain_label(self, "strong", f"{name}_state")
        self._note = plain_label(self, "muted", f"{name}_note")
        self.log = LogView(f"{name}_log", tr("Log"), self)
        self.links = QHBoxLayout()
        set_gaps(self.links, spacing=SPACE_2)
        self._buttons = QHBoxLayout()
        set_gaps(self._buttons, spacing=SPACE_2)
        self._buttons.addStretch(1)
        line = QHBoxLayout()
        set_gaps(line, spacing=SPACE_2)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._state, 1)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(heading)
        layout.addLayout(line)
        layout.addWidget(self._note)
        layout.addLayout(self.links)
        layout.addWidget(self.log, 1)
        layout.addStretch(0)
        layout.addLayout(self._buttons)
        close = self.add_button(tr("Close"), f"{name}_close", self.accept)
        close.setFocus()

    def refused(self, failure: CommandFailed) -> None:
        """A command of this dialog was not carried out."""
        self.say("triangle-alert", "danger", display_text(failure.text))

    def send(self, command: Command) -> None:
        """Send a command whose failure is shown here."""
        self._ask(command, self, failed=self.refused)

    def say(self, icon: str, role: str, text: str) -> None:
        """The state. The text must have passed display_text()."""
        self._icon.set_icon(icon, role)
        self._state.setText(text)
        self._state.setAccessibleName(text)

    def note(self, text: str) -> None:
        """What stands under the state, "" for nothing. The text must have passed display_text()."""
        say(self._note, text)

    def show_log(self, shown: bool) -> None:
        """Whether there is a log to see; without one the dialog is low."""
        if shown is self.log.isHidden():
            self.log.setVisible(shown)
            self.resize(self.width(), theme().px(_HEIGHT) if shown else self._low())

    def _low(self) -> int:
        """The height of what it says at its own width: the hint would be that of narrower lines."""
        layout = self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return self.sizeHint().height()
        layout.activate()
        return layout.totalHeightForWidth(self.width())

    def add_button(self, text: str, name: str, act: Callable[[], object], kind: str = "") -> QPushButton:
        """A button, right of those that are there: what it does stands at the end, as in other dialogs."""
        button = push_button(text, name, self)
        if kind:
            button.setProperty("kind", kind)
        button.clicked.connect(lambda _checked=False: act())
        self._buttons.addWidget(button)
        return button
