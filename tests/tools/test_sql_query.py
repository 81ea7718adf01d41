"""sql_query: what is stated of a text, what is refused at once, and what the answers say."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.config.databases import DatabaseConnection
from desktop.domain.core.content import CodeBlock, TableBlock, TextBlock
from desktop.domain.core.permissions import Category
from desktop.services.databases.connections import Databases
from desktop.tools.arguments import ArgumentsError, parse_args
from desktop.tools.builtin.sql_query import TOOL
from desktop.tools.text import LIMIT
from desktop.tools.tool import Evidence, ToolError
from tests.tools.conftest import Bench

pytestmark = pytest.mark.asyncio


def connection(**changes: Any) -> DatabaseConnection:
    return DatabaseConnection(**{"name": "staging", "dialect": "sqlite", "path": "app.db", **changes})


@pytest.fixture
def desk(bench: Bench) -> Bench:
    with closing(sqlite3.connect(bench.root / "app.db")) as made:
        made.executescript("""
            CREATE TABLE t (id integer PRIMARY KEY, name text);
            INSERT INTO t VALUES (1, 'a|b'), (2, NULL), (3, 'two' || char(10) || 'lines');
        """)
    return with_connections(bench, connection())


def with_connections(bench: Bench, *connections: DatabaseConnection) -> Bench:
    databases = Databases(lambda: connections, lane_root=bench.root)
    bench.context = replace(bench.context, finds={Databases: databases}.get)
    return bench


def stated(bench: Bench, **arguments: Any) -> Evidence:
    return TOOL.assess(parse_args(TOOL, arguments), bench.context)


def count(root: Path) -> int:
    with closing(sqlite3.connect(root / "app.db")) as read:
        return int(read.execute("SELECT count(*) FROM t").fetchone()[0])


async def test_a_proven_read_is_stated_as_a_read(desk: Bench) -> None:
    evidence = stated(desk, sql="SELECT * FROM t")
    assert evidence.assessment.category is Category.READ
    assert not evidence.assessment.needs_consent
    assert evidence.sql is not None
    assert (evidence.sql.connection, evidence.sql.target, evidence.sql.production) == ("staging", "app.db", False)
    assert evidence.sql.verdict.proven_read


@pytest.mark.parametrize(
    "sql", ["DELETE FROM t", "DROP TABLE t", "PRAGMA user_version = 3", "VACUUM", "SELEC 1", "COMMIT"]
)
async def test_everything_else_needs_consent_in_every_mode(desk: Bench, sql: str) -> None:
    assessment = stated(desk, sql=sql).assessment
    assert (assessment.category, assessment.needs_consent) == (Category.EXTERNAL, True)
    assert assessment.reason
    assert assessment.code
    assert assessment.remember_key is None


@pytest.mark.promise("tools-T14")
async def test_what_cannot_run_is_refused_before_anybody_is_asked(desk: Bench) -> None:
    for arguments, words in (
        ({"sql": "SELECT 1; SELECT 2"}, r"^Send one statement per call\.$"),
        ({"sql": "DELETE FROM t; DROP TABLE t"}, r"^Send one statement per call\.$"),
        ({"sql": "SELECT 1", "connection": "live"}, r"no connection \"live\"\. Connections: staging\."),
        ({"sql": "SELECT ?"}, "takes 1 values and params has 0"),
        ({"sql": "  \n "}, "must not be blank"),
    ):
        with pytest.raises(ArgumentsError, match=words):
            stated(desk, **arguments)


async def test_a_trailing_separator_is_no_second_statement(desk: Bench) -> None:
    assert stated(desk, sql="SELECT 1; -- done").sql is not None
    assert (await desk.call("sql_query", sql="SELECT 1;")).text.startswith(
        "staging · sqlite · read-only · 1 row of 1 ·"
    )


@pytest.mark.promise("tools-T88")
async def test_a_connection_for_reading_refuses_writes_before_anybody_is_asked(desk: Bench) -> None:
    with_connections(desk, connection(read_only=True))
    with pytest.raises(ArgumentsError, match="staging is read-only"):
        stated(desk, sql="DELETE FROM t")
    assert stated(desk, sql="SELECT 1").assessment.category is Category.READ


async def test_several_connections_need_a_name(desk: Bench) -> None:
    with_connections(desk, connection(), connection(name="live"))
    with pytest.raises(ArgumentsError, match=r"Name a connection\. Connections: live, staging\."):
        stated(desk, sql="SELECT 1")


@pytest.mark.promise("tools-T86")
async def test_rows_come_as_a_table_for_the_model_and_for_people(desk: Bench) -> None:
    result = await desk.call("sql_query", sql="SELECT id, name FROM t ORDER BY id")
    head, _, *table = result.text.splitlines()
    assert head.startswith("staging · sqlite · read-only · 3 rows of 3 · ")
    assert table == ["| id | name |", "| --- | --- |", "| 1 | a\\|b |", "| 2 | NULL |", "| 3 | two⏎lines |"]
    (block,) = result.blocks
    assert isinstance(block, TableBlock)
    assert block.rows == (("1", "a|b"), ("2", "NULL"), ("3", "two\nlines"))
    assert (block.nulls, block.more) == (((1, 1),), 0)
    assert result.summary.startswith("3 rows · 2 columns · ")


@pytest.mark.promise("tools-T86")
async def test_more_rows_than_asked_for_are_said(desk: Bench) -> None:
    result = await desk.call("sql_query", sql="SELECT id FROM t", max_rows=2)
    assert result.text.endswith("[stopped at 2 rows]")
    assert "2 rows of more" in result.text
    assert isinstance(result.blocks[0], TableBlock)
    assert result.blocks[0].more == 1


async def test_people_see_two_hundred_rows_and_how_many_more_there_are(desk: Bench) -> None:
    numbers = "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 300) SELECT n FROM c"
    result = await desk.call("sql_query", sql=numbers, max_rows=1000)
    assert isinstance(result.blocks[0], TableBlock)
    assert (len(result.blocks[0].rows), result.blocks[0].more) == (200, 100)


async def test_long_cells_are_cut_for_the_model_and_long_answers_are_kept_whole(desk: Bench) -> None:
    result = await desk.call("sql_query", sql="SELECT hex(zeroblob(3000)) AS z, x'00ff' AS b")
    assert f"| {'0' * 500}… | <2 bytes> |" in result.text
    numbers = "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 300)"
    long = await desk.call("sql_query", sql=f"{numbers} SELECT hex(zeroblob(200)) FROM c", max_rows=1000)
    assert len(long.text) <= LIMIT
    assert long.full is not None
    assert desk.context.blobs.get(long.full.sha256).decode().count("\n|") == 302


async def test_a_write_says_how_many_rows_changed(desk: Bench) -> None:
    result = await desk.call("sql_query", sql="DELETE FROM t WHERE id < ?", params=[3])
    assert result.text.startswith("staging · 2 rows changed · ")
    assert count(desk.root) == 1
    made = await desk.call("sql_query", sql="CREATE TABLE u (x)")
    assert made.text.startswith("staging · done · ")


async def test_values_are_bound_and_do_no_harm(desk: Bench) -> None:
    result = await desk.call(
        "sql_query", sql="SELECT ? AS v, ? AS n, ? AS b", params=["'; DROP TABLE t; --", None, True]
    )
    assert "| '; DROP TABLE t; -- | NULL | 1 |" in result.text
    assert count(desk.root) == 3


async def test_an_effect_that_grew_after_it_was_approved_is_taken_back(desk: Bench) -> None:
    args = parse_args(TOOL, {"sql": "DELETE FROM t WHERE id > 1"})
    preview = await TOOL.preview(args, desk.context, False)
    assert preview is not None
    assert (preview.tables[0].deleted, preview.tables[0].rows_before) == (2, 3)
    await desk.call("sql_query", sql="INSERT INTO t VALUES (4, 'late'), (5, 'late')")
    desk.context = replace(desk.context, approved_effect=preview)
    with pytest.raises(ToolError, match=r"Rolled back: it would have changed 4 rows, 2 were approved\.") as raised:
        await desk.call("sql_query", sql="DELETE FROM t WHERE id > 1")
    assert raised.value.data == {"code": "effect_changed"}
    assert count(desk.root) == 5


async def test_a_read_has_no_preview(desk: Bench) -> None:
    assert await TOOL.preview(parse_args(TOOL, {"sql": "SELECT 1"}), desk.context, False) is None


async def test_errors_are_the_words_of_the_driver(desk: Bench) -> None:
    with pytest.raises(ToolError, match="no such table: absent"):
        await desk.call("sql_query", sql="SELECT * FROM absent")
    with_connections(desk, connection(time_limit_s=1))
    endless = "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT sum(n) FROM c"
    with pytest.raises(ToolError, match=r"^Stopped after 1 s\.$"):
        await desk.call("sql_query", sql=endless)


async def test_the_card_shows_the_whole_text_and_the_values() -> None:
    text = "DELETE FROM t\n" * 50
    card = TOOL.card(parse_args(TOOL, {"sql": text, "connection": "staging", "params": [1, "a"]}))
    assert card.title.startswith("Run SQL on staging: DELETE FROM t DELETE")
    assert len(card.title) <= 140
    assert card.blocks == (CodeBlock(language="sql", text=text), TextBlock(text='values: [1, "a"]'))


async def test_without_databases_nothing_runs(bench: Bench) -> None:
    with pytest.raises(ToolError, match="not available in this chat"):
        await bench.call("sql_query", sql="SELECT 1")
    with pytest.raises(ToolError, match="not available in this chat"):
        await bench.call("sql_schema")


async def test_the_schema_lists_searches_and_describes(desk: Bench) -> None:
    await desk.call("sql_query", sql="CREATE VIEW names AS SELECT name FROM t")
    listed = await desk.call("sql_schema")
    assert listed.text.splitlines() == ["staging · 2 tables", "names (view): 1 column", "t: 2 columns"]
    assert (await desk.call("sql_schema", search="NAM")).text.splitlines()[1:] == ["names (view): 1 column"]
    assert "CREATE TABLE t" in (await desk.call("sql_schema", table="t")).text
    with pytest.raises(ToolError, match=r'There is no table "main\.name" in staging\. Near names: names\.'):
        await desk.call("sql_schema", table="main.name")
    with pytest.raises(ToolError, match=r'There is no table "zzzzz" in staging\.$'):
        await desk.call("sql_schema", table="zzzzz")
    with pytest.raises(ToolError, match="no connection"):
        await desk.call("sql_schema", connection="live")


async def test_a_long_list_of_tables_ends_at_five_hundred(desk: Bench) -> None:
    with closing(sqlite3.connect(desk.root / "app.db")) as made:
        made.executescript("".join(f"CREATE TABLE x{n} (a);" for n in range(510)))
    result = await desk.call("sql_schema", search="x")
    assert result.text.endswith("[10 more; use search]")
