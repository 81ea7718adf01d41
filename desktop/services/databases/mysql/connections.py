"""MySQL and MariaDB connections: one per call, in a worker thread, ended from outside by KILL QUERY."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.late import late
from desktop.services.databases.base import LOCK_WAIT_S, DatabaseError, Parameter, Stop, stopped_text

logger = logging.getLogger(__name__)

Server = Any  # pymysql.Connection: the driver has no type information
Cursor = Any
T = TypeVar("T")
CONNECT_TIME_S = 10
WRITE_LOCK_WAIT_S = 10
_GRACE_S = 5.0
_SHORTEST_READ_S = 1
_TIME_OVER = frozenset({1317, 1969, 3024})
_CHANGE_PARSING = frozenset(
    {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ANSI", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB"}
)


def load_driver() -> Any:
    """PyMySQL, imported at its first use."""
    return late("pymysql")


class MysqlAccess:
    """The access to one server. The password stays here and in the driver.

    Several statements in one text and files of this computer are never allowed: the driver is not told to allow them.
    """

    def __init__(self, connection: DatabaseConnection, password: SecretStr | None) -> None:
        self._connection = connection
        self._password = password

    async def run(self, work: Callable[[Server], T], stop: Stop) -> T:
        """`work` with a connection, in a thread. When the time is over or the caller is cancelled, the server is told
        to end what it does.

        Raises:
            DatabaseError: with the server's words.
        """
        opened: list[int] = []
        running = asyncio.ensure_future(asyncio.to_thread(self._work, work, stop, opened))
        try:
            async with asyncio.timeout(stop.time_limit_s + CONNECT_TIME_S):
                return await asyncio.shield(running)
        except (TimeoutError, asyncio.CancelledError) as error:
            stop.cancelled = True
            await asyncio.shield(asyncio.to_thread(self._kill, tuple(opened)))
            await asyncio.wait({running}, timeout=_GRACE_S)
            if running.done() and not running.cancelled():
                running.exception()
            if isinstance(error, TimeoutError):
                raise DatabaseError(stopped_text(stop.time_limit_s), "timeout") from error
            raise

    def kill(self, server: Server) -> None:
        """End what that connection does, from another one."""
        self._kill((server.thread_id(),))

    def _work(self, work: Callable[[Server], T], stop: Stop, opened: list[int]) -> T:
        driver = load_driver()
        reached = False
        try:
            with self._opened(stop.time_limit_s) as server:
                reached = True
                opened.append(server.thread_id())
                _prepare_session(server, stop.time_limit_s)
                return work(server)
        except (driver.MySQLError, OSError, ValueError) as error:
            raise self._failure(error, stop, reached=reached) from error

    @contextmanager
    def _opened(self, time_limit_s: float) -> Iterator[Server]:
        one = self._connection
        by_socket = one.host.startswith("/")
        server = load_driver().connect(
            host=None if by_socket else one.host,
            unix_socket=one.host if by_socket else None,
            port=one.server_port,
            user=one.user,
            password=self._password.get_secret_value() if self._password is not None else "",
            database=one.database,
            charset="utf8mb4",
            autocommit=True,
            local_infile=False,
            connect_timeout=CONNECT_TIME_S,
            read_timeout=max(int(time_limit_s + _GRACE_S), _SHORTEST_READ_S),
            write_timeout=CONNECT_TIME_S,
        )
        try:
            yield server
        finally:
            with suppress(load_driver().MySQLError, OSError):
                server.close()

    def _kill(self, threads: Sequence[int]) -> None:
        driver = load_driver()
        for thread in threads:
            try:
                with self._opened(_GRACE_S) as other, other.cursor() as cursor:
                    cursor.execute(f"KILL QUERY {int(thread)}")
            except (driver.MySQLError, OSError) as error:
                logger.warning("a query could not be ended: %s", type(error).__name__)

    def _failure(self, error: BaseException, stop: Stop, *, reached: bool) -> DatabaseError:
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        words = str(error.args[1]) if len(error.args) > 1 else str(error)
        if reached and (stop.over or code in _TIME_OVER):
            return DatabaseError(stopped_text(stop.time_limit_s), "timeout")
        secret = self._password.get_secret_value() if self._password is not None else ""
        words = words.replace(secret, "[password]") if secret else words
        return DatabaseError(words.strip() or type(error).__name__, "driver" if reached else "unreachable")


def begin_reading(server: Server) -> None:
    """A transaction in which the server refuses writes (gate-Q15), confirmed by its own variable (gate-Q16)."""
    with server.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION READ ONLY")
        cursor.execute("START TRANSACTION READ ONLY")
        name = "tx_read_only" if is_mariadb(server) else "transaction_read_only"
        cursor.execute(f"SELECT @@session.{name}")
        row = cursor.fetchone()
    if row is None or int(row[0]) != 1:
        raise DatabaseError("The server would not make the session read-only. It is not used.", "not_read_only")


def begin_writing(server: Server) -> None:
    """A transaction for an approved write, which waits longer for locks than a read or a try."""
    with server.cursor() as cursor:
        _wait_for_locks(cursor, WRITE_LOCK_WAIT_S)
    server.begin()


def execute(cursor: Cursor, sql: str, params: Sequence[Parameter]) -> None:
    """Run exactly this text. Values travel beside it, in variables of a prepared statement, never inside it."""
    if not params:
        cursor.execute(sql)
        return
    cursor.execute("SET @banksman_text = %s", (sql,))
    cursor.execute("PREPARE banksman_statement FROM @banksman_text")
    names = [f"@banksman_value_{index}" for index in range(len(params))]
    for name, value in zip(names, params, strict=True):
        cursor.execute(f"SET {name} = %s", (value,))
    cursor.execute(f"EXECUTE banksman_statement USING {', '.join(names)}")


def is_mariadb(server: Server) -> bool:
    """Whether the server says that it is MariaDB."""
    return "mariadb" in str(server.get_server_info()).casefold()


def _wait_for_locks(cursor: Cursor, seconds: int) -> None:
    cursor.execute("SET SESSION lock_wait_timeout = %s, innodb_lock_wait_timeout = %s", (seconds, seconds))


def _prepare_session(server: Server, time_limit_s: float) -> None:
    with server.cursor() as cursor:
        if is_mariadb(server):
            cursor.execute("SET SESSION max_statement_time = %s", (time_limit_s,))
        else:
            cursor.execute("SET SESSION max_execution_time = %s", (int(time_limit_s * 1000),))
        _wait_for_locks(cursor, int(LOCK_WAIT_S))
        cursor.execute("SELECT @@session.sql_mode")
        row = cursor.fetchone()
        modes = [mode for mode in str(row[0] if row else "").split(",") if mode and mode not in _CHANGE_PARSING]
        cursor.execute("SET SESSION sql_mode = %s", (",".join(modes),))
