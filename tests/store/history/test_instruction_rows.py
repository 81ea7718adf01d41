"""Whose agent left an instruction file with some content is found without reading the rest of the logs."""

from desktop.domain.chats.library_events import ChangedInstruction, InstructionFilesChanged
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import Notice, SessionStarted, TitleChanged
from desktop.store.database import SqliteStore
from desktop.store.history.instruction_rows import SqliteInstructionRows


def changed(store: SqliteStore, *contents: str, title: str = "") -> str:
    """A chat whose agent left files with these contents; its id."""
    session_id = new_session_id()
    store.events.append(session_id, SessionStarted())
    if title:
        store.events.append(session_id, TitleChanged(title=title))
    store.events.append(session_id, Notice(kind="x", text="x"))
    files = tuple(ChangedInstruction(path="AGENTS.md", sha256=content) for content in contents)
    store.events.append(session_id, InstructionFilesChanged(files=files))
    return session_id


def test_the_last_other_chat_that_gave_a_content_is_named(store: SqliteStore) -> None:
    rows = store.instructions
    assert rows.origins([], but="") == {}
    assert rows.origins(["a"], but="") == {}
    first = changed(store, "a", "b", title="First")
    second = changed(store, "b")
    found = rows.origins(["a", "b", "c"], but="")
    assert {sha256: (one.session_id, one.title) for sha256, one in found.items()} == {
        "a": (first, "First"), "b": (second, ""),
    }  # fmt: skip
    assert rows.origins(["b"], but=second)["b"].session_id == first
    assert rows.origins(["a"], but=first) == {}


def test_only_such_events_are_read(store: SqliteStore) -> None:
    (plan,) = store.database.rows(f"EXPLAIN QUERY PLAN {SqliteInstructionRows.CHANGED}", ())[:1]
    assert "changed_instructions" in str(plan[-1])
