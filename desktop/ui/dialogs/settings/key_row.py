"""KeyField: the key of one endpoint: where it is and its last characters, or a field to paste one in."""

from collections.abc import Sequence

from pydantic import SecretStr
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from desktop.domain.commands import RemoveKey, SaveKey
from desktop.domain.display import display_text
from desktop.domain.updates import CommandFailed, KeysChanged, KeyState, Update
from desktop.ui.dialogs.settings.fields import Field
from desktop.ui.sink import CommandSink
from desktop.ui.widgets.elided_label import ElidedLabel

_PLACES = {
    "keyring": "in the system keyring",
    "memory": "until Banksman closes",
    "environment": "from ANTHROPIC_API_KEY",
}
_DOTS = "•" * 4
_NAME = "settings_providers_key"


class KeyField(Field):
    """A key that was stored is never shown; one that is typed leaves only in SaveKey and the field is emptied.

    `remove_asked`: the person wants it forgotten; `remove` does so.
    """

    remove_asked = Signal()

    def __init__(self, endpoint_id: str, sink: CommandSink, parent: QWidget) -> None:
        super().__init__("Key", _NAME, parent)
        self._endpoint_id = endpoint_id
        self._sink = sink
        self._sent: set[str] = set()
        self._saving = False
        self._replacing = False
        self._state = KeyState(endpoint_id=endpoint_id, place="none")
        self._where = ElidedLabel("", self)
        self._where.setObjectName(f"{_NAME}_state")
        self._where.setProperty("kind", "muted")
        self._edit = QLineEdit(self)
        self._edit.setObjectName(_NAME)
        self._edit.setAccessibleName("Key")
        self._edit.setEchoMode(QLineEdit.EchoMode.Password)
        self._edit.setPlaceholderText("Paste the key")
        self._edit.textEdited.connect(self._on_edited)
        self._edit.returnPressed.connect(self._save)
        self._save_button = self._button("Save key", "save", primary=True)
        self._cancel = self._button("Cancel", "cancel")
        self._replace = self._button("Replace…", "replace")
        self._remove = self._button("Remove…", "remove")
        self.row.addWidget(self._edit, 1)
        self.row.addWidget(self._where, 1)
        for button in (self._save_button, self._cancel, self._replace, self._remove):
            self.row.addWidget(button)
        self._save_button.clicked.connect(self._save)
        self._cancel.clicked.connect(self._cancel_replacing)
        self._replace.clicked.connect(self._begin_replacing)
        self._remove.clicked.connect(self.remove_asked)
        self._refresh()

    def set_state(self, state: KeyState) -> None:
        """What the engine says about the key."""
        self._state = state
        self._refresh()

    def take_focus(self) -> bool:
        """Put the focus in the field for a key that is missing; False if there is one."""
        if self._state.place != "none":
            return False
        self._edit.setFocus()
        return True

    def remove(self) -> None:
        """Have the key forgotten."""
        command = RemoveKey(endpoint_id=self._endpoint_id)
        self._sent.add(command.command_id)
        self._sink.send(command)

    def apply(self, updates: Sequence[Update]) -> None:
        """Match what the engine says with what was sent."""
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id in self._sent:
                self._sent.remove(update.command_id)
                self._saving = False
                self.set_problem(display_text(update.text))
            elif isinstance(update, KeysChanged) and self._saving:
                self._saving = self._replacing = False
                self.confirm_saved()
        self._refresh()

    def commit(self) -> None:
        """A key is saved by its button only; leaving the field says nothing."""

    def discard(self) -> None:
        """Empty the field."""
        super().discard()
        self._cancel_replacing()

    def _save(self) -> None:
        key = self._edit.text().strip()
        if not key:
            return
        if any(character.isspace() for character in key):
            self.set_problem("A key has no blanks inside. Paste it again.")
            return
        self.set_problem("")
        command = SaveKey(endpoint_id=self._endpoint_id, key=SecretStr(key))
        self._sent.add(command.command_id)
        self._saving = True
        self._edit.clear()
        self._sink.send(command)
        self._refresh()

    def _on_edited(self, _text: str) -> None:
        self.set_problem("")
        self._refresh()

    def _begin_replacing(self) -> None:
        self._replacing = True
        self._refresh()
        self._edit.setFocus()

    def _cancel_replacing(self) -> None:
        self._replacing = False
        self._edit.clear()
        self.set_problem("")
        self._refresh()

    def _refresh(self) -> None:
        has_key = self._state.place != "none"
        typing = not self._saving and (self._replacing or not has_key)
        tail = f"{_DOTS}{display_text(self._state.tail)}"
        where = "Saving…" if self._saving else f"{tail}  {_PLACES.get(self._state.place, '')}"
        self._where.set_full_text(where)
        self._where.setVisible(not typing)
        self._edit.setVisible(typing)
        self._save_button.setVisible(typing)
        self._save_button.setEnabled(bool(self._edit.text().strip()))
        self._cancel.setVisible(typing and self._replacing)
        self._replace.setVisible(has_key and not typing and not self._saving)
        self._remove.setVisible(has_key and not typing and not self._saving)

    def _button(self, text: str, part: str, *, primary: bool = False) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"{_NAME}_{part}")
        button.setAutoDefault(False)
        if primary:
            button.setProperty("kind", "primary")
        return button
