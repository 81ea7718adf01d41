"""A read that PostgreSQL itself says is more than one: nothing runs, and a person is asked before anything does."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.postgres_server import PostgresServer

pytestmark = pytest.mark.asyncio
SQL = "SELECT v.touched FROM vic v"
MADE = """
CREATE TABLE vic AS SELECT 1 AS id;
CREATE TABLE seen (at timestamptz);
CREATE FUNCTION touched(vic) RETURNS int LANGUAGE sql AS $$ INSERT INTO seen VALUES (now()); SELECT 1 $$;
"""


@dataclass
class Victim:
    """A chat with a database in which a column-like name is a function that writes."""

    rig: Rig
    admin: asyncpg.Connection

    async def touched(self) -> int:
        return int(await self.admin.fetchval("SELECT count(*) FROM seen"))


@pytest_asyncio.fixture(params=[False])
async def victim(
    request: pytest.FixtureRequest, folders: Folders, repository: Path, model_api: FakeModelApi,
    postgres_server: PostgresServer,
) -> AsyncIterator[Victim]:  # fmt: skip
    name, host = f"vic_{uuid.uuid4().hex}", str(postgres_server.folder)
    root = await asyncpg.connect(host=host, user=postgres_server.user, database="postgres")
    await root.execute(f"CREATE DATABASE {name}")
    admin = await asyncpg.connect(host=host, user=postgres_server.user, database=name)
    await admin.execute(MADE)
    connection = DatabaseConnection(
        name="shop", dialect="postgres", host=host, database=name, user=postgres_server.user, read_only=request.param
    )
    write_settings(folders, model_api.url, databases=(connection,))
    rig = await Rig(folders).open(repository)
    yield Victim(rig, admin)
    await rig.engine.stop()
    await admin.close()
    await root.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await root.close()


@pytest.mark.parametrize("mode", [PermissionMode.EDIT, PermissionMode.FULL_AUTO])
async def test_a_person_is_asked_and_nothing_runs_when_they_decline(
    victim: Victim, model_api: FakeModelApi, mode: PermissionMode
) -> None:
    model_api.script(tool_turn("sql_query", sql=SQL), text_turn("ok"))
    session_id = await victim.rig.new("Look", mode, without_sandbox=True)
    asked = await victim.rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.reason.startswith("Not run: the server says that it calls touched. ")
    decided = victim.rig.events(ToolCallDecided)
    assert [one.verdict for one in decided] == [Verdict.ALLOW, Verdict.ASK]
    await victim.rig.answer(session_id, asked, Answer(outcome="reject"))
    await victim.rig.ended()
    assert [one.outcome for one in victim.rig.events(ToolCallFinished)] == ["declined"]
    assert await victim.touched() == 0


async def test_what_a_person_allows_runs_once_and_the_same_text_asks_at_once_afterwards(
    victim: Victim, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("sql_query", sql=SQL), tool_turn("sql_query", sql=SQL), text_turn("ok"))
    session_id = await victim.rig.new("Look")
    await victim.rig.answer(session_id, await victim.rig.asked(), Answer(outcome="allow_once"))
    again = await victim.rig.asked(2)
    assert await victim.touched() == 1
    assert [one.verdict for one in victim.rig.events(ToolCallDecided)] == [Verdict.ALLOW, Verdict.ASK, Verdict.ASK]
    await victim.rig.answer(session_id, again, Answer(outcome="reject"))
    await victim.rig.ended()
    assert [one.outcome for one in victim.rig.events(ToolCallFinished)] == ["ok", "declined"]
    assert await victim.touched() == 1


@pytest.mark.parametrize(
    ("victim", "mode"), [(True, PermissionMode.EDIT), (False, PermissionMode.PLAN)], indirect=["victim"]
)
async def test_where_only_reads_may_run_it_is_refused_without_a_card(
    victim: Victim, model_api: FakeModelApi, mode: PermissionMode
) -> None:
    model_api.script(tool_turn("sql_query", sql=SQL), text_turn("ok"))
    await victim.rig.new("Look", mode)
    await victim.rig.ended()
    assert [one.verdict for one in victim.rig.events(ToolCallDecided)] == [Verdict.ALLOW, Verdict.DENY]
    assert [one.outcome for one in victim.rig.events(ToolCallFinished)] == ["refused"]
    assert victim.rig.events(InputRequested) == []
    assert await victim.touched() == 0
