"""What is read of a store beside its own connection, in another thread while it is open."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.core.imports import ImportRefused, ImportReport, Where
from desktop.store.core.library import ExportOptions
from desktop.store.database import SqliteStore
from desktop.store.readings import SqliteReadings, readings_at

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def chat(store: SqliteStore) -> str:
    """A chat with one message, which can be found."""
    session_id = new_session_id()
    said = UserMessage(parts=({"type": "text", "text": "mend the parser"},))
    store.events.append_many(session_id, [SessionStarted(project_id="p", lane_id="ln_1"), said])
    index = store.search
    while not index.step(1.0):
        pass
    return session_id


def test_a_chat_is_found_and_its_record_is_whole(store: SqliteStore, chat: str) -> None:
    readings = store.readings
    assert [hit.session_id for hit in readings.search("parser").hits] == [chat]
    assert readings.verified(None, chat).findings == []
    assert readings.newest_findings(chat, 10) == []
    assert readings.past_commands("p", NOW) == ()
    assert readings.rule_uses("p") == {}
    assert readings.attachments() == []
    assert readings.named_by_events(frozenset({"parser", "lexer"})) == {"parser"}


def test_a_chat_is_written_to_files_and_comes_back(store: SqliteStore, chat: str, tmp_path: Path) -> None:
    out = tmp_path / "chat.jsonl"
    assert store.readings.export([chat], out, ExportOptions()) == out.stat().st_size
    assert store.readings.export_record(chat, tmp_path / "record.jsonl", str) == 2
    report = store.readings.prepare_import(out, tmp_path / "staging.db", Where(name=out.name), NOW)
    assert len(report.sessions) == 1


def test_a_chat_is_deleted_with_what_was_found_to_be_its_own(store: SqliteStore, chat: str) -> None:
    store.events.delete(chat, store.readings.orphans(chat))
    assert store.readings.search("parser").hits == ()


def test_rows_of_a_theme_are_read_on_another_thread(store: SqliteStore, chat: str) -> None:
    def in_lane() -> list[str]:
        with store.readings.opened() as rows:
            return rows.evidence.in_lane("ln_1")

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_lane).result() == [chat]


def test_a_store_that_is_not_there_is_said_with_its_folder(tmp_path: Path) -> None:
    none = SqliteReadings(tmp_path / "none.db")
    with pytest.raises(StoreError, match=r"The chats in .* cannot be read"), none.opened():
        pass


def test_what_the_database_says_is_an_error_of_the_store(tmp_path: Path) -> None:
    none, staging = SqliteReadings(tmp_path / "none.db"), tmp_path / "none" / "staging.db"
    with pytest.raises(StoreError, match="unable to open database file"):
        none.newest_findings("ses_a", 10)
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    with pytest.raises(StoreError, match="not a database"):
        SqliteReadings(broken).verified(None, None)
    with pytest.raises(ImportRefused, match="unable to open database file"):
        none.prepare_import(tmp_path / "chat.jsonl", staging, Where(), NOW)
    with pytest.raises(ImportRefused, match="unable to open database file"):
        list(none.staged_blobs(staging))


def test_what_was_not_prepared_is_not_taken_over(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="unable to open database"):
        store.events.adopt(tmp_path / "none" / "staging.db", ImportReport())
    assert store.events.is_empty()


def test_a_store_that_is_not_open_is_read_by_its_folder_or_its_file(
    store: SqliteStore, chat: str, folder: Path
) -> None:
    (file,) = folder.glob("*.db")
    for place in (folder, file):
        assert [hit.session_id for hit in readings_at(place).search("parser").hits] == [chat]


def test_a_small_store_was_looked_through_when_it_was_opened(store: SqliteStore) -> None:
    assert store.later_check() is None
