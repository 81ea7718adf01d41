"""A store that is damaged or cannot be written is opened for reading, with what can be read, and never changed."""

import hashlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest

from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreError, StoreUnavailable, StoreWriteFailed
from desktop.domain.events import SessionForked, SessionStarted, TitleChanged, UnknownEvent, UserMessage
from desktop.domain.lanes.lane import Lane
from desktop.store.core.library import ExportOptions
from desktop.store.database import DATABASE_NAME, SqliteStore, open_store
from desktop.store.library.exports import export_chats
from desktop.store.library.search import search
from desktop.store.sqlite.reading_copy import missing_sentences
from desktop.store.sqlite.salvage import Salvaged
from desktop.store.sqlite.soundness import BackgroundCheck

PAGE = 4096
ENTRIES = 60


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store of three chats whose entries take a page each, and a fork: closed, and only copied."""
    folder = tmp_path_factory.mktemp("whole") / "store"
    store = open_store(folder)
    for chat in ("one", "two", "three"):
        store.events.append(f"ses_{chat}", SessionStarted(project_id="p", title=f"Chat {chat}"))
        for number in range(ENTRIES):
            store.events.append(f"ses_{chat}", said(f"{chat} {number} " + "word " * 700))
    head = store.events.head("ses_one")
    forked = SessionForked(source_session_id="", source_event_id="", title="Fork")
    store.events.fork("ses_one", head.event_id, forked)
    store.blobs.put(b"kept", "text/plain")
    store.close()
    return folder


@pytest.fixture
def file(whole: Path, folder: Path) -> Path:
    """The database of a store that was closed; some of it may still be in the write-ahead log beside it."""
    shutil.copytree(whole, folder)
    return folder / DATABASE_NAME


def pages_of(file: Path, table: str) -> list[int]:
    """The numbers, from 0, of the pages that hold this table's rows."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            found = connection.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))
            return [page - 1 for (page,) in found]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no dbstat")


def overwrite(file: Path, page: int, data: bytes = b"\xff" * 64) -> None:
    with file.open("r+b") as out:
        out.seek(page * PAGE)
        out.write(data)


def digests(folder: Path) -> dict[str, str]:
    """The database and its log; what SQLite shares between processes is no content."""
    files = (folder / DATABASE_NAME, folder / f"{DATABASE_NAME}-wal")
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files if one.exists() and one.stat().st_size
    }


def leaf_with(file: Path, words: bytes) -> int:
    """The page that holds these words."""
    return file.read_bytes().index(words) // PAGE


def test_flipped_bytes_in_a_page_cost_its_entries_alone_and_are_named(file, folder, opened):
    overwrite(file, leaf_with(file, b"two 17 word"))
    before = digests(folder)
    store = opened()
    assert "are damaged" in store.problems[0]
    named = [problem for problem in store.problems if "“Chat two” cannot be read" in problem]
    assert len(named) == 1
    assert "18" in named[0]
    assert {row.title for row in store.events.rows()} == {"Chat one", "Chat two", "Chat three", "Fork"}
    texts = [envelope.event.parts[0]["text"] for envelope in store.events.read("ses_two") if envelope.seq]
    assert 0 < len(texts) < ENTRIES
    assert not any(text.startswith("two 17 ") for text in texts)
    assert len(store.events.read("ses_one")) == ENTRIES + 1
    store.close()
    assert digests(folder) == before


@pytest.mark.parametrize("page", range(1, 12))
def test_any_early_page_may_be_lost(file, folder, opened, page):
    overwrite(file, page, b"\0" * PAGE)
    before = digests(folder)
    store = opened()
    assert store.events.rows(), "the chats are listed"
    for row in store.events.rows():
        store.events.opened(row.session_id)
    store.close()
    assert digests(folder) == before


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_is_read_as_far_as_it_goes(file, folder, opened, part):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    before = digests(folder)
    store = opened()
    assert store.problems
    assert store.events.rows(), (store.problems, store.copy.found)
    assert store.events.read("ses_one")
    store.close()
    assert digests(folder) == before


def test_a_lost_first_page_is_put_back_in_the_copy(file, folder, opened):
    overwrite(file, 0, b"\0" * PAGE)
    before = digests(folder)
    store = opened()
    assert len(store.events.rows()) == 4
    assert len(store.events.read("ses_three")) == ENTRIES + 1
    store.close()
    assert digests(folder) == before


@pytest.mark.parametrize("table", ["blob", "meta", "deletion", "lane"])
def test_a_table_that_is_gone_is_named_and_the_chats_are_read(file, folder, opened, table):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"DROP TABLE {table}")
    before = digests(folder)
    store = opened()
    assert any(problem.endswith(" is gone.") for problem in store.problems)
    assert len(store.events.rows()) == 4
    store.close()
    assert digests(folder) == before


def test_without_the_table_of_entries_nothing_is_listed_and_that_is_said(file, opened):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE event")
    store = opened()
    assert "The table of the entries is gone." in store.problems
    assert store.events.rows() == []


def test_an_entry_that_is_no_event_any_more_is_named(file, opened):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER event_is_never_changed")
        connection.execute("UPDATE event SET body = substr(body, 1, 90) WHERE session_id = 'ses_two' AND seq = 5")
        connection.commit()
    store = opened()
    assert "Entry 5 of “Chat two” cannot be read." in store.problems
    assert isinstance(store.events.read("ses_two")[5].event, UnknownEvent)


def test_a_chat_whose_beginning_is_lost_keeps_its_place_in_the_list(file, folder, opened):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER event_is_never_removed")
        connection.execute("DELETE FROM event WHERE session_id = 'ses_three' AND seq < 3")
        connection.execute("DROP TABLE lane")
        connection.commit()
    store = opened()
    (row,) = [row for row in store.events.rows("p") if row.session_id == "ses_three"]
    assert row.title == "Chat three"
    assert "Entries 0 to 2 of “Chat three” cannot be read." in store.problems


def test_nothing_can_be_recorded(file, folder, opened):
    overwrite(file, leaf_with(file, b"two 17 word"))
    store = opened()
    writes: list[Callable[[], object]] = [
        lambda: store.events.append("ses_one", TitleChanged(title="x", by="person")),
        lambda: store.events.append("ses_new", SessionStarted()),
        lambda: store.blobs.put(b"new", "text/plain"),
        lambda: store.lanes.save(lane()),
    ]
    for write in writes:
        with pytest.raises(StoreWriteFailed, match="can only be read now"):
            write()
    assert len(store.events.read("ses_one")) == ENTRIES + 1


def lane() -> Lane:
    return Lane(
        id="lane_1", project_id="p", name="n", branch="b", worktree_path="/x", device=1, inode=2, created_at=utc_now()
    )


def test_search_and_copies_work_over_what_can_be_read(file, folder, opened, tmp_path):
    overwrite(file, leaf_with(file, b"two 17 word"))
    store = opened()
    index = store.search
    while not index.step(1.0):
        pass
    assert [hit.title for hit in search(store.folder / DATABASE_NAME, '"three 7"').hits] == ["Chat three"]
    out = tmp_path / "copy.jsonl"
    export_chats(store.folder / DATABASE_NAME, ["ses_two"], out, ExportOptions("jsonl"))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == len(store.events.read("ses_two")) + 1
    assert store.blobs.get(hashlib.sha256(b"kept").hexdigest()) == b"kept"


def test_a_place_that_cannot_be_written_is_read(file, folder, opened):
    (folder / "store.lock").unlink()
    (folder / "store.lock").mkdir()  # even the lock cannot be taken, as on a medium that is read-only
    before = digests(folder)
    store = opened()
    assert len(store.problems) == 1
    assert "cannot be written" in store.problems[0]
    assert len(store.events.rows()) == 4
    with pytest.raises(StoreWriteFailed):
        store.events.append("ses_one", said("x"))
    place = store.folder
    store.close()
    assert not place.exists()
    assert digests(folder) == before


def test_what_a_killed_process_left_in_its_log_is_read_from_a_place_that_cannot_be_written(
    file, folder, opened, tmp_path
):
    store = open_store(folder)
    store.events.append("ses_one", said("late"))
    for end in ("", "-wal"):
        (tmp_path / f"kept{end}").write_bytes((folder / f"{DATABASE_NAME}{end}").read_bytes())
    store.close()
    for end in ("", "-wal"):
        (folder / f"{DATABASE_NAME}{end}").write_bytes((tmp_path / f"kept{end}").read_bytes())
    (folder / "store.lock").unlink()
    (folder / "store.lock").mkdir()
    assert opened().events.head("ses_one").event == said("late")


def test_a_list_too_damaged_to_be_dropped_costs_no_entry(file, folder, opened):
    titles = {"Chat one", "Chat two", "Chat three", "Fork"}
    (page, *_) = pages_of(file, "session")
    overwrite(file, page, b"\xff" * PAGE)
    before = digests(folder)
    store = opened()
    assert {row.title for row in store.events.rows()} == titles
    assert len(store.events.read("ses_one")) == ENTRIES + 1
    assert not any("cannot be read" in problem for problem in store.problems)
    store.close()
    assert digests(folder) == before


def test_a_newer_store_is_refused_also_where_it_cannot_be_written(file, folder):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    (folder / "store.lock").unlink()
    (folder / "store.lock").mkdir()
    with pytest.raises(StoreUnavailable, match="newer"):
        open_store(folder)


def test_a_late_check_finds_damage_and_the_next_opening_looks_first(file, folder, opened, monkeypatch):
    monkeypatch.setattr("desktop.store.sqlite.soundness.CHECKED_AT_OPENING", 0)
    overwrite(file, leaf_with(file, b"two 17 word"))
    first: SqliteStore = open_store(folder)
    assert not first.problems
    later = first.later_check()
    assert later is not None
    assert later.run()
    first.close()
    assert opened().problems


def test_a_late_check_of_a_whole_store_finds_nothing_and_can_be_stopped(file):
    assert BackgroundCheck(file).run() == ""
    stopped = BackgroundCheck(file)
    stopped.stop()
    assert stopped.run() == ""
    assert BackgroundCheck(file.with_name("none.db")).run() == "unable to open database file"


def test_a_check_that_runs_is_ended_by_whoever_stops_it(file, monkeypatch):
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n"
    monkeypatch.setattr("desktop.store.sqlite.soundness._UNREADABLE", endless)
    check = BackgroundCheck(file)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(check.run)
        reads = file.with_name(f"{DATABASE_NAME}-shm")
        while not (reads.exists() or running.done()):
            wait([running], 0.01)
        while not running.done():
            check.stop()
            wait([running], 0.01)
    assert running.result() == ""
    check.stop()


def test_a_closed_copy_says_so(file, opened):
    overwrite(file, leaf_with(file, b"two 17 word"))
    store = opened()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.events.rows()


def test_without_a_place_for_a_copy_the_store_is_refused_with_both_reasons(file, folder, tmp_path, monkeypatch):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE lane")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(StoreUnavailable, match=r"are damaged: .* A copy to read from could not be made"):
        open_store(folder)


def test_a_number_that_is_none_costs_its_entry_alone(file, opened):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER event_is_never_changed")
        connection.execute("UPDATE event SET seq = 'five' WHERE session_id = 'ses_two' AND seq = 5")
        connection.execute("DROP TABLE lane")
        connection.commit()
    assert "Entry 5 of “Chat two” cannot be read." in opened().problems


def test_what_only_looks_like_a_page_of_entries_is_passed_over(file, opened):
    overwrite(file, leaf_with(file, b"two 17 word"), b"\x0d" + b"\xff" * 63)
    store = opened()
    assert len(store.events.read("ses_one")) == ENTRIES + 1
    assert any("“Chat two” cannot be read" in problem for problem in store.problems)


def test_tables_of_any_length_are_copied_whole(folder, opened):
    store = open_store(folder)
    store.events.append_many("ses_a", [SessionStarted(project_id="p"), *[said("x")] * 1200])
    store.close()
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        connection.execute("DROP TABLE lane")
    assert len(opened().events.read("ses_a")) == 1201


def test_a_file_of_which_nothing_can_be_read_is_refused(file, folder):
    file.write_bytes(b"\xff" * 40 * PAGE)
    before = digests(folder)
    with pytest.raises(StoreUnavailable, match="are damaged"):
        open_store(folder)
    assert digests(folder) == before


def test_a_store_without_an_entry_whose_first_page_is_lost_is_refused(folder):
    open_store(folder).close()
    overwrite(folder / DATABASE_NAME, 0, b"\0" * PAGE)
    with pytest.raises(StoreUnavailable, match="are damaged"):
        open_store(folder)


def test_of_very_many_chats_the_first_are_named_and_the_others_counted():
    found = Salvaged(events=1, missing={f"ses_{number}": {0} for number in range(23)})
    *named, last = missing_sentences(found, lambda session_id: f"Chat {session_id}")
    assert len(named) == 20
    assert last == "Entries of 3 more chats cannot be read."


def test_that_no_entry_can_be_read_is_said_once():
    assert missing_sentences(Salvaged(partly=["event"]), str) == ("No entry can be read.",)
