"""A real store under tmp_path, opened and closed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.store.database import SqliteStore, open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., SqliteStore]]:
    """Open the store of the test; close what is still open at its end."""
    stores: list[SqliteStore] = []

    def open_it(**options: object) -> SqliteStore:
        stores.append(open_store(folder, **options))  # type: ignore[arg-type]
        return stores[-1]

    yield open_it
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Callable[..., SqliteStore]) -> SqliteStore:
    return opened()
