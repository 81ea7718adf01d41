"""PostgreSQL connections: one per call, reading ones inside a transaction that the server itself keeps from writing."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.late import late
from desktop.services.databases.base import LOCK_WAIT_S, DatabaseError, Parameter, stopped_text
from desktop.services.processes.stubborn import to_its_end

Server = Any  # asyncpg.Connection: the driver has no type information
Statement = Any
CONNECT_TIME_S = 10.0
WRITE_LOCK_WAIT_S = 10.0
_GRACE_S = 5.0
_CANCEL_TIME_S = 2.0
_NATIVE = frozenset(
    {
        "bool",
        "int2",
        "int4",
        "int8",
        "oid",
        "float4",
        "float8",
        "numeric",
        "text",
        "varchar",
        "bpchar",
        "name",
        "json",
        "jsonb",
        "bytea",
        "void",
        "unknown",
        "record",
    }
)


def load_driver() -> Any:
    """asyncpg, imported at its first use."""
    return late("asyncpg")


class PostgresAccess:
    """The access to one server. The password stays here and in the driver."""

    def __init__(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        self._connection = connection
        self._password = password

    @asynccontextmanager
    async def reading(self, time_limit_s: float) -> AsyncIterator[Server]:
        """A connection in a read-only transaction that always ends in ROLLBACK (gate-Q15); the server has confirmed
        that it refuses writes (gate-Q16).

        Raises:
            DatabaseError: it cannot be reached, it could write, or the work inside failed.
        """
        async with self._opened(time_limit_s, LOCK_WAIT_S, {"default_transaction_read_only": "on"}) as server:
            await server.execute("BEGIN READ ONLY")
            if await server.fetchval("SHOW transaction_read_only") != "on":
                problem = "The server would not make the transaction read-only. It is not used."
                raise DatabaseError(problem, "not_read_only")
            yield server

    @asynccontextmanager
    async def writing(
        self, time_limit_s: float, *, lock_wait_s: float = WRITE_LOCK_WAIT_S, transaction: bool = True
    ) -> AsyncIterator[Server]:
        """A connection for one approved write or its preview. What is not committed inside is rolled back."""
        async with self._opened(time_limit_s, lock_wait_s, {}) as server:
            if transaction:
                await server.execute("BEGIN")
            yield server

    @asynccontextmanager
    async def _opened(self, time_limit_s: float, lock_wait_s: float, more: dict[str, str]) -> AsyncIterator[Server]:
        driver = await asyncio.to_thread(load_driver)
        settings = {
            "application_name": "banksman",
            "statement_timeout": str(int(time_limit_s * 1000)),
            "lock_timeout": str(int(lock_wait_s * 1000)),
            "idle_in_transaction_session_timeout": str(int((time_limit_s + _GRACE_S) * 1000)),
            **more,
        }
        failures = (driver.PostgresError, driver.InterfaceError, OSError, ValueError)
        server: Server = None
        try:
            async with asyncio.timeout(time_limit_s + CONNECT_TIME_S + _GRACE_S):
                server = await self._connect(driver, settings)
                yield server
                await _end(server)
        except TimeoutError as error:
            raise DatabaseError(stopped_text(time_limit_s), "timeout") from error
        except failures as error:
            raise self._failure(error, time_limit_s, reached=server is not None) from error
        finally:
            if server is not None and not server.is_closed():
                await to_its_end(_let_go(server))

    async def _connect(self, driver: Any, settings: dict[str, str]) -> Server:
        one = self._connection
        return await driver.connect(
            host=one.host,
            port=one.server_port,
            user=one.user,
            database=one.database,
            password=self._password.get_secret_value() if self._password is not None else "",
            timeout=CONNECT_TIME_S,
            statement_cache_size=0,
            server_settings=settings,
        )

    def _failure(self, error: BaseException, time_limit_s: float, *, reached: bool) -> DatabaseError:
        words = self.without_password(str(error).strip() or type(error).__name__)
        if "statement timeout" in words:
            return DatabaseError(stopped_text(time_limit_s), "timeout")
        return DatabaseError(words, "driver" if reached else "unreachable")

    def without_password(self, text: str) -> str:
        """`text` without the password, wherever it may have come from."""
        secret = self._password.get_secret_value() if self._password is not None else ""
        return text.replace(secret, "[password]") if secret else text


async def prepare(server: Server, sql: str, params: Sequence[Parameter]) -> tuple[Statement, tuple[object, ...]]:
    """The one statement, parsed by the server, and its values as the server wants them.

    Types that Python has no exact form for (times with infinity, intervals in months, network addresses) travel as
    text.
    """
    statement = await server.prepare(sql)
    types = [attribute.type for attribute in statement.get_attributes()]
    wanted = list(statement.get_parameters())
    plain = {(one.schema, one.name) for one in (*types, *wanted) if one.kind == "scalar" and one.name not in _NATIVE}
    for schema, name in sorted(plain):
        await server.set_type_codec(name, schema=schema, encoder=str, decoder=str, format="text")
    if plain:
        statement = await server.prepare(sql)
    if len(wanted) != len(params):
        raise DatabaseError(f"The text takes {len(wanted)} values and params has {len(params)}.")
    pairs = zip(params, wanted, strict=True)
    return statement, tuple(_value(value, one.name, (one.schema, one.name) in plain) for value, one in pairs)


def _value(value: Parameter, type_name: str, as_text: bool) -> object:
    if value is None:
        return None
    if as_text:
        return str(value).lower() if isinstance(value, bool) else str(value)
    if type_name in ("float4", "float8") and isinstance(value, int):
        return float(value)
    return str(value) if type_name == "numeric" else value


async def committed(server: Server) -> None:
    """End the transaction so that it counts. Raises DatabaseError: the server rolled it back, which it does without a
    word where something in it failed."""
    if await server.execute("COMMIT") != "COMMIT":
        raise DatabaseError("The server rolled it back.")


async def _end(server: Server) -> None:
    if server.is_in_transaction():
        await server.execute("ROLLBACK")
    await server.close(timeout=_GRACE_S)


async def _let_go(server: Server) -> None:
    """Close a connection on which something was cut short or failed. What still runs is cancelled on the server first:
    a server whose client is just gone works on."""
    with contextlib.suppress(Exception):  # whatever it is, the connection is dropped
        await server.close(timeout=_CANCEL_TIME_S)
    server.terminate()


def changed_rows(status: str) -> int | None:
    """The number in a command tag such as `DELETE 3` or `INSERT 0 1`, None where it does not count changes."""
    found = re.fullmatch(r"(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)", status or "")
    return int(found[1]) if found else None
