"""Entries of the memory with their versions, over a restart; deleting, purging, and finding them by any words."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.core.errors import RefusedEvent, StoreError, StoreWriteFailed
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted, TitleChanged
from desktop.domain.memory.values import Entry
from desktop.store.core.memory import FoundEntries, MemoryQuery
from desktop.store.database import SqliteStore
from desktop.store.memory import search

NOW = datetime.now(UTC).replace(microsecond=0)
OWNERS = (("project", "shop"), ("person", ""))


def entry(number: int, content: str, **changes: object) -> Entry:
    made = Entry(id=f"mem_{number:012x}", owner="shop", content=content, created_at=NOW, updated_at=NOW)
    return made.model_copy(update={"status": "promoted", "tier": 2, **changes})


def look(store: SqliteStore, text: str, **more: object) -> FoundEntries:
    return store.readings.memory(MemoryQuery(text=text, owners=OWNERS, **more))  # type: ignore[arg-type]


def ids(found: FoundEntries) -> list[int]:
    return sorted(int(one.entry.id.removeprefix("mem_"), 16) for one in found.entries)


def test_entries_are_kept_with_all_their_versions(store: SqliteStore) -> None:
    kept = store.memory
    first = entry(1, "Round half up \ud83d")
    kept.add(first)
    kept.add(entry(2, "Deploy on Fridays", used_at=NOW, uses=3))
    later = first.model_copy(update={"content": "Round half even", "version": 2})
    kept.change(later)
    kept.used([first.id], NOW)
    assert kept.get(first.id) == later.model_copy(update={"uses": 1, "used_at": NOW})
    assert kept.versions(first.id) == (first, later)
    assert [one.uses for one in kept.of_owner("project", "shop")] == [3, 1]
    assert (kept.get("mem_none"), kept.count("project", "shop"), kept.count("person", "")) == (None, 2, 0)
    kept.sweep([later.model_copy(update={"status": "archived"})])
    assert [one.id for one in kept.of_owner("project", "shop")] == [entry(2, "").id]
    assert len(kept.of_owner("project", "shop", archived=True)) == 2
    assert len(kept.versions(first.id)) == 2


def test_how_many_there_are_and_when_they_were_swept(store: SqliteStore) -> None:
    kept = store.memory
    assert (kept.counts("project", "shop"), kept.swept_at()) == ({}, None)
    for number, status in enumerate(("promoted", "promoted", "quarantined")):
        kept.add(entry(number, f"text {number}", status=status))
    kept.note_sweep(NOW)
    assert (kept.counts("project", "shop"), kept.swept_at()) == ({"promoted": 2, "quarantined": 1}, NOW)


def test_a_deleted_entry_that_comes_back_is_not_purged(store: SqliteStore) -> None:
    kept, first = store.memory, entry(1, "Round half up")
    kept.add(first)
    kept.delete(first.id, NOW - timedelta(days=31))
    kept.add(first.model_copy(update={"version": 2}))
    assert (kept.purge(NOW), [one.version for one in kept.versions(first.id)]) == (0, [1, 2])


def test_versions_are_never_changed_and_go_a_month_after_the_entry(store: SqliteStore) -> None:
    kept = store.memory
    for number in (1, 2):
        kept.add(entry(number, "Round half up"))
    for sql in ("UPDATE memory_history SET body = '{}'", "DELETE FROM memory_history"):
        with pytest.raises(sqlite3.IntegrityError, match="a version of an entry is never"):
            store.database.connection.execute(sql)
    kept.delete(entry(1, "").id, NOW - timedelta(days=31))
    kept.delete(entry(2, "").id, NOW - timedelta(days=29))
    assert ids(look(store, "round")) == []
    assert kept.purge(NOW) == 1
    assert (len(kept.versions(entry(1, "").id)), len(kept.versions(entry(2, "").id))) == (0, 1)
    assert kept.purge(NOW) == 0


def test_what_may_be_a_duplicate_is_alike_in_length_or_equal(store: SqliteStore) -> None:
    near = "one two three four five six seven"
    for number, content in enumerate(
        (near, "one two three four", "g h i j k l m n", "x", near, near, f"{near} \ud83d EIGHT.")
    ):
        kinds = {4: "quarantined", 5: "archived"}
        store.memory.add(entry(number, content, status=kinds.get(number, "promoted")))
    store.memory.add(entry(9, near, owner="other"))
    alike = store.readings.alike("project", "shop", f"{near} eight")
    assert [one.content for one in alike] == [near, f"{near} \ud83d EIGHT."]
    assert [one.id for one in store.readings.alike("project", "shop", f"{near} \ud83d eight")] == [
        entry(6, "").id,
        entry(0, "").id,
    ]


@pytest.mark.promise("memory-ME13")
def test_all_words_come_first_then_the_rarest(store: SqliteStore) -> None:
    texts = ("Invoices are rounded half up", "Invoices are sent by mail", "The café opens at nine", "修复登录的错误")
    for number, content in enumerate(texts):
        store.memory.add(entry(number, content))
    store.memory.add(entry(9, "Invoices of others", owner="other"))
    store.memory.add(entry(10, "Invoices of the person", scope="person", owner=""))
    store.memory.add(entry(11, "Invoices that wait", status="quarantined"))
    both = look(store, "invoices rounded", least=1)
    assert (ids(both), both.way, both.words) == ([0], "all", ("invoices", "rounded"))
    more = look(store, "invoices rounded zebra")
    assert (ids(more), more.way, more.words) == ([0, 1, 10], "rarest", ("rounded", "invoices"))
    assert ids(look(store, "CAFE")) == [2]
    assert ids(look(store, '"rounded half" up', least=1)) == [0]
    assert look(store, "invoices are rounded", least=1).entries[0].phrase
    script = look(store, "登录 修复")
    assert (ids(script), script.way) == ([3], "script")
    assert ids(look(store, "%录")) == []
    assert (ids(look(store, "zebra")), look(store, "zebra").way) == ([], "all")
    assert ids(look(store, '"!!" nine')) == [2]
    assert look(store, "...") == look(store, "") == FoundEntries()
    assert store.readings.memory(MemoryQuery(text="x", owners=())) == FoundEntries()
    assert ids(look(store, "invoices", tiers=(1,))) == []


def test_words_that_many_entries_hold_are_found_among_the_newest(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_POSTINGS", 3)
    monkeypatch.setattr(search, "NEWEST", 3)
    for number in range(4):
        store.memory.add(entry(number, f"common rule {number}" + (" rare" if number == 2 else "")))
    found = look(store, "common rule", least=2)
    assert (ids(found), found.way) == ([1, 2, 3], "newest")
    assert found.entries[0].text > 0
    few = look(store, "common rule rare", least=2)
    assert (few.way, few.words) == ("rarest", ("rare",))
    monkeypatch.setattr(search, "BEST", 2)
    store.memory.sweep([entry(3, "common rule 3", tier=3), entry(2, "common rule 2 rare", tier=3)])
    assert ids(look(store, "common rule", least=1, tiers=(2,))) == [1]


@pytest.mark.promise("memory-ME13")
@pytest.mark.parametrize("few", [0, 99], ids=["many owners", "few owners"])
def test_of_many_owners_the_same_is_found_as_of_few_and_nothing_of_others(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(search, "FEW_OWNERS", few)
    monkeypatch.setattr(search, "MOST_POSTINGS", 12)
    monkeypatch.setattr(search, "NEWEST", 6)
    for number in range(30):
        rare = {4: " rare", 7: " rare", 8: " odd"}.get(number, "")
        store.memory.add(entry(number, f"common rule{rare}", owner=f"project{number % 5}"))

    def found(text: str, *owners: int) -> tuple[list[int], str]:
        query = MemoryQuery(text=text, owners=tuple(("project", f"project{one}") for one in owners), least=3)
        told = store.readings.memory(query)
        return ids(told), told.way

    assert found("common rule", 0, 1) == ([10, 11, 15, 16, 20, 21, 25, 26][2:], "newest")
    assert found("rule odd rare", 3, 4) == ([4, 8], "rarest")
    assert found("rule odd rare", 0, 1) == ([], "rarest")
    assert found("common zebra", 2) == ([2, 7, 12, 17, 22, 27], "rarest")
    assert found("rare rule", 4) == ([4], "rarest")


def test_a_word_counts_as_rare_as_it_is_after_changes_and_deletions(store: SqliteStore) -> None:
    for number in range(3):
        store.memory.add(entry(number, "common rule"))
    store.memory.change(entry(0, "other", version=2))
    store.memory.delete(entry(1, "").id, NOW)
    store.memory.delete("mem_none", NOW)
    rows = dict(store.database.rows("SELECT word, entries FROM memory_word WHERE entries > 0"))
    assert rows == {"common": 1, "rule": 1, "other": 1}
    assert (ids(look(store, "rule")), ids(look(store, "other"))) == ([2], [0])


ODD = ('"', "*", "-x", "AND", "NEAR(a b)", '"!!" x', "a" * 10_000, "修复", "\0")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60, deadline=None
)
@given(st.one_of(st.text(max_size=60), st.sampled_from(ODD)))
def test_no_text_that_is_looked_for_fails(store: SqliteStore, text: str) -> None:
    assert isinstance(look(store, text), FoundEntries)


def test_a_store_that_cannot_be_read_says_so(store: SqliteStore) -> None:
    store.memory.add(entry(1, "Round"))
    store.database.connection.execute("DROP TABLE memory_text")
    with pytest.raises(StoreError):
        look(store, "round")


def test_an_entry_and_what_the_log_says_of_it_are_one_commit(store: SqliteStore) -> None:
    session_id = store.events.append(new_session_id(), SessionStarted(title="A chat")).session_id
    first, told = entry(1, "Round half up"), TitleChanged(title="Round")
    store.events.append_many(session_id, [told], lazy=True, beside=lambda: store.memory.add(first))
    assert (store.memory.get(first.id), len(store.events.read(session_id))) == (first, 2)
    with pytest.raises(StoreWriteFailed):  # its version is there already
        store.events.append_many(session_id, [told], beside=lambda: store.memory.add(first))
    with pytest.raises(RefusedEvent):
        store.events.append_many(session_id, [SessionStarted()], beside=lambda: store.memory.add(entry(2, "Other")))
    assert (store.memory.get(entry(2, "").id), len(store.events.read(session_id))) == (None, 2)
    store.events.append(session_id, told)
    assert store.events.verify(session_id) == []


def test_all_entries_of_some_owners_are_read_beside_the_store(store: SqliteStore) -> None:
    first, second = entry(1, "Round half up"), entry(2, "Deploy on Fridays", status="archived")
    for one in (first, second, entry(3, "Not of theirs", owner="other")):
        store.memory.add(one)
    store.memory.used([first.id], NOW)
    read = store.readings.memory_entries(OWNERS)
    assert read == (second, first.model_copy(update={"uses": 1, "used_at": NOW}))
    assert read == store.memory.of_owner("project", "shop", archived=True)
