"""The ends of sub-agents that a chat's log names are held against the logs of these, and counted in its row."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.chats.library_events import Imported
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.events import Notice, SessionForked, SessionStarted
from desktop.store.core.verify_audit import verify
from desktop.store.database import SqliteStore, open_store

CHILD = SessionStarted(project_id="p", kind="subagent", parent_session_id="chat")
BEGUN = ChildBegun(child_id="child", task_id="t1", call_id="c", agent="explorer")


@pytest.fixture
def store(tmp_path: Path):
    opened = open_store(tmp_path / "store", clock=lambda: datetime(2026, 1, 5, tzinfo=UTC))
    yield opened
    opened.close()


def ended(**changes: object) -> ChildEnded:
    return ChildEnded(child_id="child", task_id="t1", call_id="c", outcome="completed").model_copy(update=changes)


def kinds(store: SqliteStore, only: str | None = None) -> list[str]:
    store.events.flush()
    return [found.kind for found in verify(store.folder, session_id=only).findings]


def test_the_end_that_is_there_is_no_finding_and_one_that_never_began_needs_no_log(store: SqliteStore) -> None:
    store.events.append("chat", SessionStarted(project_id="p"))
    child = store.events.append("child", CHILD)
    store.events.append_many("chat", [BEGUN, ended(head_seq=0, head_hash=child.hash), ended(child_id="none")])
    assert kinds(store) == []
    assert kinds(store, "chat") == []


@pytest.mark.promise("memory-SU2")
def test_a_missing_log_and_another_end_are_found_in_the_chat_that_names_them(store: SqliteStore) -> None:
    store.events.append("chat", SessionStarted(project_id="p"))
    child = store.events.append("child", CHILD)
    store.events.append_many(
        "chat",
        [
            ended(child_id="gone", head_seq=0, head_hash=child.hash),
            ended(head_seq=0, head_hash="0" * 64),
            ended(head_seq=5, head_hash=child.hash),
        ],
    )
    assert kinds(store) == ["child_missing", "child_head_mismatch", "child_head_mismatch"]
    assert kinds(store, "child") == []


def test_a_chat_from_a_file_comes_without_its_children(store: SqliteStore) -> None:
    store.events.append("chat", SessionStarted(project_id="p"))
    store.events.append_many("chat", [ended(head_seq=0, head_hash="0" * 64), Imported(project_path="")])
    assert kinds(store) == []


def test_a_row_counts_the_children_that_have_no_end(store: SqliteStore) -> None:
    store.events.append("chat", SessionStarted(project_id="p"))
    counts = []
    for event in (BEGUN, BEGUN.model_copy(update={"child_id": "other"}), ended(), Notice(kind="x", text=""), ended()):
        store.events.append("chat", event)
        counts.append(store.events.rows(None)[0].open_children)
    assert counts == [1, 2, 1, 1, 0]
    store.events.append("chat", ended())
    store.events.rebuild_index()
    assert store.events.rows(None)[0].open_children == 0


def test_a_fork_of_a_child_is_a_chat_of_its_own(store: SqliteStore) -> None:
    child = store.events.append("child", CHILD)
    store.events.fork("child", child.event_id, SessionForked())
    assert {row.session_id: row.kind for row in store.events.rows(None)}["child"] == "subagent"
    assert [row.kind for row in store.events.rows(None) if row.session_id != "child"] == ["interactive"]
