"""The search: it finds words as people mean them, never what is gone, and never fails over what was typed."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.context.events import Compacted, DeletionUndone, MessageDeleted, Rewound
from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import (
    AssistantMessage,
    LaneAttached,
    SessionStarted,
    TitleChanged,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.store.database import DATABASE_NAME
from desktop.store.history.removal import find_orphans
from desktop.store.library.search import SqliteSearchIndex, search
from desktop.store.library.search_query import parse_query


def text(words):
    return ({"type": "text", "text": words},)


@pytest.fixture
def chat(store):
    session_id = new_session_id()
    thinking = {"type": "thinking", "thinking": "hiddenthought", "signature": "s"}
    store.events.append_many(session_id, [
        SessionStarted(), TitleChanged(title="Fix the Größe"), LaneAttached(lane_id="l", branch="fix-login"),
        UserMessage(parts=text("please repair foo-bar in Café \ud83d")),
        AssistantMessage(parts=(thinking, *text("the parser was broken; 数据库连接失败 here"))),
        ToolCallStarted(call_id="c", tool="bash", input={"command": "make parser"}),
        ToolCallFinished(call_id="c", outcome="ok", content="result: parser rebuilt, 100% done"),
        Compacted(summary="summary of parser work"),
    ])  # fmt: skip
    return session_id


def fill(index):
    while not index.step():
        pass


@pytest.fixture
def find(store, folder):
    index = store.search

    def found(query, page=0):
        while not index.step():
            pass
        return search(folder / DATABASE_NAME, query, page)

    return found


def kinds(page):
    return sorted(hit.kind for hit in page.hits)


@pytest.mark.parametrize(("query", "expected"), [
    ("parser", ["answer", "call", "result", "summary"]),
    ("PARSER", ["answer", "call", "result", "summary"]),
    ("cafe", ["prompt"]),
    ("grosse", []),
    ("große", ["title"]),
    ("foo-bar", ["prompt"]),
    ('"parser was"', ["answer"]),
    ('"was parser"', []),
    ("parser -make", ["answer", "result", "summary"]),
    ('parser -"rebuilt, 100%"', ["answer", "call", "summary"]),
    ("pars*", ["answer", "call", "result", "summary"]),
    ("pars", []),
    ("parser from:agent", ["answer", "call"]),
    ("repair from:me", ["prompt"]),
    ("parser from:me", []),
    ("parser in:results", ["result"]),
    ("parser in:results from:me", []),
    ("parser lane:login", ["answer", "call", "result", "summary"]),
    ("parser lane:other", []),
    ("parser before:2000-01-01", []),
    ("parser after:2000", ["answer", "call", "result", "summary"]),
    ("hiddenthought", []),
    ("数据库", ["answer"]),
    ("连接", ["answer"]),
    ("失", ["answer"]),
    ("数据库 -失败", []),
    ("数据库 in:results", []),
    ("from:nobody", []),
    ("-parser", []),
])  # fmt: skip
def test_query_finds(chat, find, query, expected):
    assert kinds(find(query)) == expected


@pytest.mark.promise("sessions-SG2")
@pytest.mark.parametrize("query", [
    "", "*", ":", '"', '""', "-", "-x", 'foo-bar "x', "x" * 10_000, "AND", "NOT x", "NEAR(a b)",
    "text:parser", "^a", "(", "{a}",
    "a OR", "\0", "\ud83d", "%", "_", "\\", "before:", "after:x", "lane:", "'; DROP TABLE event;--", "数*",
    "a" + "b" * 300,
])  # fmt: skip
def test_nothing_that_is_typed_fails(chat, find, query):
    assert find(query).problem == ""


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(query=st.text(alphabet=st.sampled_from("ab\"*:-()+^{}\\%_'数 \0"), max_size=30))
def test_nothing_at_all_fails(store, folder, query):
    index = store.search
    index.step()
    assert search(folder / DATABASE_NAME, query).problem == ""


def test_later_entries_are_found_and_a_title_by_its_chat(store, chat, find):
    assert find("novelty").hits == ()
    store.events.append(chat, UserMessage(parts=text("a novelty")))
    (hit,) = find("novelty").hits
    assert (hit.title, hit.session_id, hit.event_id) == ("Fix the Größe", chat, store.events.head(chat).event_id)


@pytest.mark.promise("memory-SU12")
def test_what_a_child_said_is_found_under_the_chats_above_it(store, chat, find):
    child, deep = new_session_id(), new_session_id()
    for one, above, title in ((child, chat, "where it is"), (deep, child, "deeper")):
        started = SessionStarted(kind="subagent", parent_session_id=above, title=title)
        store.events.append_many(one, [started, TitleChanged(title=title)])
    store.events.append(deep, UserMessage(parts=text("an oddity")))
    (hit,) = find("oddity").hits
    assert (hit.session_id, hit.root_id) == (deep, chat)
    assert hit.title == "Fix the Größe › where it is › deeper"


def test_chats_that_stand_below_each_other_are_no_trap(store, find):
    one, two = new_session_id(), new_session_id()
    for own, above in ((one, two), (two, one)):
        store.events.append(own, SessionStarted(kind="subagent", parent_session_id=above))
    store.events.append(one, UserMessage(parts=text("an oddity")))
    (hit,) = find("oddity").hits
    assert hit.root_id == two


def test_marks_say_what_the_model_no_longer_gets(store, chat, find):
    first = store.events.append(chat, UserMessage(parts=text("alpha zeta")))
    store.events.append(chat, UserMessage(parts=text("beta zeta")))
    store.events.append(chat, MessageDeleted(target_id=first.event_id))
    store.events.append(chat, Rewound(to_event_id=first.event_id))
    assert {hit.snippet: hit.mark for hit in find("zeta").hits} == {"alpha zeta": "removed", "beta zeta": "rewound"}
    store.events.append(chat, DeletionUndone(target_id=first.event_id))
    assert {hit.snippet: hit.mark for hit in find("zeta").hits} == {"alpha zeta": "", "beta zeta": "rewound"}


def test_removed_chat_is_found_no_more_and_its_words_leave_the_index(store, folder, chat, find):
    assert find("parser").hits != ()
    other = new_session_id()
    store.events.append_many(other, [SessionStarted(), UserMessage(parts=text("parser elsewhere"))])
    index = store.search
    while not index.forget(chat, most=2):
        pass
    store.events.delete(chat, find_orphans(folder / DATABASE_NAME, chat))
    assert [hit.session_id for hit in find("parser").hits] == [other]
    third = new_session_id()
    store.events.append_many(third, [SessionStarted(), UserMessage(parts=text("parser thirdly"))])
    assert {hit.session_id for hit in find("parser").hits} == {other, third}
    assert store.database.rows("SELECT count(*) FROM search_text") == [(2,)]


def test_entries_that_take_the_numbers_of_removed_ones_are_found(store, folder, find):
    first, second = new_session_id(), new_session_id()
    store.events.append_many(first, [SessionStarted(), *[UserMessage(parts=text("old words"))] * 5])
    assert len(find("old").hits) == 5
    store.events.delete(first, find_orphans(folder / DATABASE_NAME, first))
    store.events.append_many(second, [SessionStarted(), *[UserMessage(parts=text("new words"))] * 9])
    assert len(find("new").hits) == 9
    assert find("old").hits == ()


def test_pages_hold_fifty_newest_first_among_equals(store, find):
    session_id = new_session_id()
    store.events.append(session_id, SessionStarted())
    store.events.append_many(session_id, [UserMessage(parts=text(f"same words {n:04}")) for n in range(120)])
    pages = [find("same", page) for page in range(4)]
    assert [len(page.hits) for page in pages] == [50, 50, 20, 0]
    assert [page.more for page in pages] == [True, True, False, False]
    found = [hit.snippet for page in pages for hit in page.hits]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("harm", [
    "DROP TABLE search_text", "DROP TABLE search_three", "UPDATE meta SET value = 'x' WHERE key LIKE 'search%'",
    "DELETE FROM meta WHERE key = 'search_upto'",
])  # fmt: skip
def test_harmed_index_is_made_anew(store, folder, chat, find, harm):
    assert len(find("parser").hits) == 4
    store.database.connection.execute(harm)
    index = SqliteSearchIndex(store.database)
    while not index.step():
        pass
    assert len(search(folder / DATABASE_NAME, "parser").hits) == 4


DAMAGES = (
    "DELETE FROM search_text_data", "DELETE FROM search_text_data WHERE id = 1", "DROP TABLE search_text_data",
    "UPDATE search_text_data SET block = x'00'", "UPDATE search_text_data SET block = 'text'",
    "UPDATE search_text_data SET block = x'ffffffffffffffff' WHERE id = 10", "DROP TABLE search_text_content",
    "DROP TABLE search_text_docsize", "DROP TABLE search_text_idx", "DROP TABLE search_text_config",
    "DELETE FROM search_three_config", "UPDATE search_three_config SET v = 99",
)  # fmt: skip


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("damage", DAMAGES)
def test_index_that_is_damaged_inside_is_made_anew(opened, folder, damage, restarted):
    store, session_id, again = opened(), new_session_id(), UserMessage(parts=text("数据库 parser"))
    store.events.append_many(session_id, [SessionStarted(), again])
    fill(SqliteSearchIndex(store.database))
    store.database.connection.execute(damage)
    if restarted:
        store.close()
        store = opened()
    index = SqliteSearchIndex(store.database)
    store.events.append(session_id, again)
    fill(index)
    for words in ("parser", "数据库"):
        page = search(folder / DATABASE_NAME, words)
        if page.damaged:
            index.rebuild()
            fill(index)
            page = search(folder / DATABASE_NAME, words)
        assert (len(page.hits), page.problem) == (2, "")
    assert store.database.rows("PRAGMA integrity_check") == [("ok",)]


def test_index_is_made_anew_each_time_it_is_damaged_after_it_held_everything(store, folder, chat, find):
    index = SqliteSearchIndex(store.database)
    for expected in (5, 6, 7):
        fill(index)
        store.database.connection.execute("DELETE FROM search_text_data")
        store.events.append(chat, UserMessage(parts=text("parser again")))
        fill(index)
        assert len(search(folder / DATABASE_NAME, "parser").hits) == expected


def test_index_that_is_damaged_before_it_is_filled_again_is_left(store, chat):
    index = SqliteSearchIndex(store.database)
    fill(index)
    store.database.connection.execute("DELETE FROM search_text_data")
    store.events.append(chat, UserMessage(parts=text("parser again")))
    assert not index.step(10.0)
    store.database.connection.execute("DELETE FROM search_text_data")
    with pytest.raises(StoreError, match=r"vtable|malformed"):
        index.step(10.0)


def test_a_chat_can_be_removed_when_the_index_is_damaged(store, folder, chat, find):
    assert len(find("parser").hits) == 4
    store.database.connection.execute("DELETE FROM search_text_data")
    index = SqliteSearchIndex(store.database)
    while not index.forget(chat):
        pass
    assert store.database.rows("SELECT count(*) FROM search_text") == [(0,)]


def test_damage_that_only_a_search_meets_is_told(store, folder, chat, find):
    assert len(find("parser").hits) == 4
    store.database.connection.execute("UPDATE search_text_data SET block = x'ff' WHERE id > 10")
    page = search(folder / DATABASE_NAME, "parser")
    assert page.damaged
    assert page.problem


def test_a_fault_that_is_none_of_the_index_costs_no_index(store, find):
    index = store.search
    store.database.connection.execute("DROP TABLE meta")
    with pytest.raises(StoreError, match="no such table"):
        index.step()


def test_missing_index_is_a_problem_and_no_failure(store, folder):
    assert search(folder / DATABASE_NAME, "x").problem != ""


def test_snippet_is_short_and_around_the_word(store, find):
    session_id = new_session_id()
    store.events.append_many(
        session_id, [SessionStarted(), UserMessage(parts=text("pad " * 200 + "needle" + " pad" * 200))]
    )
    (hit,) = find("needle").hits
    assert "needle" in hit.snippet
    assert len(hit.snippet) <= 160


def test_over_long_input_is_cut():
    assert len(parse_query("a " * 500).terms) == 100
