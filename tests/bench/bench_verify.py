"""Seconds to verify 100,000 events, and the same as an export, with anchors: `python -m tests.bench.bench_verify`."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.domain.events import SessionStarted, UserMessage
from desktop.domain.gate.redaction import Redactor
from desktop.store.audit.anchors import Anchors
from desktop.store.audit.export import export_session
from desktop.store.database import open_store

VERIFIER = Path(__file__).parents[2] / "packaging" / "verify_audit.py"
SESSION = "ses_bench"


def main() -> None:
    """Fill a store, verify it inside and outside the product, export it, verify that; print the times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        anchors_file, out = folder / "logs" / "anchors.jsonl", folder / "out.jsonl"
        store = open_store(folder / "store")
        anchors = Anchors(anchors_file, store.store_id, store.events.flush)
        store.events.subscribe(anchors.seen)
        message = UserMessage(parts=({"type": "text", "text": "Look at the failing test. " * 24},))
        store.events.append(SESSION, SessionStarted(project_id="bench"))
        for _ in range(100):
            store.events.append_many(SESSION, [message] * 1000)
        anchors.close()
        inside = _seconds(lambda: store.events.verify(SESSION))
        newest = _seconds(lambda: store.events.verify(SESSION, last=1000))
        reading = _seconds(lambda: store.events.read(SESSION))
        database = store.database.folder / "banksman.db"
        store.close()
        redactor = Redactor({"key": "correct-horse-battery"})
        exporting = _seconds(lambda: export_session(database, SESSION, out, lambda text: redactor.redact(text).text))
        print(f"100,001 events: verify inside {inside:.2f} s, the newest 1,000 {newest:.3f} s, read {reading:.2f} s")
        print(f"stand-alone: store {_alone(folder / 'store'):.2f} s, with anchors", end=" ")
        print(f"{_alone(folder / 'store', '--anchors', str(anchors_file)):.2f} s", end=", ")
        print(f"export {_alone(out, '--anchors', str(anchors_file)):.2f} s; writing the export {exporting:.2f} s")


def _alone(file: Path, *words: str) -> float:
    command = [sys.executable, str(VERIFIER), str(file), *words]
    return _seconds(lambda: subprocess.run(command, check=bool(words), stdout=subprocess.DEVNULL))


def _seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
