"""EditSecretDialog: as what a kept secret may be given, and where it may be sent; its value is not shown or changed."""

from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.domain.credentials.commands import EditCredential
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.credentials.values import Credential
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_ABOUT = tr("The value stays where it is and is not shown. What you change holds from the next use on.")


class EditSecretDialog(LaneForm):
    """`accepted`: it is changed."""

    def __init__(self, record: Credential, requests: Requests, parent: QWidget) -> None:
        super().__init__("edit_secret", tr("Change a secret of agents"), (tr("Save"), "edit_secret_save"), parent)
        self._record, self._requests = record, requests
        about = self.words("edit_secret_about")
        say(about, f"{display_text(record.title)}. {_ABOUT}")
        self.add_field("", about)
        self.provider = self._line(tr("For"), "provider", record.provider, "")
        self.names = self._line(tr("May be given as"), "names", " ".join(record.names), tr("any variable"))
        self.hosts = self._line(tr("May be sent to"), "hosts", " ".join(record.hosts), tr("no host"))
        self.submitted.connect(self._save)

    def _line(self, label: str, name: str, text: str, hint: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(f"edit_secret_{name}")
        line.setAccessibleName(label)
        line.setText(display_text(text))
        line.setPlaceholderText(hint)
        self.add_field(label, line)
        return line

    def _save(self) -> None:
        if self.working:
            return
        self.set_working(True, tr("Saving…"))
        command = EditCredential(
            secret_id=self._record.id,
            provider=self.provider.text().strip(),
            names=tuple(dict.fromkeys(self.names.text().split())),
            hosts=tuple(dict.fromkeys(self.hosts.text().split())),
        )
        saved = answer(CredentialsChanged, lambda _changed: self.accept())
        self._requests.ask(command, self, saved, failed=lambda failed: self.fail(failed.text))
