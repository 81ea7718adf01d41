"""Databases in the settings: trying one, keeping its password, and forgetting it when the database is gone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.domain import commands as c
from desktop.domain.updates import CommandFailed, DatabaseKeysChanged, DatabaseTested, SettingsChanged
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio
SHOP = DatabaseConnection(name="shop", dialect="postgres", host="127.0.0.1", port=1, database="shop", user="agent")


def last(rig: Rig, kind: type):
    return [update for update in rig.updates if isinstance(update, kind)][-1]


async def save(rig: Rig, *databases: DatabaseConnection) -> None:
    settings = last(rig, SettingsChanged).settings.model_copy(update={"databases": databases})
    await rig.engine.handle(c.SaveSettings(settings=settings))


@pytest.fixture
def database(repository: Path) -> Path:
    path = repository / "app.db"
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("CREATE TABLE t (a)")
        opened.commit()
    return path


async def test_a_file_is_tried_and_its_version_and_rights_are_said(rig: Rig, database: Path) -> None:
    whole = DatabaseConnection(name="app", dialect="sqlite", path=str(database))
    command = c.TestDatabase(connection=whole)
    await rig.engine.handle(command)
    tested = last(rig, DatabaseTested)
    assert (tested.command_id, tested.name, tested.ok) == (command.command_id, "app", True)
    assert tested.text.startswith("SQLite 3.")
    assert tested.text.endswith("The file can be written.")


async def test_what_a_read_only_connection_could_do_is_said_too(rig: Rig, database: Path) -> None:
    connection = DatabaseConnection(name="app", dialect="sqlite", path=str(database), read_only=True)
    await rig.engine.handle(c.TestDatabase(connection=connection))
    assert last(rig, DatabaseTested).text.endswith("The file can be written. Banksman refuses writes here.")


async def test_a_file_of_the_lane_is_tried_in_the_checkout(rig: Rig, database: Path) -> None:
    connection = DatabaseConnection(name="app", dialect="sqlite", path=database.name)
    await rig.engine.handle(c.TestDatabase(connection=connection))
    assert last(rig, DatabaseTested).ok


async def test_a_server_that_is_not_there_gives_its_exact_words(rig: Rig) -> None:
    await rig.engine.handle(c.TestDatabase(connection=SHOP, password=SecretStr("hunter2")))
    tested = last(rig, DatabaseTested)
    assert not tested.ok
    assert "127.0.0.1" in tested.text
    assert "hunter2" not in tested.text


async def test_a_password_is_kept_told_by_name_and_forgotten(rig: Rig) -> None:
    await save(rig, SHOP)
    assert last(rig, DatabaseKeysChanged).names == ()
    await rig.engine.handle(c.SaveDatabasePassword(name="shop", password=SecretStr("hunter2")))
    assert last(rig, DatabaseKeysChanged).names == ("shop",)
    assert "hunter2" not in "".join(map(repr, rig.updates))
    await rig.engine.handle(c.RemoveDatabasePassword(name="shop"))
    assert last(rig, DatabaseKeysChanged).names == ()


async def test_a_password_belongs_to_the_target_it_was_given_for(rig: Rig) -> None:
    await save(rig, SHOP)
    await rig.engine.handle(c.SaveDatabasePassword(name="shop", password=SecretStr("hunter2")))
    await save(rig, SHOP.model_copy(update={"host": "db.example.com"}))
    assert last(rig, DatabaseKeysChanged).names == ()


async def test_the_password_of_a_database_that_is_gone_does_not_come_back_with_its_name(rig: Rig) -> None:
    await save(rig, SHOP)
    await rig.engine.handle(c.SaveDatabasePassword(name="shop", password=SecretStr("hunter2")))
    await save(rig)
    await save(rig, SHOP)
    assert last(rig, DatabaseKeysChanged).names == ()


async def test_a_password_for_no_database_is_refused(rig: Rig) -> None:
    await rig.engine.handle(c.SaveDatabasePassword(name="other", password=SecretStr("x")))
    assert "no database 'other'" in last(rig, CommandFailed).text
