"""What keeps the chats is known to the store alone: everything else works with `Store` and its parts."""

import ast
from functools import cache
from pathlib import Path

import pytest

DESKTOP = Path(__file__).parents[2] / "desktop"
OWN_DATABASES = DESKTOP / "services" / "databases" / "sqlite"
"""The person's own SQLite files, which have nothing to do with the store."""
OPENERS = frozenset({"open_store", "readings_at"})


WORDS = ("sqlite3", "desktop.store", "store.database")


@cache
def outside() -> tuple[tuple[str, ast.stmt | ast.expr], ...]:
    """Every statement and expression of every module that is not the store's and speaks of it, with where it stands."""
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(DESKTOP.rglob("*.py"))}
    return tuple(
        (f"{file.relative_to(DESKTOP)}:{node.lineno}", node)
        for file, text in texts.items()
        if not file.is_relative_to(DESKTOP / "store") and any(word in text for word in WORDS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt | ast.expr)
    )


def names_of_store(value: ast.expr) -> bool:
    """Whether an expression is a store, by its name: `store`, `self._store`, `parts.store`."""
    name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
    return name.strip("_") == "store" or name.endswith("_store")


def test_nobody_outside_reaches_through_a_store_to_its_database() -> None:
    found = [
        place
        for place, node in outside()
        if isinstance(node, ast.Attribute) and node.attr == "database" and names_of_store(node.value)
    ]
    assert found == []


def test_sqlite_is_imported_by_the_store_and_for_the_databases_of_people_alone() -> None:
    found = [
        place
        for place, node in outside()
        if (isinstance(node, ast.Import) and any(alias.name == "sqlite3" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "sqlite3")
    ]
    assert [place for place in found if not (DESKTOP / place).is_relative_to(OWN_DATABASES)] == []


def test_nobody_outside_imports_a_class_of_the_sqlite_side() -> None:
    found = [
        (place, alias.name)
        for place, node in outside()
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("desktop.store.")
        for alias in node.names
        if alias.name.startswith("Sqlite")
        or (node.module in ("desktop.store.database", "desktop.store.readings") and alias.name not in OPENERS)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "known"), [("store", True), ("self._store", True), ("parts.store", True), ("settings", False)]
)
def test_a_store_is_known_by_its_name(text: str, known: bool) -> None:
    expression = ast.parse(text, mode="eval").body
    assert names_of_store(expression) == known
