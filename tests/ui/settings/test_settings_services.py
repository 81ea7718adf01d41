"""Model services in the settings: one more is added after a test, what the environment names, prices of models."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit

from desktop.config.found import FoundService
from desktop.config.prices import ModelPrice
from desktop.config.settings import ANTHROPIC_ENDPOINT, Endpoint, Settings
from desktop.domain.core.service_kinds import FoundAddress, ServiceField, ServiceKind
from desktop.domain.updates import (
    AddressesFound,
    CommandFailed,
    EndpointChecked,
    EngineReady,
    KeysChanged,
    KeyState,
    ModelInfo,
    SettingsChanged,
    TriedPart,
)
from desktop.providers.kinds import builtin_kinds
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel
from tests.ui.settings_place import LEFT, Place

NEW = "settings_providers_new"
LOCAL = Endpoint(id="local", label="Local", kind="compatible", base_url="http://127.0.0.1:1234", auth="none")
SETTINGS = Settings(endpoints=(ANTHROPIC_ENDPOINT, LOCAL))
KINDS = tuple(kind.shown for kind in builtin_kinds().values())
COMPATIBLE = builtin_kinds()["compatible"].shown
SECRET = "sk-ant-thisisthesecretkey1234"
TWO = (
    ModelInfo(id="one", name="One", window=200_000, input_microusd=3_000_000, output_microusd=15_000_000),
    ModelInfo(id="two", name="Two"),
)
GATEWAY = Endpoint(
    id="env-anthropic",
    label="gateway.example.com",
    kind="compatible",
    base_url="https://gateway.example.com",
    auth="x-api-key",
    default_model="claude-sonnet-4-6",
)
FOUND = FoundService(endpoint=GATEWAY, address_from="ANTHROPIC_BASE_URL", key_from="ANTHROPIC_API_KEY", used=True)


def place_of(qtbot, kinds=KINDS, *updates):
    place = Place(qtbot, "providers", SETTINGS)
    place.apply(EngineReady(settings=SETTINGS, service_kinds=kinds), *updates)
    return place


@pytest.fixture
def place(qtbot):
    return place_of(qtbot)


def adding(place, kind="compatible", **texts):
    place.click("settings_providers_add")
    if place.shown(f"{NEW}_kind"):
        place.get(f"{NEW}_kind").chosen.emit(kind)
    for name, text in texts.items():
        place.get(f"{NEW}_{name}", QLineEdit).clear()
        QTest.keyClicks(place.get(f"{NEW}_{name}", QLineEdit), text)


def try_it(place, models=(), ok=True, text="It answers."):
    place.click(f"{NEW}_test")
    command = place.sink.sent[-1]
    assert command.type == "check_endpoint"
    place.apply(
        EndpointChecked(command_id=command.command_id, endpoint_id=command.endpoint.id, ok=ok, text=text, models=models)
    )
    return command


def of(place, item_id, name, kind=QAbstractButton):
    return next(one for one in place.card(item_id).findChildren(kind, name))


def test_a_service_is_tested_before_it_is_added_with_its_key_and_a_model_of_its_list(place):
    adding(place, label="Mine", url="http://models.example.com", key=SECRET)
    assert not place.get(f"{NEW}_add", QAbstractButton).isEnabled()
    assert place.text(f"{NEW}_wanted") == "Test it first: then its models can be chosen."
    assert not place.shown(f"{NEW}_model")
    place.click(f"{NEW}_test")
    assert "https" in place.text(f"{NEW}_url_problem")
    assert place.sink.sent == []
    place.get(f"{NEW}_url", QLineEdit).clear()
    QTest.keyClicks(place.get(f"{NEW}_url", QLineEdit), "https://models.example.com")
    command = try_it(place, TWO, text="2 models")
    assert command.key.get_secret_value() == SECRET
    assert SECRET not in repr(command)
    assert place.text(f"{NEW}_test_result") == "2 models"
    assert not place.shown(f"{NEW}_model"), "a model that can be chosen need not be typed"
    assert place.text(f"{NEW}_wanted") == "Choose the model of new chats."
    assert not place.get(f"{NEW}_add", QAbstractButton).isEnabled()
    place.click(f"{NEW}_model_choose")
    QTest.keyClick(place.get(f"{NEW}_model_search", QLineEdit), Qt.Key.Key_Return)
    assert place.text(f"{NEW}_model_name") == "One · 200k context · $3 in, $15 out per 1M"
    place.click(f"{NEW}_add")
    added = place.sink.sent[-1].settings.endpoints[-1]
    assert (added.id, added.label, added.kind, added.default_model) == ("mine", "Mine", "compatible", "one")
    assert SECRET not in place.all_texts()
    place.saved()
    saved = place.sink.sent[-1]
    assert (saved.type, saved.endpoint_id, saved.key.get_secret_value()) == ("save_key", "mine", SECRET)


def test_a_key_is_kept_though_the_settings_are_closed_before_its_service_was_saved(place):
    adding(place, label="Mine", url="https://models.example.com", key=SECRET)
    try_it(place, TWO[:1])
    place.click(f"{NEW}_add")
    assert place.sink.sent[-1].type == "save_settings"
    place.dialog.close()
    saved = place.sink.sent[-1]
    assert (saved.type, saved.endpoint_id, saved.key.get_secret_value()) == ("save_key", "mine", SECRET)


def test_what_is_changed_after_the_test_is_tested_again(place):
    adding(place, label="Mine", url="https://models.example.com", key=SECRET)
    try_it(place, TWO[:1])
    assert place.get(f"{NEW}_add", QAbstractButton).isEnabled()
    QTest.keyClicks(place.get(f"{NEW}_url", QLineEdit), "/other")
    assert not place.get(f"{NEW}_add", QAbstractButton).isEnabled()
    assert place.text(f"{NEW}_test_result") == ""


def test_a_service_that_lists_no_models_has_one_typed(place):
    adding(place, label="Mine", url="https://models.example.com")
    place.click(f"{NEW}_auth_none")
    assert not place.shown(f"{NEW}_key")
    assert try_it(place).key is None
    assert place.text(f"{NEW}_wanted") == "Type the model of new chats; this service lists none."
    QTest.keyClicks(place.get(f"{NEW}_model", QLineEdit), "llama3")
    place.click(f"{NEW}_add")
    added = place.sink.sent[-1].settings.endpoints[-1]
    assert (added.auth, added.default_model) == ("none", "llama3")


def test_a_service_that_does_not_answer_yet_can_be_added(place):
    adding(place, label="Mine", url="https://models.example.com", key=SECRET)
    try_it(place, ok=False, text="No connection to models.example.com.")
    assert place.text(f"{NEW}_test_result") == "No connection to models.example.com."
    assert place.text(f"{NEW}_wanted") == "It can be added all the same, for when it answers."
    place.click(f"{NEW}_add")
    assert place.sink.sent[-1].settings.endpoints[-1].default_model == ""


def test_a_test_that_could_not_be_made_says_why(place):
    adding(place, label="Mine", url="https://models.example.com", key=SECRET)
    place.click(f"{NEW}_test")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="x", text="Nothing works."))
    assert place.text(f"{NEW}_test_result") == "Nothing works."
    assert place.get(f"{NEW}_test", QAbstractButton).isEnabled()


def test_a_key_with_blanks_inside_is_not_sent(place):
    adding(place, label="Mine", url="https://models.example.com", key="two words")
    place.click(f"{NEW}_test")
    assert place.sink.sent == []
    assert "no blanks inside" in place.text(f"{NEW}_key_problem")


def test_a_service_that_was_added_is_used_for_new_chats_and_removed(place):
    adding(place, label="Local", url="https://models.example.com")
    place.click(f"{NEW}_auth_none")
    try_it(place, TWO[:1])
    place.click(f"{NEW}_add")
    place.saved()
    QTest.mouseClick(of(place, "local-2", "settings_providers_default"), LEFT)
    place.saved()
    assert place.facts.settings.default_endpoint == "local-2"
    QTest.mouseClick(of(place, "local-2", "settings_providers_remove"), LEFT)
    place.click("settings_remove_go")
    left = place.sink.sent[-1].settings
    assert [endpoint.id for endpoint in left.endpoints] == ["anthropic", "local"]
    assert left.default_endpoint == "anthropic"
    place.saved()
    assert place.shown("settings_providers_more_saved")


@pytest.mark.promise("sessions-SV6")
def test_a_saved_service_is_tested_with_its_model_which_tells_a_line_for_each_thing(place):
    endpoints = (ANTHROPIC_ENDPOINT, LOCAL.model_copy(update={"default_model": "small"}))
    place.apply(SettingsChanged(settings=SETTINGS.model_copy(update={"endpoints": endpoints})))
    QTest.mouseClick(of(place, "local", "settings_providers_test"), LEFT)
    command = place.sink.sent[-1]
    assert (command.endpoint.id, command.model) == ("local", "small")

    def told(**fields):
        place.apply(EndpointChecked(command_id=command.command_id, endpoint_id="local", ms=210, **fields))
        label = of(place, "local", "settings_providers_test_result", QLabel)
        lacking = of(place, "local", "settings_providers_test_lacking", QLabel)
        return label.text(), label.property("role"), lacking.text(), lacking.property("role")

    parts = (
        TriedPart(part="text", ok=True, ms=900),
        TriedPart(part="tool", ok=False, ms=12_000, said="This model\u202e does not use tools."),
        TriedPart(part="picture", ok=True, ms=1_500),
    )
    assert told(ok=True, text="2 models", tried=parts) == (
        "Lists its models: 2 models · 210 ms\nAnswers with text: yes · 900 ms\nReads a picture: yes · 1.5 s",
        "success",
        "Calls a tool: no · 12 s · This model⟦U+202E⟧ does not use tools.",
        "warning",
    )
    QTest.mouseClick(of(place, "local", "settings_providers_test"), LEFT)
    command = place.sink.sent[-1]
    assert told(ok=True, text="2 models", tried=(parts[0], parts[2]))[1:3] == ("success", "")


def test_the_first_service_that_can_answer_has_the_new_chats(place):
    place.apply(KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="none"),)))
    adding(place, label="Mine", url="https://models.example.com", key=SECRET)
    try_it(place, TWO[:1])
    place.click(f"{NEW}_add")
    assert place.sink.sent[-1].settings.default_endpoint == "mine"


def test_the_form_is_what_its_kind_asks(qtbot):
    parrot = ServiceKind(
        name="parrot",
        label="<b>echo</b>",
        fields=(ServiceField(name="default_model", label="Bird", example="grey"),
                ServiceField(name="base_url", label="Cage", help="Which one.")),
    )  # fmt: skip
    place = place_of(qtbot, (COMPATIBLE, parrot))
    assert place.get("settings_providers_add", QAbstractButton).text() == "Add a service…"
    place.click("settings_providers_add")
    form = place.get(NEW)
    assert (form.accessibleName(), place.dialog.focusWidget().objectName()) == (
        "Add an Anthropic-compatible service",
        f"{NEW}_label",
    )
    place.click(f"{NEW}_kind")
    QTest.keyClicks(place.get(f"{NEW}_kind_search", QLineEdit), "echo")
    QTest.keyClick(place.get(f"{NEW}_kind_search", QLineEdit), Qt.Key.Key_Return)
    assert form.accessibleName() == "Add a <b>echo</b> service"
    shown = [one.objectName() for one in form.findChildren(QLineEdit) if one.isVisibleTo(form)]
    assert shown == [f"{NEW}_url", f"{NEW}_key"]
    place.get(f"{NEW}_url", QLineEdit).setText("https://cage.example/v1")
    try_it(place)
    assert place.get(f"{NEW}_model", QLineEdit).placeholderText() == "grey"
    QTest.keyClicks(place.get(f"{NEW}_model", QLineEdit), "grey")
    place.click(f"{NEW}_add")
    added = place.sink.sent[-1].settings.endpoints[-1]
    assert (added.kind, added.base_url, added.default_model) == ("parrot", "https://cage.example/v1", "grey")
    place.saved()
    chips = [chip.text() for chip in place.card(added.id).findChildren(Chip) if not chip.isHidden()]
    assert chips == ["<b>echo</b>"]


def test_a_service_whose_kind_has_an_address_is_added_without_one(qtbot):
    place = place_of(qtbot, (ServiceKind(name="vendor", label="Vendor", address="https://vendor.example",
                                         fields=(ServiceField(name="auth", label="Access"),)),))  # fmt: skip
    place.click("settings_providers_add")
    assert not place.shown("settings_providers_others_look"), "there is no address to fill in"
    place.click(f"{NEW}_auth_none")
    try_it(place, TWO[:1])
    place.click(f"{NEW}_add")
    added = place.sink.sent[-1].settings.endpoints[-1]
    assert (added.id, added.label, added.base_url, added.auth) == ("vendor", "Vendor", "https://vendor.example", "none")


def test_nothing_can_be_added_until_the_kinds_of_services_are_known(qtbot):
    place = Place(qtbot, "providers", SETTINGS)
    assert not place.get("settings_providers_add", QAbstractButton).isEnabled()
    place.apply(EngineReady(settings=SETTINGS, service_kinds=(COMPATIBLE,)))
    assert place.get("settings_providers_add", QAbstractButton).text() == "Add an Anthropic-compatible service…"
    place.click("settings_providers_add")
    assert place.dialog.focusWidget().objectName() == f"{NEW}_label"
    ways = []
    for _ in range(5):
        QTest.keyClick(place.dialog.focusWidget(), Qt.Key.Key_Tab)
        ways.append(place.dialog.focusWidget().objectName())
    assert ways[0] == f"{NEW}_url"
    assert ways[-3:] == [f"{NEW}_key", "settings_providers_others_look", f"{NEW}_test"]


# what other programs use


def test_addresses_of_other_programs_are_looked_for_on_click_and_chosen(place):
    adding(place)
    place.click("settings_providers_others_look")
    command = place.sink.sent[-1]
    assert command.type == "find_addresses"
    found = FoundAddress(
        program="Codex", file="~/.codex/config.toml", kind="openai_compatible", address="https://models.example.com/v1"
    )
    place.apply(AddressesFound(command_id=command.command_id, addresses=(found,)))
    QTest.keyClick(place.get("settings_providers_others_search", QLineEdit), Qt.Key.Key_Return)
    assert place.get(NEW).accessibleName() == "Add an OpenAI-compatible service"
    assert place.get(f"{NEW}_url", QLineEdit).text() == "https://models.example.com/v1"


def test_that_no_program_names_an_address_is_said(place):
    adding(place)
    place.click("settings_providers_others_look")
    place.apply(AddressesFound(command_id=place.sink.sent[-1].command_id, addresses=()))
    assert place.text("settings_providers_others_told") == "None of them names an address."
    place.click("settings_providers_others_look")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="x", text="No home."))
    assert place.text("settings_providers_others_told") == "No home."


# what the environment names


def found_keys(*found, problems=()):
    keys = (
        KeyState(endpoint_id="anthropic", place="none"),
        KeyState(endpoint_id="env-anthropic", place="environment", tail="wxyz", variable="ANTHROPIC_API_KEY"),
    )
    return KeysChanged(keys=keys, found=found, found_problems=problems)


@pytest.mark.promise("sessions-SV4")
def test_what_the_environment_names_is_shown_with_whether_it_is_used(qtbot):
    place = place_of(qtbot, KINDS, found_keys(FOUND))
    assert place.text("settings_providers_found_where") == (
        "https://gateway.example.com from ANTHROPIC_BASE_URL · key ••••wxyz from ANTHROPIC_API_KEY"
    )
    assert place.text("settings_providers_found_state").startswith("It is used, because no service of its kind")
    place.apply(found_keys(FOUND.model_copy(update={"used": False})))
    assert place.text("settings_providers_found_state").startswith("It is not used")
    assert not place.shown("settings_providers_found_set_up")
    place.apply(found_keys(problems=("OPENAI_BASE_URL is not used.",)))
    assert not place.shown("settings_providers_found")
    assert place.text("settings_providers_keyring") == "OPENAI_BASE_URL is not used."


def test_a_found_service_is_set_up_with_the_key_where_it_is(qtbot):
    place = place_of(qtbot, KINDS, found_keys(FOUND))
    place.click("settings_providers_found_set_up")
    assert place.get(f"{NEW}_url", QLineEdit).text() == "https://gateway.example.com"
    assert place.get(f"{NEW}_key", QLineEdit).placeholderText() == "The one of ANTHROPIC_API_KEY"
    command = try_it(place, TWO[:1])
    assert (command.key, command.endpoint.auth) == (None, "x-api-key")
    place.click(f"{NEW}_add")
    added = place.sink.sent[-1].settings.endpoints[-1]
    assert (added.base_url, added.auth, added.default_model) == ("https://gateway.example.com", "x-api-key", "one")
    place.saved()
    assert place.sink.kinds()[-1] == "save_settings", "the key stays where it is"


def test_the_place_of_a_key_in_the_environment_names_its_variable(place):
    state = KeyState(endpoint_id="anthropic", place="environment", tail="wxyz", variable="ANTHROPIC_AUTH_TOKEN")
    place.apply(KeysChanged(keys=(state,)))
    assert of(place, "anthropic", "settings_providers_key_state", ElidedLabel).full_text.endswith("AUTH_TOKEN")


# models and prices


def test_models_are_asked_for_before_they_are_chosen(place):
    QTest.mouseClick(of(place, "local", "settings_providers_model_choose"), LEFT)
    command = place.sink.sent[-1]
    assert command.type == "check_endpoint"
    place.apply(
        EndpointChecked(command_id=command.command_id, endpoint_id="local", ok=True, text="2 models", models=TWO)
    )
    QTest.keyClick(place.get("settings_providers_model_search", QLineEdit), Qt.Key.Key_Return)
    assert place.sink.sent[-1].settings.endpoints[1].default_model == "one"


def priced(place, read, written):
    for name, text in (("in", read), ("out", written)):
        edit = of(place, "local", f"settings_providers_price_{name}", QLineEdit)
        edit.setFocus()
        edit.selectAll()
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)


def test_a_price_is_set_for_a_model_and_goes_before_the_known_one(place):
    place.apply(EndpointChecked(command_id="x", endpoint_id="local", ok=True, text="", models=TWO))
    words = of(place, "local", "settings_providers_price_words", QLabel)
    assert words.text().startswith("One. Known: $3 in, $15 out per 1M")
    priced(place, "0.5", "2")
    own = ModelPrice(model="one", input_microusd=500_000, output_microusd=2_000_000)
    assert place.sink.sent[-1].settings.endpoints[1].prices == (own,)
    place.saved()
    assert place.facts.models(place.facts.settings.endpoints[1])[0].input_microusd == 500_000
    assert words.text().startswith("One. Known: $3 in, $15 out per 1M"), "the table's own price is still told"
    QTest.mouseClick(of(place, "local", "settings_providers_price_model"), LEFT)
    search = place.get("settings_providers_model_search", QLineEdit)
    QTest.keyClicks(search, "Two")
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert words.text().startswith("Two. No price is known of it, so its cost is unknown.")
    priced(place, "1", "1")
    assert [one.model for one in place.sink.sent[-1].settings.endpoints[1].prices] == ["one", "two"]
    place.saved()
    priced(place, "", "")
    assert place.sink.sent[-1].settings.endpoints[1].prices == (own,)


@pytest.mark.parametrize("written", ["", "a lot", "-1"])
def test_half_a_price_is_not_saved(place, written):
    place.apply(EndpointChecked(command_id="x", endpoint_id="local", ok=True, text="", models=TWO))
    priced(place, "3", written)
    edit = of(place, "local", "settings_providers_price_out", QLineEdit)
    edit.clearFocus()
    assert place.sink.sent == []
    assert "Give both, in US dollars" in of(place, "local", "settings_providers_price_problem", QLabel).text()
