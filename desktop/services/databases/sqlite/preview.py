"""What a statement would do to a SQLite database, tried on a private copy of it."""

import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.records import dataclass
from desktop.services.databases.base import (
    MAX_PREVIEW_BYTES,
    DatabaseError,
    Parameter,
    Stop,
    WritePlan,
    elapsed_ms,
)
from desktop.services.databases.objects import DatabaseObject, changed_objects
from desktop.services.databases.sqlite.connections import FAILURES, failure, open_reading, open_writing
from desktop.services.databases.sqlite.meter import PREFIX, Meter
from desktop.services.files.leftovers import passing_prefix

IN_MEMORY_BYTES = 64 * 1024 * 1024
_PAGES_A_STEP = 2048
_WRITES = {
    sqlite3.SQLITE_INSERT: "inserted",
    sqlite3.SQLITE_UPDATE: "updated",
    sqlite3.SQLITE_DELETE: "deleted",
}
_REPLACES = re.compile(r"\breplace\b", re.IGNORECASE)
Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]
_RECURSION = "too many levels of trigger recursion"


@dataclass(frozen=True)
class Touch:
    """SQLite compiled a write to this table; `source` is the trigger it stands in, None for the statement itself and
    for foreign-key actions."""

    operation: str
    table: str
    source: str | None


def preview_sqlite(path: Path, sql: str, params: Sequence[Parameter], plan: WritePlan, stop: Stop) -> EffectPreview:
    """The effect on a copy; the file itself is only read. A large file is tried in place, if that is allowed."""
    started = time.monotonic()
    try:
        found = _tried(path, sql, params, plan, stop)
    except DatabaseError as error:
        return EffectPreview(problem=str(error), duration_ms=elapsed_ms(started))
    return found.model_copy(update={"duration_ms": elapsed_ms(started)})


def _tried(path: Path, sql: str, params: Sequence[Parameter], plan: WritePlan, stop: Stop) -> EffectPreview:
    size = path.stat().st_size if path.is_file() else 0
    if size > MAX_PREVIEW_BYTES:
        if not plan.whole_file_allowed:
            return EffectPreview(on_click=True, problem="the file is over 256 MiB, so it would be tried in place")
        with closing(open_writing(path, stop)) as connection:
            return _try(connection, sql, params, plan, stop)
    if _REPLACES.search(sql):
        return _replacing(path, size, sql, params, plan, stop)
    with _copy(path, size, stop) as connection:
        return _try(connection, sql, params, plan, stop)


def _replacing(
    path: Path, size: int, sql: str, params: Sequence[Parameter], plan: WritePlan, stop: Stop
) -> EffectPreview:
    """REPLACE shows the rows it deletes only with recursive triggers, which not every trigger of a database bears."""
    try:
        with _copy(path, size, stop) as connection:
            connection.execute("PRAGMA recursive_triggers = ON")
            return _try(connection, sql, params, plan, stop)
    except DatabaseError as error:
        if _RECURSION not in str(error):
            raise
    with _copy(path, size, stop) as connection:
        found = _try(connection, sql, params, plan, stop)
    return found.model_copy(update={"warnings": (*found.warnings, "Rows that REPLACE deletes are not counted.")})


@contextmanager
def _copy(path: Path, size: int, stop: Stop) -> Iterator[sqlite3.Connection]:
    """A writable copy in memory or, for a file of some size, in a temporary folder."""

    def look(status: int, remaining: int, total: int) -> None:
        if stop.over:
            raise DatabaseError(f"the copy took longer than {stop.time_limit_s:g} s", "timeout")

    with tempfile.TemporaryDirectory(prefix=passing_prefix(), ignore_cleanup_errors=True) as folder:
        target = ":memory:" if size <= IN_MEMORY_BYTES else str(Path(folder) / "copy.db")
        with (
            closing(open_reading(path, stop)) as source,
            closing(sqlite3.connect(target, isolation_level=None, check_same_thread=False)) as copy,
        ):
            try:
                source.backup(copy, pages=_PAGES_A_STEP, progress=look)
                copy.set_progress_handler(lambda: int(stop.over), 1000)
                copy.execute("PRAGMA foreign_keys = ON")
            except FAILURES as error:
                raise failure(error, stop) from error
            yield copy


def _try(
    connection: sqlite3.Connection, sql: str, params: Sequence[Parameter], plan: WritePlan, stop: Stop
) -> EffectPreview:
    """Run it, measure it, roll it back."""
    meter, touches = Meter(connection, samples=True), list[Touch]()
    objects = _objects(connection, plan)
    tables = [one.name for one in objects if one.kind == "table"]
    sizes = {} if plan.counted else {name: meter.rows_in(name) for name in tables}
    if plan.counted:
        meter.install()
    connection.set_authorizer(_recorder(touches))
    try:
        connection.execute("BEGIN IMMEDIATE")
        with closing(connection.execute(sql, tuple(params))) as cursor:
            while cursor.fetchmany(1000):
                pass
        connection.set_authorizer(None)
        broken = connection.execute("PRAGMA foreign_key_check").fetchmany(1)
        if plan.counted:
            found = _counted(connection, meter, touches)
        else:
            found = _schema_change(objects, _objects(connection, plan), sizes)
    except FAILURES as error:
        words = failure(error, stop)
        raise DatabaseError(f"it would fail: {words}" if words.code == "driver" else str(words), words.code) from error
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if broken:
        warning = f"Rows of {broken[0][0]} would refer to rows of {broken[0][2]} that do not exist."
        return found.model_copy(update={"warnings": (*found.warnings, warning)})
    return found


def _recorder(touches: list[Touch]) -> Authorizer:
    def record(action: int, first: str | None, second: str | None, database: str | None, source: str | None) -> int:
        operation = _WRITES.get(action)
        ours = (first or "").startswith(("sqlite_", PREFIX)) or (source or "").startswith(PREFIX)
        if operation is not None and database == "main" and first is not None and not ours:
            touches.append(Touch(operation, first, source))
        return sqlite3.SQLITE_OK

    return record


def _counted(connection: sqlite3.Connection, meter: Meter, touches: list[Touch]) -> EffectPreview:
    effects = {effect.table: effect for effect in meter.effects()}
    target = next((touch.table for touch in touches if touch.source is None), "")
    columns = {table.name: table.columns for table in meter.tables}
    if target in columns and target not in effects:
        effects[target] = TableEffect(table=target, rows_before=meter.rows_in(target), columns=columns[target])
    tables = [_attributed(effect, target, touches) for effect in effects.values()]
    tables.sort(key=lambda effect: (effect.by != "statement", effect.by != "cascade", effect.table))
    fired = [touch for touch in touches if touch.source is not None and _happened(effects, touch)]
    triggers = tuple(dict.fromkeys(touch.source for touch in fired if touch.source is not None))
    touched = {touch.table for touch in touches} | {target}
    return EffectPreview(
        tables=tuple(tables),
        triggers=triggers,
        cascades=_cascades(connection, tables),
        warnings=_not_counted(connection, touched),
    )


def _happened(effects: dict[str, TableEffect], touch: Touch) -> bool:
    effect = effects.get(touch.table)
    return (
        effect is not None
        and {
            "inserted": effect.inserted,
            "updated": effect.updated,
            "deleted": effect.deleted,
        }[touch.operation]
        > 0
    )


def _attributed(effect: TableEffect, target: str, touches: list[Touch]) -> TableEffect:
    if effect.table == target:
        return effect
    direct = any(touch.table == effect.table and touch.source is None for touch in touches)
    return effect.model_copy(update={"by": "cascade" if direct else "trigger"})


def _cascades(connection: sqlite3.Connection, tables: Sequence[TableEffect]) -> tuple[str, ...]:
    """Foreign keys whose actions changed rows, as `child.column → parent (CASCADE)`."""
    changed = {effect.table.casefold() for effect in tables if effect.deleted or effect.updated}
    found: list[str] = []
    for effect in tables:
        if effect.by != "cascade":
            continue
        for column, parent, on_update, on_delete in connection.execute(
            'SELECT "from", "table", on_update, on_delete FROM pragma_foreign_key_list(?)', (effect.table,)
        ).fetchall():
            action = next((name for name in (on_delete, on_update) if name not in ("NO ACTION", "RESTRICT")), "")
            if action and parent.casefold() in changed:
                found.append(f"{effect.table}.{column} → {parent} ({action})")
    return tuple(dict.fromkeys(found))


def _not_counted(connection: sqlite3.Connection, touched: set[str]) -> tuple[str, ...]:
    names = connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")
    found = sorted(name for (name,) in names.fetchall() if name in touched)
    return tuple(f"{name} is a virtual table; its rows are not counted." for name in found)


def _objects(connection: sqlite3.Connection, plan: WritePlan) -> frozenset[DatabaseObject]:
    rows = connection.execute("SELECT type, name FROM main.sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    found = {DatabaseObject(kind, name) for kind, name in rows.fetchall()}
    for table in plan.tables:
        columns = connection.execute("SELECT name, type FROM pragma_table_xinfo(?)", (table,)).fetchall()
        found |= {DatabaseObject("column", f"{table}.{name} {kind}".strip(), table) for name, kind in columns}
    return frozenset(found)


def _schema_change(
    before: frozenset[DatabaseObject], after: frozenset[DatabaseObject], sizes: dict[str, int | None]
) -> EffectPreview:
    tables = tuple(
        TableEffect(table=one.name, deleted=sizes.get(one.name) or 0, rows_before=sizes.get(one.name))
        for one in sorted(before - after)
        if one.kind == "table"
    )
    return EffectPreview(tables=tables, warnings=changed_objects(before, after))
