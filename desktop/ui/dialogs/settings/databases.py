"""Databases: the databases that a person lets agents query."""

from collections.abc import Sequence

from pydantic import SecretStr
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import SaveDatabasePassword
from desktop.domain.display import display_text
from desktop.domain.updates import Update
from desktop.ui.dialogs.ask import AskDialog, Question
from desktop.ui.dialogs.settings.add_database import AddDatabase
from desktop.ui.dialogs.settings.database_card import DatabaseCard
from desktop.ui.dialogs.settings.fields import Field
from desktop.ui.dialogs.settings.page import SettingsPage
from desktop.ui.dialogs.settings.saver import SettingsSaver
from desktop.ui.sink import CommandSink
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.views.cards.parts import plain_label, say
from desktop.ui.widgets.gaps import set_gaps

_NAME = "settings_databases"
_INTRO = "Agents can query these. Statements that are proven only to read run unasked; all others ask first."
_QUESTIONS = {
    "remove": (
        "Remove {name}?",
        "Agents cannot query it any more and its password is forgotten. The database itself stays as it is.",
        "Remove",
    ),
    "password": ("Remove the password of {name}?", "Without it the server will not let agents in.", "Remove"),
    "unmark": (
        "Take the production mark from {name}?",
        "Statements that change data are then asked about without a confirm word.",
        "Take it away",
    ),
}


class DatabasesPage(SettingsPage):
    """A card for each connection; more can be added, and those removed again."""

    def __init__(self, saver: SettingsSaver, sink: CommandSink, parent: QWidget) -> None:
        super().__init__("databases", "Databases", parent)
        self._saver, self._sink = saver, sink
        self._cards: list[DatabaseCard] = []
        intro = plain_label(self.contents, "muted", f"{_NAME}_intro")
        intro.setText(_INTRO)
        self._keyring = QFrame(self.contents)
        self._keyring.setProperty("kind", "banner")
        self._keyring.setProperty("role", "warning")
        self._keyring_words = plain_label(self._keyring, name=f"{_NAME}_keyring", role="warning")
        inside = QVBoxLayout(self._keyring)
        set_gaps(inside, (SPACE_3, SPACE_2, SPACE_3, SPACE_2))
        inside.addWidget(self._keyring_words)
        self._rows = QVBoxLayout()
        set_gaps(self._rows, spacing=SPACE_4)
        self._form = AddDatabase(sink, self.contents)
        self._form.hide()
        self._more = Field("More databases", f"{_NAME}_more", self.contents)
        self._add = QPushButton("Add a database…", self._more)
        self._add.setObjectName(f"{_NAME}_add")
        self._add.setAutoDefault(False)
        self._more.row.addWidget(self._add)
        self._more.row.addStretch(1)
        self.column.addWidget(intro)
        self.column.addWidget(self._keyring)
        self.column.addLayout(self._rows)
        self.column.addWidget(self._form)
        self.column.addWidget(self._more)
        self._add.clicked.connect(self._on_add)
        self._form.offered.connect(self._on_offered)
        self._form.cancelled.connect(self._end_adding)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the connections as the settings have them."""
        connections = self._saver.settings.databases
        names = {connection.name for connection in connections}
        for card in [card for card in self._cards if card.connection not in names]:
            self._drop(card)
        for at, connection in enumerate(connections):
            card = self._card(connection.name) or self._make_card(connection)
            if self._rows.indexOf(card) != at:
                self._rows.insertWidget(at, card)
            card.refresh()
        problem = self._saver.facts.keyring_problem if connections else ""
        say(self._keyring_words, display_text(problem).replace("The key is kept", "Passwords are kept"))
        self._keyring.setVisible(bool(problem))

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        self._form.apply(updates)
        for card in self._cards:
            card.apply(updates)
        self.refresh()

    def _card(self, name: str) -> DatabaseCard | None:
        return next((card for card in self._cards if card.connection == name), None)

    def _make_card(self, connection: DatabaseConnection) -> DatabaseCard:
        card = DatabaseCard(connection, self._saver, self._sink, self.contents)
        card.remove_asked.connect(lambda name: self._ask("remove", name))
        card.password_remove_asked.connect(lambda name: self._ask("password", name))
        card.unmark_asked.connect(lambda name: self._ask("unmark", name))
        self._cards.append(card)
        return card

    def _drop(self, card: DatabaseCard) -> None:
        for field in card.findChildren(Field):
            self._saver.hand_over(field, self._more)
        self._cards.remove(card)
        self._rows.removeWidget(card)
        card.setParent(None)
        card.deleteLater()

    # adding

    def _on_add(self) -> None:
        self._more.hide()
        self._form.begin([connection.name for connection in self._saver.settings.databases])
        self.ensureWidgetVisible(self._form)

    def _on_offered(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        databases = (*self._saver.settings.databases, connection)
        if self._saver.change(self._more, databases=databases):
            if password is not None:
                self._sink.send(SaveDatabasePassword(name=connection.name, password=password))
            self._end_adding()

    def _end_adding(self) -> None:
        self._form.hide()
        self._more.show()
        self._add.setFocus()

    # what is asked first

    def _ask(self, about: str, name: str) -> None:
        title, text, go = _QUESTIONS[about]
        words = Question(
            name=f"{_NAME}_{about}_dialog", title=title.format(name=display_text(name)), text=text,
            stay=("Keep", f"{_NAME}_{about}_keep"), go=(go, f"{_NAME}_{about}_go"),
        )  # fmt: skip
        dialog = AskDialog(words, self)
        dialog.agreed.connect(lambda: self._agreed(about, name))
        dialog.open()

    def _agreed(self, about: str, name: str) -> None:
        card = self._card(name)
        if about == "remove":
            left = tuple(one for one in self._saver.settings.databases if one.name != name)
            self._saver.change(self._more, databases=left)
        elif card is not None and about == "password":
            card.password.remove()
        elif card is not None:
            card.unmark()
