"""GitHub: who is signed in where, and the hosts whose repositories have pull requests."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.config.settings import GITHUB
from desktop.domain.display.text import display_text
from desktop.domain.github.commands import LoadGitHub, RemoveGitHubHost
from desktop.domain.github.updates import GitHubChanged, SignInProgress
from desktop.domain.github.values import GitHubAccount
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.cards_page import CardsPage
from desktop.ui.settings.github.add_github import AddGitHub
from desktop.ui.settings.github.card import GitHubCard
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.keyring_words import keyring_words
from desktop.ui.widgets.dialogs.ask import Question, ask_first


class GitHubPage(CardsPage[GitHubCard, AddGitHub]):
    """A card for each host, github.com first. The hosts are asked when the page is shown, not before."""

    name, title, icon = "github", "GitHub", "git-pull-request"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(saver, parent, prefix="github")
        self._requests = requests
        self._accounts: dict[str, GitHubAccount] = {}
        self._gh = self._asked = False
        self.lay_out(AddGitHub(requests, self.contents), tr("More hosts"), tr("Add a GitHub Enterprise host…"))
        self._form.ended.connect(self.end_adding)
        self.adding.connect(self._begin)
        self.hearing.inside(self._form.hearing).on(SignInProgress, self._on_step).on(GitHubChanged, self._on_accounts)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the hosts as the settings have them."""
        hosts = [one.host for one in self._saver.settings.github]
        self.show_cards(hosts, lambda at: self._make_card(hosts[at]))
        for card in self._cards:
            if (account := self._accounts.get(self.key_of(card))) is not None:
                card.show_account(account, gh=self._gh)

    def take_focus(self) -> bool:
        """To the missing token of github.com."""
        card = self.card(GITHUB.host)
        return card is not None and card.take_focus()

    def _on_step(self, update: SignInProgress) -> None:
        card = self.card(update.host)
        if card is not None:
            card.show_step(update)

    def _on_accounts(self, update: GitHubChanged) -> None:
        self._accounts = {one.host: one for one in update.accounts}
        self._gh = update.gh
        self.warn(keyring_words(update.keyring_problem, tr("The token is kept until Banksman closes.")))
        self.refresh()

    def stop(self) -> None:
        """The settings are closed: no host is asked any more whether a code was typed."""
        for card in self._cards:
            card.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Find out how the hosts stand, at the first time."""
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._requests.send(LoadGitHub())

    def _make_card(self, host: str) -> GitHubCard:
        card = GitHubCard(host, self._requests, self.contents, removable=host != GITHUB.host)
        card.remove_asked.connect(self._ask_remove)
        return card

    def _begin(self) -> None:
        """Blank; as high as it is, so that all of it can be brought into view."""
        self._form.begin()
        self._form.adjustSize()
        self.contents.resize(self.contents.width(), self.contents.sizeHint().height())

    def _ask_remove(self, host: str) -> None:
        question = Question(
            "github_remove_dialog",
            tr("Remove {host}?", host=display_text(host)),
            tr(
                "Its token is forgotten here; at the host it stays valid. Pull requests of its repositories are "
                "not shown."
            ),
            (tr("Keep"), "github_remove_keep"),
            (tr("Remove"), "github_remove_go"),
        )
        ask_first(question, self, lambda: self._requests.send(RemoveGitHubHost(host=host)))
