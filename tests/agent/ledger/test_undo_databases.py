"""Rows of a server taken back through the real engine, and a connection that leads elsewhere meanwhile."""

import shutil
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.domain.commands import OpenSession
from desktop.domain.core.permissions import PermissionMode
from tests.agent.gate_rig import ONCE
from tests.agent.ledger.test_undo import UndoRig
from tests.agent.rig import write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.postgres_server import PostgresServer

pytestmark = pytest.mark.asyncio


async def worked(rig: UndoRig, repository: Path, sql: list[str], model_api: FakeModelApi) -> None:
    """A chat that ran these statements, each after a card."""
    await rig.open(repository)
    model_api.script(*(tool_turn("sql_query", sql=one) for one in sql), text_turn("Done."))
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    for number in range(1, len(sql) + 1):
        requested = await rig.asked(number)
        assert requested.request.undoable == "partly"
        word = requested.request.confirm_word
        await rig.answer(rig.session_id, requested, ONCE.model_copy(update={"confirm": word}))
    await rig.ended()


@pytest.mark.promise("memory-UL3")
async def test_rows_of_postgresql_come_back_newest_first_and_go_again(
    folders: Folders, model_api: FakeModelApi, repository: Path, postgres_server: PostgresServer
) -> None:
    host, name = str(postgres_server.folder), f"undo_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(host=host, user="postgres", database="postgres")
    await admin.execute(f"CREATE DATABASE {name}")
    direct = await asyncpg.connect(host=host, user="postgres", database=name)
    await direct.execute("CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 1), (2, 2)")
    await direct.execute("CREATE TABLE bare (x int)")
    one = DatabaseConnection(name="pg", dialect="postgres", host=host, database=name, user="postgres")
    write_settings(folders, model_api.url, databases=(one,))
    rig = UndoRig(folders)

    async def rows() -> list[tuple[int, int]]:
        return [tuple(row) for row in await direct.fetch("SELECT id, n FROM t ORDER BY id")]

    try:
        sql = ["UPDATE t SET n = n + 1", "INSERT INTO t VALUES (3, 3)", "DELETE FROM t WHERE id = 2"]
        await worked(rig, repository, [*sql, "INSERT INTO bare VALUES (1)"], model_api)
        after = await rows()
        effects = await rig.ledger()
        assert [effect.undoable for effect in effects] == ["no", "yes", "yes", "yes"]
        assert effects[0].not_covered == "No rows kept: the table bare has no key."
        assert (await rig.undo(effects[-1], "back")).told == "Undone: 3 of 3."
        assert await rows() == [(1, 1), (2, 2)]
        undo, *_ = await rig.ledger()
        assert (await rig.undo(undo)).told == "Undone: 1 of 1."
        assert await rows() == after
        await direct.execute("UPDATE t SET n = 70 WHERE id = 3")
        plan = await rig.plan((await rig.ledger())[-2])
        assert plan.entries[0].text == "1 of the rows are not as the write left them any more."
    finally:
        await rig.engine.stop()
        await direct.close()
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def test_rows_are_not_put_into_another_database_of_the_same_name(
    folders: Folders, model_api: FakeModelApi, repository: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "one.db")) as made:
        made.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 1)")
    one = DatabaseConnection(name="shop", dialect="sqlite", path=str(tmp_path / "one.db"))
    write_settings(folders, model_api.url, databases=(one,))
    rig = UndoRig(folders)
    await worked(rig, repository, ["UPDATE t SET n = 2"], model_api)
    await rig.engine.stop()
    shutil.copy(tmp_path / "one.db", tmp_path / "two.db")
    other = one.model_copy(update={"path": str(tmp_path / "two.db")})
    write_settings(folders, model_api.url, databases=(other,))
    again = UndoRig(folders)
    await again.open(repository)
    again.session_id = rig.session_id
    await again.engine.handle(OpenSession(session_id=rig.session_id))
    plan = await again.plan((await again.ledger())[0])
    await again.engine.stop()
    entry = plan.entries[0]
    assert (entry.verdict, entry.text) == ("blocked", "The connection shop leads to another database now.")
    with closing(sqlite3.connect(tmp_path / "two.db")) as read:
        assert read.execute("SELECT n FROM t").fetchall() == [(2,)]
