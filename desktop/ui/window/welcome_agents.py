"""AgentOffers: on the first page, the agents of others that are installed, beside entering a key."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST = 3
_WORDS = "Or let an agent that is installed here carry out your chats. It passes the same gate."


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

        return push_button(f"Use {display_text(listed.label)}", f"welcome_agent_{listed.id}", self, choose)
