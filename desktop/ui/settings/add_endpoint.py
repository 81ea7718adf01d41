"""AddEndpoint: the form for one more service that speaks the messages protocol."""

import re
from collections.abc import Collection

from pydantic import ValidationError
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.reasons import reason
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_providers_new"
_LONGEST_ID = 40


class AddEndpoint(QFrame):
    """`offered` carries an Endpoint that is valid by itself; `cancelled`: nothing is to be added."""

    offered = Signal(object)
    cancelled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setAccessibleName("Add a compatible service")
        self.setProperty("kind", "card")
        self._auth = "api_key"
        self._taken: Collection[str] = ()
        title = plain_label(self, "title")
        title.setText("Add a compatible service")
        self.label = TextField("Name", f"{_NAME}_label", self)
        self.url = TextField("Address", f"{_NAME}_url", self, "Any server that speaks /v1/messages.")
        self.url.edit.setPlaceholderText("https://models.example.com")
        self._model = TextField("Model of new chats", f"{_NAME}_model", self)
        self._key = ChoiceField("Key", f"{_NAME}_key", [("api_key", "Needs a key"), ("none", "Needs none")], self)
        self._key.set_value(self._auth)
        self._key.chosen.connect(self._on_auth)
        self._add = push_button("Add", f"{_NAME}_add", self)
        self._add.setProperty("kind", "primary")
        self._cancel = push_button("Cancel", f"{_NAME}_cancel", self)
        self._add.clicked.connect(self._on_add)
        self._cancel.clicked.connect(self._on_cancel)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._add)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addWidget(title)
        for field in (self.label, self.url, self._model, self._key):
            layout.addWidget(field)
        layout.addLayout(buttons)

    def begin(self, taken: Collection[str]) -> None:
        """Empty the form; `taken` are the ids that are in use."""
        self._taken = taken
        for field in (self.label, self.url, self._model):
            field.edit.clear()
            field.discard()
        self._on_auth("api_key")
        self.show()
        self.label.edit.setFocus()

    def _on_auth(self, auth: str) -> None:
        self._auth = auth
        self._key.set_value(auth)

    def _on_add(self) -> None:
        label, url = self.label.edit.text().strip(), self.url.edit.text()
        self.label.set_problem("")
        self.url.set_problem("")
        try:
            endpoint = Endpoint.model_validate(
                {
                    "id": new_id(label, self._taken),
                    "label": label,
                    "kind": "compatible",
                    "base_url": url,
                    "auth": self._auth,
                    "default_model": self._model.edit.text().strip(),
                }
            )
        except ValidationError as error:
            self._field_of(error).set_problem(reason(error))
            return
        self.offered.emit(endpoint)

    def _field_of(self, error: ValidationError) -> Field:
        fields: dict[str, Field] = {"label": self.label, "default_model": self._model}
        place = error.errors()[0]["loc"]
        return fields.get(str(place[0]), self.url) if place else self.url

    def _on_cancel(self) -> None:
        for field in (self.label, self.url, self._model):
            field.edit.clear()
            field.discard()
        self.cancelled.emit()


def new_id(label: str, taken: Collection[str]) -> str:
    """An id for an endpoint of this name that is not taken."""
    base = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[: _LONGEST_ID - 4] or "service"
    number, found = 1, base
    while found in taken or found == DEMO_ENDPOINT.id:
        number += 1
        found = f"{base}-{number}"
    return found
