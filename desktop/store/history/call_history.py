"""Commands of the past and how often a rule decided, read from the log on a connection of its own. Any thread."""

import re
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import StoreError
from desktop.domain.core.permissions import Verdict
from desktop.domain.gate.rules import PastCall
from desktop.store.core.readings import RuleUse
from desktop.store.history.event_body import format_at, parse_at
from desktop.store.sqlite.connection import Row, connect_reading, fetch

MAX_CALLS = 10_000
MAX_AGE = timedelta(days=90)
_OF_PROJECT = "AND session_id IN (SELECT session_id FROM session WHERE project_id = ?)"
_DECIDED = """
    SELECT session_id, seq, at, json_extract(body, '$.call_id'),
        CASE json_type(body, '$.input.command') WHEN 'text' THEN json_extract(body, '$.input.command') END,
        json_extract(body, '$.verdict')
    FROM event WHERE type = 'tool_call_decided' AND at >= ? {project} AND json_valid(body)
        AND json_extract(body, '$.tool') = 'bash' ORDER BY rowid DESC LIMIT ?"""
_STARTED = """
    SELECT session_id, json_extract(body, '$.call_id') FROM event
    WHERE type = 'tool_call_started' AND at >= ? {project} AND json_valid(body)"""
_FINISHED = """
    SELECT json_extract(body, '$.outcome') FROM event
    WHERE session_id = ? AND seq > ? AND type = 'tool_call_finished' AND json_valid(body)
        AND json_extract(body, '$.call_id') = ? ORDER BY seq LIMIT 1"""
_WITH_RULES = """
    SELECT at, body FROM event WHERE type = 'tool_call_decided' {project} AND instr(body, '"rule_id":"') > 0"""
_RULE_ID = re.compile(r'"rule_id":"([^"\\]{1,100})"')

_Outcome = Literal["allowed", "approved", "declined", "refused", "cancelled"]
_ENDS: dict[str, _Outcome] = {"declined": "declined", "refused": "refused"}


def past_commands(
    database: Path, project_id: str | None, now: datetime, *, limit: int = MAX_CALLS
) -> tuple[PastCall, ...]:
    """The bash calls of a project (None: of all) of the last 90 days, newest first, each once with what became of it.
    A call that still waits for a person is not of the past.

    Its text is "" where the record has no command. A store that does not exist holds none.

    Raises:
        StoreError: the store cannot be read.
    """
    since = format_at(now - MAX_AGE)
    with closing(_connection(database)) as connection:
        decided = _rows(connection, _DECIDED, project_id, since, limit)
        started = {(str(row[0]), str(row[1])) for row in _rows(connection, _STARTED, project_id, since)}
        calls: dict[tuple[str, str], PastCall | None] = {}
        for session_id, seq, at, call_id, command, verdict in decided:
            key = (str(session_id), str(call_id))
            if key in calls:
                continue
            outcome = _outcome(connection, key, seq, verdict, ran=key in started)
            calls[key] = outcome and PastCall(
                session_id=key[0],
                call_id=key[1],
                at=parse_at(str(at)),
                text=command if isinstance(command, str) else "",
                outcome=outcome,
            )
    return tuple(call for call in calls.values() if call is not None)


def rule_uses(database: Path, project_id: str | None) -> dict[str, RuleUse]:
    """By rule id: how many recorded decisions of a project (None: of all) it took part in, and when last.

    Raises:
        StoreError: the store cannot be read.
    """
    uses: dict[str, RuleUse] = {}
    with closing(_connection(database)) as connection:
        for at, body in _rows(connection, _WITH_RULES, project_id):
            when = parse_at(str(at))
            for rule_id in set(_RULE_ID.findall(str(body))):
                old = uses.get(rule_id)
                uses[rule_id] = RuleUse(
                    hits=old.hits + 1 if old else 1, last_used=max(old.last_used, when) if old else when
                )
    return uses


def _connection(database: Path) -> sqlite3.Connection:
    if not database.exists():
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE event (session_id, seq, at, type, body)")
        connection.execute("CREATE TABLE session (session_id, project_id)")
        return connection
    try:
        return connect_reading(database)
    except sqlite3.Error as error:
        raise StoreError(f"The chats in {database.parent} cannot be read: {error}.") from error


def _rows(connection: sqlite3.Connection, sql: str, project_id: str | None, *parameters: str | int) -> list[Row]:
    of_project = (*parameters[:1], project_id, *parameters[1:]) if project_id is not None else parameters
    try:
        return fetch(connection, sql.format(project="" if project_id is None else _OF_PROJECT), of_project)
    except sqlite3.Error as error:
        raise StoreError(f"The past calls cannot be read: {error}.") from error


def _outcome(
    connection: sqlite3.Connection, call: tuple[str, str], seq: object, verdict: object, *, ran: bool
) -> _Outcome | None:
    """What became of a call, None while it waits."""
    if verdict == Verdict.ALLOW:
        return "allowed"
    if verdict != Verdict.ASK:
        return "refused"
    if ran:
        return "approved"
    found = fetch(connection, _FINISHED, (call[0], int(str(seq)), call[1]))
    return _ENDS.get(str(found[0][0]), "cancelled") if found else None
