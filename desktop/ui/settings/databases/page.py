"""Databases: the databases that a person lets agents query."""

from pydantic import SecretStr
from PySide6.QtWidgets import QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import SaveDatabasePassword
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.cards_page import CardsPage
from desktop.ui.settings.databases.add_database import AddDatabase
from desktop.ui.settings.databases.card import DatabaseCard
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.keyring_words import keyring_words
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import Question, ask_first

_NAME = "settings_databases"
_INTRO = tr("Agents can query these. Statements that are proven only to read run unasked; all others ask first.")
_QUESTIONS = {
    "remove": (
        tr("Remove {name}?"),
        tr("Agents cannot query it any more and its password is forgotten. The database itself stays as it is."),
        tr("Remove"),
    ),
    "password": (
        tr("Remove the password of {name}?"),
        tr("Without it the server will not let agents in."),
        tr("Remove"),
    ),
    "unmark": (
        tr("Take the production mark from {name}?"),
        tr("Statements that change data are then asked about without a confirm word."),
        tr("Take it away"),
    ),
}


class DatabasesPage(CardsPage[DatabaseCard, AddDatabase]):
    """A card for each connection; more can be added, and those removed again."""

    name, title, icon = "databases", tr("Databases"), "database"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(saver, parent, prefix=_NAME)
        self._requests = requests
        intro = plain_label(self.contents, "muted", f"{_NAME}_intro")
        intro.setText(_INTRO)
        self.column.addWidget(intro)
        self.lay_out(AddDatabase(requests, self.contents), tr("More databases"), tr("Add a database…"))
        self._form.offered.connect(self._on_offered)
        self._form.cancelled.connect(self.end_adding)
        self.adding.connect(self._begin)
        self.hearing.inside(self.heard).after(self.refresh)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the connections as the settings have them."""
        connections = self._saver.settings.databases
        self.show_cards([one.name for one in connections], lambda at: self._make_card(connections[at]))
        for card in self._cards:
            card.refresh()
        problem = self._saver.facts.keyring_problem if connections else ""
        self.warn(keyring_words(problem, tr("Passwords are kept until Banksman closes.")))

    def key_of(self, card: DatabaseCard) -> str:
        """The name of its connection, which it may have been given just now."""
        return card.connection

    def _make_card(self, connection: DatabaseConnection) -> DatabaseCard:
        card = DatabaseCard(connection, self._saver, self._requests, self.contents)
        self.heard.join(card.hearing, card)
        card.remove_asked.connect(lambda name: self._ask("remove", name))
        card.password_remove_asked.connect(lambda name: self._ask("password", name))
        card.unmark_asked.connect(lambda name: self._ask("unmark", name))
        return card

    # adding

    def _begin(self) -> None:
        """With names that are not taken."""
        self._form.begin([connection.name for connection in self._saver.settings.databases])

    def _on_offered(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        databases = (*self._saver.settings.databases, connection)
        if self._saver.change(self._more, databases=databases):
            if password is not None:
                self._saver.send(self._more, SaveDatabasePassword(name=connection.name, password=password))
            self.end_adding()

    # what is asked first

    def _ask(self, about: str, name: str) -> None:
        title, text, go = _QUESTIONS[about]
        words = Question(
            name=f"{_NAME}_{about}_dialog",
            title=title.format(name=display_text(name)),
            text=text,
            stay=(tr("Keep"), f"{_NAME}_{about}_keep"),
            go=(go, f"{_NAME}_{about}_go"),
        )
        ask_first(words, self, lambda: self._agreed(about, name))

    def _agreed(self, about: str, name: str) -> None:
        card = self.card(name)
        if about == "remove":
            left = tuple(one for one in self._saver.settings.databases if one.name != name)
            self._saver.change(self._more, databases=left)
        elif card is not None and about == "password":
            card.password.remove()
        elif card is not None:
            card.unmark()
