"""Search at growing sizes: `python -m tests.bench.bench_search [ENTRIES ...]`.

Prints what the first page costs for rare and common words, phrases and exclusions.
"""

import sys
import tempfile
from pathlib import Path

from desktop.domain.events import Event, SessionStarted, UserMessage
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.library.search import search
from tests.bench.bench_sessions import WORDS, text, timed

SIZES = (100_000, 400_000)
QUERIES = ("prompt7", "lorem", '"prompt lorem"', '"lorem ipsum dolor"', "lorem -ipsum", "sadip*", '"elitr absent"')


def main() -> None:
    """Measure and print."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    for entries in sizes:
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name) / "store", entries)


def measure(folder: Path, entries: int) -> None:
    """One store of so many entries that hold the same common words."""
    store = open_store(folder)
    store.database.connection.execute("PRAGMA synchronous = OFF")
    for start in range(0, entries, 1000):
        begun: list[Event] = [] if start else [SessionStarted(project_id="bench")]
        said = [UserMessage(parts=text(f"prompt{number} {WORDS[:200]}")) for number in range(start, start + 1000)]
        store.events.append_many("ses_bench", [*begun, *said])
    index = store.search
    while not index.step(1.0):
        pass
    for words in QUERIES:
        took = min(timed(lambda w=words: search(folder / DATABASE_NAME, w)) for _ in range(3))
        page = search(folder / DATABASE_NAME, words)
        found = f"{len(page.hits)} hits {page.problem}"
        print(f"{entries:,} entries, {words!r}: {took * 1000:.0f} ms, {found}")
    store.close()


if __name__ == "__main__":
    main()
