"""A removed chat: nothing of it is left, nothing else is touched, and it never comes back by itself."""

import json

import pytest

from desktop.domain.core.clock import utc_now
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import StoreError, UnknownSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import Notice, SessionForked, SessionStarted, ToolCallFinished, UserMessage
from desktop.domain.history.neutral import dump_neutral
from desktop.store.core.imports import Where
from desktop.store.database import DATABASE_NAME
from desktop.store.history.imports import prepare_import
from desktop.store.history.removal import ChatHasForks, find_orphans

BIG = b"z" * (2 * 1024 * 1024)


def result(blob: BlobRef):
    return ToolCallFinished(call_id="c", outcome="ok", content="r", full=blob)


@pytest.fixture
def two(store):
    """Two chats that share a blob, each with one of its own; the first has a large one too."""
    ids = new_session_id(), new_session_id()
    shared = store.blobs.put(b"shared", "text/plain")
    for name, session_id in zip("ab", ids, strict=True):
        own = store.blobs.put(f"only {name}".encode(), "text/plain")
        store.events.append_many(session_id, [
            SessionStarted(project_id="p"), UserMessage(parts=({"type": "text", "text": f"words of {name}"},)),
            result(shared), result(own),
        ])  # fmt: skip
    store.events.append(ids[0], result(store.blobs.put(BIG, "text/plain")))
    return ids


def remove(store, folder, session_id):
    return store.events.delete(session_id, find_orphans(folder / DATABASE_NAME, session_id))


def test_nothing_of_it_is_left_on_the_disk(store, folder, two):
    first, second = two
    before = store.events.read(second)
    last = store.events.head(first)
    assert remove(store, folder, first) == last
    assert store.events.read(second) == before
    assert store.events.verify(second) == []
    assert [row.session_id for row in store.events.rows()] == [second]
    assert store.database.rows("SELECT count(*) FROM blob") == [(2,)]
    assert not any(file.is_file() for file in (folder / "blobs").rglob("*"))
    for file in folder.iterdir():
        if file.is_file():
            assert b"words of a" not in file.read_bytes()


def test_it_does_not_come_back_by_itself(opened, folder):
    store = opened()
    session_id = new_session_id()
    store.events.append(session_id, SessionStarted())
    (folder / "log").write_text(json.dumps(dump_neutral(store.events.read(session_id))))
    remove(store, folder, session_id)
    for event in (Notice(kind="k", text="late"), SessionStarted()):
        with pytest.raises(UnknownSession):
            store.events.append(session_id, event)
    with pytest.raises(UnknownSession):
        store.events.read(session_id)
    with pytest.raises(UnknownSession):
        remove(store, folder, session_id)
    report = prepare_import(folder / "log", folder / DATABASE_NAME, folder / "staging.db", Where(), utc_now())
    store.events.adopt(folder / "staging.db", report)
    assert report.sessions != [session_id]
    store.close()
    assert [row.session_id for row in opened().events.rows()] != [session_id]


def test_chat_with_forks_stays(store, folder, two):
    first, _ = two
    fork = store.events.fork(first, store.events.read(first)[1].event_id, SessionForked()).session_id
    with pytest.raises(ChatHasForks, match="Archive it instead"):
        remove(store, folder, first)
    assert len(store.events.read(first)) == 5
    remove(store, folder, fork)
    remove(store, folder, first)
    assert store.events.rows() != []


def test_blob_that_is_named_meanwhile_stays(store, folder, two):
    first, second = two
    orphans = find_orphans(folder / DATABASE_NAME, first)
    store.events.append(second, result(store.blobs.put(b"only a", "text/plain")))
    store.events.delete(first, orphans)
    assert store.blobs.get(store.blobs.put(b"only a", "text/plain").sha256) == b"only a"
    assert store.events.verify(second) == []


def test_a_store_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(StoreError, match="cannot be read"):
        find_orphans(tmp_path / "none.db", "ses_a")
