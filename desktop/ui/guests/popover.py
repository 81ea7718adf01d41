"""AgentPopover: what keeps the agent of a chat, one line a control, as the engine found it (guests-A41)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestChanged
from desktop.language import said, tr
from desktop.ui.guests.words import agent_words, control_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.popover import Popover

_WIDTH = 480
_STATES = {
    "running": tr("It runs."),
    "resting": tr("It does not run now; the next message starts it."),
    "missing": tr("It is not here."),
}


class AgentPopover(Popover):
    """`asked`: `end` to end the agent, or `settings`."""

    asked = Signal(str)

    def __init__(self, owner: QWidget) -> None:
        super().__init__("agent_popup", tr("What keeps this agent"), owner)
        self._title = plain_label(self, "strong", "agent_popup_title")
        self._state = plain_label(self, "muted", "agent_popup_state")
        self._lines = QWidget(self)
        self._lines.setObjectName("agent_popup_lines")
        self._grid = QGridLayout(self._lines)
        set_gaps(self._grid, (0, SPACE_1, 0, SPACE_1), SPACE_1, SPACE_4)
        self._grid.setColumnStretch(1, 1)
        self._shown: tuple[str, ...] = ()
        settings = push_button(tr("Agents…"), "agent_popup_settings", self, lambda: self._ask("settings"))
        self._end = push_button(tr("End the agent"), "agent_popup_end", self, lambda: self._ask("end"))
        self._end.setToolTip(tr("Frees its memory. The next message starts it again."))
        buttons = QHBoxLayout()
        set_gaps(buttons, (0, SPACE_1, 0, 0), SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(settings)
        buttons.addWidget(self._end)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        for widget in (self._title, self._state):
            layout.addWidget(widget)
        layout.addWidget(self._lines)
        layout.addLayout(buttons)
        self.setFixedWidth(theme().px(_WIDTH))

    def show_agent(self, guest: GuestChanged, *, working: bool) -> None:
        """Show what is known of it. `working`: its turn runs, so that it cannot be ended."""
        say(self._title, agent_words(guest))
        say(self._state, display_text(said(guest.problem)) or _STATES[guest.state])
        self._show_lines(tuple(display_text(control_words(line)) for line in guest.lines))
        self._end.setVisible(guest.state == "running")
        set_off(self._end, tr("Its turn runs: stop that first.") if working else "")

    def _show_lines(self, lines: tuple[str, ...]) -> None:
        """What is kept at the left, and how at the right."""
        if lines == self._shown:
            return
        self._shown = lines
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.hide()
                gone.deleteLater()
        for row, line in enumerate(lines):
            name, _, words = line.partition(": ")
            for column, (kind, text) in enumerate((("muted", name), ("", words))):
                label = plain_label(self._lines, kind, wrap=column == 1)
                label.setText(text)
                label.ensurePolished()
                if column == 0:
                    label.setMinimumWidth(label.sizeHint().width())
                self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        inside = theme().px(_WIDTH) - theme().px(SPACE_4) - theme().px(SPACE_3)
        self._lines.setFixedHeight(self._grid.heightForWidth(inside))
        self._lines.setAccessibleName("\n".join(lines))

    def _ask(self, what: str) -> None:
        self.dismiss()
        self.asked.emit(what)
