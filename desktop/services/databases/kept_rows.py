"""Rows that a write changed, as they were before and after it: kept so that it can be taken back (memory-UL3)."""

import json
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

MOST_ROWS, MOST_BYTES = 1_000, 4 * 1024 * 1024
TOO_MANY = f"more than {MOST_ROWS:,} rows changed"
TOO_LARGE = f"they have more than {MOST_BYTES // 1024 // 1024} MiB"
CHANGED = "A row of {table} is not as the write left it."
OTHER_TABLE = "The table {table} is not the one that was written: it is gone, or its columns or key differ."
BY_KEYS = "The database's own keys or triggers would change other rows than those."

Value = int | float | str | bytes | None
Row = tuple[Value, ...]


class KeptRow(NamedTuple):
    """One row by its key: how it was and how it was left, None where there was none."""

    key: Row
    before: Row | None
    after: Row | None

    def turned(self) -> "KeptRow":
        """The same change the other way round."""
        return KeptRow(self.key, self.after, self.before)


class KeptTable(NamedTuple):
    """The rows of one table that changed. `keys`: the columns by which one row is told from all others."""

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    rows: tuple[KeptRow, ...]


def same(one: Row | None, other: Row | None) -> bool:
    """Whether both are the same to the last bit: 1 and 1.0, and 0.0 and -0.0, are not."""
    return repr(one) == repr(other)


def net(changes: Iterable[tuple[Row | None, Row | None]], key_of: Callable[[Row], Row]) -> tuple[KeptRow, ...]:
    """What changes of rows, in order, come to: for each key the first and the last version, where they differ."""
    first: dict[Row, Row | None] = {}
    last: dict[Row, Row | None] = {}
    for old, new in changes:
        for row, now in ((old, None), (new, new)):
            if row is not None:
                key = key_of(row)
                first.setdefault(key, old if row is old else None)
                last[key] = now
    return tuple(KeptRow(key, first[key], last[key]) for key in first if not same(first[key], last[key]))


def dumped(tables: Iterable[KeptTable]) -> bytes:
    """As bytes that `loaded` reads."""
    listed = [
        {
            "name": table.name,
            "columns": table.columns,
            "keys": table.keys,
            "rows": [[_written(row.key), _written(row.before), _written(row.after)] for row in table.rows],
        }
        for table in tables
    ]
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode()


def loaded(data: bytes) -> tuple[KeptTable, ...]:
    """What `dumped` wrote. Raises ValueError where it is nothing of the kind."""
    try:
        return tuple(
            KeptTable(
                table["name"],
                tuple(table["columns"]),
                tuple(table["keys"]),
                tuple(KeptRow(_read(key) or (), _read(before), _read(after)) for key, before, after in table["rows"]),
            )
            for table in json.loads(data)
        )
    except (KeyError, TypeError) as error:
        raise ValueError("These are no kept rows.") from error


def _written(row: Row | None) -> list[object] | None:
    return None if row is None else [_value(value) for value in row]


def _value(value: Value) -> object:
    if isinstance(value, bytes):
        return {"b": value.hex()}
    if isinstance(value, float):
        return {"r": repr(value)} if math.isfinite(value) else {"r": str(value)}
    return value


def _read(row: list[object] | None) -> Row | None:
    return None if row is None else tuple(_parsed(value) for value in row)


def _parsed(value: object) -> Value:
    if isinstance(value, dict):
        return bytes.fromhex(str(value["b"])) if "b" in value else float(str(value["r"]))
    if value is None or isinstance(value, int | str):
        return value
    raise TypeError(value)
