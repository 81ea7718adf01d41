"""Values of databases as text for people and models."""

import json
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

Cell = str | None


def cell_text(value: object) -> Cell:
    """A value as text, None for NULL. Bytes are named by their number, not shown."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(bytes(value)):,} bytes>"
    if isinstance(value, (date, time, timedelta)):
        return _moment(value)
    if isinstance(value, (list, tuple, set, frozenset, Mapping)):
        return json.dumps(_plain(value), ensure_ascii=False)
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    return str(value).removeprefix("<Range ").removesuffix(">") if type(value).__name__ == "Range" else str(value)


def _moment(value: date | time | timedelta) -> str:
    if isinstance(value, timedelta):
        return _interval(value)
    return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(str(_plain(item)) for item in value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return cell_text(value)


def _interval(value: timedelta) -> str:
    sign = "-" if value < timedelta(0) else ""
    rest = abs(value)
    hours, seconds = divmod(rest.seconds, 3600)
    clock = f"{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}"
    fraction = f".{rest.microseconds:06d}" if rest.microseconds else ""
    days = f"{rest.days} days " if rest.days else ""
    return f"{sign}{days}{clock}{fraction}"
