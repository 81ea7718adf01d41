"""Databases: the connections that chats of one project may use, by name."""

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.domain.gate.effects import EffectPreview
from desktop.late import late
from desktop.policy.sql.verdict import SqlVerdict
from desktop.services.databases.base import (
    ConnectionCheck,
    DatabaseEngine,
    DatabaseError,
    KeepingEngine,
    Parameter,
    QueryAnswer,
    QueryLimits,
    TableLine,
    UnlistedCall,
)
from desktop.services.databases.judging import Objections
from desktop.services.databases.kept_rows import KeptTable, Row
from desktop.services.databases.preview import no_preview_reason, write_plan

Password = Callable[[DatabaseConnection], Awaitable[SecretStr | None]]


async def no_password(connection: DatabaseConnection) -> SecretStr | None:
    """For connections that need none."""
    return None


class Databases:
    """`configured` gives the connections as they are set now; `password` is asked when a connection is opened.

    `project`: whole path of the repository; "" means that no limit to projects applies. `lane_root`: where databases
    of the lane are; None: there is no lane. Nothing is connected until a statement runs. `objections`: what
    servers have said of texts before they ran; None: nothing yet.
    """

    def __init__(
        self,
        configured: Callable[[], Sequence[DatabaseConnection]],
        password: Password = no_password,
        *,
        project: str = "",
        lane_root: Path | None = None,
        objections: Objections | None = None,
    ) -> None:
        self._configured = configured
        self._password = password
        self._project = project
        self._lane_root = lane_root
        self._objections = objections or Objections()

    def for_lane(self, project: str, lane_root: Path | None) -> "Databases":
        """The connections as a chat of that project in that lane sees them."""
        return Databases(
            self._configured, self._password, project=project, lane_root=lane_root, objections=self._objections
        )

    @property
    def enabled(self) -> tuple[DatabaseConnection, ...]:
        """The connections that may be used here, by name."""
        found = (one for one in self._configured() if not self._project or one.enabled_for(self._project))
        usable = (one for one in found if self._lane_root is not None or not one.in_lane)
        return tuple(sorted(usable, key=lambda one: one.name))

    def find(self, name: str) -> DatabaseConnection:
        """The connection of that name; "" means the only one.

        Raises:
            DatabaseError: there is none, or several and no name; the text lists the names.
        """
        enabled = self.enabled
        names = ", ".join(one.name for one in enabled) or "none"
        if not name and len(enabled) == 1:
            return enabled[0]
        if not name:
            raise DatabaseError(f"Name a connection. Connections: {names}.", "unknown_connection")
        for one in enabled:
            if one.name == name:
                return one
        raise DatabaseError(f'There is no connection "{name[:60]}". Connections: {names}.', "unknown_connection")

    def is_lane_file(self, connection: DatabaseConnection) -> bool:
        """Whether it is a SQLite file inside this chat's lane, followed through links."""
        if connection.dialect != "sqlite" or self._lane_root is None:
            return False
        try:
            return self._file(connection).is_relative_to(self._lane_root.resolve())
        except (DatabaseError, OSError):
            return False

    async def read(self, name: str, sql: str, params: Sequence[Parameter] = (), *, max_rows: int = 200) -> QueryAnswer:
        """Run one statement that was proven to read, on a connection that cannot write.

        Raises:
            UnlistedCall: the server says that it does more than was judged; nothing has run, and `verdict` knows it.
            DatabaseError: with the driver's words, never with the password.
        """
        connection = self.find(name)
        engine = await self._engine(connection)
        try:
            return await engine.read(sql, params, _limits(connection, max_rows))
        except UnlistedCall as error:
            self._objections.add(connection.name, sql, error.name)
            raise

    def verdict(self, connection: DatabaseConnection, sql: str) -> SqlVerdict:
        """The verdict on a text for one connection: whether it is proven to read only there, by the judgement and by
        all that the server has said of it."""
        return self._objections.verdict(connection.name, sql, connection.dialect)

    async def write(
        self,
        name: str,
        sql: str,
        params: Sequence[Parameter],
        verdict: SqlVerdict,
        *,
        approved: EffectPreview | None = None,
        max_rows: int = 200,
    ) -> QueryAnswer:
        """Run one approved statement, exactly this text, and commit if its effect is within the `approved` one.

        Raises:
            DatabaseError: nothing was changed, unless the statement cannot be in a transaction.
        """
        connection = self.find(name)
        if connection.read_only:
            raise DatabaseError(f"{connection.name} is read-only.")
        engine = await self._engine(connection)
        usable = approved if approved is not None and not approved.problem and not approved.on_click else None
        plan = write_plan(connection.dialect, sql, verdict, approved=usable)
        return await engine.write(sql, params, _limits(connection, max_rows), plan)

    async def preview(
        self,
        name: str,
        sql: str,
        params: Sequence[Parameter],
        verdict: SqlVerdict,
        *,
        on_click: bool = False,
    ) -> EffectPreview:
        """The effect that a text would have, found out without having it. Without a click only a SQLite file of the
        lane is asked (gate-Q21); elsewhere the answer says `on_click`, until a person asked for it. Never raises for
        what a database says."""
        try:
            connection = self.find(name)
            reason = no_preview_reason(connection.dialect, verdict)
            if reason:
                return EffectPreview(problem=reason)
            if not on_click and (connection.production or not self.is_lane_file(connection)):
                return EffectPreview(on_click=True)
            engine = await self._engine(connection)
            plan = write_plan(connection.dialect, sql, verdict, on_click=on_click)
            if not plan.transactional:
                return EffectPreview(problem="it cannot be in a transaction")
            return await engine.preview(sql, params, plan)
        except DatabaseError as error:
            return EffectPreview(problem=str(error))

    async def rows_now(self, name: str, tables: tuple[KeptTable, ...]) -> tuple[tuple[Row | None, ...], ...]:
        """Each of these rows as it is now, table by table. Raises DatabaseError."""
        connection = self.find(name)
        return await (await self._keeping(connection)).rows_now(tables, _limits(connection))

    async def put_rows_back(self, name: str, tables: tuple[KeptTable, ...]) -> None:
        """Each of these rows becomes what it was before, and nothing else changes.

        Raises:
            DatabaseError: nothing was changed.
        """
        connection = self.find(name)
        if connection.read_only:
            raise DatabaseError(f"{connection.name} is read-only.")
        await (await self._keeping(connection)).put_rows_back(tables, _limits(connection))

    async def _keeping(self, connection: DatabaseConnection) -> KeepingEngine:
        engine: KeepingEngine
        if connection.dialect == "sqlite":
            engine = late("desktop.services.databases.sqlite.engine").SqliteEngine(self._file(connection))
        elif connection.dialect == "postgres":
            secret = await self._password(connection)
            engine = late("desktop.services.databases.postgres.engine").PostgresEngine(connection, secret)
        else:
            raise DatabaseError(f"No rows of {connection.dialect} are kept.")
        return engine

    async def tables(self, name: str) -> tuple[TableLine, ...]:
        """Every table and view of a connection, from its catalogue."""
        connection = self.find(name)
        return await (await self._engine(connection)).tables(_limits(connection))

    async def describe(self, name: str, table: str) -> str:
        """One table as text like DDL, "" if there is none of that name."""
        connection = self.find(name)
        return await (await self._engine(connection)).describe(table, _limits(connection))

    async def check(self, connection: DatabaseConnection, password: SecretStr | None = None) -> ConnectionCheck:
        """Whether a connection works, also one that is not saved yet. `password` None: the stored one."""
        try:
            secret = password if password is not None else await self._password(connection)
            engine = self._make(connection, secret)
            return await engine.check()
        except DatabaseError as error:
            return ConnectionCheck(problem=str(error))

    async def _engine(self, connection: DatabaseConnection) -> DatabaseEngine:
        if connection.dialect == "sqlite":
            return self._make(connection, None)
        return self._make(connection, await self._password(connection))

    def _make(self, connection: DatabaseConnection, password: SecretStr | None) -> DatabaseEngine:
        engine: DatabaseEngine
        if connection.dialect == "sqlite":
            engine = late("desktop.services.databases.sqlite.engine").SqliteEngine(self._file(connection))
        elif connection.dialect == "postgres":
            engine = late("desktop.services.databases.postgres.engine").PostgresEngine(connection, password)
        else:
            engine = late("desktop.services.databases.mysql.engine").MysqlEngine(connection, password)
        return engine

    def _file(self, connection: DatabaseConnection) -> Path:
        """The file, links followed. One in the lane, where agents can make links, must not lead out of it."""
        if self._lane_root is None:
            if connection.in_lane:
                raise DatabaseError(f"{connection.path} is a file of a lane, and there is no lane here.", "unreachable")
            return Path(connection.path).resolve()
        root = self._lane_root.resolve()
        named = Path(os.path.normpath(root / connection.path))
        found = named.resolve()
        inside = connection.in_lane or named.is_relative_to(root) or named.is_relative_to(self._lane_root)
        if inside and not found.is_relative_to(root):
            raise DatabaseError(f"{connection.path} leads out of the lane, so it is not opened.", "unreachable")
        return found


def _limits(connection: DatabaseConnection, max_rows: int = 200) -> QueryLimits:
    return QueryLimits(max_rows=max_rows, time_limit_s=connection.time_limit_s)
