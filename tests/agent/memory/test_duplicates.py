"""A new entry is compared away from the loop, and with what stands when it is written."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.agent.memory.book import MemoryBook, Written, new_memory_id
from desktop.domain.events import Event
from desktop.domain.gate.redaction import Redactor
from desktop.domain.memory.values import Entry
from desktop.store.core.events import Beside
from desktop.store.database import SqliteStore, open_store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SHOP = ("project", "shop")
AGENT = Written("agent")

pytestmark = pytest.mark.asyncio


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store of its own."""
    opened = open_store(tmp_path / "store")
    yield opened
    opened.close()


def book_of(store: SqliteStore) -> MemoryBook:
    def log(*events: Event, beside: Beside | None = None) -> None:
        if beside is not None:
            beside()

    return MemoryBook(store.memory, log, lambda: NOW, Redactor, lambda owner: None)


def entry(content: str) -> Entry:
    made = Entry(id=new_memory_id(), owner="shop", content=content, created_at=NOW, updated_at=NOW)
    return made.model_copy(update={"status": "promoted", "tier": 2})


async def test_what_was_written_while_entries_were_compared_is_compared_too(store: SqliteStore) -> None:
    book, text = book_of(store), "Invoices are rounded half up"
    comparing = asyncio.create_task(book.alike(store.readings, SHOP, text))
    await asyncio.sleep(0)
    first = book.add(entry(text), AGENT)
    merged = book.duplicate(entry(f"{text}."), await comparing)
    assert merged is not None
    assert (merged.id, merged.observations) == (first.id, first.observations + 1)


async def test_an_entry_that_changed_since_it_was_compared_takes_nothing_in(store: SqliteStore) -> None:
    book, text = book_of(store), "Invoices are rounded half up"
    first, gone = book.add(entry(text), AGENT), book.add(entry(f"{text} "), AGENT)
    alike = await book.alike(store.readings, SHOP, text)
    assert [one.id for one in alike] == [first.id, gone.id]
    book.change(first.model_copy(update={"content": "Invoices are not rounded"}), AGENT, "edited")
    book.delete(gone, AGENT)
    assert book.duplicate(entry(text), alike) is None
