"""What the first page offers beside entering a key: agents that are installed, services of the environment."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.config.found import FoundService
from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing
from desktop.language import tr
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST = 3
_WORDS = tr("Or let an agent that is installed here carry out your chats. It passes the same gate.")


class AgentOffers(QWidget):
    """Hidden until there is one. `chosen`: the id of an agent."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("welcome_agents")
        self._shown: tuple[GuestListing, ...] = ()
        self._words = plain_label(self, "muted")
        self._words.setText(_WORDS)
        self._buttons: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, SPACE_2, 0, 0), SPACE_2)
        self._column.addWidget(self._words)
        self.hide()

    def show_agents(self, agents: Sequence[GuestListing]) -> None:
        """Offer these, the first few of them."""
        shown = tuple(agents[:MOST])
        if shown == self._shown:
            return
        self._shown = shown
        for button in self._buttons:
            button.deleteLater()
        self._buttons = [self._button(one) for one in shown]
        self._column.addLayout(button_row(*self._buttons))

    def _button(self, listed: GuestListing) -> QPushButton:
        def choose() -> None:
            self.chosen.emit(listed.id)

        return push_button(
            tr("Use {agent}", agent=display_text(listed.label)), f"welcome_agent_{listed.id}", self, choose
        )


class FoundOffer(QWidget):
    """Hidden until the environment names a service of which no model is known yet. `asked`: it is to be set up."""

    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("welcome_found")
        self._id = ""
        self._words = plain_label(self, "muted")
        self._set_up = push_button("", "welcome_found_set_up", self, self._on_set_up)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_2)
        column.addWidget(self._words)
        column.addLayout(button_row(self._set_up))
        self.hide()

    def show_found(self, found: Sequence[FoundService]) -> None:
        """Offer the first of these that is used and has no model."""
        one = next((one for one in found if one.used and not one.endpoint.default_model), None)
        self.setVisible(one is not None)
        if one is not None:
            self._id = one.endpoint.id
            label = display_text(one.endpoint.label)
            say(
                self._words,
                tr("{service} is named in your environment ({variables}).", service=label, variables=one.variables),
            )
            self._set_up.setText(tr("Set up {service}…", service=label))

    def _on_set_up(self) -> None:
        self.asked.emit(self._id)
