"""A search never takes long: what is too common is looked for among the newest entries, and that is said."""

import pytest

from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.database import DATABASE_NAME
from desktop.store.library.search import search


@pytest.fixture
def filled(store, folder):
    said = [UserMessage(parts=({"type": "text", "text": f"common number{number}"},)) for number in range(3000)]
    store.events.append_many("ses_a", [SessionStarted(), *said])
    index = store.search
    while not index.step(1.0):
        pass
    return folder / DATABASE_NAME


def test_when_the_time_for_all_is_up_the_newest_are_searched(filled, monkeypatch):
    monkeypatch.setattr("desktop.store.library.search._STEPS", 1)
    monkeypatch.setattr("desktop.store.library.search.RANKED_S", -1.0)
    monkeypatch.setattr("desktop.store.library.search.NEWEST_S", 20.0)
    page = search(filled, "common")
    assert "newest" in page.problem
    assert page.hits[0].seq == 3000


def test_when_all_time_is_up_that_is_said_and_nothing_raises(filled, monkeypatch):
    monkeypatch.setattr("desktop.store.library.search._STEPS", 1)
    monkeypatch.setattr("desktop.store.library.search.RANKED_S", -1.0)
    monkeypatch.setattr("desktop.store.library.search.NEWEST_S", -1.0)
    page = search(filled, "common")
    assert page.hits == ()
    assert "rarer words" in page.problem


def test_whether_a_chat_was_rewound_is_asked_of_an_index(filled, store):
    plan = store.database.rows(
        "EXPLAIN QUERY PLAN SELECT type, body FROM event WHERE session_id = ? "
        "AND type IN ('rewound', 'message_deleted', 'deletion_undone') ORDER BY seq",
        ("ses_a",),
    )
    assert "event_marks" in str(plan)
