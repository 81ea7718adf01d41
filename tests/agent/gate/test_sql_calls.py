"""SQL through the real engine: offered where a database is set up, judged by the gate, run where it may."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from tests.agent.rig import Rig, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE t (id integer); INSERT INTO t VALUES (1), (2);")
    return file


@pytest_asyncio.fixture
async def sql_rig(folders: Folders, model_api: FakeModelApi, repository: Path, database: Path) -> AsyncIterator[Rig]:
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(database))
    write_settings(folders, model_api.url, databases=(shop,))
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()


def rows(database: Path) -> int:
    with closing(sqlite3.connect(database)) as read:
        return int(read.execute("SELECT count(*) FROM t").fetchone()[0])


def tools_of(model_api: FakeModelApi) -> set[str]:
    return {tool["name"] for tool in model_api.requests[0].body["tools"]}


@pytest.mark.promise("gate-G16")
async def test_plan_mode_reads_and_refuses_a_delete_without_a_card(
    sql_rig: Rig, model_api: FakeModelApi, database: Path
) -> None:
    model_api.script(
        tool_turn("sql_query", sql="SELECT id FROM t"), tool_turn("sql_query", sql="DELETE FROM t"), text_turn("ok")
    )
    await sql_rig.new("Look at the data", PermissionMode.PLAN)
    await sql_rig.ended()
    assert [event.outcome for event in sql_rig.events(ToolCallFinished)] == ["ok", "refused"]
    assert sql_rig.events(InputRequested) == []
    assert rows(database) == 2


@pytest.mark.parametrize("mode", [PermissionMode.EDIT, PermissionMode.FULL_AUTO])
async def test_a_delete_waits_for_consent_in_every_other_mode(
    sql_rig: Rig, model_api: FakeModelApi, database: Path, mode: PermissionMode
) -> None:
    model_api.script(tool_turn("sql_query", sql="DELETE FROM t WHERE id = 1"), text_turn("ok"))
    session_id = await sql_rig.new("Clean up", mode, without_sandbox=True)
    requested = await sql_rig.asked()
    assert rows(database) == 2
    await sql_rig.answer(session_id, requested, Answer(outcome="reject"))
    await sql_rig.ended()
    assert rows(database) == 2


@pytest.mark.promise("gate-Q18")
async def test_an_approved_delete_runs_once_and_says_what_it_changed(
    sql_rig: Rig, model_api: FakeModelApi, database: Path
) -> None:
    model_api.script(tool_turn("sql_query", sql="DELETE FROM t WHERE id = 1"), text_turn("ok"))
    session_id = await sql_rig.new("Clean up")
    requested = await sql_rig.asked()
    request = requested.request
    assert isinstance(request, ApprovalRequest)
    assert [grant.scope for grant in request.grants] == ["once"]
    assert (request.irreversible, request.confirm_word) == (True, "t")
    await sql_rig.answer(session_id, requested, Answer(outcome="allow_once"))
    assert sql_rig.failures()[-1].code == "confirm_differs"
    await sql_rig.answer(session_id, requested, Answer(outcome="allow_once", confirm="t"))
    await sql_rig.ended()
    (finished,) = sql_rig.events(ToolCallFinished)
    assert str(finished.content).startswith("shop · 1 row changed · ")
    assert rows(database) == 1


@pytest.mark.promise("gate-G16")
async def test_two_statements_an_unknown_name_and_a_misfit_are_refused_without_a_card(
    sql_rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("sql_query", sql="SELECT 1; SELECT 2"),
        tool_turn("sql_query", sql="DELETE FROM t", connection="live"),
        tool_turn("sql_query", sql="DELETE FROM t WHERE id = ?"),
        text_turn("ok"),
    )
    await sql_rig.new("Try it")
    await sql_rig.ended()
    decided = sql_rig.events(ToolCallDecided)
    assert [(one.verdict, one.rule) for one in decided] == [(Verdict.DENY, "arguments")] * 3
    assert decided[0].reason == "Send one statement per call."
    assert "Connections: shop." in decided[1].reason
    assert sql_rig.events(InputRequested) == []


async def test_the_tools_are_offered_only_where_a_database_is_set_up(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("sql_query", sql="SELECT 1"), text_turn("ok"))
    await rig.new("Look")
    await rig.ended()
    assert not {"sql_query", "sql_schema"} & tools_of(model_api)
    assert "no database is set up for this project" in rig.events(ToolCallDecided)[0].reason


async def test_a_database_of_another_project_is_not_there(
    folders: Folders, model_api: FakeModelApi, tmp_path: Path, database: Path
) -> None:
    other = make_repository(tmp_path / "other")
    shop = DatabaseConnection(
        name="shop", dialect="sqlite", path=str(database), enabled_projects=(str(tmp_path / "shop"),)
    )
    write_settings(folders, model_api.url, databases=(shop,))
    rig = await Rig(folders).open(other)
    model_api.script(text_turn("ok"))
    await rig.new("Look")
    await rig.ended()
    assert "sql_query" not in tools_of(model_api)
    await rig.engine.stop()
