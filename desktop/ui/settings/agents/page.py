"""Agents: the agents of others that are known, which of them are here, and what a person sets for each."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.commands import CancelGuestSignIn, ListGuests, SignInToGuest, TestGuest
from desktop.domain.guests.updates import GuestListing, GuestSignedIn, GuestsListed, GuestTested
from desktop.domain.guests.values import OWN_DRIVER
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.core.terminal_opener import ask_for_sign_in
from desktop.ui.settings.agents.chosen import ChosenAgent
from desktop.ui.settings.agents.words import icon_of, line
from desktop.ui.settings.fields import PickField
from desktop.ui.settings.listing.row_list import RowList, button_row
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.pick_list import PickItem

_NAME = "settings_agents"
_ROWS = 8
_OWN_LABEL = tr("Banksman, with a model of yours")
_ABOUT = tr(
    "Agents of others can carry out a chat in place of Banksman's own. Each of their calls passes the same gate, and "
    "they work in the sandbox of the lane. Banksman installs and updates none of them."
)


class AgentsPage(SettingsPage):
    """Agents are looked for whenever the page is shown."""

    name, title, icon = "agents", tr("Agents"), "bot"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver, self._requests = saver, requests
        self._guests: tuple[GuestListing, ...] = saver.facts.guests or ()
        about = plain_label(self.contents, "muted")
        about.setText(_ABOUT)
        self._default = PickField(
            tr("New chats"), f"{_NAME}_default", self.contents, tr("A chat can choose another in its list of models.")
        )
        self._problem = plain_label(self.contents, "strong", f"{_NAME}_problem", role="danger")
        self._list = RowList(f"{_NAME}_list", tr("Agents"), _ROWS, self.contents)
        self._chosen = ChosenAgent(saver, self.contents)
        again = push_button(tr("Look again"), f"{_NAME}_again", self.contents, self._look)
        for widget in (about, self._default, self._problem, self._list):
            self.column.addWidget(widget)
        self.column.addLayout(button_row(again))
        self.column.addWidget(self._chosen)
        self._default.chosen.connect(lambda key: saver.change(self._default, default_agent=key))
        self._list.currentRowChanged.connect(self._show_chosen)
        self._chosen.test_asked.connect(self._on_test)
        self._chosen.sign_in_asked.connect(self._on_sign_in)
        self._chosen.way_asked.connect(self._on_way)
        self._chosen.cancel_asked.connect(lambda guest_id: requests.send(CancelGuestSignIn(guest_id=guest_id)))
        saver.changed.connect(self._refresh)
        self._show_all()

    def showEvent(self, event: QShowEvent) -> None:
        """Look for the agents."""
        super().showEvent(event)
        self._look()

    def _look(self) -> None:
        self._requests.ask(ListGuests(), self, answer(GuestsListed, self._on_listed), failed=self._on_failed)

    def _on_listed(self, listed: GuestsListed) -> None:
        self._guests = listed.guests
        say(self._problem, "\n".join(map(display_text, listed.faults)))
        self._show_all()

    def _show_all(self) -> None:
        chosen = self._agent.id if self._agent is not None else ""
        ids = [one.id for one in self._guests]
        self._list.blockSignals(True)
        self._list.show_rows((line(one), icon_of(one)) for one in self._guests)
        self._list.setCurrentRow(ids.index(chosen) if chosen in ids else 0)
        self._list.blockSignals(False)
        self._refresh()

    def _refresh(self) -> None:
        """Show the settings."""
        default = self._saver.settings.default_agent
        here = [one for one in self._guests if one.program or one.id == default]
        items = [PickItem(one.id, display_text(one.label)) for one in here]
        if default not in (OWN_DRIVER, *(one.id for one in here)):
            items.append(PickItem(default, display_text(default)))
        self._default.show_choices([PickItem(OWN_DRIVER, _OWN_LABEL), *items], default)
        self._show_chosen()

    @property
    def _agent(self) -> GuestListing | None:
        at = self._list.currentRow()
        return self._guests[at] if 0 <= at < len(self._guests) else None

    def _show_chosen(self) -> None:
        self._chosen.show_agent(self._agent)

    def _on_test(self, guest_id: str) -> None:
        told = answer(GuestTested, self._on_tested)
        self._requests.ask(TestGuest(guest_id=guest_id), self, told, failed=self._on_not_tested)

    def _on_tested(self, tested: GuestTested) -> None:
        """It may have said that it takes a model service, which its row did not know."""
        self._chosen.show_tested(tested)
        self._look()

    def _on_way(self, guest_id: str, method_id: str) -> None:
        asks = SignInToGuest(guest_id=guest_id, method_id=method_id)
        told = answer(GuestSignedIn, self._chosen.show_signed_in)
        self._requests.ask(asks, self, told, failed=self._on_not_signed_in)

    def _on_not_signed_in(self, failed: CommandFailed) -> None:
        self._chosen.show_not_signed_in(display_text(failed.text))

    def _on_sign_in(self, guest_id: str, method_id: str) -> None:
        """The terminal stands in the window, over which these settings are."""
        dialog, window = self.window(), self.window().parentWidget()
        if window is not None and dialog.close():
            ask_for_sign_in(window.window(), guest_id, method_id)

    def _on_not_tested(self, failed: CommandFailed) -> None:
        self._chosen.show_test_end(display_text(failed.text), good=False)

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._problem, display_text(failed.text))
        self._refresh()
