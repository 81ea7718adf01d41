"""The search over the settings: every row of every page is found by its words, and shown."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget

from desktop.ui.settings.dialog import PAGES
from desktop.ui.settings.fields import Field
from desktop.ui.settings.mcp.server_form import ServerForm
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.search import NONE
from desktop.ui.settings.topics import FORMS, TOPICS, Topic
from tests.ui.settings_place import Place

BY_NAME = {page.name: page for page, _ in PAGES}


@pytest.fixture
def place(qtbot):
    return Place(qtbot, "about")


def searched(place, text):
    """What is found, in order."""
    QTest.keyClick(place.dialog, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = place.get("settings_search")
    QTest.keyClicks(field, text)
    found = place.get("settings_found", QListWidget)
    return [found.item(row).text() for row in range(found.count())]


def page_of(place, name):
    place.dialog.show_page(name)
    return place.get(f"settings_{name}", SettingsPage)


def test_words_find_a_row_and_enter_shows_it_with_the_focus(place, qtbot):
    place.dialog.activateWindow()
    qtbot.waitUntil(place.dialog.isActiveWindow)
    assert searched(place, "text zo") == ["Text zoom\nAppearance"]
    assert not place.shown("settings_pages")
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Return)
    assert place.shown("settings_appearance")
    assert QApplication.focusWidget().objectName() == "settings_appearance_zoom"


def test_other_words_and_those_of_the_page_find_it_too_behind_its_own(place):
    assert searched(place, "dark") == ["Theme\nAppearance"]
    place.get("settings_search").clear()
    assert searched(place, "notif sound")[0] == "Sounds\nNotifications"


def test_nothing_found_is_said_and_escape_ends_the_search_before_it_closes_the_settings(place):
    assert searched(place, "zzz") == [NONE.format(text="zzz")]
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Return)
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Escape)
    assert place.shown("settings_pages")
    assert place.dialog.isVisible()


def test_the_list_is_gone_through_by_keys(place):
    searched(place, "cost")
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Down)
    found = place.get("settings_found", QListWidget)
    QTest.keyClick(found, Qt.Key.Key_Down)
    QTest.keyClick(found, Qt.Key.Key_Return)
    assert place.shown("settings_general")
    QTest.keyClick(found, Qt.Key.Key_Escape)
    assert place.dialog.isVisible()


def test_a_search_makes_no_page(place):
    sent = len(place.sink.sent)
    searched(place, "key")
    assert len(place.sink.sent) == sent


@pytest.mark.parametrize("name", BY_NAME)
def test_every_row_that_a_page_shows_is_found_and_every_row_that_is_found_is_there(place, name):
    page = page_of(place, name)
    shown = {one.label for one in page.fields() if one.isVisibleTo(page)}
    assert shown <= TOPICS[name].keys()
    assert [row for row in TOPICS[name] if not page.show_row(row)] == []


def test_a_row_of_a_form_is_found_and_the_form_opens_with_the_focus_there(place, qtbot):
    place.dialog.activateWindow()
    qtbot.waitUntil(place.dialog.isActiveWindow)
    assert searched(place, "product") == ["Production\nDatabases › Add a database…"]
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Return)
    assert place.shown("settings_databases_new")
    row = place.get("settings_databases_new_production")
    assert row.isAncestorOf(QApplication.focusWidget())


def test_a_row_that_a_form_shows_with_one_choice_alone_is_shown_with_it(place):
    assert searched(place, "port") == ["Port\nDatabases › Add a database…"]
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Return)
    assert place.shown("settings_databases_new_port")


def test_the_words_of_a_page_do_not_find_all_rows_of_its_forms(place):
    assert [one for one in searched(place, "databases") if "›" in one] == []


def test_a_row_of_a_form_in_a_window_of_its_own_is_shown_there(place):
    assert "Time limit\nMCP servers › Add a server…" in searched(place, "timeout")
    QTest.keyClick(place.get("settings_search"), Qt.Key.Key_Return)
    form = place.dialog.findChild(ServerForm)
    assert form.focusWidget() is form.findChild(QLineEdit, "mcp_form_time_limit")


@pytest.mark.parametrize(("name", "button"), [(page, button) for page, forms in FORMS.items() for button in forms])
def test_every_row_of_a_form_is_found_and_every_row_that_is_found_is_in_its_form(place, name, button):
    page = page_of(place, name)
    before = {one: one.isVisible() for one in place.dialog.findChildren(Field)}
    page.show_in_form(Topic(name, "", button))
    new = [one for one in place.dialog.findChildren(Field) if one.isVisible() and not before.get(one, False)]
    assert new
    assert {one.label for one in new} <= FORMS[name][button].keys()
    rows = FORMS[name][button]
    assert [row for row in rows if not page.show_in_form(Topic(name, row, button))] == []
