"""PasswordField: the password of one database: that it is kept, or a field to type one in."""

from pydantic import SecretStr
from PySide6.QtWidgets import QWidget

from desktop.domain.commands import RemoveDatabasePassword, SaveDatabasePassword
from desktop.domain.core.command import Command
from desktop.domain.updates import DatabaseKeysChanged
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.settings.secret_field import SecretField

KEPT_IN_KEYRING = tr("•••• in the system keyring")
KEPT_IN_MEMORY = tr("•••• until Banksman closes")


class PasswordField(SecretField):
    """Never shown, not even in part. `connection`: the name of the database it is for."""

    saves = tr("Save password")

    def __init__(self, connection: str, requests: Requests, parent: QWidget) -> None:
        self._connection = connection
        super().__init__(tr("Password"), "settings_databases_password", requests, parent, tr("None kept"))
        self.hearing = Hearing().on(DatabaseKeysChanged, self._on_passwords)

    def set_connection(self, name: str) -> None:
        """The database has another name now; a password is bound to the name."""
        self._connection = name

    def save_command(self, secret: str) -> Command:
        """Keep this password."""
        return SaveDatabasePassword(name=self._connection, password=SecretStr(secret))

    def remove_command(self) -> Command:
        """Forget the password."""
        return RemoveDatabasePassword(name=self._connection)

    def _on_passwords(self, update: DatabaseKeysChanged) -> None:
        if self._connection in update.names:
            self.confirm()

    def fault(self, secret: str) -> str:
        """Characters that no keyboard types."""
        return "" if secret.isprintable() else tr("A password holds no control characters. Type it again.")
