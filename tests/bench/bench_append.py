"""What an append costs against a bare insert with the same pragmas: `python -m tests.bench.bench_append`."""

import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.database import open_store
from desktop.store.sqlite.connection import pragmas

ROUNDS = 2000
MESSAGE = UserMessage(parts=({"type": "text", "text": "x" * 2048},))


def main() -> None:
    """Measure both in turns, so that a busy disk hits both; print median, p99 and the ratio of the medians."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store")
        store.events.append("ses_bench", SessionStarted(project_id="bench"))
        raw = bare_database(Path(folder) / "raw.db")
        body = json.dumps(MESSAGE.model_dump())
        appended: list[float] = []
        inserted: list[float] = []
        for number in range(ROUNDS):
            appended.append(timed(lambda: store.events.append("ses_bench", MESSAGE)))
            inserted.append(
                timed(lambda row=("s", number, body): raw.execute("INSERT INTO event VALUES (?, ?, ?)", row))
            )
        raw.close()
        store.close()
    show("EventStore.append", appended)
    show("bare INSERT", inserted)
    print(f"ratio of the medians: {statistics.median(appended) / statistics.median(inserted):.2f}")


def bare_database(file: Path) -> sqlite3.Connection:
    """One table, each insert its own commit."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    for pragma in pragmas():
        connection.execute(pragma)
    connection.execute("CREATE TABLE event (session_id TEXT, seq INTEGER, body TEXT, PRIMARY KEY (session_id, seq))")
    return connection


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


def show(name: str, times: list[float]) -> None:
    """One line of figures."""
    p99 = statistics.quantiles(times, n=100)[98]
    print(f"{name}: median {statistics.median(times):.3f} ms, p99 {p99:.3f} ms, {len(times)} times")


if __name__ == "__main__":
    main()
