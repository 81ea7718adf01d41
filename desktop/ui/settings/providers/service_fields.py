"""ServiceFields: what a kind of model service asks of a person who adds one, as fields."""

from collections.abc import Iterator

from pydantic import SecretStr, ValidationError
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.config.settings import Endpoint
from desktop.domain.core.service_kinds import FieldName, ServiceField, ServiceKind
from desktop.domain.display.text import display_text
from desktop.language import ENGLISH, said, tr, worn
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.reasons import reason
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAMES: dict[FieldName, str] = {"label": "label", "base_url": "url", "default_model": "model", "auth": "auth"}
_NEEDS_KEY, _NEEDS_NONE = ("api_key", tr("Needs a key")), ("none", tr("Needs none"))
_LABELS: dict[FieldName, str] = {
    "label": tr("Name"),
    "base_url": tr("Address"),
    "default_model": tr("Model of new chats"),
    "auth": tr("Access"),
}
KIND_WORDS = {"compatible": tr("Anthropic-compatible"), "openai_compatible": tr("OpenAI-compatible")}
"""Kinds whose name is words; the others are called as their makers are."""
_BLANKS = tr("A key has no blanks inside. Paste it again.")
_PASTE = tr("Paste the key")


class ServiceFields(QWidget):
    """The fields of one kind but for the model, empty at first; a key has its own, unless none is needed. Object names
    begin with `prefix`. `edited`: something else is in them now."""

    edited = Signal()

    def __init__(self, kind: ServiceKind, prefix: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = kind
        self.model = next((one for one in kind.fields if one.name == "default_model"), None)
        self._prefix = prefix
        self._auth = _NEEDS_KEY[0]
        self._texts: dict[FieldName, TextField] = {}
        self._needs: ChoiceField | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        for asked in kind.fields:
            if asked.name == "auth":
                self._needs = self._choice(asked)
                layout.addWidget(self._needs)
            elif asked is not self.model:
                layout.addWidget(self._text(asked))
        self._key = TextField(tr("Key"), f"{prefix}_key", self)
        self._key.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.edit.setPlaceholderText(_PASTE)
        self._key.edit.textEdited.connect(self.edited)
        layout.addWidget(self._key)

    def fill(self, endpoint: Endpoint, key_from: str) -> None:
        """Show what is known of a service. `key_from`: the variable that holds its key, "" for none."""
        self._auth = endpoint.auth
        if self._needs is not None:
            self._needs.set_value(_NEEDS_NONE[0] if endpoint.auth == "none" else _NEEDS_KEY[0])
        for name, value in (("label", endpoint.label), ("base_url", endpoint.base_url)):
            if name in self._texts:
                self._texts[name].edit.setText(value)
        self._key.setVisible(endpoint.auth != "none")
        self._key.edit.setPlaceholderText(tr("The one of {variable}", variable=key_from) if key_from else _PASTE)

    def take_address(self, address: str) -> None:
        """Put an address into its field."""
        if "base_url" in self._texts:
            self._texts["base_url"].edit.setText(address)
            self.edited.emit()

    def values(self) -> dict[str, str]:
        """What was entered, by the name of the endpoint's value."""
        found = {"kind": self.kind.name, "auth": self._auth}
        for name, field in self._texts.items():
            found[name] = field.edit.text().strip()
        found["base_url"] = found.get("base_url", "") or self.kind.address
        return {**found, "label": found.get("label", "") or self.kind.label}

    @property
    def key(self) -> SecretStr | None:
        """The key that was pasted, None for none."""
        text = self._key.edit.text().strip()
        return SecretStr(text) if text and self._auth != _NEEDS_NONE[0] else None

    def clear(self) -> None:
        """Empty them, and tell of no problem."""
        for field in (*self._texts.values(), self._key):
            field.edit.clear()
            field.discard()

    def tell(self, error: ValidationError | None) -> bool:
        """Show why what was entered cannot be used, at its field; None: nothing is wrong with it. Whether it can."""
        key = self._key.edit.text().strip()
        blanks = any(map(str.isspace, key))
        self._key.set_problem(_BLANKS if blanks else "")
        for field in self._texts.values():
            field.set_problem("")
        if error is not None:
            place = error.errors()[0]["loc"]
            named = [field for name, field in self._texts.items() if place and place[0] == name]
            usual = [field for name, field in self._texts.items() if name == "base_url"]
            for field in [*named, *usual, *self._texts.values()][:1]:
                field.set_problem(reason(error))
        return error is None and not blanks

    def focusable(self) -> Iterator[QWidget]:
        """What takes the keyboard, in order."""
        return (one for one in self.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus)

    def _text(self, asked: ServiceField) -> Field:
        field = TextField(_label(asked), self._name(asked), self, display_text(said(asked.help)))
        field.edit.setPlaceholderText(display_text(asked.example))
        field.edit.textEdited.connect(self.edited)
        self._texts[asked.name] = field
        return field

    def _choice(self, asked: ServiceField) -> ChoiceField:
        field = ChoiceField(_label(asked), self._name(asked), [_NEEDS_KEY, _NEEDS_NONE], self)
        field.set_value(self._auth)
        field.chosen.connect(self._on_auth)
        return field

    def _on_auth(self, auth: str) -> None:
        self._auth = auth
        if self._needs is not None:
            self._needs.set_value(auth)
        self._key.setVisible(auth != _NEEDS_NONE[0])
        self.edited.emit()

    def _name(self, asked: ServiceField) -> str:
        return f"{self._prefix}_{_NAMES[asked.name]}"


def kind_label(kind: ServiceKind) -> str:
    """What a kind is called."""
    return display_text(KIND_WORDS.get(kind.name, kind.label))


def _label(asked: ServiceField) -> str:
    """In English the provider has its own word for it."""
    return display_text(asked.label) if worn() == ENGLISH else _LABELS[asked.name]
