"""The Web page: what is switched on, who searches, keys that are never shown, hosts of the own network."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QLineEdit

from desktop.config.settings import Settings
from desktop.config.web import WebSettings
from desktop.domain.updates import CommandFailed
from desktop.domain.web.commands import LoadSearchKeys, RemoveSearchKey, SaveSearchKey, TrySearch
from desktop.domain.web.updates import SearchKeysChanged, SearchTried
from tests.ui.settings_place import Place

NAME = "settings_web"


@pytest.fixture
def place(qtbot):
    return Place(qtbot, "web", Settings())


def web(place):
    return place.facts.settings.web


def test_it_is_off_until_a_person_switches_it_on(place):
    assert isinstance(place.sink.sent[0], LoadSearchKeys)
    assert not web(place).enabled
    place.click(f"{NAME}_enabled_on")
    assert place.sink.sent[-1].settings.web.enabled
    place.click(f"{NAME}_enabled_off")
    assert not place.sink.sent[-1].settings.web.enabled


def test_a_key_is_asked_for_where_a_search_needs_one_and_leaves_once(place):
    assert not place.shown(f"{NAME}_try")
    place.click(f"{NAME}_search_brave")
    assert web(place).search == "brave"
    assert place.shown(f"{NAME}_key_brave")
    assert not place.shown(f"{NAME}_key_tavily")
    assert not place.shown(f"{NAME}_searxng")
    assert not place.get(f"{NAME}_try", QAbstractButton).isEnabled()
    field = place.get(f"{NAME}_key_brave", QLineEdit)
    assert field.echoMode() == QLineEdit.EchoMode.Password
    field.setText("BSA-0123456789")
    field.textEdited.emit(field.text())
    field.returnPressed.emit()
    sent = place.sink.sent[-1]
    assert isinstance(sent, SaveSearchKey)
    assert (sent.service, sent.key.get_secret_value()) == ("brave", "BSA-0123456789")
    assert "BSA-0123456789" not in repr(sent)
    place.apply(SearchKeysChanged(services=("brave",), command_id=sent.command_id))
    assert field.text() == ""
    assert place.get(f"{NAME}_try", QAbstractButton).isEnabled()
    place.click(f"{NAME}_key_brave_remove")
    assert isinstance(place.sink.sent[-1], RemoveSearchKey)


def test_a_search_is_tried_with_what_stands_there(place):
    place.click(f"{NAME}_search_searxng")
    place.write(f"{NAME}_searxng", "search.home")
    assert "begins with https" in place.text(f"{NAME}_searxng_problem")
    place.write(f"{NAME}_searxng", "http://search.home:8080/")
    assert web(place).searxng_url == "http://search.home:8080"
    place.click(f"{NAME}_try")
    sent = place.sink.sent[-1]
    assert isinstance(sent, TrySearch)
    assert sent.settings == web(place)
    assert place.text(f"{NAME}_tried") == "Searching…"
    assert not place.get(f"{NAME}_try", QAbstractButton).isEnabled()
    place.apply(SearchTried(command_id=sent.command_id, ok=True, text="It works: 5 results."))
    assert place.text(f"{NAME}_tried") == "It works: 5 results."
    place.click(f"{NAME}_try")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="x", text="Not now."))
    assert place.text(f"{NAME}_tried") == "Not now."
    assert place.get(f"{NAME}_try", QAbstractButton).isEnabled()


def test_hosts_of_the_own_network_are_named_one_by_one(place):
    place.write(f"{NAME}_private", "Wiki.Home, 192.168.1.20,, wiki.home")
    assert web(place).private_hosts == ("wiki.home", "192.168.1.20")
    place.write(f"{NAME}_private", "http://wiki.home/")
    assert "is no host" in place.text(f"{NAME}_private_problem")
    place.write(f"{NAME}_private", "")
    assert web(place).private_hosts == ()


def test_settings_are_shown_as_they_are(qtbot):
    set_up = WebSettings(enabled=True, search="tavily", private_hosts=("wiki.home", "nas.home"))
    place = Place(qtbot, "web", Settings(web=set_up))
    assert place.get(f"{NAME}_private", QLineEdit).text() == "wiki.home, nas.home"
    place.apply(SearchKeysChanged(services=("tavily",), keyring_problem="This system has no keyring."))
    assert "until Banksman closes" in place.text(f"{NAME}_key_tavily_state")


@pytest.mark.promise("guests-W8")
def test_the_search_of_the_vendor_has_a_switch_of_its_own(place):
    assert web(place).vendor_search == "off"
    for chosen in ("on", "always", "off"):
        place.click(f"{NAME}_vendor_{chosen}")
        assert place.sink.sent[-1].settings.web.vendor_search == chosen
