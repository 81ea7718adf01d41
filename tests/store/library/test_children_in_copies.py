"""Copies of chats hold their sub-agents, and what is taken in from one verifies across their logs."""

from datetime import UTC, datetime

import pytest

from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import AssistantMessage, SessionForked, SessionStarted, UserMessage
from desktop.store.core.imports import Where
from desktop.store.core.library import ExportOptions
from desktop.store.core.verify_audit import verify
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.history.imports import prepare_import, staged_blobs
from desktop.store.library.exports import export_chats

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def said(words):
    return ({"type": "text", "text": words},)


def ended(store, child_id, task_id="t1"):
    head = store.events.head(child_id)
    return ChildEnded(
        child_id=child_id, task_id=task_id, call_id="c", outcome="completed", head_seq=head.seq, head_hash=head.hash
    )


def begun(child_id, task_id="t1"):
    return ChildBegun(child_id=child_id, task_id=task_id, call_id="c", agent="explorer")


@pytest.fixture
def family(store):
    """A chat, its child and the child of that; one more child never began."""
    parent, child, deep = (new_session_id() for _ in range(3))
    store.events.append_many(
        parent, [SessionStarted(title="Above"), UserMessage(parts=said("go")), begun(child), begun("ses_none", "t2")]
    )
    start = SessionStarted(kind="subagent", persona="explorer", parent_session_id=parent, depth=1)
    store.events.append_many(child, [start, begun(deep)])
    start = SessionStarted(kind="subagent", persona="lead", parent_session_id=child, depth=2)
    store.events.append_many(deep, [start, AssistantMessage(parts=said("seen deep"))])
    store.events.append_many(child, [ended(store, deep), AssistantMessage(parts=said("seen"))])
    store.events.append(parent, ended(store, child))
    return parent, child, deep


@pytest.mark.promise("memory-SU13")
def test_a_copy_holds_the_children_of_a_chat_and_theirs(store, folder, family, tmp_path):
    parent, _, _ = family
    stranger = new_session_id()
    store.events.append(stranger, SessionStarted(title="Another"))
    for kind in ("jsonl", "markdown", "html"):
        out = tmp_path / f"copy.{kind}"
        export_chats(folder / DATABASE_NAME, [parent], out, ExportOptions(format=kind))
        copy = out.read_text()
        assert "seen deep" in copy
        assert "Another" not in copy
        assert stranger not in copy
        if kind != "jsonl":
            assert copy.index("Sub-agent explorer") < copy.index("Sub-agent lead")


def test_a_fork_copies_only_the_children_that_its_chat_had_begun_by_then(store, folder, family, tmp_path):
    parent, child, _ = family
    before = store.events.read(parent)[1]
    fork = new_session_id()
    source = {"source_session_id": parent, "source_event_id": before.event_id}
    store.events.append_many(fork, [SessionForked(**source, title="Fork")])
    out = tmp_path / "copy.jsonl"
    export_chats(folder / DATABASE_NAME, [fork], out, ExportOptions())
    assert child not in out.read_text()


@pytest.mark.promise("memory-SU13")
@pytest.mark.parametrize("again", [False, True])
def test_what_is_taken_in_verifies_across_the_logs(again, store, folder, family, tmp_path):
    parent, _, _ = family
    out = tmp_path / "copy.jsonl"
    export_chats(folder / DATABASE_NAME, [parent], out, ExportOptions())
    place = folder if again else tmp_path / "elsewhere"
    other = store if again else open_store(place)
    try:
        staging = tmp_path / "staging.db"
        report = prepare_import(out, place / DATABASE_NAME, staging, Where(name="copy"), NOW)
        assert report.renamed is again
        assert list(staged_blobs(staging)) == []
        other.events.adopt(staging, report)
        assert len(report.sessions) == 3
        taken = report.sessions[-1]
        assert (taken == parent) is not again
        assert other.events.read(taken)[0].event.title == "Above"
        ends = [e.event for e in other.events.read(taken) if isinstance(e.event, ChildEnded)]
        assert (ends[0].child_id in family) is not again
        assert other.events.read(ends[0].child_id)[0].event.parent_session_id == taken
        assert verify(place).findings == []
    finally:
        other.close()
