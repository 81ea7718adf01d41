"""Real databases: SQLite files in a lane, and a database of its own on a real PostgreSQL server."""

import hashlib
import sqlite3
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from desktop.config.databases import DatabaseConnection
from desktop.domain.gate.effects import EffectPreview
from desktop.services.databases.base import Parameter, QueryAnswer
from desktop.services.databases.connections import Databases, Password, no_password
from desktop.services.databases.judging import verdict_of
from tests.fakes.postgres_server import PostgresServer

SHOP = """
CREATE TABLE parent (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE child (id integer PRIMARY KEY, pid integer REFERENCES parent (id) ON DELETE CASCADE, v text);
CREATE TABLE log (msg text);
INSERT INTO parent VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO child VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, NULL);
"""
SQLITE_TRIGGER = """
CREATE TRIGGER gone AFTER DELETE ON child BEGIN INSERT INTO log VALUES ('gone ' || OLD.id); END;
"""
POSTGRES_TRIGGER = """
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO log VALUES ('gone ' || OLD.id); RETURN OLD; END $$;
CREATE TRIGGER gone AFTER DELETE ON child FOR EACH ROW EXECUTE FUNCTION note();
CREATE TABLE item (id serial PRIMARY KEY, at timestamptz, price numeric(10, 2));
"""


@dataclass
class Shop:
    """One database under test: through our connections, and `file` beside them."""

    databases: Databases
    name: str
    dialect: str
    file: Path
    password: Password = no_password

    async def read(self, sql: str, *params: Parameter, max_rows: int = 200) -> QueryAnswer:
        return await self.databases.read(self.name, sql, params, max_rows=max_rows)

    async def rows(self, sql: str) -> list[tuple[str | None, ...]]:
        return list((await self.read(sql)).rows)

    async def preview(self, sql: str, params: Sequence[Parameter] = (), *, on_click: bool = True) -> EffectPreview:
        verdict = verdict_of(sql, self.dialect)
        return await self.databases.preview(self.name, sql, params, verdict, on_click=on_click)

    async def write(self, sql: str, *params: Parameter, approved: EffectPreview | None = None) -> QueryAnswer:
        return await self.databases.write(self.name, sql, params, verdict_of(sql, self.dialect), approved=approved)

    def within(self, time_limit_s: int) -> "Shop":
        """The same one, of which each call may take so long."""
        connection = self.databases.find(self.name).model_copy(update={"time_limit_s": time_limit_s})
        return replace(self, databases=Databases(lambda: (connection,), self.password))

    def as_user(self, user: str) -> "Shop":
        """The same one under another account."""
        connection = self.databases.find(self.name).model_copy(update={"user": user})
        return replace(self, databases=Databases(lambda: (connection,), self.password))

    def sha256(self) -> str:
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def make_sqlite(path: Path, script: str = SHOP + SQLITE_TRIGGER) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def sqlite_connection(path: Path | str, **changes: Any) -> DatabaseConnection:
    return DatabaseConnection(**{"name": "app", "dialect": "sqlite", "path": str(path), **changes})


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    folder = tmp_path / "lane"
    folder.mkdir()
    return folder


@pytest.fixture
def shop(lane: Path) -> Shop:
    file = make_sqlite(lane / "app.db")
    connection = sqlite_connection(file)
    return Shop(Databases(lambda: (connection,), lane_root=lane), "app", "sqlite", file)


@pytest_asyncio.fixture
async def postgres(postgres_server: PostgresServer, tmp_path: Path) -> AsyncIterator[Shop]:
    name, host = f"shop_{uuid.uuid4().hex}", str(postgres_server.folder)
    admin = await asyncpg.connect(host=host, user=postgres_server.user, database="postgres")
    await admin.execute(f"CREATE DATABASE {name}")
    made = await asyncpg.connect(host=host, user=postgres_server.user, database=name)
    await made.execute(SHOP + POSTGRES_TRIGGER)
    await made.close()
    connection = DatabaseConnection(name="pg", dialect="postgres", host=host, database=name, user=postgres_server.user)
    yield Shop(Databases(lambda: (connection,)), "pg", "postgres", tmp_path)
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()
