"""ServiceFields: what a kind of model service asks of a person who adds one, as fields."""

from collections.abc import Iterator

from pydantic import ValidationError
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.core.service_kinds import FieldName, ServiceField, ServiceKind
from desktop.domain.display.text import display_text
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.reasons import reason
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAMES: dict[FieldName, str] = {"label": "label", "base_url": "url", "default_model": "model", "auth": "key"}
_NEEDS_KEY, _NEEDS_NONE = ("api_key", "Needs a key"), ("none", "Needs none")


class ServiceFields(QWidget):
    """The fields of one kind, empty at first. Object names begin with `prefix`."""

    def __init__(self, kind: ServiceKind, prefix: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = kind
        self._prefix = prefix
        self._auth = _NEEDS_KEY[0]
        self._texts: dict[FieldName, TextField] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        for asked in kind.fields:
            layout.addWidget(self._choice(asked) if asked.name == "auth" else self._text(asked))

    def values(self) -> dict[str, str]:
        """What was entered, by the name of the endpoint's value."""
        found = {"kind": self.kind.name, "auth": self._auth}
        for name, field in self._texts.items():
            found[name] = field.edit.text().strip()
        found["base_url"] = found.get("base_url", "") or self.kind.address
        return {"label": self.kind.label, **found}

    def clear(self) -> None:
        """Empty them, and tell of no problem."""
        for field in self._texts.values():
            field.edit.clear()
            field.discard()

    def tell(self, error: ValidationError | None) -> None:
        """Show why what was entered cannot be used, at its field; None: nothing is wrong."""
        for field in self._texts.values():
            field.set_problem("")
        if error is not None:
            place = error.errors()[0]["loc"]
            named = [field for name, field in self._texts.items() if place and place[0] == name]
            usual = [field for name, field in self._texts.items() if name == "base_url"]
            for field in [*named, *usual, *self._texts.values()][:1]:
                field.set_problem(reason(error))

    def focusable(self) -> Iterator[QWidget]:
        """What takes the keyboard, in order."""
        return (one for one in self.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus)

    def _text(self, asked: ServiceField) -> Field:
        field = TextField(display_text(asked.label), self._name(asked), self, display_text(asked.help))
        field.edit.setPlaceholderText(display_text(asked.example))
        self._texts[asked.name] = field
        return field

    def _choice(self, asked: ServiceField) -> Field:
        field = ChoiceField(display_text(asked.label), self._name(asked), [_NEEDS_KEY, _NEEDS_NONE], self)
        field.set_value(self._auth)
        field.chosen.connect(self._on_auth)
        self._key = field
        return field

    def _on_auth(self, auth: str) -> None:
        self._auth = auth
        self._key.set_value(auth)

    def _name(self, asked: ServiceField) -> str:
        return f"{self._prefix}_{_NAMES[asked.name]}"
