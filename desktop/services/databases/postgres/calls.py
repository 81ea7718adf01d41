"""The second wall before a read that nobody was asked about: what PostgreSQL itself says that the statement calls.

The server prepares the statement and prints its own parse tree to us (`debug_print_parse`). Nothing of the statement
has run or was planned by then: planning would already carry out functions that are said to be immutable. In the tree
every call is the number of a function, whichever notation, schema, overload or operator led to it. Each must be

- one of the server's own, or of an extension, of a name that the judgement lists (`policy/sql/names/postgres.py`), or
- behind an operator, a cast or a form of the grammar: one of these that is not volatile.

If the judgement were switched off, this still stops every call of a function that is not on the list: files of the
server, other sessions, dblink, large objects, advisory locks, statistics, restore points and slots, sleeps, settings,
and every function, overload, operator and cast of a user's own; and every command but SHOW and EXPLAIN. Writes it
leaves to the read-only transaction. It does not look into views, rules, policies and the code of listed functions,
which belong to the tables of the database, nor into the input of values of a type while they are parsed.

A tree that does not come, or that has anything unknown in it, stops the statement as well; so do servers that speak the
protocol but print no tree. The price is one line in the server's log for each read, as long as the tree, unless the
account may set `log_min_messages` (superusers; from PostgreSQL 15 on by `GRANT SET ON PARAMETER`).
"""

import re
from collections.abc import Sequence
from typing import Any

from desktop.policy.sql.names.postgres import NAMES, TYPES
from desktop.services.databases.base import Parameter, UnlistedCall
from desktop.services.databases.postgres.connections import Server, Statement, load_driver, prepare
from desktop.services.databases.postgres.tree import TreeCalls, tree_calls, unseen_command

_FORMS = frozenset(
    {
        "like_escape",
        "similar_to_escape",
        "similar_escape",
        "is_normalized",
        "pg_collation_for",
        "bernoulli",
        "system",
    }
)
_FIRST_USER_ID = 16384  # FirstNormalObjectId in access/transam.h: below it are the objects that the server came with
_SHOW_TREES = (
    "SET LOCAL debug_pretty_print = off; SET LOCAL client_min_messages = log; SET LOCAL debug_print_parse = on"
)
_HIDE_TREES = "SET LOCAL debug_print_parse = off; SET LOCAL client_min_messages = notice"
_LOG_LEVEL = "SELECT pg_catalog.current_setting('log_min_messages')"
_QUIET = """
SELECT pg_catalog.set_config('log_min_messages', 'fatal', true)
WHERE pg_catalog.current_setting('is_superuser') OPERATOR(pg_catalog.=) 'on'
"""
_QUIET_GRANTED = f"{_QUIET} OR pg_catalog.has_parameter_privilege('log_min_messages', 'SET')"
_LOUD = "SELECT pg_catalog.set_config('log_min_messages', $1, true)"
_GRANTS_SETTINGS = 15
_FUNCTIONS = """
SELECT p.oid::pg_catalog.int8 AS id, p.proname::pg_catalog.text AS name,
    n.nspname OPERATOR(pg_catalog.=) 'pg_catalog' AND p.oid OPERATOR(pg_catalog.<) $3::pg_catalog.oid OR EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
        AND d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ) AS known,
    p.provolatile OPERATOR(pg_catalog.=) 'v' AS volatile
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
WHERE p.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[]) OR p.oid OPERATOR(pg_catalog.=) ANY (
    SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator AS o
    WHERE o.oid OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.oid[])
)
"""
_SHOW = re.compile(r"\s*SHOW\s", re.IGNORECASE)
_EXPLAIN = re.compile(r"\s*EXPLAIN\b\s*(?:\([\w\s,']*\)|(?:(?:ANALYZE|ANALYSE|VERBOSE)\b\s*)*)\s*(?=\S)", re.IGNORECASE)
NOT_SAID = "Not run: the server did not say what it calls."


async def prepare_read(server: Server, sql: str, params: Sequence[Parameter]) -> tuple[Statement, tuple[object, ...]]:
    """The statement and its values, as `prepare` gives them, once the server has shown that it calls listed functions.

    Raises:
        UnlistedCall: it calls another one, or the server did not say.
        DatabaseError: the values do not fit. The driver's errors for what the server refuses to parse.
    """
    trees: list[tuple[str, str]] = []

    def heard(connection: Any, message: Any) -> None:
        if str(message.message).startswith("parse tree"):
            trees.append((str(message.query), str(message.detail or "")))

    server.add_log_listener(heard)
    try:
        level = await _show_trees(server)
        prepared = await prepare(server, sql, params)
        own = [tree for text, tree in trees if text == sql]
        if any(unseen_command(tree) for tree in own):
            own = await _inner_trees(server, sql, trees)
        await server.execute(_HIDE_TREES)
        await server.fetchval(_LOUD, level) if level else None
    finally:
        server.remove_log_listener(heard)
    await _check(server, own)
    return prepared


async def _show_trees(server: Server) -> str:
    """Let the server print trees to us; the level of its own log where that was lowered meanwhile, else ""."""
    quiet = _QUIET_GRANTED if server.get_server_version().major >= _GRANTS_SETTINGS else _QUIET
    try:
        level = str(await server.fetchval(_LOG_LEVEL))
        lowered = await server.fetchval(quiet)
        await server.execute(_SHOW_TREES)
    except load_driver().PostgresError as error:
        raise UnlistedCall(NOT_SAID) from error
    return level if lowered else ""


async def _inner_trees(server: Server, sql: str, trees: list[tuple[str, str]]) -> list[str]:
    """The trees of what an EXPLAIN explains, by preparing that alone; [""] for SHOW, which calls nothing.

    Options are plain words here, so nothing of the statement can hide in front of it.
    """
    if _SHOW.match(sql):
        return [""]
    found = _EXPLAIN.match(sql)
    if found is None:
        return []
    inner = sql[found.end() :]
    try:
        await server.prepare(inner)
    except load_driver().PostgresError as error:
        raise UnlistedCall(NOT_SAID) from error
    return [tree for text, tree in trees if text == inner]


async def _check(server: Server, trees: Sequence[str]) -> None:
    if not trees or any(unseen_command(tree) for tree in trees):
        raise UnlistedCall(NOT_SAID)
    for tree in trees:
        calls = tree_calls(tree)
        if calls.odd:
            raise UnlistedCall(f"Not run: the server reads it as more than a query ({calls.odd[:40]}).")
        await _check_calls(server, calls)


async def _check_calls(server: Server, calls: TreeCalls) -> None:
    numbers = calls.named | calls.implied
    if not numbers and not calls.operators:
        return
    rows = await server.fetch(_FUNCTIONS, sorted(numbers), sorted(calls.operators), _FIRST_USER_ID)
    if not numbers <= {row["id"] for row in rows}:
        raise UnlistedCall(NOT_SAID)
    for row in rows:
        listed = row["name"] in NAMES or row["name"] in TYPES or row["name"] in _FORMS
        fits = listed if row["id"] in calls.named else listed or not row["volatile"]
        if not row["known"] or not fits:
            raise UnlistedCall(f"Not run: the server says that it calls {row['name'][:63]}.", row["name"])
