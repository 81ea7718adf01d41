"""What a statement would do to a MySQL database: tables of InnoDB only, in a transaction that is rolled back."""

from collections.abc import Iterable, Sequence

from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.services.databases.base import Parameter, WritePlan
from desktop.services.databases.cells import cell_text
from desktop.services.databases.mysql.connections import Server, execute
from desktop.services.databases.mysql.schema import quoted
from desktop.services.databases.where_rows import rows_meant

_MAX_TABLES = 10
_ENGINES = "SELECT engine FROM information_schema.tables WHERE table_schema = %s AND table_name = %s"
_TRIGGERS = """
SELECT trigger_name FROM information_schema.triggers
WHERE event_object_schema = %s AND event_object_table = %s AND event_manipulation = %s ORDER BY 1
"""
_CASCADES = """
SELECT table_name, constraint_name, delete_rule, update_rule FROM information_schema.referential_constraints
WHERE unique_constraint_schema = %s AND referenced_table_name = %s ORDER BY 1, 2
"""
_NO_ACTION = ("NO ACTION", "RESTRICT")


def preview_in_transaction(
    server: Server, database: str, sql: str, params: Sequence[Parameter], plan: WritePlan
) -> EffectPreview:
    """The effect on the named table, with the rows it means; what other tables lose or gain is not counted here."""
    table = _bare(plan.tables[0]) if plan.tables else ""
    problem = _engine_problem(server, database, plan.tables)
    if problem or not plan.counted:
        return EffectPreview(problem=problem or "the server commits it at once")
    server.begin()
    try:
        sizes = table_sizes(server, (table,))
        columns, before = _before(server, sql, params)
        with server.cursor() as cursor:
            execute(cursor, sql, params)
            changed = int(cursor.rowcount)
    finally:
        server.rollback()
    effect = statement_effect(plan, changed, sql)
    effect = effect.model_copy(
        update={
            "rows_before": sizes.get(table),
            "columns": columns,
            "before": before if effect.deleted or effect.updated else (),
        }
    )
    operation = _operation(sql)
    triggers = _names(server, _TRIGGERS, database, table, operation)
    cascades = _cascades(server, database, table, operation)
    warnings = ("Rows changed by triggers and foreign keys are not counted.",) if triggers or cascades else ()
    lasting = ("The next AUTO_INCREMENT value stays advanced.",) if effect.inserted else ()
    return EffectPreview(tables=(effect,), triggers=triggers, cascades=cascades, warnings=warnings, not_undone=lasting)


def statement_effect(plan: WritePlan, changed: int, sql: str) -> TableEffect:
    """The rows the server says were changed, as an effect on the table that the statement names first."""
    name = _bare(plan.tables[0]) if plan.tables else "?"
    field = {"DELETE": "deleted", "UPDATE": "updated"}.get(_operation(sql), "inserted")
    return TableEffect(table=name).model_copy(update={field: max(changed, 0)})


def table_sizes(server: Server, names: Sequence[str]) -> dict[str, int]:
    """Exact rows of the named tables of this database."""
    found: dict[str, int] = {}
    with server.cursor() as cursor:
        for name in [_bare(one) for one in names][:_MAX_TABLES]:
            cursor.execute(f"SELECT count(*) FROM {quoted(name)}")  # noqa: S608 - a quoted name
            found[name] = int(cursor.fetchone()[0])
    return found


def lost_rows(server: Server, before: dict[str, int]) -> Iterable[TableEffect]:
    """The tables that have fewer rows than `before`, each with the number that it lost."""
    after = table_sizes(server, tuple(before))
    for name, rows in before.items():
        if after.get(name, 0) < rows:
            yield TableEffect(table=name, deleted=rows - after.get(name, 0))


def _engine_problem(server: Server, database: str, tables: Sequence[str]) -> str:
    with server.cursor() as cursor:
        for name in tables[:_MAX_TABLES]:
            cursor.execute(_ENGINES, (database, _bare(name)))
            row = cursor.fetchone()
            if row is None or str(row[0]).casefold() != "innodb":
                return f"{name} is not a table of InnoDB, so a try could not be taken back"
    return "" if tables else "it names no table"


def _before(
    server: Server, sql: str, params: Sequence[Parameter]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    query = rows_meant(sql, "mysql") if not params else ""
    if not query:
        return (), ()
    with server.cursor() as cursor:
        cursor.execute(query)
        columns = tuple(str(column[0]) for column in cursor.description or ())
        rows = tuple(
            tuple("NULL" if value is None else (cell_text(value) or "")[:500] for value in row) for row in cursor
        )
    return columns, rows


def _cascades(server: Server, database: str, table: str, operation: str) -> tuple[str, ...]:
    found: list[str] = []
    with server.cursor() as cursor:
        cursor.execute(_CASCADES, (database, table))
        for child, name, on_delete, on_update in cursor.fetchall():
            action = on_delete if operation == "DELETE" else on_update if operation == "UPDATE" else "NO ACTION"
            if action not in _NO_ACTION:
                found.append(f"{child} ({name}) → {table} ({action})")
    return tuple(found)


def _names(server: Server, query: str, *values: str) -> tuple[str, ...]:
    with server.cursor() as cursor:
        cursor.execute(query, values)
        return tuple(str(row[0]) for row in cursor.fetchall())


def _operation(sql: str) -> str:
    words = sql.lstrip("( \t\r\n").split(None, 1)
    return words[0].upper() if words else ""


def _bare(name: str) -> str:
    return name.rsplit(".", 1)[-1].strip('`"')
