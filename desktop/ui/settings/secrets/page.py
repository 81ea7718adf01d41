"""Secrets: what people entrusted to agents, the commands that hold one now, and taking it back."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidgetItem, QWidget

from desktop.domain.commands import Interrupt, StopShell
from desktop.domain.core.command import Command
from desktop.domain.credentials.commands import LoadCredentials, RevokeCredential
from desktop.domain.credentials.updates import CredentialsChanged, Holder
from desktop.domain.credentials.values import Credential
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, ShellsChanged
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.secrets.edit_dialog import EditSecretDialog
from desktop.ui.settings.secrets.words import held_words, holder_line, secret_facts, secret_line
from desktop.ui.text.keyring_words import keyring_words
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_secrets"
_INTRO = tr(
    "An agent asks for a secret on a card. It gets a name for it, never the value, and every use asks you again. "
    "Nothing here shows a value."
)
_NONE = tr("No agent has been given a secret.")
_GONE = tr("It is removed. A command that was given it still runs.")
_ROWS = 8


class SecretsPage(SettingsPage):
    """Asks the engine when it is shown first, and when a background command begins or ends."""

    name, title, icon = "secrets", tr("Secrets of agents"), "lock"

    def __init__(self, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._clock = requests, clock
        self._rows: list[Credential | Holder] = []
        self._told = CredentialsChanged(credentials=())
        self._label("muted", "intro").setText(_INTRO)
        self._problem = self._label("", "keyring", role="warning")
        say(self._problem, "")
        self.list = BoxList(f"{_NAME}_list", tr("Secrets, and commands that hold one"), self.contents)
        self.list.hide()
        self.list.currentRowChanged.connect(self._show_chosen)
        self.column.addWidget(self.list)
        self._facts = self._label("muted", "facts")
        self._edit = push_button(tr("Change…"), f"{_NAME}_edit", self.contents, self._on_edit)
        self._act = push_button(tr("Remove…"), f"{_NAME}_act", self.contents)
        self._act.setProperty("kind", "danger")
        self._act.clicked.connect(self._on_act)
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        row.addWidget(self._edit)
        row.addWidget(self._act)
        row.addStretch(1)
        self.column.addLayout(row)
        self._error = self._label("", "error", role="danger")
        say(self._error, "")
        self.hearing.on(CredentialsChanged, self._on_changed).on(ShellsChanged, self._on_shells)
        self._fill()
        self._send(LoadCredentials())

    def _label(self, kind: str, name: str, *, role: str = "") -> QLabel:
        label = plain_label(self.contents, kind, f"{_NAME}_{name}", role=role)
        self.column.addWidget(label)
        return label

    def _on_changed(self, update: CredentialsChanged) -> None:
        self._told = update
        self._fill()

    def _on_shells(self, _update: ShellsChanged) -> None:
        self._send(LoadCredentials())

    def _fill(self) -> None:
        """The secrets, each with the commands that hold it; then commands that hold one that is removed."""
        chosen = self._chosen()
        told = self._told
        known = {record.id for record in told.credentials}
        self._rows = []
        for record in told.credentials:
            self._rows += [record, *(one for one in told.holders if one.secret_id == record.id)]
        self._rows += [one for one in told.holders if one.secret_id not in known]
        self.list.clear()
        for row in self._rows:
            QListWidgetItem(secret_line(row) if isinstance(row, Credential) else holder_line(row), self.list)
        self.list.setVisible(bool(self._rows))
        self.list.fit(_ROWS)
        say(
            self._problem,
            display_text(keyring_words(told.keyring_problem, tr("Secrets are kept until Banksman closes."))),
        )
        same = next((at for at, row in enumerate(self._rows) if chosen is not None and _key(row) == _key(chosen)), 0)
        self.list.setCurrentRow(same if self._rows else -1)
        self._show_chosen()

    def _chosen(self) -> Credential | Holder | None:
        at = self.list.currentRow()
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def _show_chosen(self, _row: int = -1) -> None:
        chosen = self._chosen()
        self._act.setVisible(chosen is not None)
        self._edit.setVisible(isinstance(chosen, Credential))
        if isinstance(chosen, Credential):
            self._facts.setText(secret_facts(chosen, self._clock()))
            self._act.setText(tr("Remove…"))
        elif chosen is not None:
            known = any(record.id == chosen.secret_id for record in self._told.credentials)
            self._facts.setText(display_text(chosen.command, multiline=True) if known else _GONE)
            self._act.setText(tr("Stop"))
        else:
            self._facts.setText(_NONE)

    def _on_act(self) -> None:
        chosen = self._chosen()
        if isinstance(chosen, Holder):
            stop = StopShell(session_id=chosen.session_id, shell_id=chosen.shell_id)
            self._send(stop if chosen.shell_id else Interrupt(session_id=chosen.session_id))
            self._send(LoadCredentials())
        elif chosen is not None:
            self._ask(chosen)

    def _on_edit(self) -> None:
        chosen = self._chosen()
        if isinstance(chosen, Credential):
            dialog = EditSecretDialog(chosen, self._requests, self.window())
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    def _ask(self, record: Credential) -> None:
        held = held_words(one for one in self._told.holders if one.secret_id == record.id)
        text = tr("Its value is forgotten here; at {provider} it stays valid.", provider=display_text(record.provider))
        text = f"{text} {held}".rstrip()
        buttons = ((tr("Keep"), "settings_secret_keep"), (tr("Remove"), "settings_secret_go"))
        title = tr("Remove {title}?", title=display_text(record.title))
        ask_first(
            Question("settings_secret_dialog", title, text, *buttons),
            self,
            lambda: self._send(RevokeCredential(secret_id=record.id)),
        )

    def _send(self, command: Command) -> None:
        say(self._error, "")
        self._requests.ask(command, self, failed=self._on_failed)

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._error, display_text(failed.text))


def _key(row: Credential | Holder) -> tuple[str, str, str]:
    return (row.id, "", "") if isinstance(row, Credential) else (row.secret_id, row.session_id, row.shell_id)
