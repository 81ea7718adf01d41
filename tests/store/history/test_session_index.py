"""The list of chats follows the log, and can always be made anew from it."""

import sqlite3
from datetime import UTC, datetime

import pytest

from desktop.domain.chats.library_events import SessionFlagChanged
from desktop.domain.context.events import Rewound
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    LaneAttached,
    ModeChanged,
    ModelChanged,
    Notice,
    SessionForked,
    SessionResumed,
    SessionStarted,
    TitleChanged,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.store.core.events import Orphans
from desktop.store.database import SqliteStore


def fill(store: SqliteStore) -> None:
    start = SessionStarted(project_id="p", title="First", model="m0", endpoint_id="e", lane_id="ln_1", primary=True)
    store.events.append("ses_a", start)
    store.events.append("ses_b", SessionStarted(project_id="p", kind="hosted", title="zw\ud800ei", mode="plan"))
    store.events.append("ses_q", SessionStarted(project_id="q"))
    store.events.append_many("ses_a", [TurnStarted(turn_id="t1"), UserMessage(parts=())])
    changed = store.events.append("ses_a", ModelChanged(endpoint_id="e2", model="m1"))
    store.events.append("ses_a", ModelChanged(endpoint_id="left", model="left behind"))
    changed = store.events.append("ses_a", Rewound(to_event_id=changed.event_id))
    store.events.append("ses_a", ModelChanged(endpoint_id="e3", model="m2"))
    store.events.append("ses_a", TurnEnded(turn_id="t1", status="failed", reason="network"))
    store.events.fork("ses_a", changed.event_id, SessionForked(title="Fork", mode="plan", lane_id="ln_2"))


def test_a_row_says_what_the_log_says(store):
    fill(store)
    fork, first, other = store.events.rows("p")
    assert (first.session_id, first.title, first.model, first.endpoint_id) == ("ses_a", "First", "m2", "e3")
    assert (first.failed, first.turns, first.unfinished_turn_id, first.primary) == ("network", 1, "", True)
    assert first.head_seq == 7
    assert first.head_event_id == store.events.head("ses_a").event_id
    assert (other.title, other.kind, other.mode) == ("zw�ei", "hosted", PermissionMode.PLAN)
    assert (fork.title, fork.model, fork.project_id, fork.lane_id) == ("Fork", "m1", "p", "ln_2")
    assert (fork.source_session_id, fork.mode, fork.turns) == ("ses_a", PermissionMode.PLAN, 0)
    assert [row.session_id for row in store.events.rows()] == [fork.session_id, "ses_a", "ses_q", "ses_b"]
    assert store.events.session_ids("p") == [fork.session_id, "ses_a", "ses_b"]
    assert store.events.session_ids("none") == []


CHANGES = [
    (TitleChanged(title="New", by="person"), {"title": "New"}),
    (SessionFlagChanged(flag="archived", value=True), {"archived": True}),
    (SessionFlagChanged(flag="pinned", value=True), {"pinned": True}),
    (SessionFlagChanged(flag="muted", value=True), {"muted": True}),
    (LaneAttached(lane_id="ln_9", branch="b"), {"lane_id": "ln_9", "branch": "b"}),
    (ModeChanged(mode="full-auto", previous="edit", by="person"), {"mode": PermissionMode.FULL_AUTO}),
    (TurnStarted(turn_id="t2"), {"turns": 2, "unfinished_turn_id": "t2"}),
    (SessionResumed(unfinished_turn_id="t1"), {"unfinished_turn_id": ""}),
    (TurnEnded(turn_id="t1", status="completed"), {"unfinished_turn_id": ""}),
    (
        TurnEnded(turn_id="t1", status="interrupted", reason="restart"),
        {"unfinished_turn_id": "", "interrupted": True, "last_activity_at": "as before"},
    ),
    (TurnEnded(turn_id="t1", status="limit"), {"unfinished_turn_id": "", "limited": True}),
    (TurnEnded(turn_id="t1", status="failed"), {"unfinished_turn_id": "", "failed": "failed"}),
    (Notice(kind="k", text="t"), {}),
]


@pytest.mark.parametrize(("event", "changes"), CHANGES)
def test_an_event_changes_its_own_fields_of_the_row(store, event, changes):
    store.events.append_many("ses_a", [SessionStarted(), TurnStarted(turn_id="t1")])
    (before,) = store.events.rows()
    added = store.events.append("ses_a", event)
    (after,) = store.events.rows()
    place = {"head_seq": 2, "head_event_id": added.event_id, "last_activity_at": added.at}
    if changes.get("last_activity_at") == "as before":
        place["last_activity_at"] = before.last_activity_at
    assert after == before.model_copy(update={**changes, **place})
    store.events.append("ses_a", Notice(kind="k", text="so that the event is not the newest"))
    rows = store.events.rows()
    store.events.rebuild_index()
    assert store.events.rows() == rows


def test_what_a_restart_closes_leaves_the_time_of_the_last_activity(opened):
    minutes = iter(range(60))
    store = opened(clock=lambda: datetime(2026, 3, 1, 12, next(minutes), tzinfo=UTC))
    store.events.append_many("ses_a", [SessionStarted(), TurnStarted(turn_id="t1")])
    last = store.events.append("ses_a", Notice(kind="k", text="what it did last"))
    store.events.append("ses_a", TurnEnded(turn_id="t1", status="interrupted", reason="restart"))
    (row,) = store.events.rows()
    assert row.last_activity_at == last.at
    store.events.rebuild_index()
    assert store.events.rows() == [row]


def test_the_clock_does_not_decide_which_chat_is_newest(opened):
    days = iter([1, 20, 2, 2])
    store = opened(clock=lambda: datetime(2026, 3, next(days, 1), tzinfo=UTC))
    store.events.append("ses_a", SessionStarted())
    store.events.append("ses_b", SessionStarted())
    assert store.events.session_ids() == ["ses_b", "ses_a"]
    store.events.append("ses_a", Notice(kind="k", text="t"))
    assert store.events.session_ids() == ["ses_a", "ses_b"]


def test_the_list_made_anew_is_equal_row_by_row(store):
    fill(store)
    before = store.events.rows()
    store.events.rebuild_index()
    assert store.events.rows() == before
    store.events.append("ses_a", TitleChanged(title="After"))
    assert store.events.rows()[0].title == "After"
    assert store.events.rows()[0].turns == 1


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE session",
        "DELETE FROM session",
        "ALTER TABLE session RENAME COLUMN title TO name",
        "UPDATE meta SET value = '0' WHERE key = 'index_version'",
        "DELETE FROM meta WHERE key = 'index_version'",
    ],
)
def test_a_list_of_another_version_or_a_damaged_one_is_made_anew_at_the_start(opened, folder, damage):
    store = opened()
    fill(store)
    before = store.events.rows()
    store.close()
    raw = sqlite3.connect(folder / "banksman.db", isolation_level=None)
    raw.execute(damage)
    raw.close()
    assert opened().events.rows() == before


def test_a_chat_that_lost_its_beginning_is_still_listed(opened):
    store = opened()
    fill(store)
    store.database.connection.execute("DROP TRIGGER event_is_never_removed")
    store.database.connection.execute("DELETE FROM event WHERE session_id = 'ses_a' AND seq < 3")
    store.events.rebuild_index()
    rows = {row.session_id: row for row in store.events.rows()}
    assert (rows["ses_a"].title, rows["ses_a"].model, rows["ses_a"].head_seq) == ("", "m2", 7)
    assert len(rows) == 4
    fork = next(row for row in rows.values() if row.source_session_id)
    assert (fork.model, fork.project_id) == ("m1", "")


def test_a_fork_whose_source_is_gone_is_still_listed(opened):
    store = opened()
    fill(store)
    store.database.connection.execute("DROP TRIGGER event_is_never_removed")
    store.database.connection.execute("DELETE FROM event WHERE session_id = 'ses_a'")
    store.events.rebuild_index()
    fork = next(row for row in store.events.rows() if row.source_session_id)
    assert (fork.title, fork.project_id, fork.model) == ("Fork", "", "")
    assert store.events.path(fork.session_id) == store.events.read(fork.session_id)


def test_two_hundred_chats_are_listed_without_reading_their_logs(store):
    for number in range(200):
        events = [SessionStarted(project_id="p", title=f"Chat {number}"), UserMessage(parts=({"text": "x" * 500},))]
        store.events.append_many(f"ses_{number}", events)
    store.database.connection.execute("ALTER TABLE event RENAME TO hidden")
    assert [row.title for row in store.events.rows("p")] == [f"Chat {number}" for number in reversed(range(200))]


def test_the_row_of_a_chat_that_did_not_change_is_the_one_that_was_read_before(store):
    for session_id in ("ses_a", "ses_b", "ses_c"):
        store.events.append(session_id, SessionStarted(project_id="p"))
    before = {row.session_id: row for row in store.events.rows("p")}
    store.events.append("ses_b", TitleChanged(title="Anew"))
    store.events.delete("ses_c", Orphans(frozenset(), 0))
    after = {row.session_id: row for row in store.events.rows()}
    assert after.keys() == {"ses_a", "ses_b"}
    assert after["ses_a"] is before["ses_a"]
    assert (before["ses_b"].title, after["ses_b"].title) == ("", "Anew")
