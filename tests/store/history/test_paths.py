"""A path that was read over another connection is the path, and is continued by what came since."""

import pytest

from desktop.domain.core.ids import new_session_id
from desktop.domain.events import Notice, SessionForked, SessionStarted
from desktop.store.database import DATABASE_NAME
from desktop.store.readings import SqliteReadings
from tests.domain.history.test_session_fold import folded


@pytest.mark.parametrize("forked", [False, True])
def test_a_path_that_was_read_ahead_is_continued(opened, forked):
    store = opened()
    session_id = new_session_id()
    store.events.append_many(session_id, [SessionStarted(title="a"), Notice(kind="k", text="n")])
    if forked:
        at = store.events.read(session_id)[0].event_id
        session_id = store.events.fork(session_id, at, SessionForked(title="fork")).session_id
    ahead = SqliteReadings(store.folder / DATABASE_NAME).chat(session_id)
    assert (ahead.path, ahead.state, ahead.kept_seq) == (*store.events.opened(session_id), -1)
    store.events.append(session_id, Notice(kind="k", text="later"))
    path, state = store.events.opened(session_id, ahead)
    assert path == store.events.path(session_id)
    assert state == folded(path)


def test_nothing_is_read_of_a_chat_that_is_not_there(opened):
    assert SqliteReadings(opened().folder / DATABASE_NAME).chat("ses_none").path == []


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_the_newest_events_are_the_end_of_the_path(opened, most):
    store = opened()
    session_id = new_session_id()
    store.events.append_many(session_id, [SessionStarted(title="a"), *(Notice(kind="k", text=t) for t in "xy")])
    readings = SqliteReadings(store.folder / DATABASE_NAME)
    assert readings.newest(session_id, most) == store.events.path(session_id)[-most:]
    assert readings.newest("ses_none", most) == []
