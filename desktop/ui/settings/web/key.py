"""SearchKeyField: the key of a search service: that there is one, or a field to paste one in."""

from pydantic import SecretStr
from PySide6.QtWidgets import QWidget

from desktop.config.web import SEARCHES
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.web.commands import RemoveSearchKey, SaveSearchKey
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.settings.secret_field import SecretField


class SearchKeyField(SecretField):
    """A key that was stored is never shown; one that is typed leaves only in SaveSearchKey and the field is emptied."""

    saves = tr("Save key")

    def __init__(self, service: str, requests: Requests, parent: QWidget) -> None:
        self._service = service
        known = SEARCHES[service]
        super().__init__(
            tr("Key"), f"settings_web_key_{service}", requests, parent, tr("A key from {site}", site=known.site)
        )
        self.edit.setAccessibleName(tr("Key for {label}", label=known.label))
        self.hearing = Hearing()

    def show_kept(self, kept: bool, problem: str) -> None:
        """Whether there is a key. `problem`: why it lasts only until Banksman closes."""
        where = tr("until Banksman closes") if problem else tr("in the system keyring")
        self.set_kept(tr("Kept {where}", where=where) if kept else "")
        self.setToolTip(display_text(said(problem)))
        self.confirm()

    def cleaned(self, text: str) -> str:
        """Blanks around a key come from copying it."""
        return text.strip()

    def save_command(self, secret: str) -> Command:
        """Keep this key."""
        return SaveSearchKey(service=self._service, key=SecretStr(secret))

    def remove_command(self) -> Command:
        """Forget the key."""
        return RemoveSearchKey(service=self._service)

    def fault(self, secret: str) -> str:
        """Blanks inside."""
        return tr("A key has no blanks inside. Paste it again.") if any(map(str.isspace, secret)) else ""
