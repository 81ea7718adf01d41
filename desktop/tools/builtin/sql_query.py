"""sql_query: one statement on a database that a person named."""

import json

from pydantic import Field, field_validator

from desktop.config.databases import DatabaseConnection
from desktop.domain.core.content import Block, Card, CodeBlock, TextBlock
from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.gate.effects import EffectPreview
from desktop.policy.call_facts import SqlFacts
from desktop.policy.sql.verdict import SqlVerdict
from desktop.services.databases.base import DatabaseError
from desktop.services.databases.connections import Databases
from desktop.services.databases.placeholders import placeholder_problem
from desktop.tools.argument_checks import not_blank
from desktop.tools.arguments import ArgumentsError
from desktop.tools.sql_results import failed, read_result, write_result
from desktop.tools.text import title_line
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolResult

MAX_TITLE_SQL = 100
ONE_STATEMENT = "Send one statement per call."
NOT_UNDERSTOOD = "It could not be understood, so it cannot be shown that it only reads."


class SqlQuery(ToolArgs):
    """A statement, the database it is for, its values, and how many rows are shown."""

    connection: str = Field(
        default="", max_length=40, description="Name of the database connection; may be left out if there is only one."
    )
    sql: str = Field(min_length=1, max_length=100_000, description="One statement, in the dialect of the database.")
    params: tuple[str | int | float | bool | None, ...] = Field(
        default=(), max_length=100, description="Values for the placeholders: ? in sqlite and mysql, $1 in postgres."
    )
    max_rows: int = Field(default=200, ge=1, le=1000, description="Rows to fetch at most.")
    description: str | None = Field(
        default=None, max_length=200, description="What the statement is for, in a few words."
    )

    _says_something = field_validator("sql")(not_blank)


def _card(args: SqlQuery) -> Card:
    blocks: list[Block] = [CodeBlock(language="sql", text=args.sql)]
    if args.params:
        blocks.append(TextBlock(text=f"values: {json.dumps(list(args.params), ensure_ascii=False)}"))
    statement = " ".join(args.sql.split())[:MAX_TITLE_SQL]
    title = title_line(f"Run SQL on {args.connection or 'the database'}: {statement}")
    return Card(title=title, blocks=tuple(blocks))


def _assess(args: SqlQuery, ctx: ToolContext) -> Evidence:
    connection = _connection(args, ctx)
    verdict = ctx.offer(Databases).verdict(connection, args.sql)
    problem = placeholder_problem(args.sql, connection.dialect, len(args.params))
    if len(verdict.statements) > 1:
        problem = ONE_STATEMENT
    elif connection.read_only and not verdict.proven_read:
        problem = f"{connection.name} is read-only, and this is not proven to read only: {verdict.reason}"
    if problem:
        raise ArgumentsError(problem)
    sql = SqlFacts(
        connection=connection.name, verdict=verdict, target=connection.target, production=connection.production
    )
    return Evidence(assessment=_assessment(verdict), sql=sql)


def _assessment(verdict: SqlVerdict) -> Assessment:
    if verdict.proven_read:
        return Assessment(category=Category.READ, proven_read=True, code=verdict.code)
    return Assessment(
        category=Category.EXTERNAL,
        needs_consent=True,
        reason=verdict.reason or NOT_UNDERSTOOD,
        code=verdict.code,
        fragment=verdict.fragment[:200],
    )


async def _preview(args: SqlQuery, ctx: ToolContext, on_click: bool) -> EffectPreview | None:
    connection = _connection(args, ctx)
    verdict = ctx.offer(Databases).verdict(connection, args.sql)
    if verdict.proven_read:
        return None
    return await ctx.offer(Databases).preview(connection.name, args.sql, args.params, verdict, on_click=on_click)


async def _run(args: SqlQuery, ctx: ToolContext) -> ToolResult:
    databases = ctx.offer(Databases)
    try:
        connection = databases.find(args.connection)
        verdict = databases.verdict(connection, args.sql)
        if verdict.proven_read:
            answer = await databases.read(connection.name, args.sql, args.params, max_rows=args.max_rows)
            return read_result(connection, answer, ctx.blobs)
        answer = await databases.write(
            connection.name, args.sql, args.params, verdict, approved=ctx.approved_effect, max_rows=args.max_rows
        )
        return write_result(connection, answer, ctx.blobs)
    except DatabaseError as error:
        raise failed(error) from error


def _connection(args: SqlQuery, ctx: ToolContext) -> DatabaseConnection:
    try:
        return ctx.offer(Databases).find(args.connection)
    except DatabaseError as error:
        raise ArgumentsError(str(error)) from error


TOOL = Tool(
    name="sql_query",
    description=(
        "Run one SQL statement on a database connection and get its rows. What is proven to read only runs at once, on "
        "a connection that cannot write; anything else waits for a person. Pass values as params, not in the text."
    ),
    guidance=(
        "Look at the tables with sql_schema before you write a query. Send one statement per call and select only the "
        "columns and rows you need."
    ),
    args=SqlQuery,
    category=Category.READ,
    needs=(Databases,),
    card=_card,
    assess=_assess,
    preview=_preview,
    run=_run,
    for_guests=True,
    editable=("sql",),
    varies="What is not shown to only read asks, and is refused in Plan.",
)
