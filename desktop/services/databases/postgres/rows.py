"""Rows of PostgreSQL from before a write, as a second transaction still sees them; and how they are put back."""

from collections.abc import Iterable, Sequence

from desktop.domain.gate.effects import TableEffect
from desktop.records import dataclass
from desktop.services.databases.base import PREVIEW_TIME_S, DatabaseError
from desktop.services.databases.kept_rows import (
    BY_KEYS,
    CHANGED,
    MOST_BYTES,
    MOST_ROWS,
    OTHER_TABLE,
    TOO_LARGE,
    TOO_MANY,
    KeptRow,
    KeptTable,
    Row,
    dumped,
    same,
)
from desktop.services.databases.postgres.connections import PostgresAccess, Server, committed
from desktop.services.databases.postgres.effects import attempt, counting, effects

NOT_FOUND = "the rows of {table} could not be told from others"
_LIMIT_MS = 1500
_STYLE = (
    "SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC'; "
    "SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex'"
)
"""Values travel as text, which says the same on the way back."""
_XID = "SELECT (txid_current_if_assigned() % 4294967296)::text"
_MORE = (
    "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND mode = 'AccessExclusiveLock' "
    "LIMIT 1"
)
_NAME = (
    "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class AS c "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = $1::oid"
)
_COLUMNS = """
SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), coalesce(k.place, 0) FROM pg_attribute AS a
LEFT JOIN (
    SELECT i.indrelid, u.attnum, u.place
    FROM pg_index AS i, unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, place)
    WHERE i.indisprimary AND u.place <= i.indnkeyatts
) AS k ON k.indrelid = a.attrelid AND k.attnum = a.attnum
WHERE a.attrelid = to_regclass($1)::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
ORDER BY a.attnum
"""
_PARENTS = """
SELECT conrelid::int8, confrelid::int8 FROM pg_constraint
WHERE contype = 'f' AND conrelid <> confrelid AND conrelid = ANY($1::oid[]) AND confrelid = ANY($1::oid[])
"""
_TRIGGERS = """
SELECT quote_ident(t.tgname), t.tgenabled::text FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE t.tgrelid = $1::oid AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND pg_has_role(c.relowner, 'USAGE')
"""


class _NotAsLeft(DatabaseError):
    """What would be put back is not as it was left."""


@dataclass(frozen=True)
class _Shape:
    """A table as the server knows it. `types`: by column; `keys`: the columns of its primary key, in order."""

    oid: int
    types: dict[str, str]
    keys: tuple[str, ...]


async def kept_of(access: PostgresAccess, server: Server, changed: int | None) -> tuple[bytes | None, str]:
    """What the transaction of `server` changed so far, as bytes, or why it is not kept. The transaction goes on.
    `changed`: how many rows the server says."""
    try:
        tables = await _kept(access, server, changed)
    except DatabaseError as error:
        return None, str(error)
    data = dumped(tables)
    return (data, "") if len(data) <= MOST_BYTES else (None, TOO_LARGE)


async def _kept(access: PostgresAccess, server: Server, changed: int | None) -> tuple[KeptTable, ...]:
    if not await counting(server):
        raise DatabaseError("the server does not count changes")
    if await _asked(server, _MORE, ""):
        raise DatabaseError("it changed more than rows")
    found = await effects(server)
    if changed and not found:
        raise DatabaseError("what changed is in no table of this database")
    if sum(one.inserted + one.updated + one.deleted for one in found.values()) > MOST_ROWS:
        raise DatabaseError(TOO_MANY)
    if not found:
        return ()
    ((xid,),) = await _asked(server, _XID, "")
    await server.execute(_STYLE)
    async with access.reading(PREVIEW_TIME_S) as other:
        await other.execute(_STYLE)
        tables = [await _table(server, other, oid, effect, str(xid)) for oid, effect in found.items()]
    return tuple(table for table in tables if table.rows)


async def _table(server: Server, other: Server, oid: int, effect: TableEffect, xid: str) -> KeptTable:
    ((name,),) = await _asked(server, _NAME, effect.table, oid)
    shape = _shape(oid, await _asked(server, _COLUMNS, name, name))
    if not shape.keys:
        raise DatabaseError(f"the table {effect.table} has no key")
    table = KeptTable(str(name), tuple(shape.types), shape.keys, ())
    marked = await _rows(other, table, "xmax", xid)
    places = [str(row[0]) for row in marked]
    query = f"SELECT ctid::text FROM ONLY {name} WHERE ctid = ANY($1::text[]::tid[])"  # noqa: S608 - as the server quotes it
    locked = {row[0] for row in await _asked(server, query, name, places)}
    before = [row[1:] for row in marked if row[0] not in locked]
    after = [row[1:] for row in await _rows(server, table, "xmin", xid)]
    wanted = effect.updated + effect.deleted, effect.inserted + effect.updated
    if (len(before), len(after)) != wanted:  # one was changed twice, or within a block that catches errors
        raise DatabaseError(NOT_FOUND.format(table=effect.table))
    return table._replace(rows=_net(table, before, after))


async def _rows(server: Server, table: KeptTable, mark: str, xid: str) -> list[Row]:
    """The rows that this transaction marked, each with its place. Raises DatabaseError: too much, or not in time."""
    texts = [f"t.{_quoted(name)}::text" for name in table.columns]
    size = " + ".join(f"coalesce(length({text}), 0)" for text in texts)
    marked = f"FROM ONLY {table.name} AS t WHERE t.{mark}::text = $1 LIMIT {2 * MOST_ROWS}"
    sizes = await _asked(server, f"SELECT {size} {marked}", table.name, xid)
    if sum(int(str(row[0])) for row in sizes) > MOST_BYTES:
        raise DatabaseError(TOO_LARGE)
    found = await _asked(server, f"SELECT t.ctid::text, {', '.join(texts)} {marked}", table.name, xid)
    return [tuple(None if value is None else str(value) for value in row) for row in found]


def _net(table: KeptTable, before: Iterable[Row], after: Iterable[Row]) -> tuple[KeptRow, ...]:
    places = [table.columns.index(key) for key in table.keys]
    first, last = ({tuple(row[at] for at in places): row for row in rows} for rows in (before, after))
    found = (KeptRow(key, first.get(key), last.get(key)) for key in {**first, **last})
    return tuple(row for row in found if not same(row.before, row.after))


async def rows_now(
    access: PostgresAccess, tables: tuple[KeptTable, ...], limit_s: float
) -> list[tuple[Row | None, ...]]:
    """Each kept row as it is now, table by table, None where there is none. Raises DatabaseError."""
    async with access.reading(limit_s) as server:
        await server.execute(_STYLE)
        return [await _now(server, table, await _checked(server, table)) for table in tables]


async def put_rows_back(access: PostgresAccess, tables: tuple[KeptTable, ...], limit_s: float) -> None:
    """Each row becomes what it was before, in one transaction; nothing else changes, or nothing does.

    Raises:
        DatabaseError: a row is not as it was left, or more would change; nothing was changed.
    """
    try:
        await _put_back(access, tables, limit_s, deletes_first=True)
    except DatabaseError as error:
        if isinstance(error, _NotAsLeft) or error.code != "driver":
            raise
        try:  # where a key does something of its own when its row goes, that row goes last
            await _put_back(access, tables, limit_s, deletes_first=False)
        except DatabaseError:
            raise error from None


async def _put_back(
    access: PostgresAccess, tables: tuple[KeptTable, ...], limit_s: float, *, deletes_first: bool
) -> None:
    async with access.writing(limit_s) as server:
        await server.execute(f"{_STYLE}; SET CONSTRAINTS ALL DEFERRED")
        shapes = {table.name: await _checked(server, table) for table in tables}
        for table in tables:
            now = await _now(server, table, shapes[table.name], lock=True)
            if not all(same(row, kept.after) for row, kept in zip(now, table.rows, strict=True)):
                raise _NotAsLeft(CHANGED.format(table=table.name))
        again = [line for table in tables for line in await _quiet(server, table, shapes[table.name])]
        ordered = await _parents_first(server, tables, shapes)
        steps = [(_delete, [*reversed(ordered)]), (_change, ordered)]
        for step, those in steps if deletes_first else reversed(steps):
            for table in those:
                await step(server, table, shapes[table.name])
        await server.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for line in again:
            await server.execute(line)
        await _check_all(server, tables, shapes)
        await committed(server)


async def _check_all(server: Server, tables: tuple[KeptTable, ...], shapes: dict[str, _Shape]) -> None:
    """The rows are as they were before, and no others were changed."""
    done = {oid: (one.inserted, one.updated, one.deleted) for oid, one in (await effects(server)).items()}
    if done != {shapes[table.name].oid: _counts(table) for table in tables}:
        raise DatabaseError(BY_KEYS)
    for table in tables:
        now = await _now(server, table, shapes[table.name])
        if not all(same(row, kept.before) for row, kept in zip(now, table.rows, strict=True)):
            raise DatabaseError(BY_KEYS)


def _counts(table: KeptTable) -> tuple[int, int, int]:
    made = sum(row.after is None for row in table.rows)
    gone = sum(row.before is None for row in table.rows)
    return made, len(table.rows) - made - gone, gone


async def _checked(server: Server, table: KeptTable) -> _Shape:
    """A table that was dropped and made again may look the same by what is kept of it alone."""
    oid = await server.fetchval("SELECT to_regclass($1)::oid", table.name)
    shape = _shape(oid or 0, await server.fetch(_COLUMNS, table.name))
    if (tuple(shape.types), shape.keys) != (table.columns, table.keys):
        raise _NotAsLeft(OTHER_TABLE.format(table=table.name))
    return shape


def _shape(oid: int, columns: Iterable[Sequence[object]]) -> _Shape:
    found = [(str(name), str(kind), place) for name, kind, place in columns]
    keys = sorted((place, name) for name, _, place in found if isinstance(place, int) and place)
    return _Shape(oid, {name: kind for name, kind, _ in found}, tuple(name for _, name in keys))


async def _now(server: Server, table: KeptTable, shape: _Shape, *, lock: bool = False) -> tuple[Row | None, ...]:
    texts = ", ".join(f"t.{_quoted(name)}::text" for name in table.columns)
    query = f"SELECT k.n, {texts} FROM ONLY {table.name} AS t JOIN {_given(table.keys)} WITH ORDINALITY AS k "  # noqa: S608
    query += f"({_places(table.keys)}, n) ON {_matches(table, shape, 'k')}" + (" FOR UPDATE OF t" if lock else "")
    rows = await server.fetch(query, *_turned([row.key for row in table.rows], len(table.keys)))
    found = {row[0]: tuple(row)[1:] for row in rows}
    return tuple(found.get(at) for at in range(1, len(table.rows) + 1))


async def _delete(server: Server, table: KeptTable, shape: _Shape) -> None:
    gone = [row.key for row in table.rows if row.before is None]
    if gone:
        query = f"DELETE FROM ONLY {table.name} AS t USING {_given(table.keys)} AS k ({_places(table.keys)}) "  # noqa: S608
        await server.execute(f"{query}WHERE {_matches(table, shape, 'k')}", *_turned(gone, len(table.keys)))


async def _change(server: Server, table: KeptTable, shape: _Shape) -> None:
    """In one statement each, as keys are held at its end."""
    sides = [(row.before, row.after) for row in table.rows if row.before is not None]
    changed = [(before, after) for before, after in sides if after is not None]
    differ = [at for at in range(len(table.columns)) if any(before[at] != after[at] for before, after in changed)]
    if changed:
        names = table.columns
        sets = ", ".join(f"{_quoted(names[at])} = s.c{at}::{shape.types[names[at]]}" for at in differ)
        keys = " AND ".join(f"t.{_quoted(key)} = s.c{names.index(key)}::{shape.types[key]}" for key in table.keys)
        query = f"UPDATE ONLY {table.name} AS t SET {sets} FROM {_given(names)} AS s ({_places(names, 'c')}) "  # noqa: S608
        await server.execute(f"{query}WHERE {keys}", *_turned([row for row, _ in changed], len(names)))
    made = [before for before, after in sides if after is None]
    if made:
        names = table.columns
        columns = ", ".join(map(_quoted, names))
        values = ", ".join(f"s.c{at}::{shape.types[name]}" for at, name in enumerate(names))
        query = f"INSERT INTO {table.name} ({columns}) OVERRIDING SYSTEM VALUE SELECT {values} "
        await server.execute(f"{query}FROM {_given(names)} AS s ({_places(names, 'c')})", *_turned(made, len(names)))


async def _quiet(server: Server, table: KeptTable, shape: _Shape) -> list[str]:
    """The table's own triggers do not run meanwhile, where this account may say so: what they did is among the rows.
    What lets them run again. Keys hold all the same."""
    lines = []
    for name, state in await server.fetch(_TRIGGERS, shape.oid):
        await server.execute(f"ALTER TABLE {table.name} DISABLE TRIGGER {name}")
        lines.append(f"ALTER TABLE {table.name} ENABLE {'ALWAYS ' if state == 'A' else ''}TRIGGER {name}")
    return lines


async def _parents_first(server: Server, tables: Sequence[KeptTable], shapes: dict[str, _Shape]) -> list[KeptTable]:
    """The tables, each after those to which its keys lead; of a circle in any order."""
    pairs = {(row[0], row[1]) for row in await server.fetch(_PARENTS, [one.oid for one in shapes.values()])}
    left, ordered = [*tables], list[KeptTable]()
    while left:
        waiting = {shapes[table.name].oid for table in left}
        free = [one for one in left if not any((shapes[one.name].oid, parent) in pairs for parent in waiting)]
        ordered += free or left
        left = [one for one in left if free and one not in free]
    return ordered


async def _asked(server: Server, query: str, table: object, *values: object) -> list[Sequence[object]]:
    """Rows of a question of ours; the transaction goes on also where it cannot be answered."""
    rows = await attempt(server, query, *values, limit_ms=_LIMIT_MS)
    if rows is None:
        raise DatabaseError(NOT_FOUND.format(table=table or "the tables"))
    return rows


def _given(columns: Sequence[str]) -> str:
    """Values of these columns, each as an array of texts."""
    return f"unnest({', '.join(f'${at}::text[]' for at in range(1, len(columns) + 1))})"


def _places(columns: Sequence[str], letter: str = "k") -> str:
    return ", ".join(f"{letter}{at}" for at in range(len(columns)))


def _matches(table: KeptTable, shape: _Shape, alias: str) -> str:
    return " AND ".join(f"t.{_quoted(key)} = {alias}.k{at}::{shape.types[key]}" for at, key in enumerate(table.keys))


def _turned(rows: Sequence[Row], width: int) -> list[list[object]]:
    """Rows as columns."""
    return [[row[at] for row in rows] for at in range(width)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
