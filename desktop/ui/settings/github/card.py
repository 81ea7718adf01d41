"""GitHubCard: one GitHub: who is signed in there, the ways to sign in, and its address."""

from collections.abc import Callable
from functools import partial

from pydantic import SecretStr
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.github.commands import (
    SaveGitHubHost,
    SignInWithDevice,
    SignInWithGh,
    SignInWithToken,
    SignOut,
    StopSignIn,
)
from desktop.domain.github.updates import SignInProgress
from desktop.domain.github.values import GitHubAccount
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.fields import Field, TextField
from desktop.ui.settings.github.code import CodeBox
from desktop.ui.settings.github.token import TokenField
from desktop.ui.settings.github.words import account_line, end_line, rights_line, state_chip
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_BUSY = ("asking", "code")
_ROLES = {"failed": "danger", "denied": "danger", "expired": "", "done": "success"}


class GitHubCard(QFrame):
    """`item_id` is the host. The signal carries it: the person wants it removed from the list."""

    remove_asked = Signal(str)

    def __init__(self, host: str, requests: Requests, parent: QWidget, *, removable: bool) -> None:
        super().__init__(parent)
        self._host, self._requests = host, requests
        self._account = GitHubAccount(host=host, api_url="")
        self._step = ""
        self.setObjectName("github_card")
        self.setProperty("kind", "card")
        self.setProperty("item_id", host)
        self.setAccessibleName(display_text(host))
        self._title = ElidedLabel(display_text(host), self)
        self._title.setProperty("kind", "title")
        self._state = Chip("", "neutral", self)
        self._state.setObjectName("github_state")
        self._out = self._button(tr("Sign out"), "github_sign_out", self._on_sign_out)
        self._remove = self._button(tr("Remove…"), "github_remove", lambda: self.remove_asked.emit(self._host))
        self._remove.setVisible(removable)
        self._who, self._who_line = self._fact(tr("Account"), "github_account")
        self._rights, self._rights_line = self._fact(tr("Rights"), "github_rights")
        self._end, self._end_line = self._fact(tr("Valid until"), "github_end")
        self._read_only = plain_label(self, name="github_read_only", role="warning")
        self._token = TokenField(self)
        self._others = Field(tr("Other ways"), "github_others", self)
        self._gh = self._button(tr("Use the gh login"), "github_use_gh", self._on_gh)
        self._device = self._button(tr("Sign in with a code"), "github_device", self._on_device)
        self._code = CodeBox(self)
        self._words = plain_label(self, name="github_words")
        self._address = TextField(tr("Address"), "github_address", self)
        self._lay_out()
        self._token.offered.connect(self._on_token)
        self._code.stopped.connect(self.stop)
        self._code.again.connect(self._on_device)
        self._address.entered.connect(self._on_address)
        self.show_account(self._account, gh=False)
        say(self._words, "")

    def show_account(self, account: GitHubAccount, *, gh: bool) -> None:
        """How it stands now. `gh`: the command line is there."""
        self._account = account
        self._state.set_chip(*state_chip(account))
        known = account.state != "none" and bool(account.login)
        for field, line, text in (
            (self._who, self._who_line, account_line(account) if known else ""),
            (self._rights, self._rights_line, rights_line(account) if known and account.state == "connected" else ""),
            (self._end, self._end_line, end_line(account)),
        ):
            line.set_full_text(text)
            field.setVisible(bool(text))
        say(self._read_only, display_text(account.read_only))
        asks = account.state in ("none", "expired")
        self._out.setVisible(account.state != "none")
        self._token.setVisible(asks)
        self._gh.setVisible(gh)
        self._device.setVisible(account.device)
        self._others.setVisible(asks and (gh or account.device))
        self._address.set_value(account.api_url)
        if account.problem and self._step not in _BUSY:
            self._say(account.problem, "danger" if account.state == "expired" else "warning")
        elif not self._step:
            self._say("", "")

    def take_focus(self) -> bool:
        """Put the focus where a token is missing; False if there is one."""
        if self._token.isHidden():
            return False
        self._token.edit.setFocus()
        return True

    def stop(self) -> None:
        """Ask no more whether a code was typed."""
        if self._step in _BUSY:
            self._send(StopSignIn(host=self._host))

    def show_step(self, told: SignInProgress) -> None:
        """How far a sign-in is."""
        self._step = told.step
        if told.step == "done":
            self._out.show()
            self._out.setFocus()
        self._code.show_step(told)
        busy = told.step in _BUSY
        for button in (self._token.go, self._gh, self._device):
            set_off(button, UNDER_WAY if busy else "")
        if not busy:
            self._token.fit()
        self._say("" if told.step in ("code", "expired") else told.text, _ROLES.get(told.step, ""))

    def _on_failed(self, field: Field | None, failed: CommandFailed) -> None:
        if field is not None:
            field.set_problem(display_text(failed.text))
        else:
            self._say(failed.text, "danger")

    def _say(self, text: str, role: str) -> None:
        say(self._words, display_text(text))
        restyle(self._words, role=role)

    # what a person does

    def _on_token(self, token: SecretStr) -> None:
        self._send(SignInWithToken(host=self._host, token=token), self._token)

    def _on_gh(self) -> None:
        self._send(SignInWithGh(host=self._host))

    def _on_device(self) -> None:
        self._send(SignInWithDevice(host=self._host))

    def _on_sign_out(self) -> None:
        self._step = ""
        self._send(SignOut(host=self._host))

    def _on_address(self, text: str) -> None:
        self._address.set_problem("")
        self._send(SaveGitHubHost(host=self._host, api_url=text.strip()), self._address)

    def _send(self, command: Command, field: Field | None = None) -> None:
        self._requests.ask(command, self, failed=partial(self._on_failed, field))

    # making

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._title)
        head.addWidget(self._state)
        head.addStretch(1)
        head.addWidget(self._out)
        head.addWidget(self._remove)
        for button in (self._gh, self._device):
            self._others.row.addWidget(button)
        self._others.row.addStretch(1)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addLayout(head)
        for part in (
            self._who,
            self._rights,
            self._end,
            self._read_only,
            self._token,
            self._others,
            self._code,
            self._words,
            self._address,
        ):
            layout.addWidget(part)

    def _fact(self, label: str, name: str) -> tuple[Field, ElidedLabel]:
        field = Field(label, name, self)
        line = ElidedLabel("", field)
        line.setObjectName(name)
        field.row.addWidget(line, 1)
        return field, line

    def _button(self, text: str, name: str, run: Callable[[], object]) -> QPushButton:
        button = push_button(text, name, self)
        button.setAccessibleName(f"{text.removesuffix('…')}, {display_text(self._host)}")
        button.clicked.connect(run)
        return button
