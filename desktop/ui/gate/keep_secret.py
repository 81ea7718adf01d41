"""KeepSecretDialog: a secret that a person wrote into a chat, to be kept for agents under a name."""

from pydantic import SecretStr
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.domain.credentials.commands import LookAtKeyring, StoreCredential
from desktop.domain.credentials.updates import CredentialsChanged, KeyringLooked
from desktop.domain.credentials.values import Kept
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.gate.cards.kinds.credential import KEPT, USE, offer_times, secret_problem
from desktop.ui.text.keyring_words import keyring_words
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm


class KeepSecretDialog(LaneForm):
    """The value leaves it in one command, as it was written where nobody changes it here. `accepted`: it is kept."""

    def __init__(self, session_id: str, secret: tuple[str, str], requests: Requests, parent: QWidget) -> None:
        """`secret`: what is known of it, and its value."""
        super().__init__(
            "keep_secret", tr("Keep a secret for agents"), (tr("Store secret"), "keep_secret_store"), parent
        )
        self._session_id, self._requests = session_id, requests
        self._kept: Kept = "closed"
        use = self.words("keep_secret_use")
        say(use, USE)
        self.add_field("", use)
        name, self._value = secret
        self.value = self._line(tr("Secret"), "value", self._value)
        self.value.setEchoMode(QLineEdit.EchoMode.Password)
        self.provider = self._line(tr("For"), "provider", name)
        self.names = self._line(tr("May be given as"), "names", "")
        self.names.setPlaceholderText(tr("any variable"))
        self.hosts = self._line(tr("May be sent to"), "hosts", "")
        self.hosts.setPlaceholderText(tr("no host"))
        self._times = Segmented("keep_secret_kept", tr("How long it is kept"), KEPT, self, compact=True)
        self._times.chosen.connect(self._keep)
        self._times.set_value(self._kept)
        self._place = self.words("keep_secret_place", role="warning")
        self.add_field(tr("Kept"), self._times, self._place)
        self.submitted.connect(self._store)
        self.finished.connect(self._on_finished)
        requests.ask(LookAtKeyring(input_id=""), self, answer(KeyringLooked, self._on_keyring))

    def _line(self, label: str, name: str, text: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(f"keep_secret_{name}")
        line.setAccessibleName(label)
        line.setText(text)
        self.add_field(label, line)
        return line

    def _keep(self, kept: str) -> None:
        self._kept = next(one for one, _words in KEPT if one == kept)
        self._times.set_value(kept)

    def _store(self) -> None:
        names = tuple(dict.fromkeys(self.names.text().split()))
        value = self.value.text() if self.value.isModified() else self._value
        if problem := secret_problem(self.provider.text(), value, names):
            self.fail(problem)
            return
        self.set_working(True, tr("Storing…"))
        command = StoreCredential(
            session_id=self._session_id,
            value=SecretStr(value),
            provider=self.provider.text().strip(),
            names=names,
            hosts=tuple(dict.fromkeys(self.hosts.text().split())),
            kept=self._kept,
        )
        kept = answer(CredentialsChanged, lambda _changed: self.accept())
        self._requests.ask(command, self, kept, failed=lambda failed: self.fail(failed.text))

    def _on_keyring(self, looked: KeyringLooked) -> None:
        offer_times(self._times, keyless=bool(looked.problem))
        if looked.problem:
            self._keep("closed")
        say(self._place, display_text(keyring_words(looked.problem, tr("The secret is kept until Banksman closes."))))
        self.fit()

    def _on_finished(self, _result: int) -> None:
        self.value.clear()
        self._value = ""
