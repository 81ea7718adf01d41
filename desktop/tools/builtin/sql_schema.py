"""sql_schema: what tables a database has, and what a table looks like."""

import difflib

from pydantic import Field

from desktop.domain.core.content import Card, CodeBlock, TableBlock
from desktop.domain.core.permissions import Category
from desktop.services.databases.base import DatabaseError, TableLine
from desktop.services.databases.connections import Databases
from desktop.tools.sql_results import failed
from desktop.tools.text import clip, count_words, title_line
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_TABLES = 500
MAX_NEAR = 5


class SqlSchema(ToolArgs):
    """The arguments of `sql_schema`: which part of a database is described."""

    connection: str = Field(
        default="", max_length=40, description="Name of the database connection; may be left out if there is only one."
    )
    table: str = Field(default="", max_length=200, description="A table, or schema.table; empty lists the tables.")
    search: str = Field(default="", max_length=100, description="Only tables whose name holds this text.")


def _card(args: SqlSchema) -> Card:
    what = f"table {args.table}" if args.table else "the tables"
    return Card(title=title_line(f"Look at {what} of {args.connection or 'the database'}"))


async def _run(args: SqlSchema, ctx: ToolContext) -> ToolResult:
    databases = ctx.offer(Databases)
    try:
        name = databases.find(args.connection).name
        if args.table.strip():
            return await _one_table(databases, name, args.table.strip())
        return _list(name, await databases.tables(name), args.search)
    except DatabaseError as error:
        raise failed(error) from error


async def _one_table(databases: Databases, connection: str, table: str) -> ToolResult:
    text = await databases.describe(connection, table)
    if not text:
        raise ToolError(_unknown(table, connection, await databases.tables(connection)), summary="no such table")
    text = clip(text, whole="ask for fewer tables")
    return ToolResult(text=text, blocks=(CodeBlock(language="sql", text=text),), summary=table[:120])


def _list(connection: str, tables: tuple[TableLine, ...], search: str) -> ToolResult:
    found = [table for table in tables if search.casefold() in table.name.casefold()]
    shown = found[:MAX_TABLES]
    lines = [f"{connection} · {count_words(len(found), 'table')}"]
    lines += [_line(table) for table in shown]
    if len(found) > len(shown):
        lines.append(f"[{len(found) - len(shown):,} more; use search]")
    rows = tuple((table.name, table.kind, str(table.columns), _estimate(table)) for table in shown)
    block = TableBlock(columns=("name", "kind", "columns", "rows"), rows=rows, more=len(found) - len(shown))
    return ToolResult(text=clip("\n".join(lines)), blocks=(block,), summary=count_words(len(found), "table"))


def _line(table: TableLine) -> str:
    kind = "" if table.kind == "table" else f" ({table.kind})"
    rows = f", about {table.rows:,} rows" if table.rows is not None else ""
    return f"{table.name}{kind}: {count_words(table.columns, 'column')}{rows}"


def _estimate(table: TableLine) -> str:
    return "" if table.rows is None else f"about {table.rows:,}"


def _unknown(table: str, connection: str, tables: tuple[TableLine, ...]) -> str:
    names = [known.name for known in tables]
    short = {name.rsplit(".", 1)[-1].casefold(): name for name in names}
    last = table.rsplit(".", 1)[-1].casefold()
    near = [short[name] for name in difflib.get_close_matches(last, list(short), n=MAX_NEAR, cutoff=0.5)]
    hint = f" Near names: {', '.join(near)}." if near else ""
    return f'There is no table "{table}" in {connection}.{hint}'


TOOL = Tool(
    name="sql_schema",
    description=(
        "List the tables of a database connection with column counts and estimated rows, or show one table: columns, "
        "types, keys, indexes and foreign keys."
    ),
    args=SqlSchema,
    category=Category.READ,
    needs=(Databases,),
    card=_card,
    run=_run,
    for_guests=True,
)
