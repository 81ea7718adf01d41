"""GitHub: who is signed in where, and the hosts whose repositories have pull requests."""

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.config.settings import GITHUB
from desktop.domain.display import display_text
from desktop.domain.github import GitHubAccount
from desktop.domain.github_commands import LoadGitHub, RemoveGitHubHost
from desktop.domain.github_updates import GitHubChanged
from desktop.domain.updates import Update
from desktop.ui.dialogs.ask import AskDialog, Question
from desktop.ui.dialogs.settings.add_github import AddGitHub
from desktop.ui.dialogs.settings.fields import Field
from desktop.ui.dialogs.settings.github_card import GitHubCard
from desktop.ui.dialogs.settings.page import SettingsPage
from desktop.ui.dialogs.settings.saver import SettingsSaver
from desktop.ui.sink import CommandSink
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.views.cards.parts import plain_label, say
from desktop.ui.widgets.gaps import set_gaps


class GitHubPage(SettingsPage):
    """A card for each host, github.com first. The hosts are asked when the page is shown, not before."""

    def __init__(self, saver: SettingsSaver, sink: CommandSink, parent: QWidget) -> None:
        super().__init__("github", "GitHub", parent)
        self._saver, self._sink = saver, sink
        self._cards: dict[str, GitHubCard] = {}
        self._accounts: dict[str, GitHubAccount] = {}
        self._gh = self._asked = False
        self._keyring = QFrame(self.contents)
        self._keyring.setProperty("kind", "banner")
        self._keyring.setProperty("role", "warning")
        self._keyring_words = plain_label(self._keyring, name="github_keyring", role="warning")
        inside = QVBoxLayout(self._keyring)
        set_gaps(inside, (SPACE_3, SPACE_2, SPACE_3, SPACE_2))
        inside.addWidget(self._keyring_words)
        self._keyring.hide()
        self._rows = QVBoxLayout()
        set_gaps(self._rows, spacing=SPACE_4)
        self._form = AddGitHub(sink, self.contents)
        self._form.hide()
        self._more = Field("More hosts", "github_more", self.contents)
        self._add = QPushButton("Add a GitHub Enterprise host…", self._more)
        self._add.setObjectName("github_add")
        self._add.setAutoDefault(False)
        self._more.row.addWidget(self._add)
        self._more.row.addStretch(1)
        self.column.addWidget(self._keyring)
        self.column.addLayout(self._rows)
        self.column.addWidget(self._form)
        self.column.addWidget(self._more)
        self._add.clicked.connect(self._on_add)
        self._form.ended.connect(self._end_adding)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the hosts as the settings have them."""
        hosts = [one.host for one in self._saver.settings.github]
        for host in set(self._cards) - set(hosts):
            card = self._cards.pop(host)
            self._rows.removeWidget(card)
            card.setParent(None)
            card.deleteLater()
        for at, host in enumerate(hosts):
            card = self._cards.get(host) or self._make_card(host)
            if self._rows.indexOf(card) != at:
                self._rows.insertWidget(at, card)
            if host in self._accounts:
                card.show_account(self._accounts[host], gh=self._gh)

    def take_focus(self) -> bool:
        """To the missing token of github.com."""
        return self._cards[GITHUB.host].take_focus()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        for update in updates:
            for card in list(self._cards.values()):
                card.apply([update])
            self._form.apply([update])
            if isinstance(update, GitHubChanged):
                self._accounts = {one.host: one for one in update.accounts}
                self._gh = update.gh
                say(self._keyring_words, display_text(update.keyring_problem))
                self._keyring.setVisible(bool(update.keyring_problem))
                self.refresh()

    def stop(self) -> None:
        """The settings are closed: no host is asked any more whether a code was typed."""
        for card in self._cards.values():
            card.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Find out how the hosts stand, at the first time."""
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._sink.send(LoadGitHub())

    def _make_card(self, host: str) -> GitHubCard:
        card = GitHubCard(host, self._sink, self.contents, removable=host != GITHUB.host)
        card.remove_asked.connect(self._ask_remove)
        self._cards[host] = card
        return card

    def _on_add(self) -> None:
        self._more.hide()
        self._form.begin()
        self._form.adjustSize()
        self.contents.resize(self.contents.width(), self.contents.sizeHint().height())
        self.ensureWidgetVisible(self._form)

    def _end_adding(self) -> None:
        self._form.hide()
        self._more.show()
        self._add.setFocus()

    def _ask_remove(self, host: str) -> None:
        question = Question(
            "github_remove_dialog", f"Remove {display_text(host)}?",
            "Its token is forgotten here; at the host it stays valid. Pull requests of its repositories are not shown.",
            ("Keep", "github_remove_keep"), ("Remove", "github_remove_go"),
        )  # fmt: skip
        dialog = AskDialog(question, self)
        dialog.agreed.connect(lambda: self._sink.send(RemoveGitHubHost(host=host)))
        dialog.open()
