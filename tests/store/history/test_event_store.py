"""Appending, reading, forking: what the log promises."""

import asyncio
import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from desktop.domain.context.events import Rewound
from desktop.domain.core.errors import (
    CorruptLog,
    RefusedEvent,
    StoreError,
    StoreWriteFailed,
    UnknownEventId,
    UnknownSession,
    WrongThread,
)
from desktop.domain.event_json import load_event
from desktop.domain.events import (
    Envelope,
    Notice,
    ProviderFailed,
    SessionForked,
    SessionStarted,
    ToolCallStarted,
    UnknownEvent,
    UserMessage,
)
from desktop.store.database import SqliteStore

STARTED = SessionStarted(project_id="p1", title="Fix login")


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


def stored_rows(store: SqliteStore) -> list[tuple]:
    return store.database.connection.execute(
        "SELECT event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash FROM event ORDER BY rowid"
    ).fetchall()


def test_what_is_appended_is_read_back_equal(store):
    appended = [store.events.append("ses_a", STARTED), store.events.append("ses_a", said("hello"))]
    assert store.events.read("ses_a") == appended
    assert [envelope.seq for envelope in appended] == [0, 1]
    assert [envelope.parent_id for envelope in appended] == [None, appended[0].event_id]
    assert store.events.head("ses_a") == appended[1]
    assert store.events.read("ses_a", after=0) == appended[1:]
    assert store.events.read("ses_a", after=1) == []


def test_the_store_opened_again_goes_on_where_it_stopped(opened):
    first = opened()
    before = first.events.append_many("ses_a", [STARTED, said("one")])
    first.close()
    second = opened()
    after = second.events.append("ses_a", said("two"))
    assert after.seq == 2
    assert after.prev_hash == before[-1].hash
    assert second.events.read("ses_a") == [*before, after]
    assert second.events.verify("ses_a") == []


def test_the_hash_is_written_as_the_specification_says(store):
    store.events.append_many("ses_a", [STARTED, said("ü\n")])
    prev = "0" * 64
    for event_id, session_id, seq, parent, at, kind, body, prev_hash, digest in stored_rows(store):
        inner = hashlib.sha256(body.encode()).hexdigest()
        text = f"banksman-event-v1\n{prev}\n{session_id}\n{seq}\n{at}\n{kind}\n{inner}"
        assert prev_hash == prev
        assert digest == hashlib.sha256(text.encode()).hexdigest()
        assert list(json.loads(body))[:4] == ["id", "parent", "v", "type"]
        assert (json.loads(body)["id"], json.loads(body)["parent"]) == (event_id, parent)
        assert body.isascii()
        prev = digest


def test_time_is_utc_with_milliseconds_and_never_decides_the_order(opened):
    east = timezone(timedelta(hours=5, minutes=30))
    times = iter([datetime(2026, 3, 1, 10, 0, 0, 999_999, tzinfo=east) - timedelta(hours=hours) for hours in range(20)])
    store = opened(clock=lambda: next(times))
    for event in (STARTED, said("later"), said("latest")):
        store.events.append("ses_a", event)
    read = store.events.read("ses_a")
    assert [envelope.seq for envelope in read] == [0, 1, 2]
    assert [envelope.at for envelope in read] == sorted((envelope.at for envelope in read), reverse=True)
    assert read[0].at.tzinfo == UTC
    assert all(row[4].endswith(".999Z") and len(row[4]) == 24 for row in stored_rows(store))
    assert store.events.verify("ses_a") == []


@pytest.mark.parametrize(
    "text", ["\ud83d alone", "a\0b", "line\u2028separator\u2029", "x" * 1_000_000, '"]}[{\\', "🏗️ ünï"]
)
def test_any_text_comes_back_as_it_was(store, text):
    call = ToolCallStarted(call_id="c", tool="bash", input={"z": text, "a": [text, {"k": text}], text: 1})
    store.events.append("ses_a", STARTED)
    store.events.append_many("ses_a", [said(text), call])
    _, message, started = store.events.read("ses_a")
    assert message.event == said(text)
    assert started.event == call
    assert list(started.event.input) == ["z", "a", text]


@pytest.mark.promise("sessions-SZ8")
def test_an_object_that_looks_like_a_reference_is_only_an_object(store):
    call = ToolCallStarted(call_id="c", tool="t", input={"$blob": "0" * 64, "full": {"sha256": "0" * 64}})
    store.events.append_many("ses_a", [STARTED, call])
    assert store.events.read("ses_a")[1].event == call
    assert store.events.verify("ses_a") == []


def deep(levels: int) -> object:
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.promise("sessions-SE5")
@pytest.mark.parametrize(
    "event",
    [
        ProviderFailed.model_construct(attempt=1, max_attempts=1, category="x", wait_s=float("nan")),
        ProviderFailed.model_construct(attempt=1, max_attempts=1, category="x", wait_s=float("inf")),
        ToolCallStarted(call_id="c", tool="t", input={"n": float("-inf")}),
        ToolCallStarted(call_id="c", tool="t", input=deep(200)),
        pytest.param(
            ToolCallStarted.model_construct(call_id="c", tool="t", input=deep(10_000)),
            marks=pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
        ),
        pytest.param(
            ToolCallStarted.model_construct(call_id="c", tool="t", input={"when": Decimal("1.5")}),
            marks=pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
        ),
        said("x" * (64 * 1024 * 1024)),
        UnknownEvent(original_type="future", raw="{}", reason="unknown_type"),
        SessionStarted(),
        SessionForked(source_event_id="evt_x"),
    ],
    ids=["nan", "inf", "nested inf", "201 deep", "10000 deep", "decimal", "64 MiB", "unknown", "again", "fork"],
)
def test_what_may_not_be_stored_is_refused_and_the_next_append_works(store, event):
    store.events.append("ses_a", STARTED)
    with pytest.raises(RefusedEvent):
        store.events.append_many("ses_a", [said("goes with it"), event])
    assert len(store.events.read("ses_a")) == 1
    assert store.events.append("ses_a", said("next")).seq == 1


def test_nesting_just_under_the_limit_is_stored(store):
    call = ToolCallStarted(call_id="c", tool="t", input=deep(199))
    store.events.append_many("ses_a", [STARTED, call])
    assert store.events.read("ses_a")[1].event == call


def test_brackets_inside_strings_are_not_nesting(store):
    call = ToolCallStarted(call_id="c", tool="t", input={"code": '[{\\"' * 5000})
    store.events.append_many("ses_a", [STARTED, call])
    assert store.events.read("ses_a")[1].event == call


@pytest.mark.parametrize("session_id", ["", "two\nlines", "ü", "x" * 201])
def test_an_id_that_cannot_stand_in_the_hash_cannot_name_a_session(store, session_id):
    with pytest.raises(RefusedEvent):
        store.events.append(session_id, STARTED)


def test_a_session_begins_with_its_beginning(store):
    with pytest.raises(UnknownSession):
        store.events.append("ses_a", said("hello"))
    for ask in (store.events.read, store.events.path, store.events.verify):
        with pytest.raises(UnknownSession):
            ask("ses_a")
    assert store.events.head("ses_a") is None
    assert store.events.append_many("ses_a", []) == []


def test_an_event_of_a_later_version_or_a_broken_one_keeps_its_place(store):
    store.events.append_many("ses_a", [STARTED, said("one")])
    store.close()
    with sqlite3.connect(store.database.folder / "banksman.db") as raw:
        raw.execute("DROP TRIGGER event_is_never_changed")
        raw.execute("""UPDATE event SET body = '{"type":"future_thing","x":1}', at = 'noon' WHERE seq = 1""")
    raw.close()
    _, event = reopened_read(store)
    assert event.event == UnknownEvent(
        original_type="future_thing", raw='{"type":"future_thing","x":1}', reason="unknown_type"
    )
    assert event.at.year == 1970


def reopened_read(store: SqliteStore) -> list[Envelope]:
    from desktop.store.database import open_store  # noqa: PLC0415

    again = open_store(store.database.folder)
    try:
        return again.events.read("ses_a")
    finally:
        again.close()


def test_rewound_follows_its_target_and_the_chain_goes_on(store):
    root, first, second = store.events.append_many("ses_a", [STARTED, said("one"), said("two")])
    back = store.events.append("ses_a", Rewound(to_event_id=first.event_id, abandoned_head_id=second.event_id))
    on = store.events.append("ses_a", said("another way"))
    assert (back.parent_id, back.prev_hash) == (first.event_id, second.hash)
    assert on.parent_id == back.event_id
    assert store.events.read("ses_a") == [root, first, second, back, on]
    assert store.events.path("ses_a") == store.events.read("ses_a")
    assert store.events.verify("ses_a") == []


def test_a_rewind_may_go_to_an_event_of_its_own_batch(store):
    store.events.append("ses_a", STARTED)
    clash = Rewound(to_event_id="evt_unknown")
    with pytest.raises(UnknownEventId):
        store.events.append_many("ses_a", [said("one"), clash])
    assert len(store.events.read("ses_a")) == 1


def test_a_rewind_to_another_chat_is_refused(store):
    store.events.append("ses_a", STARTED)
    foreign = store.events.append("ses_b", STARTED)
    with pytest.raises(UnknownEventId):
        store.events.append("ses_a", Rewound(to_event_id=foreign.event_id))


def test_a_fork_inherits_the_path_of_its_fork_point_and_nothing_else(store):
    root, one, two = store.events.append_many("ses_a", [STARTED, said("one"), said("two")])
    back = store.events.append("ses_a", Rewound(to_event_id=one.event_id))
    three = store.events.append("ses_a", said("three"))
    forked = store.events.fork("ses_a", three.event_id, SessionForked(title="Another try"))
    later = store.events.append("ses_a", said("not inherited"))
    own = store.events.append(forked.session_id, said("own"))
    assert (forked.parent_id, forked.prev_hash, forked.seq) == (three.event_id, three.hash, 0)
    assert forked.event.source_session_id == "ses_a"
    assert forked.event.source_event_id == three.event_id
    assert store.events.path(forked.session_id) == [root, one, back, three, forked, own]
    assert store.events.read(forked.session_id) == [forked, own]
    assert later not in store.events.path(forked.session_id)
    assert two not in store.events.path(forked.session_id)
    assert store.events.verify(forked.session_id) == store.events.verify("ses_a") == []


def test_a_fork_of_a_fork_may_start_at_an_inherited_event_and_rewind_to_one(store):
    root, one, two = store.events.append_many("ses_a", [STARTED, said("one"), said("two")])
    child = store.events.fork("ses_a", two.event_id, SessionForked())
    grandchild = store.events.fork(child.session_id, one.event_id, SessionForked())
    deeper = store.events.fork(child.session_id, child.event_id, SessionForked())
    back = store.events.append(deeper.session_id, Rewound(to_event_id=root.event_id))
    assert store.events.path(grandchild.session_id) == [root, one, grandchild]
    assert store.events.path(deeper.session_id) == [root, one, two, child, deeper, back]
    assert back.parent_id == root.event_id
    with pytest.raises(UnknownEventId):
        store.events.append(grandchild.session_id, Rewound(to_event_id=two.event_id))


def test_a_fork_needs_an_event_of_its_source(store):
    store.events.append("ses_a", STARTED)
    other = store.events.append("ses_b", STARTED)
    for nowhere in ("evt_unknown", other.event_id):
        with pytest.raises(UnknownEventId):
            store.events.fork("ses_a", nowhere, SessionForked())
    with pytest.raises(UnknownEventId):
        store.events.append("ses_c", SessionForked(source_event_id="evt_unknown"))


def test_parents_in_a_circle_are_an_error_and_a_missing_parent_ends_the_walk(opened):
    store = opened()
    head = store.events.append_many("ses_a", [STARTED, said("one")])[-1]
    forked = store.events.fork("ses_a", head.event_id, SessionForked())
    store.close()
    with sqlite3.connect(store.database.folder / "banksman.db") as raw:
        raw.execute("DROP TRIGGER event_is_never_changed")
        raw.execute("UPDATE event SET parent_id = ? WHERE session_id = 'ses_a' AND seq = 0", (forked.event_id,))
    raw.close()
    again = opened()
    with pytest.raises(CorruptLog):
        again.events.path(forked.session_id)
    again.database.connection.execute("UPDATE event SET parent_id = 'gone' WHERE session_id = 'ses_a' AND seq = 0")
    assert len(again.events.path(forked.session_id)) == 3


def test_a_circle_inside_one_session_ends(opened):
    store = opened()
    root, one = store.events.append_many("ses_a", [STARTED, said("one")])
    forked = store.events.fork("ses_a", one.event_id, SessionForked())
    store.database.connection.execute("DROP TRIGGER event_is_never_changed")
    store.database.connection.execute(
        "UPDATE event SET parent_id = ? WHERE event_id = ?", (one.event_id, root.event_id)
    )
    with pytest.raises(CorruptLog):
        store.events.path(forked.session_id)


@pytest.mark.promise("sessions-ST10")
def test_listeners_hear_every_event_after_its_commit_in_order_and_one_that_fails_stops_nobody(store, caplog):
    heard: list[tuple[str, int]] = []

    def fails(envelope: Envelope) -> None:
        raise RuntimeError("listener broke")

    def answers(envelope: Envelope) -> None:
        assert store.events.head("ses_a").seq >= envelope.seq
        heard.append(("first", envelope.seq))
        if envelope.seq == 0:
            store.events.append("ses_a", said("from a listener"))

    store.events.subscribe(fails)
    store.events.subscribe(answers)
    store.events.subscribe(lambda envelope: heard.append(("second", envelope.seq)))
    store.events.append("ses_a", STARTED)
    assert heard == [("first", 0), ("second", 0), ("first", 1), ("second", 1)]
    assert len(store.events.read("ses_a")) == 2
    assert "listener broke" in caplog.text


def test_eight_tasks_append_at_once_and_the_chain_has_no_gap(store):
    store.events.append("ses_a", STARTED)

    async def worker(number: int) -> None:
        for count in range(60):
            store.events.append("ses_a", said(f"{number}:{count}"))
            await asyncio.sleep(0)

    async def everybody() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(8):
                group.create_task(worker(number))

    asyncio.run(everybody())
    read = store.events.read("ses_a")
    assert [envelope.seq for envelope in read] == list(range(481))
    assert store.events.head("ses_a").seq == 480
    assert store.events.verify("ses_a") == []


def test_another_thread_is_refused_by_every_method(store):
    started = store.events.append("ses_a", STARTED)
    calls: list[Callable[[], object]] = [
        lambda: store.events.append("ses_a", said("x")),
        lambda: store.events.append_many("ses_a", []),
        lambda: store.events.read("ses_a"),
        lambda: store.events.path("ses_a"),
        lambda: store.events.fork("ses_a", started.event_id, SessionForked()),
        lambda: store.events.session_ids(),
        lambda: store.events.rows(),
        lambda: store.events.head("ses_a"),
        lambda: store.events.verify("ses_a"),
        lambda: store.events.subscribe(print),
        lambda: store.events.rebuild_index(),
        lambda: store.blobs.put(b"", "text/plain"),
        lambda: store.blobs.get("0" * 64),
        lambda: store.lanes.of_project("p"),
        lambda: store.close(),
    ]
    refused: list[int] = []

    def try_all() -> None:
        for number, call in enumerate(calls):
            try:
                call()
            except WrongThread:
                refused.append(number)

    thread = threading.Thread(target=try_all)
    thread.start()
    thread.join()
    assert refused == list(range(len(calls)))
    assert store.events.append("ses_a", said("still works")).seq == 1


def test_a_closed_store_says_so_and_closing_again_is_nothing(store):
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.events.append("ses_a", STARTED)


def test_a_full_disk_records_nothing_and_the_same_event_goes_in_once_there_is_room(store):
    store.events.append("ses_a", STARTED)
    connection = store.database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    event = said("x" * 200_000)
    with pytest.raises(StoreWriteFailed, match="full"):
        store.events.append("ses_a", event)
    assert [envelope.seq for envelope in store.events.read("ses_a")] == [0]
    assert store.events.rows()[0].head_seq == 0
    connection.execute("PRAGMA max_page_count = 1000000")
    assert store.events.append("ses_a", event).seq == 1
    assert store.events.verify("ses_a") == []


def test_a_batch_is_recorded_whole_or_not_at_all(store):
    store.events.append("ses_a", STARTED)
    connection = store.database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(StoreWriteFailed):
        store.events.append_many("ses_a", [said("x" * 2000) for _ in range(50)])
    assert len(store.events.read("ses_a")) == 1


def test_sql_that_changes_or_removes_an_event_is_refused(store):
    store.events.append("ses_a", STARTED)
    for sql in (
        "UPDATE event SET at = at",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event SELECT * FROM event",
        "UPDATE OR REPLACE event SET seq = 5",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            store.database.connection.execute(sql)
    assert len(store.events.read("ses_a")) == 1


def test_a_commit_reaches_the_disk_before_append_returns(store):
    (mode,) = store.database.connection.execute("PRAGMA synchronous").fetchone()
    assert mode == 2
    assert store.database.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_bodies_are_those_of_dump_event(store):
    store.events.append_many("ses_a", [STARTED, Notice(kind="k", text="t")])
    assert load_event(stored_rows(store)[1][6]) == Notice(kind="k", text="t")


def test_an_error_inside_a_transaction_takes_it_back(store):
    with pytest.raises(KeyError), store.database.transaction() as connection:  # noqa: PT012
        connection.execute("INSERT INTO meta VALUES ('half', 'done')")
        raise KeyError("half")
    assert store.database.rows("SELECT * FROM meta WHERE key = 'half'") == []


def test_a_batch_that_ends_its_own_transaction_is_told_of(store):
    with pytest.raises(StoreWriteFailed, match="no transaction is active"), store.database.transaction() as connection:
        connection.execute("COMMIT")


def test_the_events_of_some_types_since_a_moment_are_newest_first(opened: Callable[..., SqliteStore]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store = opened(clock=lambda: now)
    for day, session_id in ((1, "a"), (4, "b"), (3, "c"), (5, "d")):  # the clock is set back once
        now = datetime(2026, 1, day, tzinfo=UTC)
        store.events.append_many(session_id, [STARTED, said("1"), Notice(kind="x", text="no")])
    found = store.events.recent(("user_message", "session_started"), datetime(2026, 1, 4, tzinfo=UTC))
    assert [(e.session_id, e.seq) for e in found] == [("d", 1), ("d", 0), ("b", 1), ("b", 0)]
    assert store.events.recent(("user_message",), datetime(2027, 1, 1, tzinfo=UTC)) == []


def test_a_store_whose_file_was_taken_away_records_nothing_until_it_is_back(store, folder):
    store.events.append("ses_a", STARTED)
    file = folder / "banksman.db"
    for put_in_its_place in (lambda: None, file.touch):
        file.rename(folder / "moved.db")
        put_in_its_place()
        with pytest.raises(StoreWriteFailed, match="removed, moved or replaced"):
            store.events.append("ses_a", said("lost?"))
        (folder / "moved.db").replace(file)
    assert store.events.append("ses_a", said("on")).seq == 1
