"""The Databases page: what is checked, what is sent, passwords that are never shown, what is asked first."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Settings
from desktop.domain.updates import CommandFailed, DatabaseKeysChanged, DatabaseTested
from tests.ui.settings_place import Place

SECRET = "hunter2 with blanks "
LOCAL = DatabaseConnection(name="app", dialect="sqlite", path="app.db")
SHOP = DatabaseConnection(
    name="shop", dialect="postgres", host="db.example.com", database="shop", user="agent", production=True
)
NAME = "settings_databases"


@pytest.fixture
def place(qtbot):
    return Place(qtbot, "databases", Settings(databases=(LOCAL, SHOP)))


def edit(place, name="shop"):
    card = place.card(name)
    if not place.shown(f"{NAME}_name", card):
        place.click(f"{NAME}_edit", card)
    return card


def database(place, name="shop"):
    return place.sink.sent[-1].settings.database(name)


def test_each_database_is_one_card_with_its_target_and_marks(place):
    shown = [label.text() for label in place.card("shop").findChildren(QLabel) if label.isVisible()]
    assert {"shop", "PostgreSQL", "production", "agent@db.example.com:5432/shop"} <= set(shown)
    assert not place.shown(f"{NAME}_name")


def test_a_change_is_saved_when_the_field_is_left(place):
    card = edit(place)
    place.write(f"{NAME}_host", "db2.example.com", card)
    assert database(place).host == "db2.example.com"
    place.write(f"{NAME}_time_limit", "60", card)
    assert database(place).time_limit_s == 60
    place.click(f"{NAME}_read_only_yes", card)
    assert database(place).read_only


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("name", "Shop", "Small letters"),
        ("name", "app", "name of its own"),
        ("port", "70000", "At most 65,535"),
        ("port", "x", "whole number"),
        ("host", "", "Give the host"),
        ("host", "me@db", "only the host's name"),
        ("time_limit", "0", "At least 1"),
        ("time_limit", "601", "At most 600"),
    ],
)
def test_what_is_not_valid_stays_with_the_reason_below(place, field, text, words):
    card = edit(place)
    place.write(f"{NAME}_{field}", text, card)
    assert place.sink.sent == []
    assert words in place.text(f"{NAME}_{field}_problem", card)
    assert place.get(f"{NAME}_{field}", QLineEdit, card).text() == text


def test_a_new_name_keeps_the_card_open(place):
    card = edit(place)
    place.write(f"{NAME}_name", "shop_live", card)
    place.saved()
    assert place.card("shop_live") is card
    assert place.shown(f"{NAME}_name", card)
    assert place.facts.settings.database("shop") is None


def test_an_empty_port_is_the_usual_one(place):
    card = edit(place)
    place.write(f"{NAME}_port", "5433", card)
    assert database(place).port == 5433
    place.write(f"{NAME}_port", "", card)
    assert database(place).port == 0
    assert place.get(f"{NAME}_port", QLineEdit, card).placeholderText() == "5432"


def test_a_password_goes_out_once_and_is_never_shown(place):
    card = edit(place)
    field = place.get(f"{NAME}_password", QLineEdit, card)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    place.write(f"{NAME}_password", SECRET, card)
    (command,) = place.sink.sent
    assert (command.type, command.name) == ("save_database_password", "shop")
    assert command.password.get_secret_value() == SECRET
    place.apply(DatabaseKeysChanged(names=("shop",)))
    assert "system keyring" in place.text(f"{NAME}_password_state", card)
    assert not place.shown(f"{NAME}_password", card)
    assert "hunter2" not in place.all_texts() + repr(place.sink.sent)
    place.click(f"{NAME}_password_remove", card)
    assert len(place.sink.sent) == 1
    place.click(f"{NAME}_password_go")
    assert place.sink.kinds()[-1] == "remove_database_password"


def test_a_system_without_a_keyring_is_said(place):
    place.apply(DatabaseKeysChanged(names=("shop",), keyring_problem="This system has no keyring."))
    assert place.text(f"{NAME}_keyring") == "This system has no keyring."
    assert "until Banksman closes" in place.text(f"{NAME}_password_state", edit(place))


def test_taking_the_production_mark_away_asks_once_and_setting_it_does_not(place):
    card = edit(place)
    place.click(f"{NAME}_production_no", card)
    assert place.sink.sent == []
    assert "without a confirm word" in "".join(
        label.text() for label in place.asked(f"{NAME}_unmark_dialog").findChildren(QLabel)
    )
    place.click(f"{NAME}_unmark_go")
    assert not database(place).production
    place.saved()
    place.click(f"{NAME}_production_yes", card)
    assert database(place).production


def test_a_test_says_what_the_engine_found(place):
    place.click(f"{NAME}_test", place.card("shop"))
    command = place.sink.sent[-1]
    assert (command.type, command.connection, command.password) == ("test_database", SHOP, None)
    assert not place.get(f"{NAME}_test", QAbstractButton, place.card("shop")).isEnabled()
    text = "PostgreSQL 16.2. The session cannot write."
    place.apply(DatabaseTested(command_id=command.command_id, name="shop", ok=True, text=text))
    result = place.get(f"{NAME}_test_result", QLabel, place.card("shop"))
    assert (result.text(), result.property("role")) == (text, "success")


def test_a_failed_test_shows_the_exact_sentence(place):
    place.click(f"{NAME}_test", place.card("app"))
    sent = place.sink.sent[-1].command_id
    place.apply(DatabaseTested(command_id=sent, name="app", ok=False, text="unable to open database file"))
    assert place.text(f"{NAME}_test_result", place.card("app")) == "unable to open database file"
    place.click(f"{NAME}_test", place.card("app"))
    place.apply(
        CommandFailed(command_id=place.sink.sent[-1].command_id, code="internal", text="Details are in the log.")
    )
    assert place.text(f"{NAME}_test_result", place.card("app")) == "Details are in the log."


def test_a_database_is_limited_to_this_project_and_opened_again(place):
    card = edit(place)
    place.click(f"{NAME}_projects_here", card)
    assert database(place).enabled_projects == ("/srv/shop-api",)
    place.saved()
    place.click(f"{NAME}_projects_all", card)
    assert database(place).enabled_projects == ()


def test_a_database_is_added_with_its_password_and_removed_after_asking(place):
    place.click(f"{NAME}_add")
    place.click(f"{NAME}_new_dialect_mariadb")
    place.click(f"{NAME}_new_add")
    assert place.sink.sent == []
    assert place.text(f"{NAME}_new_name_problem") == "Write a name."
    place.get(f"{NAME}_new_name", QLineEdit).setText("shop")
    place.click(f"{NAME}_new_add")
    assert "name of its own" in place.text(f"{NAME}_new_name_problem")
    place.get(f"{NAME}_new_name", QLineEdit).setText("books")
    place.get(f"{NAME}_new_host", QLineEdit).setText("127.0.0.1")
    place.get(f"{NAME}_new_database", QLineEdit).setText("books")
    place.click(f"{NAME}_new_add")
    assert "the user" in place.text(f"{NAME}_new_user_problem")
    place.get(f"{NAME}_new_user", QLineEdit).setText("agent")
    place.get(f"{NAME}_new_password", QLineEdit).setText(SECRET)
    place.click(f"{NAME}_new_test")
    assert place.sink.sent[-1].password.get_secret_value() == SECRET
    place.click(f"{NAME}_new_add")
    assert place.sink.kinds() == ["test_database", "save_settings", "save_database_password"]
    place.saved()
    assert place.facts.settings.database("books").dialect == "mariadb"
    place.click(f"{NAME}_remove", place.card("books"))
    place.click(f"{NAME}_remove_go")
    assert place.sink.sent[-1].settings.database("books") is None


def test_only_the_fields_of_the_kind_are_shown(place):
    place.click(f"{NAME}_add")
    assert place.shown(f"{NAME}_new_path")
    assert not place.shown(f"{NAME}_new_host")
    place.click(f"{NAME}_new_dialect_postgres")
    assert not place.shown(f"{NAME}_new_path")
    assert place.shown(f"{NAME}_new_password")


def test_every_control_has_a_name_of_the_page(place):
    edit(place)
    place.click(f"{NAME}_add")
    for control in place.get(NAME).findChildren(QAbstractButton) + place.get(NAME).findChildren(QLineEdit):
        assert control.objectName().startswith(NAME), control
        assert control.accessibleName() or control.text(), control.objectName()
