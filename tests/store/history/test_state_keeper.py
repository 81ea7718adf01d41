"""The kept state of a chat: what opening gives is what folding gives, whatever became of the kept row."""

import pytest

from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.context.events import Rewound
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.usage import Usage
from desktop.domain.events import (
    AssistantMessage,
    Notice,
    SessionForked,
    SessionStarted,
    TitleChanged,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.store.history import state_keeper
from tests.domain.history.test_session_fold import folded


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(state_keeper, "SAVE_EVERY", 3)


def fill(store, session_id, count=10):
    answer = AssistantMessage(parts=({"type": "text", "text": "a"},), usage=Usage(input=3, output=1), cost_microusd=7)
    store.events.append(session_id, SessionStarted(project_id="p", title="\ud83d"))
    store.events.append(session_id, MessageQueued(queue_id="q", parts=({"type": "text", "text": "\ud83d"},)))
    for number in range(count):
        store.events.append_many(session_id, [TurnStarted(turn_id=f"t{number}"), answer, Notice(kind="k", text="n")])
    store.events.opened(session_id)


def test_opening_a_kept_chat_equals_folding_its_log(opened, often):
    session_id = new_session_id()
    store = opened()
    fill(store, session_id)
    assert store.database.rows("SELECT count(*) FROM session_state") == [(1,)]
    store.close()
    again = opened()
    path, state = again.events.opened(session_id)
    assert state == folded(path)
    again.events.append(session_id, TitleChanged(title="later"))
    path, state = again.events.opened(session_id)
    assert state.title == "later"
    assert state == folded(path)


@pytest.mark.parametrize("harm", [
    "UPDATE session_state SET hash = 'x'",
    "UPDATE session_state SET version = 'x'",
    "UPDATE session_state SET body = '{'",
    "UPDATE session_state SET body = '{\"title\": 4}'",
    "UPDATE session_state SET seq = 2",
    "DELETE FROM session_state",
    "DROP TABLE session_state",
])  # fmt: skip
def test_harmed_row_is_as_none(opened, often, harm):
    session_id = new_session_id()
    store = opened()
    fill(store, session_id)
    store.database.connection.execute(harm)
    store.close()
    path, state = opened().events.opened(session_id)
    assert state == folded(path)


def test_a_state_is_kept_when_much_was_recorded_since(opened, often):
    session_id = new_session_id()
    store = opened()
    fill(store, session_id, 1)
    (kept,) = store.database.rows("SELECT seq FROM session_state")
    for number in range(4):
        written = store.events.append(session_id, Notice(kind="k", text="n"))
        store.events.keep_state(folded(store.events.path(session_id)), written.hash)
        assert store.database.rows("SELECT seq FROM session_state") == [(kept[0] + 3 * (number > 1),)]
    store.close()
    path, state = opened().events.opened(session_id)
    assert state == folded(path)


def test_table_lost_while_open_stops_nothing(opened, often):
    session_id = new_session_id()
    store = opened()
    store.database.connection.execute("DROP TABLE session_state")
    fill(store, session_id)
    path, state = store.events.opened(session_id)
    assert state == folded(path)


def test_fork_is_opened_with_what_it_inherits(opened, often):
    source = new_session_id()
    store = opened()
    fill(store, source, 4)
    at = store.events.read(source)[5].event_id
    fork = store.events.fork(source, at, SessionForked(title="fork")).session_id
    for _ in range(2):
        path, state = store.events.opened(fork)
        assert state == folded(path)
        store.events.append_many(fork, [UserMessage(parts=()), TurnStarted(turn_id="x"), Rewound(to_event_id=at)])
    store.close()
    path, state = opened().events.opened(fork)
    assert state == folded(path)


def test_table_lost_before_a_chat_is_opened_stops_nothing(opened, often, caplog):
    session_id = new_session_id()
    store = opened()
    fill(store, session_id)
    store.close()
    store = opened()
    store.database.connection.execute("DROP TABLE session_state")
    path, state = store.events.opened(session_id)
    assert state == folded(path)
    assert "cannot be read" in caplog.text


def test_state_that_would_not_read_back_equal_is_not_kept(opened, often):
    session_id = new_session_id()
    newer = TurnEnded(turn_id="t", status="completed", unknown_fields={"later": 1})
    store = opened()
    store.events.append_many(
        session_id, [SessionStarted(), TurnStarted(turn_id="t"), Notice(kind="k", text="n"), newer]
    )
    path, state = store.events.opened(session_id)
    assert state == folded(path)
    assert store.database.rows("SELECT count(*) FROM session_state") == [(0,)]
    store.close()
    path, state = opened().events.opened(session_id)
    assert state == folded(path)
