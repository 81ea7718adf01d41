"""The memory at 100,000 entries: `python -m tests.bench.bench_memory [ENTRIES]`.

Prints what a search costs as a turn makes it (entries read, ranked), what a new entry costs with its comparison, and
what a turn pays whose memory is empty.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from desktop.agent.memory.finding import _find
from desktop.domain.memory.values import Entry
from desktop.policy.memory.guard import classify_prompt
from desktop.store.core.memory import MemoryQuery
from desktop.store.database import SqliteStore, open_store

NOW = datetime.now(UTC)
OWNERS = (("project", "shop"), ("person", ""))
VOCABULARY = 20_000
PER_OWNER = 2_000


def main() -> None:
    """Measure and print."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        store = open_store(Path(name) / "store")
        assert isinstance(store, SqliteStore)
        empty(store)
        chance = random.Random(7)
        fill(store, entries, chance)
        for label, words in (("two words", 2), ("three words", 3), ("a prompt of 50 words", 50)):
            queries = [" ".join(drawn(chance) for _ in range(words)) for _ in range(200)]
            searched(store, label, queries)
        alike(store, chance)
        store.close()


def drawn(chance: random.Random) -> str:
    """A word as rare as words are: few common ones, many rare ones."""
    return f"w{min(VOCABULARY - 1, int(chance.paretovariate(0.7)))}"


def entry(number: int, chance: random.Random) -> Entry:
    """About 190 characters; the first owner is the one that is searched for, up to its limit."""
    content = " ".join(drawn(chance) for _ in range(35))
    owner = "shop" if number < PER_OWNER else f"other{number // PER_OWNER}"
    made = Entry(id=f"mem_{number:012x}", owner=owner, content=content, created_at=NOW, updated_at=NOW)
    return made.model_copy(update={"status": "promoted", "tier": 2})


def fill(store: SqliteStore, entries: int, chance: random.Random) -> None:
    """All of them; the last thousand with a commit each, as the app makes them."""
    began = time.perf_counter()
    connection = store.database.connection
    connection.execute("PRAGMA synchronous = OFF")
    for number in range(entries):
        store.memory.add(entry(number, chance))
    print(f"{entries:,} entries in {time.perf_counter() - began:.0f} s")


def searched(store: SqliteStore, label: str, queries: list[str]) -> None:
    """Median and 95th percentile of searches over the whole store, and of one owner's entries as a turn makes them."""
    for owners, whose in ((OWNERS, "one project"), ((*OWNERS, *others()), "fifty projects")):
        took, processor, ways = [], [], []
        for text in queries:
            query = MemoryQuery(text=text, owners=owners, statuses=("promoted",), tiers=(1, 2), least=4)
            began, worked = time.perf_counter(), time.process_time()
            ways.append(_find(store.readings, query, NOW, None).found.way)
            took.append((time.perf_counter() - began) * 1000)
            processor.append((time.process_time() - worked) * 1000)
        took.sort()
        processor.sort()
        spread = ", ".join(f"{way or 'none'} {ways.count(way)}" for way in sorted(set(ways)))
        median, cpu = statistics.median(took), statistics.median(processor)
        print(f"{label}, {whose}: median {median:.1f} ms, p95 {took[189]:.1f} ms; ", end="")
        print(f"processor {cpu:.1f} ms, p95 {processor[189]:.1f} ms ({spread})")


def others() -> tuple[tuple[str, str], ...]:
    """The other owners that there are."""
    return tuple(("project", f"other{number}") for number in range(1, 50))


def alike(store: SqliteStore, chance: random.Random) -> None:
    """What a new entry costs: compared with all of its owner, and kept."""
    wanted = [entry(10_000_000 + number, chance).model_copy(update={"owner": "shop"}) for number in range(100)]
    compare = spread([lambda one=one: store.readings.alike("project", "shop", one.content) for one in wanted])
    keep = spread([lambda one=one: store.memory.add(one) for one in wanted])
    print(f"candidates of a duplicate among 2,000: {compare}; one more entry with its index: {keep}")


def empty(store: SqliteStore) -> None:
    """What a turn asks while nothing is remembered."""
    asked = spread([lambda: store.memory.count("project", "shop")] * 1000)
    prompt = "walk me through the lorem ipsum dolor sit amet " * 420
    classified = spread([lambda: classify_prompt(prompt)] * 20)
    print(f"count of an empty memory (once after each change): {asked}; class of 20,000 characters: {classified}")


def spread(acts: list[Callable[[], object]]) -> str:
    """Median and 95th percentile in words."""
    took = []
    for act in acts:
        began = time.perf_counter()
        act()
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return f"median {statistics.median(took):.3f} ms, p95 {took[int(len(took) * 0.95) - 1]:.3f} ms"


if __name__ == "__main__":
    main()
