"""Seconds to verify 100,000 events, with and without the product: `python -m tests.bench.bench_verify`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.database import open_store

VERIFIER = Path(__file__).parents[2] / "packaging" / "verify_audit.py"


def main() -> None:
    """Fill a store, verify it twice, print both times."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        message = UserMessage(parts=({"type": "text", "text": "Look at the failing test. " * 24},))
        store.events.append("ses_bench", SessionStarted(project_id="bench"))
        for _ in range(100):
            store.events.append_many("ses_bench", [message] * 1000)
        begun = time.perf_counter()
        assert store.events.verify("ses_bench") == []
        inside = time.perf_counter() - begun
        begun = time.perf_counter()
        events = store.events.read("ses_bench")
        reading = time.perf_counter() - begun
        store.close()
        begun = time.perf_counter()
        subprocess.run([sys.executable, str(VERIFIER), folder], check=True)
        alone = time.perf_counter() - begun
    print(f"verify {len(events)} events: product {inside:.2f} s, stand-alone {alone:.2f} s; read {reading:.2f} s")


if __name__ == "__main__":
    main()
