"""Approved writes of SQLite, and what their previews say."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.services.databases.base import DatabaseError
from desktop.services.databases.connections import Databases
from desktop.services.databases.judging import verdict_of
from desktop.services.databases.sqlite import preview as preview_sqlite
from tests.services.databases.conftest import SHOP, Shop, make_sqlite, sqlite_connection

pytestmark = pytest.mark.asyncio
DELETE = "DELETE FROM parent WHERE id < 3"


def effects(preview: EffectPreview) -> dict[str, tuple[str, int, int, int]]:
    return {one.table: (one.by, one.inserted, one.updated, one.deleted) for one in preview.tables}


@pytest.mark.promise("gate-Q21")
async def test_a_preview_counts_the_statement_its_cascade_and_its_trigger_and_leaves_the_file_alone(shop: Shop) -> None:
    before = shop.sha256()
    preview = await shop.preview(DELETE)
    assert effects(preview) == {
        "parent": ("statement", 0, 0, 2),
        "child": ("cascade", 0, 0, 3),
        "log": ("trigger", 3, 0, 0),
    }
    assert preview.triggers == ("gone",)
    assert preview.cascades == ("child.pid → parent (CASCADE)",)
    parent = preview.tables[0]
    assert (parent.rows_before, parent.columns, parent.before) == (3, ("id", "name"), (("1", "a"), ("2", "b")))
    assert preview.tables[2].after == (("gone 1",), ("gone 2",), ("gone 3",))
    assert shop.sha256() == before


async def test_an_update_shows_rows_from_before_and_after(shop: Shop) -> None:
    preview = await shop.preview("UPDATE parent SET name = name || '!' WHERE id > ?", (1,))
    assert preview.tables[0].before == (("2", "b"), ("3", "c"))
    assert preview.tables[0].after == (("2", "b!"), ("3", "c!"))


async def test_a_replace_shows_the_rows_it_deletes(shop: Shop) -> None:
    preview = await shop.preview("REPLACE INTO parent VALUES (1, 'z')")
    assert effects(preview)["parent"] == ("statement", 1, 0, 1)
    assert effects(preview)["child"] == ("cascade", 0, 0, 2)


async def test_a_trigger_that_changes_its_own_table_does_not_spoil_the_preview_of_a_replace(lane: Path) -> None:
    loop = "CREATE TRIGGER again AFTER INSERT ON log BEGIN INSERT INTO log VALUES (NEW.msg); END;"
    file = make_sqlite(lane / "loop.db", SHOP + loop)
    shop = Shop(Databases(lambda: (sqlite_connection(file),)), "app", "sqlite", file)
    preview = await shop.preview("REPLACE INTO log VALUES ('x')")
    assert preview.problem == ""
    assert "Rows that REPLACE deletes are not counted." in preview.warnings


async def test_no_row_is_a_preview_too(shop: Shop) -> None:
    preview = await shop.preview("DELETE FROM parent WHERE id = 77")
    assert preview.tables == (TableEffect(table="parent", rows_before=3, columns=("id", "name")),)


async def test_samples_end_at_twenty_rows(shop: Shop) -> None:
    numbers = "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 30)"
    preview = await shop.preview(f"{numbers} INSERT INTO log SELECT n FROM c")
    assert preview.tables[0].inserted == 30
    assert len(preview.tables[0].after) == 20


async def test_a_statement_that_would_fail_says_why(shop: Shop) -> None:
    preview = await shop.preview("INSERT INTO child VALUES (9, 99, 'x')")
    assert preview.problem == "it would fail: FOREIGN KEY constraint failed"


async def test_dropping_a_table_counts_its_rows_and_names_what_goes_with_it(shop: Shop) -> None:
    preview = await shop.preview("DROP TABLE child")
    assert effects(preview) == {"child": ("statement", 0, 0, 3)}
    assert preview.warnings == ("Removes table child.", "Removes trigger gone.")
    added = await shop.preview("ALTER TABLE parent ADD COLUMN price integer")
    assert added.warnings == ("Adds column parent.price INTEGER.",)


async def test_virtual_tables_are_named_as_not_counted(lane: Path) -> None:
    script = "CREATE VIRTUAL TABLE found USING fts5 (body); INSERT INTO found VALUES ('a');"
    file = make_sqlite(lane / "found.db", script)
    shop = Shop(Databases(lambda: (sqlite_connection(file),)), "app", "sqlite", file)
    preview = await shop.preview("DELETE FROM found")
    assert preview.warnings == ("found is a virtual table; its rows are not counted.",)


async def test_a_file_over_the_limit_waits_for_a_click_and_is_then_rolled_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview_sqlite, "MAX_PREVIEW_BYTES", 10)
    before = shop.sha256()
    assert (await shop.preview(DELETE, on_click=False)).on_click
    assert effects(await shop.preview(DELETE))["child"] == ("cascade", 0, 0, 3)
    assert shop.sha256() == before


async def test_a_middle_sized_file_is_copied_to_a_temporary_folder(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_sqlite, "IN_MEMORY_BYTES", 10)
    assert effects(await shop.preview(DELETE))["parent"] == ("statement", 0, 0, 2)


async def test_an_endless_write_has_no_preview(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.services.databases.sqlite.engine.PREVIEW_TIME_S", 0.2)
    endless = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) INSERT INTO log SELECT sum(n) FROM c"
    assert (await shop.preview(endless)).problem == "Stopped after 0.2 s."


@pytest.mark.promise("gate-Q18")
async def test_an_approved_write_is_committed_and_counted(shop: Shop) -> None:
    preview = await shop.preview(DELETE)
    answer = await shop.write(DELETE, approved=preview)
    assert answer.changed == 2
    assert await shop.rows("SELECT count(*) FROM child") == [("0",)]


@pytest.mark.promise("gate-Q22")
async def test_a_write_that_would_do_more_than_was_shown_is_rolled_back(shop: Shop) -> None:
    preview = await shop.preview(DELETE)
    await shop.write("INSERT INTO child VALUES (9, 1, 'late')")
    with pytest.raises(DatabaseError) as raised:
        await shop.write(DELETE, approved=preview)
    assert raised.value.code == "effect_changed"
    assert str(raised.value) == "Rolled back: it would have changed 10 rows, 8 were approved."
    assert await shop.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_a_write_that_touches_another_table_than_was_shown_is_rolled_back(shop: Shop) -> None:
    preview = await shop.preview("UPDATE parent SET name = 'z' WHERE id = 1")
    await shop.write("CREATE TRIGGER late AFTER UPDATE ON parent BEGIN INSERT INTO log VALUES ('late'); END")
    with pytest.raises(DatabaseError, match="Not in the preview: log"):
        await shop.write("UPDATE parent SET name = 'z' WHERE id = 1", approved=preview)
    assert await shop.rows("SELECT name FROM parent WHERE id = 1") == [("a",)]


async def test_fewer_rows_than_were_shown_are_no_reason_to_stop(shop: Shop) -> None:
    preview = await shop.preview(DELETE)
    await shop.write("DELETE FROM parent WHERE id = 1")
    assert (await shop.write(DELETE, approved=preview)).changed == 1


async def test_a_table_that_grew_is_not_dropped(shop: Shop) -> None:
    preview = await shop.preview("DROP TABLE child")
    await shop.write("INSERT INTO child VALUES (9, 1, 'late')")
    with pytest.raises(DatabaseError, match="it would have changed 4 rows, 3 were approved"):
        await shop.write("DROP TABLE child", approved=preview)
    assert (await shop.write("DROP TABLE child")).changed is None


async def test_rows_of_returning_are_given_and_every_row_is_written(shop: Shop) -> None:
    sql = "UPDATE parent SET name = upper(name) RETURNING name"
    answer = await shop.databases.write("app", sql, (), verdict_of(sql, "sqlite"), max_rows=1)
    assert (answer.rows, answer.stopped, answer.changed) == ((("A",),), "rows", 3)
    assert await shop.rows("SELECT name FROM parent") == [("A",), ("B",), ("C",)]


async def test_a_failing_write_changes_nothing(shop: Shop) -> None:
    with pytest.raises(DatabaseError, match="UNIQUE constraint failed"):
        await shop.write("INSERT INTO parent VALUES (8, 'new'), (1, 'taken')")
    assert await shop.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_two_statements_in_an_approved_text_are_refused_by_the_driver(shop: Shop) -> None:
    with pytest.raises(DatabaseError, match="one statement"):
        await shop.write("DELETE FROM log; DROP TABLE parent")
    assert await shop.rows("SELECT count(*) FROM parent") == [("3",)]


async def test_what_cannot_be_in_a_transaction_runs_alone(shop: Shop) -> None:
    assert (await shop.preview("VACUUM")).problem == "it cannot be in a transaction"
    await shop.write("VACUUM")
    with closing(sqlite3.connect(shop.file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
