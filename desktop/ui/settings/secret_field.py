"""SecretField: one stored secret: where it is, or a field to put one in; never shown again once it is stored."""

from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.settings.fields import Field
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.elided_label import ElidedLabel


class SecretField(Field):
    """What is typed leaves only in a command, and the field is emptied.

    A subclass says what is sent, and in its `hearing` which update confirms it. `saves`: the words of its button.
    `remove_asked`: the person wants it forgotten; `remove` does so.
    """

    hearing: Hearing
    saves: ClassVar[str]
    remove_asked = Signal()

    def __init__(self, label: str, name: str, requests: Requests, parent: QWidget, placeholder: str) -> None:
        super().__init__(label, name, parent)
        self._name = name
        self._requests = requests
        self._saving = False
        self._replacing = False
        self._kept = ""
        self._where = ElidedLabel("", self)
        self._where.setObjectName(f"{name}_state")
        self._where.setProperty("kind", "muted")
        self.edit = QLineEdit(self)
        self.edit.setObjectName(name)
        self.edit.setAccessibleName(label)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setPlaceholderText(placeholder)
        self.edit.textEdited.connect(self._on_edited)
        self.edit.returnPressed.connect(self._save)
        self._save_button = self._button(self.saves, "save", primary=True)
        self._cancel = self._button(tr("Cancel"), "cancel")
        self._replace = self._button(tr("Replace…"), "replace")
        self._remove = self._button(tr("Remove…"), "remove")
        self.row.addWidget(self.edit, 1)
        self.row.addWidget(self._where, 1)
        for button in (self._save_button, self._cancel, self._replace, self._remove):
            self.row.addWidget(button)
        self._save_button.clicked.connect(self._save)
        self._cancel.clicked.connect(self._cancel_replacing)
        self._replace.clicked.connect(self._begin_replacing)
        self._remove.clicked.connect(self.remove_asked)
        self._refresh()

    def save_command(self, secret: str) -> Command:
        """What is sent to keep this secret."""
        raise NotImplementedError

    def remove_command(self) -> Command:
        """What is sent to forget the one that is kept."""
        raise NotImplementedError

    def fault(self, secret: str) -> str:
        """What is wrong with what was typed, "" for nothing."""
        raise NotImplementedError

    def cleaned(self, text: str) -> str:
        """What was typed without what cannot belong to the secret."""
        return text

    def set_kept(self, where: str) -> None:
        """Where the secret is kept, in words; "" if there is none. The text must have passed display_text()."""
        self._kept = where
        self._refresh()

    def take_focus(self) -> bool:
        """Put the focus in the field for a secret that is missing; False if there is one."""
        if self._kept:
            return False
        self.edit.setFocus()
        return True

    def remove(self) -> None:
        """Have it forgotten."""
        self._send(self.remove_command())

    def confirm(self) -> None:
        """The engine says that the secret is kept now."""
        if self._saving:
            self._saving = self._replacing = False
            self.confirm_saved()
            self._refresh()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._saving = False
        self.set_problem(display_text(failed.text))
        self._refresh()

    def commit(self) -> None:
        """It is saved by its button only; leaving the field says nothing."""

    def discard(self) -> None:
        """Empty the field."""
        super().discard()
        self._cancel_replacing()

    def _send(self, command: Command) -> None:
        self._requests.ask(command, self, failed=self._on_failed)

    def _save(self) -> None:
        secret = self.cleaned(self.edit.text())
        if not secret:
            return
        self.set_problem(self.fault(secret))
        if not self.problem:
            self._saving = True
            self.edit.clear()
            self._send(self.save_command(secret))
            self._refresh()

    def _on_edited(self, _text: str) -> None:
        self.set_problem("")
        self._refresh()

    def _begin_replacing(self) -> None:
        self._replacing = True
        self._refresh()
        self.edit.setFocus()

    def _cancel_replacing(self) -> None:
        self._replacing = False
        self.edit.clear()
        self.set_problem("")
        self._refresh()

    def _refresh(self) -> None:
        kept = bool(self._kept)
        typing = not self._saving and (self._replacing or not kept)
        self._where.set_full_text(tr("Saving…") if self._saving else self._kept)
        self._where.setVisible(not typing)
        self.edit.setVisible(typing)
        self._save_button.setVisible(typing)
        set_off(self._save_button, "" if self.cleaned(self.edit.text()) else tr("Type or paste it first."))
        self._cancel.setVisible(typing and self._replacing)
        self._replace.setVisible(kept and not typing and not self._saving)
        self._remove.setVisible(kept and not typing and not self._saving)

    def _button(self, text: str, part: str, *, primary: bool = False) -> QPushButton:
        button = push_button(text, f"{self._name}_{part}", self)
        if primary:
            button.setProperty("kind", "primary")
        return button
