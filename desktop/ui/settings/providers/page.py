"""Providers & keys: the model services, their keys, and which one new chats use."""

from pydantic import SecretStr
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.config.settings import Endpoint
from desktop.domain.commands import RemoveKey, SaveKey
from desktop.domain.core.service_kinds import ServiceKind
from desktop.domain.display.text import display_text
from desktop.domain.updates import SettingsChanged
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.cards_page import CardsPage
from desktop.ui.settings.providers.add_endpoint import AddEndpoint, vowel
from desktop.ui.settings.providers.endpoint_card import EndpointCard
from desktop.ui.settings.providers.found_card import FoundCard
from desktop.ui.settings.providers.service_fields import kind_label
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.tokens import SPACE_4
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import Picker

_MODELS = ("settings_providers_model_popup", "settings_providers_model_search", "settings_providers_model_list")


class ProvidersPage(CardsPage[EndpointCard, AddEndpoint]):
    """A card for each endpoint; more can be added, and those removed again."""

    name, title, icon = "providers", tr("Providers & keys"), "key"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(saver, parent, prefix="settings_providers")
        self._requests = requests
        self._asked_about, self._prices = "", False
        self._key: tuple[str, SecretStr] | None = None
        self._founds: dict[str, FoundCard] = {}
        self._found_rows = QVBoxLayout()
        set_gaps(self._found_rows, spacing=SPACE_4)
        self._picker = Picker(_MODELS, tr("Models"), tr("Search models"), self)
        self._picker.picked.connect(self._on_model)
        self.lay_out(AddEndpoint(requests, self.contents), tr("More services"), tr("Add a service…"))
        self.column.insertLayout(2, self._found_rows)
        self._form.offered.connect(self._on_offered)
        self._form.cancelled.connect(self.end_adding)
        self._form.tested.connect(self.show_form)
        self.adding.connect(self._begin)
        self.hearing.inside(self.heard).on(SettingsChanged, self._on_saved).after(self.refresh)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the endpoints as the settings have them."""
        endpoints = self._saver.settings.endpoints
        self.show_cards([one.id for one in endpoints], lambda at: self._make_card(endpoints[at]))
        for card in self._cards:
            card.refresh()
        self._show_found()
        facts = self._saver.facts
        self.warn("\n".join(filter(None, (facts.keyring_problem, *facts.found_problems))))
        kinds = self._kinds()
        label = kind_label(kinds[0]) if len(kinds) == 1 else ""
        add = tr("Add an {label} service…", label=label) if vowel(label) else tr("Add a {label} service…", label=label)
        self.offer(add if label else tr("Add a service…"), possible=bool(kinds))

    def take_focus(self) -> bool:
        """To the missing key of the service that new chats use; to set up one that was found in its place."""
        card = self.card(self._saver.settings.default_endpoint)
        return card is not None and card.take_focus()

    def _make_card(self, endpoint: Endpoint) -> EndpointCard:
        card = EndpointCard(endpoint, self._saver, self._requests, self.contents)
        self.heard.join(card.hearing, card)
        card.models_asked.connect(self._show_models)
        card.price_model_asked.connect(self._show_priced_models)
        card.remove_asked.connect(self._ask_remove)
        card.key_remove_asked.connect(self._ask_remove_key)
        return card

    def _show_models(self, endpoint_id: str) -> None:
        self._asked_about, self._prices = endpoint_id, False
        if (card := self.card(endpoint_id)) is not None:
            self._picker.set_items(card.models())
            self._picker.open_at(card.model_place())

    def _show_priced_models(self, endpoint_id: str) -> None:
        self._show_models(endpoint_id)
        self._prices = True

    def _on_model(self, model: str) -> None:
        card = self.card(self._asked_about)
        if card is not None and self._prices:
            card.show_price_of(model)
        elif card is not None:
            card.choose_model(model)

    # what the environment names

    def show_item(self, item: str) -> None:
        """Show the form, filled with the service of the environment that has this id."""
        found = self._saver.facts.found_service(item)
        if found is not None and self._kinds():
            self._more.hide()
            self._form.begin(self._kinds(), self._taken(), found)
            self.show_form()

    def _show_found(self) -> None:
        facts = self._saver.facts
        known = {one.endpoint.id: one for one in facts.found}
        for gone in [one for one in self._founds if one not in known]:
            card = self._founds.pop(gone)
            self._found_rows.removeWidget(card)
            card.setParent(None)
            card.deleteLater()
        for endpoint_id, found in known.items():
            if endpoint_id not in self._founds:
                self._founds[endpoint_id] = card = FoundCard(found, self.contents)
                card.set_up_asked.connect(self.show_item)
                self._found_rows.addWidget(card)
            self._founds[endpoint_id].show_found(found, facts.key_state(endpoint_id))

    # adding

    def _begin(self) -> None:
        """With ids that are not taken."""
        self._form.begin(self._kinds(), self._taken())

    def _taken(self) -> list[str]:
        found = (one.endpoint.id for one in self._saver.facts.found)
        return [*(endpoint.id for endpoint in self._saver.settings.endpoints), *found]

    def _kinds(self) -> tuple[ServiceKind, ...]:
        """Those of which a person can add services."""
        return tuple(kind for kind in self._saver.facts.service_kinds if kind.fields)

    def _on_offered(self, endpoint: Endpoint, key: SecretStr | None) -> None:
        endpoints, settings, facts = self._saver.settings.endpoints, self._saver.settings, self._saver.facts
        default = settings.default_endpoint
        if endpoint.default_model and facts.key_missing(default):
            default = endpoint.id  # nothing else can answer new chats
        self._key = (endpoint.id, key) if key is not None else None
        if self._saver.change(self._more, endpoints=(*endpoints, endpoint), default_endpoint=default):
            self.end_adding()

    def _on_saved(self, update: SettingsChanged) -> None:
        """A key belongs to an endpoint that is there."""
        if self._key is not None and update.settings.endpoint(self._key[0]) is not None:
            self._send_key()

    def stop(self) -> None:
        """A key that still waits for its service to be saved goes behind it: the engine takes them in this order."""
        super().stop()
        self._send_key()

    def _send_key(self) -> None:
        if self._key is not None:
            (endpoint_id, key), self._key = self._key, None
            self._saver.send(self._more, SaveKey(endpoint_id=endpoint_id, key=key))

    # removing

    def _ask_remove(self, endpoint_id: str) -> None:
        text = tr("Its key is forgotten. Chats that use it cannot send until another model is chosen for them.")
        self._ask(endpoint_id, ("settings_remove_dialog", tr("Remove {label}?"), text)).agreed.connect(self._remove)

    def _ask_remove_key(self, endpoint_id: str) -> None:
        text = tr("It is forgotten here; at the service it stays valid. Chats cannot send until there is another key.")
        ask = self._ask(endpoint_id, ("settings_remove_key_dialog", tr("Remove the key for {label}?"), text))
        ask.agreed.connect(self._remove_key)

    def _ask(self, endpoint_id: str, words: tuple[str, str, str]) -> AskDialog:
        self._asked_about = endpoint_id
        endpoint = self._saver.settings.endpoint(endpoint_id)
        label = display_text(endpoint.label) if endpoint is not None else endpoint_id
        name, title, text = words
        buttons = (
            (tr("Keep"), f"{name.removesuffix('_dialog')}_keep"),
            (tr("Remove"), f"{name.removesuffix('_dialog')}_go"),
        )
        dialog = AskDialog(Question(name, title.format(label=label), text, *buttons), self)
        dialog.open()
        return dialog

    def _remove_key(self) -> None:
        card = self.card(self._asked_about)
        if card is not None:
            card.key.remove()

    def _remove(self) -> None:
        settings, endpoint_id = self._saver.settings, self._asked_about
        card = self.card(endpoint_id)
        if card is None:
            return
        if self._saver.facts.key_state(endpoint_id).place != "none":
            self._saver.send(self._more, RemoveKey(endpoint_id=endpoint_id))
        left = tuple(endpoint for endpoint in settings.endpoints if endpoint.id != endpoint_id)
        default = settings.default_endpoint
        if default == endpoint_id:
            default = left[0].id if left else ""
        self._saver.change(self._more, endpoints=left, default_endpoint=default)
