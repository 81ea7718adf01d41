"""The language of every engine: limits in, answers out, one error, and a stop that a worker thread looks at."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeVar

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.gate.effects import EffectPreview
from desktop.records import dataclass
from desktop.services.databases.cells import Cell, cell_text
from desktop.services.databases.kept_rows import KeptTable, Row

Parameter = str | int | float | bool | None
ErrorCode = Literal[
    "driver", "timeout", "effect_changed", "not_judged", "unknown_connection", "not_read_only", "unreachable"
]
BATCH = 100
MAX_BYTES = 1024 * 1024
LOCK_WAIT_S = 1.0
PREVIEW_TIME_S = 5.0
MAX_PREVIEW_BYTES = 256 * 1024 * 1024
SAMPLE_ROWS = 20
_GRACE_S = 5.0
T = TypeVar("T")


class DatabaseError(BanksmanError):
    """A database could not do it. The text is the driver's, without any password; `code` is for the caller."""

    def __init__(self, text: str, code: ErrorCode = "driver") -> None:
        super().__init__(text)
        self.code = code


class UnlistedCall(DatabaseError):
    """The server would call something that nobody judged; nothing has run. `name`: what, "" where it is not known."""

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__(text, "not_judged")
        self.name = name


@dataclass(frozen=True)
class QueryLimits:
    """The limits of an answer: it is cut at so many rows, at so many bytes of text, and stopped after so many
    seconds."""

    max_rows: int = 200
    max_bytes: int = MAX_BYTES
    time_limit_s: float = 30.0


class QueryAnswer(Frozen):
    """Rows of a statement as text, None for NULL. `types`: the database's words, "" where it has none.

    `stopped`: the limit at which fetching ended. `changed`: rows a write changed, None where no number makes sense.
    `kept`: these rows from before and after it (`kept_rows.py`), and `not_kept` why there are none.
    """

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    stopped: Literal["", "rows", "bytes"] = ""
    changed: int | None = None
    duration_ms: int = 0
    kept: bytes | None = None
    not_kept: str = ""


class ConnectionCheck(Frozen):
    """The result of testing a connection. `can_write`: the account could change data; None: not found out.

    `advice`: one sentence about rights that are wider than they need be.
    """

    version: str = ""
    can_write: bool | None = None
    advice: str = ""
    problem: str = ""


class TableLine(Frozen):
    """One table in a catalogue's list. `rows` is an estimate, None where the database has none."""

    name: str
    kind: str = "table"
    columns: int = 0
    rows: int | None = None


class DatabaseEngine(Protocol):
    """One database, of one kind. Every call opens a connection of its own and closes it.

    Raises:
        DatabaseError: with the driver's words.
    """

    async def read(self, sql: str, params: Sequence[Parameter], limits: QueryLimits) -> QueryAnswer:
        """Run one statement on a connection that cannot write, after making sure of that."""

    async def write(self, sql: str, params: Sequence[Parameter], limits: QueryLimits, plan: "WritePlan") -> QueryAnswer:
        """Run one approved statement and commit, unless its effect is not the approved one."""

    async def preview(self, sql: str, params: Sequence[Parameter], plan: "WritePlan") -> EffectPreview:
        """The effect that the statement would have, found out without having it."""

    async def tables(self, limits: QueryLimits) -> tuple[TableLine, ...]:
        """Every table and view, by name."""

    async def describe(self, table: str, limits: QueryLimits) -> str:
        """One table as text like DDL, "" if there is none of that name."""

    async def check(self) -> ConnectionCheck:
        """Whether it can be reached and what it is."""


class KeepingEngine(Protocol):
    """A database whose rows from before a write are kept, so that they can be put back.

    Raises:
        DatabaseError: with the driver's words.
    """

    async def rows_now(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> tuple[tuple[Row | None, ...], ...]:
        """Each kept row as it is now, table by table, None where there is none."""

    async def put_rows_back(self, tables: tuple[KeptTable, ...], limits: QueryLimits) -> None:
        """Each row becomes what it was before, in one transaction; nothing else changes, or nothing does."""


@dataclass(frozen=True)
class WritePlan:
    """The way in which an approved statement is run. `counted`: it is INSERT, UPDATE or DELETE, whose rows can be
    counted.

    `tables`: what it names, the changed one first. `transactional`: it can be in a transaction. `approved`: the effect
    that a person saw, None if there was no preview. `whole_file_allowed`: a person asked for the preview, so a large
    file may be tried in place and rolled back.
    """

    counted: bool
    tables: tuple[str, ...] = ()
    transactional: bool = True
    approved: EffectPreview | None = None
    whole_file_allowed: bool = False


@dataclass
class Stop:
    """The end of work in a thread: at `deadline` (monotonic seconds), or once `cancelled`."""

    time_limit_s: float
    deadline: float = field(init=False)
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + self.time_limit_s

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.deadline

    @property
    def over(self) -> bool:
        """Whether the work must end, at its deadline or because it was cancelled."""
        return self.cancelled or self.late


def stopped_text(time_limit_s: float) -> str:
    """The words for a time limit."""
    return f"Stopped after {time_limit_s:g} s."


async def in_thread(work: Callable[[], T], stop: Stop) -> T:
    """Run `work` in a thread. A cancelled caller sets `stop` and waits a moment for the thread to see it."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.cancelled = True
        await asyncio.wait({running}, timeout=_GRACE_S)
        if running.done() and not running.cancelled():
            running.exception()
        raise


class RowGatherer:
    """Takes rows until a limit is reached. `full` says that no more are wanted."""

    def __init__(self, limits: QueryLimits) -> None:
        self._limits = limits
        self._bytes = 0
        self.rows: list[tuple[Cell, ...]] = []
        self.stopped: Literal["", "rows", "bytes"] = ""

    @property
    def full(self) -> bool:
        """Whether a limit was hit."""
        return self.stopped != ""

    def add(self, batch: Iterable[Sequence[object]]) -> bool:
        """Take these rows; False once a limit is hit."""
        for raw in batch:
            if len(self.rows) >= self._limits.max_rows:
                self.stopped = "rows"
                return False
            row = tuple(cell_text(value) for value in raw)
            self._bytes += sum(len(cell.encode("utf-8", "replace")) for cell in row if cell is not None)
            if self._bytes > self._limits.max_bytes:
                self.stopped = "bytes"
                return False
            self.rows.append(row)
        return True


def elapsed_ms(started: float) -> int:
    """Whole milliseconds since `started` (time.monotonic())."""
    return int((time.monotonic() - started) * 1000)
