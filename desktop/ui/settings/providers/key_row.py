"""KeyField: the key of one endpoint: where it is and its last characters, or a field to paste one in."""

from pydantic import SecretStr
from PySide6.QtWidgets import QWidget

from desktop.domain.commands import RemoveKey, SaveKey
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.updates import KeysChanged, KeyState
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.settings.secret_field import SecretField

_PLACES = {
    "keyring": tr("in the system keyring"),
    "memory": tr("until Banksman closes"),
}
_DOTS = "•" * 4


class KeyField(SecretField):
    """A key that was stored is never shown; one that is typed leaves only in SaveKey and the field is emptied."""

    saves = tr("Save key")

    def __init__(self, endpoint_id: str, requests: Requests, parent: QWidget) -> None:
        self._endpoint_id = endpoint_id
        super().__init__(tr("Key"), "settings_providers_key", requests, parent, tr("Paste the key"))
        self.hearing = Hearing().on(KeysChanged, self._on_keys)

    def set_state(self, state: KeyState) -> None:
        """What the engine says about the key."""
        has_key = state.place != "none"
        place = tr("from {variable}", variable=state.variable) if state.variable else _PLACES.get(state.place, "")
        self.set_kept(f"{_DOTS}{display_text(state.tail)}  {place}" if has_key else "")

    def cleaned(self, text: str) -> str:
        """Blanks around a key come from copying it."""
        return text.strip()

    def save_command(self, secret: str) -> Command:
        """Keep this key."""
        return SaveKey(endpoint_id=self._endpoint_id, key=SecretStr(secret))

    def remove_command(self) -> Command:
        """Forget the key."""
        return RemoveKey(endpoint_id=self._endpoint_id)

    def _on_keys(self, _update: KeysChanged) -> None:
        self.confirm()

    def fault(self, secret: str) -> str:
        """Blanks inside."""
        return tr("A key has no blanks inside. Paste it again.") if any(map(str.isspace, secret)) else ""
