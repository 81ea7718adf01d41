"""EndpointCard: one model service: name, address, key, model, and whether it answers."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.prices import ModelPrice
from desktop.config.settings import Endpoint
from desktop.domain.commands import CheckEndpoint
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, EndpointChecked
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.settings.fields import Field, TextField
from desktop.ui.settings.providers.key_row import KeyField
from desktop.ui.settings.providers.model_field import model_items
from desktop.ui.settings.providers.price_field import PriceField
from desktop.ui.settings.providers.service_fields import KIND_WORDS
from desktop.ui.settings.providers.tested import tested_words
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import PickItem

_TEST = tr(
    "Asks for its models and, where nothing is known of prices, the model for a word, a tool call and a picture."
)
_NAME = "settings_providers"
_NARROW = 120


class EndpointCard(QFrame):
    """`item_id` is the endpoint's id. The signals carry it: the person wants to choose the model of new chats, or the
    one whose price is shown, or have the service removed, or its key. Where no models are known yet, they are asked for
    before the choice."""

    models_asked = Signal(str)
    price_model_asked = Signal(str)
    remove_asked = Signal(str)
    key_remove_asked = Signal(str)

    def __init__(self, endpoint: Endpoint, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._id = endpoint.id
        self._opens_models = False
        self._saver, self._requests = saver, requests
        self._checking = Request()
        self.setObjectName(f"{_NAME}_endpoint")
        self.setProperty("kind", "card")
        self.setProperty("item_id", endpoint.id)
        self._title = ElidedLabel("", self)
        self._title.setProperty("kind", "title")
        self._kind = Chip(
            display_text(KIND_WORDS.get(endpoint.kind) or saver.facts.kind_label(endpoint)), "neutral", self
        )
        self._is_default = Chip(tr("for new chats"), "accent", self)
        self._default = push_button(tr("Use for new chats"), f"{_NAME}_default", self)
        self._remove = push_button(tr("Remove…"), f"{_NAME}_remove", self)
        self._label = TextField(tr("Name"), f"{_NAME}_label", self)
        self._url = TextField(tr("Address"), f"{_NAME}_url", self)
        self.key = KeyField(endpoint.id, requests, self)
        self.hearing = self.key.hearing
        self._model = TextField(tr("Model of new chats"), f"{_NAME}_model", self)
        self._models = push_button(tr("Choose…"), f"{_NAME}_model_choose", self._model)
        self._model.row.addWidget(self._models)
        self._price = PriceField(self)
        self._tokens = TextField(
            tr("Longest answer"), f"{_NAME}_max_output", self, tr("In tokens, for each model answer.")
        )
        self._tokens.keep_narrow(_NARROW)
        self._test_row = Field(tr("Connection"), f"{_NAME}_connection", self)
        self._test = push_button(tr("Test"), f"{_NAME}_test", self._test_row)
        self._test.setToolTip(_TEST)
        self._result = plain_label(self._test_row, "muted", f"{_NAME}_test_result")
        self._test_row.row.addWidget(self._test, 0, Qt.AlignmentFlag.AlignLeft)
        self._lacking = plain_label(self._test_row, "muted", f"{_NAME}_test_lacking")
        self._test_row.row.addWidget(self._result, 1)
        self._lay_out(endpoint)
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show the endpoint as the settings have it."""
        settings, facts = self._saver.settings, self._saver.facts
        endpoint = settings.endpoint(self._id)
        if endpoint is None:
            return
        label = display_text(endpoint.label)
        self._title.set_full_text(label)
        self.setAccessibleName(label)
        default = settings.default_endpoint == self._id
        self._is_default.setVisible(default)
        self._default.setVisible(not default)
        self._default.setAccessibleName(tr("Use {label} for new chats", label=label))
        self._remove.setVisible(endpoint.is_added)
        self._remove.setAccessibleName(tr("Remove {label}", label=label))
        self._label.set_value(endpoint.label)
        self._url.set_value(endpoint.base_url)
        self._model.set_value(endpoint.default_model)
        self._tokens.set_value(str(endpoint.max_output_tokens))
        self.key.setVisible(endpoint.auth != "none")
        self.key.set_state(facts.key_state(self._id))
        self._show_price()

    def take_focus(self) -> bool:
        """Put the focus where a key is wanted; False if none is."""
        endpoint = self._saver.settings.endpoint(self._id)
        return endpoint is not None and endpoint.auth != "none" and self.key.take_focus()

    def models(self) -> list[PickItem]:
        """The models that the service is known to have, the one of new chats ticked."""
        endpoint = self._saver.settings.endpoint(self._id)
        if endpoint is None:
            return []
        return model_items(self._saver.facts.models(endpoint), endpoint.default_model)

    def show_price_of(self, model: str) -> None:
        """Show the price of this model of the service."""
        endpoint = self._saver.settings.endpoint(self._id)
        models = self._saver.facts.models(endpoint, as_listed=True) if endpoint is not None else ()
        known = next((one for one in models if one.id == model), None)
        if endpoint is not None and known is not None:
            self._price.show_price(known, endpoint.price(model), more=len(models) > 1)

    def _show_price(self) -> None:
        endpoint = self._saver.settings.endpoint(self._id)
        models = self._saver.facts.models(endpoint) if endpoint is not None else ()
        ids = [one.id for one in models]
        self._price.setVisible(bool(ids))
        if ids:
            self.show_price_of(self._price.model if self._price.model in ids else ids[0])

    def _on_priced(self, model: str, price: ModelPrice | None) -> None:
        endpoint = self._saver.settings.endpoint(self._id)
        if endpoint is not None:
            others = [one for one in endpoint.prices if one.model != model]
            prices = (*others, price) if price is not None else tuple(others)
            self._saver.change_endpoint(self._id, self._price, prices=tuple(one.model_dump() for one in prices))

    def model_place(self) -> QRect:
        """Where the model's field is on the screen."""
        edit = self._model.edit
        return QRect(edit.mapToGlobal(edit.rect().topLeft()), edit.size())

    def choose_model(self, model: str) -> None:
        """Use this model for new chats."""
        self._saver.change_endpoint(self._id, self._model, default_model=model.strip())

    def _on_checked(self, update: EndpointChecked) -> None:
        does, does_not = tested_words(update)
        self._show_result(does, "success" if update.ok else "danger", does_not)
        needed = any(not one.ok for one in update.tried if one.part != "picture")
        restyle(self._lacking, role="warning" if needed else "")
        if self._opens_models and update.models:
            self.models_asked.emit(self._id)
        self._opens_models = False

    def _on_not_checked(self, failed: CommandFailed) -> None:
        self._opens_models = False
        self._show_result(display_text(failed.text), "danger")

    # what a person does

    def _on_default(self) -> None:
        self._saver.change(self._label, default_endpoint=self._id)

    def _on_label(self, text: str) -> None:
        self._saver.change_endpoint(self._id, self._label, label=text.strip())

    def _on_url(self, text: str) -> None:
        if self._saver.change_endpoint(self._id, self._url, base_url=text):
            self._show_result("", "")

    def _on_tokens(self, text: str) -> None:
        self._saver.change_endpoint(self._id, self._tokens, max_output_tokens=text.strip())

    def _on_test(self) -> None:
        endpoint = self._saver.settings.endpoint(self._id)
        if endpoint is not None:
            model = "" if self._opens_models else endpoint.default_model
            command = CheckEndpoint(endpoint=endpoint, model=model)
            set_off(self._test, UNDER_WAY)
            self._result.setText(tr("Asking for its models…"))
            restyle(self._result, role="")
            say(self._lacking, "")
            checked = answer(EndpointChecked, self._on_checked)
            self._checking.drop()
            self._checking = self._requests.ask(command, self, checked, failed=self._on_not_checked)

    def _on_remove(self) -> None:
        self.remove_asked.emit(self._id)

    def _on_remove_key(self) -> None:
        self.key_remove_asked.emit(self._id)

    def _on_choose(self) -> None:
        if self._saver.facts.lists_models(self._id):
            self.models_asked.emit(self._id)
        else:
            self._opens_models = True
            self._on_test()

    def _on_price_model(self) -> None:
        self.price_model_asked.emit(self._id)

    def _show_result(self, text: str, role: str, lacking: str = "") -> None:
        self._checking.drop()
        set_off(self._test, "")
        self._result.setText(text)
        restyle(self._result, role=role)
        say(self._lacking, lacking)
        if lacking or "\n" in text:
            self._test_row.below.addWidget(self._result)
            self._test_row.below.addWidget(self._lacking)
        else:
            self._test_row.row.addWidget(self._result, 1)

    # making

    def _lay_out(self, endpoint: Endpoint) -> None:
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._title)
        if endpoint.is_added:
            head.addWidget(self._kind)
        self._kind.setVisible(endpoint.is_added)
        head.addWidget(self._is_default)
        head.addStretch(1)
        head.addWidget(self._default)
        head.addWidget(self._remove)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addLayout(head)
        for field in (self._label, self._url, self.key, self._model, self._price, self._tokens, self._test_row):
            layout.addWidget(field)

    def _connect(self) -> None:
        self._default.clicked.connect(self._on_default)
        self._remove.clicked.connect(self._on_remove)
        self._label.entered.connect(self._on_label)
        self._url.entered.connect(self._on_url)
        self._model.entered.connect(self.choose_model)
        self._models.clicked.connect(self._on_choose)
        self._price.model_asked.connect(self._on_price_model)
        self._price.priced.connect(self._on_priced)
        self._tokens.entered.connect(self._on_tokens)
        self._test.clicked.connect(self._on_test)
        self.key.remove_asked.connect(self._on_remove_key)
