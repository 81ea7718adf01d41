"""AddEndpoint: the form for one more model service: where it is, its key, a test, and the model that it lists."""

import itertools
import re
from collections.abc import Collection, Sequence

from pydantic import ValidationError
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.found import FoundService
from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.commands import CheckEndpoint
from desktop.domain.core.service_kinds import ServiceKind
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, EndpointChecked
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.settings.fields import Field
from desktop.ui.settings.providers.model_field import ModelField
from desktop.ui.settings.providers.other_programs import OtherPrograms
from desktop.ui.settings.providers.service_fields import ServiceFields, kind_label
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem

_NAME = "settings_providers_new"
_LONGEST_ID = 40
_FIRST = tr("Test it first: then its models can be chosen.")
_CHOOSE = tr("Choose the model of new chats.")
_TYPE = tr("Type the model of new chats; this service lists none.")
_FAILED = tr("It can be added all the same, for when it answers.")


class AddEndpoint(QFrame):
    """`offered` carries an Endpoint that is valid by itself, and its key or None; `cancelled`: nothing is added;
    `tested`: what came of its test stands there."""

    offered = Signal(object, object)
    cancelled = Signal()
    tested = Signal()

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setProperty("kind", "card")
        self._requests, self._checking = requests, Request()
        self._taken: Collection[str] = ()
        self._kinds: Sequence[ServiceKind] = ()
        self._kind = ChoiceButton(f"{_NAME}_kind", tr("Kind"), self)
        self._kind.setAccessibleName(tr("Kind"))
        self._kind.chosen.connect(self._on_kind)
        self._kind_row = Field(tr("Kind"), f"{_NAME}_kind", self)
        self._kind_row.row.addWidget(self._kind, 1)
        self._fields: ServiceFields | None = None
        self._found: FoundService | None = None
        self._checked: EndpointChecked | None = None
        self._title = plain_label(self, "title")
        self._others = OtherPrograms(requests, self)
        self._others.picked.connect(self._on_address)
        self._connection = Field(tr("Connection"), f"{_NAME}_connection", self)
        self._test = push_button(tr("Test"), f"{_NAME}_test", self._connection)
        self._result = plain_label(self._connection, "muted", f"{_NAME}_test_result")
        self._connection.row.addWidget(self._test)
        self._connection.row.addWidget(self._result, 1)
        self._model = ModelField(_NAME, self)
        self._model.chosen.connect(self._refresh)
        self._wanted = plain_label(self, "caption", f"{_NAME}_wanted")
        self._add = push_button(tr("Add"), f"{_NAME}_add", self)
        self._cancel = push_button(tr("Cancel"), f"{_NAME}_cancel", self)
        self._test.clicked.connect(self._on_test)
        self._add.clicked.connect(self._on_add)
        self._cancel.clicked.connect(self._on_cancel)
        self._lay_out()

    def begin(self, kinds: Sequence[ServiceKind], taken: Collection[str], found: FoundService | None = None) -> None:
        """Empty the form, for the first of these kinds, or fill it with what was found. `taken`: the ids in use."""
        self._taken, self._found = taken, found
        if kinds != self._kinds:
            self._kinds = kinds
            self._offer_kinds()
        named = found.endpoint.kind if found is not None else ""
        kind = next((one for one in kinds if one.name == named), kinds[0])
        self._choose(kind.name)
        if found is not None and self._fields is not None:
            self._fields.fill(found.endpoint, found.key_from)
        self.show()
        if found is not None:
            self._test.setFocus()
        elif self._fields is not None and (first := next(self._fields.focusable(), None)) is not None:
            first.setFocus()

    def _offer_kinds(self) -> None:
        """A choice between the kinds, where there are several."""
        self._kind.set_items([PickItem(kind.name, kind_label(kind)) for kind in self._kinds])
        self._kind_row.setVisible(len(self._kinds) > 1)

    def _on_kind(self, name: str) -> None:
        self._found = None
        self._choose(name)

    def _choose(self, name: str) -> None:
        """Ask what this kind asks, anew."""
        kind = next(kind for kind in self._kinds if kind.name == name)
        self._kind.set_value(name)
        if self._fields is not None:
            _remove(self._fields, self._asked)
        self._fields = ServiceFields(kind, _NAME, self)
        self._fields.edited.connect(self._on_edited)
        self._asked.addWidget(self._fields)
        self._fields.show()
        after = (self._others.look, self._test, *self._model.focusable, self._cancel, self._add)
        for one, other in itertools.pairwise((self._kind, *self._fields.focusable(), *after)):
            QWidget.setTabOrder(one, other)
        self._model.set_words(self._fields.model)
        self._others.setVisible(any(one.name == "base_url" for one in kind.fields))
        label = kind_label(kind)
        words = tr("Add an {label} service", label=label) if vowel(label) else tr("Add a {label} service", label=label)
        self._title.setText(words)
        self.setAccessibleName(words)
        self._on_edited()

    # what comes of it

    def _on_edited(self) -> None:
        """What was found out is about other values now."""
        self._checking.drop()
        self._checked = None
        self._show_result("", "")
        self._model.show_models((), listed=False)
        self._refresh()

    def _on_address(self, kind: str, address: str) -> None:
        if any(one.name == kind for one in self._kinds):
            self._on_kind(kind)
        if self._fields is not None:
            self._fields.take_address(address)

    def _refresh(self) -> None:
        checked = self._checked
        waits = self._checking.is_waiting
        self._model.setVisible(checked is not None and checked.ok)
        missing = checked is not None and checked.ok and not self._model.value
        words = _FIRST if checked is None else _FAILED if not checked.ok else ""
        if missing:
            words = _CHOOSE if self._model.lists else _TYPE
        say(self._wanted, "" if waits else words)
        ready = checked is not None and not missing and not waits
        set_off(self._add, "" if ready else UNDER_WAY if waits else words)
        restyle(self._add, kind="primary" if ready else "")
        restyle(self._test, kind="" if ready else "primary")

    def _endpoint(self) -> Endpoint | None:
        """The service as it was entered, None where something is wrong with it, of which its field tells."""
        if self._fields is None:
            return None
        values: dict[str, object] = {**self._fields.values(), "default_model": self._model.value}
        if self._found is not None and values["auth"] == "api_key" and self._fields.key is None:
            values["auth"] = self._found.endpoint.auth
        try:
            endpoint = Endpoint.model_validate({"id": new_id(str(values["label"]), self._taken), **values})
        except ValidationError as error:
            self._fields.tell(error)
            return None
        return endpoint if self._fields.tell(None) else None

    def _on_test(self) -> None:
        endpoint = self._endpoint()
        if endpoint is None or self._fields is None:
            return
        self._show_result(tr("Asking for its models…"), "")
        set_off(self._test, UNDER_WAY)
        checked = answer(EndpointChecked, self._on_checked)
        command = CheckEndpoint(endpoint=endpoint, key=self._fields.key)
        self._checking = self._requests.ask(command, self, checked, failed=self._on_not_checked)
        self._refresh()

    def _on_checked(self, update: EndpointChecked) -> None:
        self._checked = update
        self._show_result(display_text(update.text), "success" if update.ok else "danger")
        self._model.show_models(update.models, listed=bool(update.models))
        self._refresh()
        self._model.take_focus() if update.ok and not self._model.value else self._add.setFocus()
        self.tested.emit()

    def _on_not_checked(self, failed: CommandFailed) -> None:
        self._show_result(display_text(failed.text), "danger")
        self._refresh()

    def _show_result(self, text: str, role: str) -> None:
        set_off(self._test, "")
        self._result.setText(text)
        restyle(self._result, role=role)

    def _on_add(self) -> None:
        endpoint = self._endpoint()
        if endpoint is not None and self._fields is not None:
            key = self._fields.key
            self._fields.clear()
            self.offered.emit(endpoint, key)

    def _on_cancel(self) -> None:
        self._checking.drop()
        if self._fields is not None:
            self._fields.clear()
        self.cancelled.emit()

    # making

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._wanted, 1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._add)
        self._asked = QVBoxLayout()
        set_gaps(self._asked, spacing=SPACE_3)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addWidget(self._title)
        layout.addWidget(self._kind_row)
        layout.addLayout(self._asked)
        layout.addWidget(self._others)
        layout.addWidget(self._connection)
        layout.addWidget(self._model)
        layout.addLayout(buttons)


def vowel(label: str) -> bool:
    """Whether English says "an" before it."""
    return label[:1].lower() in "aeiou"


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
