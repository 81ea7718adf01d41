"""AddEndpoint: the form for one more model service, of a kind that a person can add."""

import re
from collections.abc import Collection, Sequence

from pydantic import ValidationError
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.core.service_kinds import ServiceKind
from desktop.domain.display.text import display_text
from desktop.ui.settings.fields import ChoiceField
from desktop.ui.settings.service_fields import ServiceFields
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
        self.setProperty("kind", "card")
        self._taken: Collection[str] = ()
        self._kinds: Sequence[ServiceKind] = ()
        self._kind: ChoiceField | None = None
        self._fields: ServiceFields | None = None
        self._title = plain_label(self, "title")
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
        self._asked = QVBoxLayout()
        set_gaps(self._asked, spacing=SPACE_3)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addWidget(self._title)
        layout.addLayout(self._asked)
        layout.addLayout(buttons)

    def begin(self, kinds: Sequence[ServiceKind], taken: Collection[str]) -> None:
        """Empty the form, for the first of these kinds; `taken` are the ids that are in use."""
        self._taken = taken
        if kinds != self._kinds:
            self._kinds = kinds
            self._offer_kinds()
        self._choose(kinds[0].name)
        self.show()
        if self._fields is not None and (first := next(self._fields.focusable(), None)) is not None:
            first.setFocus()

    def _offer_kinds(self) -> None:
        """A choice between the kinds, where there are several."""
        if self._kind is not None:
            _remove(self._kind, self._asked)
            self._kind = None
        if len(self._kinds) > 1:
            choices = [(kind.name, display_text(kind.label)) for kind in self._kinds]
            self._kind = ChoiceField("Kind", f"{_NAME}_kind", choices, self)
            self._kind.chosen.connect(self._choose)
            self._asked.insertWidget(0, self._kind)

    def _choose(self, name: str) -> None:
        """Ask what this kind asks, anew."""
        kind = next(kind for kind in self._kinds if kind.name == name)
        if self._kind is not None:
            self._kind.set_value(name)
        if self._fields is not None:
            _remove(self._fields, self._asked)
        self._fields = ServiceFields(kind, _NAME, self)
        self._asked.addWidget(self._fields)
        for field in self._fields.focusable():
            QWidget.setTabOrder(self._add.previousInFocusChain() or self, field)
        self._title.setText(f"Add {kind_words(kind)}")
        self.setAccessibleName(f"Add {kind_words(kind)}")

    def _on_add(self) -> None:
        if self._fields is None:
            return
        self._fields.tell(None)
        values = self._fields.values()
        try:
            endpoint = Endpoint.model_validate({"id": new_id(values["label"], self._taken), **values})
        except ValidationError as error:
            self._fields.tell(error)
            return
        self.offered.emit(endpoint)

    def _on_cancel(self) -> None:
        if self._fields is not None:
            self._fields.clear()
        self.cancelled.emit()


def kind_words(kind: ServiceKind) -> str:
    """One service of this kind, in words."""
    label = display_text(kind.label)
    return f"{'an' if label[:1].lower() in 'aeiou' else 'a'} {label} service"


def new_id(label: str, taken: Collection[str]) -> str:
    """An id for an endpoint of this name that is not taken."""
    base = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[: _LONGEST_ID - 4] or "service"
    number, found = 1, base
    while found in taken or found == DEMO_ENDPOINT.id:
        number += 1
        found = f"{base}-{number}"
    return found


def _remove(widget: QWidget, layout: QVBoxLayout) -> None:
    layout.removeWidget(widget)
    widget.setParent(None)
    widget.deleteLater()
