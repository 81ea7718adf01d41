"""The clock: what tells the time where nobody gave another one."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present time, aware, in UTC."""
    return datetime.now(UTC)
