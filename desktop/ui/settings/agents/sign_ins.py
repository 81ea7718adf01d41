"""SignIns: the ways to sign in that an agent of others told of in a test, a button for each, and what came of one."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestSignedIn
from desktop.domain.guests.values import GuestSignIn
from desktop.language import tr
from desktop.ui.settings.agents.words import own_lines
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_agents_way"
_ASKED = tr("{name}: it is asked to sign you in. It may take five minutes.")
_WAITS = tr("It is being asked to sign you in. Cancel that first.")
_WANTS = tr(
    "{name}: it wants {variables} in its environment, where Banksman puts no key. Choose one of your services "
    "as its model instead."
)


class SignIns(QWidget):
    """`terminal_asked`, `asked`: the way of this id, in a terminal or by the agent itself; `cancelled`: end it."""

    terminal_asked = Signal(str)
    asked = Signal(str)
    cancelled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ways: tuple[GuestSignIn, ...] = ()
        self._rows: list[QWidget] = []
        self._buttons: list[QPushButton] = []
        self._pressed: QPushButton | None = None
        self._state = plain_label(self, "muted", f"{_NAME}_state")
        self._cancel = push_button(tr("Cancel"), f"{_NAME}_cancel", self, self.cancelled.emit)
        self._cancel.setAccessibleName(tr("Cancel the sign-in"))
        title = plain_label(self, "heading")
        title.setText(tr("Sign in"))
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, SPACE_2, 0, 0), SPACE_2)
        self._column.addWidget(title)
        self._column.addWidget(self._state)
        self._column.addLayout(button_row(self._cancel))
        self.show_ways(())

    def show_ways(self, ways: tuple[GuestSignIn, ...]) -> None:
        """Offer these, and forget what came of one before."""
        self._ways = ways
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self._rows, self._buttons, self._pressed = [], [], None
        for at, way in enumerate(ways):
            row = self._row(at, way)
            self._column.insertWidget(at + 1, row)
            self._rows.append(row)
        self._show_state("", waits=False)

    def show_end(self, ended: GuestSignedIn) -> None:
        """What came of it."""
        lines = [ended.text, *(own_lines(ended.log) if not ended.ok else ())]
        self.show_problem("\n".join(map(display_text, lines)), good=ended.ok)

    def show_problem(self, text: str, *, good: bool = False) -> None:
        """It is over. The text must have passed display_text()."""
        restyle(self._state, kind="", role="success" if good else "danger")
        self._show_state(text, waits=False)

    def _row(self, at: int, way: GuestSignIn) -> QWidget:
        """A button with the agent's own words, and what it says of it; words alone where it wants variables."""
        row = QWidget(self)
        line = QHBoxLayout(row)
        set_gaps(line, (0, 0, 0, 0), SPACE_3)
        name, about = display_text(way.name), display_text(way.about)
        if way.variables:
            named = display_text(", ".join(way.variables))
            about = _WANTS.format(name=name, variables=named)
        else:
            button = push_button(name, f"{_NAME}_{at}", row, lambda: self._on_way(way))
            button.setToolTip(
                plain_tooltip(tr("Opens a terminal in its sandbox.") if way.terminal else tr("It does this itself."))
            )
            self._buttons.append(button)
            line.addWidget(button)
        told = plain_label(row, "muted", f"{_NAME}_{at}_about")
        say(told, about)
        line.addWidget(told, 1)
        return row

    def _on_way(self, way: GuestSignIn) -> None:
        if way.terminal:
            self.terminal_asked.emit(way.id)
            return
        restyle(self._state, kind="muted", role="")
        self._show_state(_ASKED.format(name=display_text(way.name)), waits=True)
        self.asked.emit(way.id)

    def _show_state(self, text: str, *, waits: bool) -> None:
        """The focus goes from the button of a way to the one that cancels it, and back."""
        say(self._state, text)
        focused = self.window().focusWidget()
        if waits:
            self._pressed = next((button for button in self._buttons if button is focused), None)
            self._cancel.show()
            if self._pressed is not None:
                self._cancel.setFocus()
        for button in self._buttons:
            set_off(button, _WAITS if waits else "")
        if not waits:
            if focused is self._cancel and self._pressed is not None:
                self._pressed.setFocus()
            self._cancel.hide()
        self.setVisible(bool(self._ways))
