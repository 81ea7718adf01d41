"""TokenField: a token that a person pastes; it leaves only in a command, and the field is emptied."""

from pydantic import SecretStr
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.language import tr
from desktop.ui.settings.fields import Field
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button

_HELP = tr("Fine-grained with pull requests and contents, or classic with repo.")
_BLANKS = tr("A token has no blanks inside. Paste it again.")


class TokenField(Field):
    """`offered` carries the token as a SecretStr."""

    offered = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Token"), "github_token", parent, _HELP)
        self.edit = QLineEdit(self)
        self.edit.setObjectName("github_token")
        self.edit.setAccessibleName(tr("Token"))
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setPlaceholderText(tr("ghp_… or github_pat_…"))
        self.go = push_button(tr("Sign in"), "github_token_go", self)
        self.go.setProperty("kind", "primary")
        self.row.addWidget(self.edit, 1)
        self.row.addWidget(self.go)
        self.edit.textEdited.connect(self._on_edited)
        self.edit.returnPressed.connect(self._offer)
        self.go.clicked.connect(self._offer)
        self._on_edited("")

    def commit(self) -> None:
        """It goes out by its button only; leaving the field says nothing."""

    def discard(self) -> None:
        """Empty the field."""
        super().discard()
        self.edit.clear()
        self._on_edited("")

    def _on_edited(self, _text: str) -> None:
        self.set_problem("")
        self.fit()

    def fit(self) -> None:
        """The button works once something is typed."""
        set_off(self.go, "" if self.edit.text().strip() else tr("Type a token."))

    def _offer(self) -> None:
        token = self.edit.text().strip()
        if not token:
            return
        if any(map(str.isspace, token)):
            self.set_problem(_BLANKS)
            return
        self.discard()
        self.offered.emit(SecretStr(token))
