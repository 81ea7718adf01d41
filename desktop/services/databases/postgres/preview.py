"""What a statement would do to a PostgreSQL database, tried in a transaction that is always rolled back."""

import time
from collections.abc import Iterable, Sequence

from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.services.databases.base import (
    LOCK_WAIT_S,
    PREVIEW_TIME_S,
    SAMPLE_ROWS,
    DatabaseError,
    Parameter,
    WritePlan,
    elapsed_ms,
)
from desktop.services.databases.cells import cell_text
from desktop.services.databases.objects import DatabaseObject, changed_objects
from desktop.services.databases.postgres.connections import PostgresAccess, Server, prepare
from desktop.services.databases.postgres.effects import attempt, counting, effects, lost_rows, table_sizes

_SEQUENCES = "SELECT quote_ident(schemaname) || '.' || quote_ident(sequencename), last_value FROM pg_sequences"
_XID = "SELECT (txid_current_if_assigned() % 4294967296)::text"
_RELATIONS = """
SELECT c.oid::regclass::text, c.relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' AND c.relkind IN ('r', 'p', 'v', 'm', 'i', 'S')
"""
_COLUMNS = """
SELECT a.attrelid::regclass::text || '.' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod),
a.attrelid::regclass::text FROM pg_attribute AS a 
JOIN unnest($1::text[]) AS named (name) ON a.attrelid = to_regclass(name)
WHERE a.attnum > 0 AND NOT a.attisdropped
"""
_KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "i": "index", "S": "sequence"}
_TRIGGERS = """
SELECT tgrelid, tgname::text, tgtype::int FROM pg_trigger
WHERE tgrelid = ANY($1::oid[]) AND NOT tgisinternal AND tgenabled <> 'D' ORDER BY 2
"""
_CASCADES = """
SELECT k.conrelid, k.confrelid, k.confdeltype::text, k.confupdtype::text, k.conrelid::regclass::text,
k.confrelid::regclass::text, (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute AS a
                              WHERE a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey))
FROM pg_constraint AS k WHERE k.contype = 'f' AND k.conrelid = ANY($1::oid[]) AND k.confrelid = ANY($1::oid[])
"""
_ACTIONS = {"c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
_INSERT, _DELETE, _UPDATE = 4, 8, 16
_SAMPLE_MS = 1500


async def preview_postgres(
    access: PostgresAccess, sql: str, params: Sequence[Parameter], plan: WritePlan
) -> EffectPreview:
    """The effect by the server's own counters, with rows from before and after, and what stays after the rollback."""
    started = time.monotonic()
    try:
        async with access.writing(PREVIEW_TIME_S, lock_wait_s=LOCK_WAIT_S) as server:
            if not await counting(server):
                return EffectPreview(problem="the server does not count changes (track_counts is off)")
            found = await _tried(access, server, sql, params, plan)
    except DatabaseError as error:
        words = f"it would fail: {error}" if error.code == "driver" else str(error)
        return EffectPreview(problem=words, duration_ms=elapsed_ms(started))
    duration_ms = elapsed_ms(started)
    held = f"The tables were locked for up to {duration_ms:,} ms while it was tried."
    return found.model_copy(update={"duration_ms": duration_ms, "not_undone": (*found.not_undone, held)})


async def _tried(
    access: PostgresAccess, server: Server, sql: str, params: Sequence[Parameter], plan: WritePlan
) -> EffectPreview:
    sequences = await _pairs(server, _SEQUENCES)
    relations: frozenset[DatabaseObject] = frozenset() if plan.counted else await _objects(server, plan)
    sizes = {} if plan.counted else await table_sizes(server, plan.tables)
    statement, values = await prepare(server, sql, params)
    await (await statement.cursor(*values)).fetch(1)
    if plan.counted:
        found = await _counted(access, server, plan)
    else:
        found = await _changed_relations(server, plan, relations, sizes)
    late = await _at_commit(server)
    moved = [name for name, value in (await _pairs(server, _SEQUENCES)).items() if sequences.get(name) != value]
    lasting = tuple(f"Sequence {name} stays advanced." for name in sorted(moved) if name in sequences)
    if found.triggers:
        lasting += ("What triggers do outside this database.",)
    return found.model_copy(update={"warnings": (*found.warnings, *late), "not_undone": lasting})


async def _counted(access: PostgresAccess, server: Server, plan: WritePlan) -> EffectPreview:
    changed = await effects(server)
    triggers = await _triggers(server, changed)
    cascades = await _cascades(server, changed)
    children = {child for child, _ in cascades}
    sampled = await _samples(access, server, changed)
    tables = [
        effect.model_copy(update={"by": _by(effect, plan.tables, oid in children, bool(triggers))})
        for oid, effect in sampled.items()
    ]
    if not tables and plan.tables:
        size = await table_sizes(server, plan.tables[:1])
        tables = [TableEffect(table=name, rows_before=rows) for name, rows in size.items()]
    tables.sort(key=lambda effect: (effect.by != "statement", effect.by != "cascade", effect.table))
    missing = any((e.updated or e.deleted) and not e.before for e in tables)
    return EffectPreview(
        tables=tuple(tables),
        triggers=triggers,
        cascades=tuple(text for _, text in cascades),
        warnings=("Rows from before could not be shown for every table in time.",) if missing else (),
    )


def _by(effect: TableEffect, named: Sequence[str], is_child: bool, triggers: bool) -> str:
    names = [_bare(name) for name in named]
    if names and _bare(effect.table) == names[0]:
        return "statement"
    if is_child:
        return "cascade"
    return "trigger" if triggers and _bare(effect.table) not in names else "statement"


def _bare(name: str) -> str:
    return name.rsplit(".", 1)[-1].strip('"').casefold()


async def _triggers(server: Server, changed: dict[int, TableEffect]) -> tuple[str, ...]:
    names: list[str] = []
    for oid, name, kind in await server.fetch(_TRIGGERS, list(changed)):
        effect = changed[oid]
        pairs = ((_INSERT, effect.inserted), (_UPDATE, effect.updated), (_DELETE, effect.deleted))
        if any(kind & bit and rows for bit, rows in pairs):
            names.append(name)
    return tuple(dict.fromkeys(names))


async def _cascades(server: Server, changed: dict[int, TableEffect]) -> list[tuple[int, str]]:
    """Object id of the child and words for each foreign key whose action changed rows."""
    found: list[tuple[int, str]] = []
    for child, parent, on_delete, on_update, child_name, parent_name, columns in await server.fetch(
        _CASCADES, list(changed)
    ):
        action = _ACTIONS.get(on_delete) if changed[parent].deleted else None
        action = action or (_ACTIONS.get(on_update) if changed[parent].updated else None)
        if action and (changed[child].deleted or changed[child].updated):
            found.append((child, f"{child_name} ({columns}) → {parent_name} ({action})"))
    return found


async def _samples(access: PostgresAccess, server: Server, changed: dict[int, TableEffect]) -> dict[int, TableEffect]:
    """Rows from before as another transaction still sees them, marked by ours as gone; rows from after by our mark."""
    xid = await server.fetchval(_XID)
    found: dict[int, TableEffect] = {}
    async with access.reading(PREVIEW_TIME_S) as other:
        for oid, effect in changed.items():
            found[oid] = await _sample(server, other, effect, str(xid))
    return found


async def _sample(server: Server, other: Server, effect: TableEffect, xid: str) -> TableEffect:
    name = effect.table  # as the server quotes it
    before: list[Sequence[object]] = []
    after: list[Sequence[object]] = []
    if effect.updated or effect.deleted:
        query = f"SELECT ctid::text, t.* FROM {name} AS t WHERE xmax::text = $1 LIMIT {SAMPLE_ROWS * 2}"  # noqa: S608
        rows = await attempt(other, query, xid, limit_ms=_SAMPLE_MS) or []
        kept = await _still_there(server, name, [str(row[0]) for row in rows])
        before = [row for row in rows if row[0] not in kept]
    if effect.inserted or effect.updated:
        query = f"SELECT ctid::text, t.* FROM {name} AS t WHERE xmin::text = $1 LIMIT {SAMPLE_ROWS}"  # noqa: S608
        after = await attempt(server, query, xid, limit_ms=_SAMPLE_MS) or []
    size = await attempt(other, f"SELECT count(*) FROM {name}")  # noqa: S608
    columns = await other.fetch(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped "
        "ORDER BY attnum",
        name,
    )
    return effect.model_copy(
        update={
            "rows_before": size[0][0] if size else None,
            "columns": tuple(row[0] for row in columns),
            "before": _shown(before),
            "after": _shown(after),
        }
    )


async def _still_there(server: Server, name: str, places: list[str]) -> set[str]:
    """Of rows that our transaction marked, those it only locked: they are still what they were."""
    query = f"SELECT ctid::text FROM {name} WHERE ctid = ANY($1::text[]::tid[])"  # noqa: S608 - a name as the server quotes it
    return {str(row[0]) for row in await attempt(server, query, places, limit_ms=_SAMPLE_MS) or []}


def _shown(rows: Iterable[Sequence[object]]) -> tuple[tuple[str, ...], ...]:
    texts = [[cell_text(value) for value in tuple(row)[1:]] for row in rows][:SAMPLE_ROWS]
    return tuple(tuple("NULL" if text is None else text[:500] for text in row) for row in texts)


async def _changed_relations(
    server: Server, plan: WritePlan, before: frozenset[DatabaseObject], sizes: dict[str, int]
) -> EffectPreview:
    after = await _objects(server, plan)
    tables = tuple(lost_rows(sizes, await table_sizes(server, plan.tables)))
    return EffectPreview(tables=tables, warnings=changed_objects(before, after))


async def _objects(server: Server, plan: WritePlan) -> frozenset[DatabaseObject]:
    rows = await attempt(server, _RELATIONS) or []
    columns = await attempt(server, _COLUMNS, list(plan.tables)) or []
    found = {DatabaseObject(_KINDS[str(kind)], str(name)) for name, kind in rows}
    return frozenset(found | {DatabaseObject("column", str(name), str(table)) for name, table in columns})


async def _at_commit(server: Server) -> tuple[str, ...]:
    """What would only fail at the end: constraints that are checked then."""
    rows = await attempt(server, "SELECT 1 FROM pg_constraint WHERE condeferred LIMIT 1")
    if not rows:
        return ()
    broken = await attempt(server, "SET CONSTRAINTS ALL IMMEDIATE")
    return ("A constraint that is checked at the end would refuse it.",) if broken is None else ()


async def _pairs(server: Server, query: str) -> dict[str, object]:
    return {str(row[0]): row[1] for row in await attempt(server, query) or []}
