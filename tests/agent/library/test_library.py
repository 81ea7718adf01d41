"""Keeping chats: pinned, deleted with a while to think again, copied to files, taken in."""

import asyncio
import json

import pytest

from desktop.domain import commands as c
from desktop.domain.chats.commands import (
    DeleteSession,
    ExportSession,
    FindInSession,
    ImportSession,
    MuteSession,
    PinSession,
    RebuildIndex,
    SearchChats,
    UndoDelete,
)
from desktop.domain.chats.updates import (
    ChatsFound,
    FoundInSession,
    IndexRebuilt,
    SessionDeleted,
    SessionDeletionScheduled,
    SessionExported,
    SessionImported,
)
from desktop.domain.updates import CommandFailed, SessionsChanged
from desktop.store.audit.anchors import ANCHORS_NAME
from desktop.store.core import verify_audit
from desktop.store.database import DATABASE_NAME
from tests.fakes.fake_model_api import text_turn

pytestmark = pytest.mark.asyncio


def of_kind(kind):
    return lambda updates: next((update for update in reversed(updates) if isinstance(update, kind)), None)


@pytest.fixture
def opened(rig, model_api):
    model_api.script(text_turn("fine"))
    return rig


async def chat(rig, words="hello"):
    session_id = await rig.new(words)
    await rig.ended()
    return session_id


async def test_pinned_chat_is_listed_as_pinned(opened):
    session_id = await chat(opened)
    await opened.engine.handle(PinSession(session_id=session_id))

    def pinned(updates):
        listed = of_kind(SessionsChanged)(updates)
        return (listed is not None and any(one.pinned for one in listed.sessions)) or None

    await opened.until(pinned)


async def test_a_muted_chat_is_listed_so_until_it_is_not(opened):
    session_id = await chat(opened)
    for muted in (True, False):
        await opened.engine.handle(MuteSession(session_id=session_id, muted=muted))
        (row,) = (one for one in opened.engine._store.events.rows() if one.session_id == session_id)
        assert row.muted is muted

        def listed(updates, muted=muted):
            lists = [one for one in updates if isinstance(one, SessionsChanged)]
            return any(one.muted is muted for one in lists[-1].sessions) if lists else None

        await opened.until(listed)


async def test_deleted_chat_goes_after_a_while_and_leaves_a_closing_anchor(opened, folders):
    session_id = await chat(opened, "secret plan")
    opened.engine.parts.chats.library.commands.undo_s = 0.05
    await opened.engine.handle(DeleteSession(session_id=session_id))
    scheduled = of_kind(SessionDeletionScheduled)(opened.updates)
    assert scheduled.session_id == session_id
    await opened.until(of_kind(SessionDeleted))
    assert opened.engine.sessions.summaries(opened.engine.project.id).sessions == ()
    await opened.engine.handle(c.SendMessage(session_id=session_id, text="again"))
    assert of_kind(CommandFailed)(opened.updates).code == "unknown_session"
    report = verify_audit.verify(folders.store / DATABASE_NAME, folders.logs / ANCHORS_NAME)
    assert report.findings == []


async def test_deletion_can_be_taken_back(opened):
    session_id = await chat(opened)
    await opened.engine.handle(DeleteSession(session_id=session_id))
    assert opened.engine.sessions.summaries(opened.engine.project.id).sessions == ()
    await opened.engine.handle(UndoDelete(session_id=session_id))
    assert len(opened.engine.sessions.summaries(opened.engine.project.id).sessions) == 1
    await opened.engine.handle(UndoDelete(session_id=session_id))
    assert of_kind(CommandFailed)(opened.updates).code == "too_late"


async def test_deletion_that_waits_is_carried_out_at_the_end(opened):
    session_id = await chat(opened)
    await opened.engine.handle(DeleteSession(session_id=session_id))
    await opened.engine.stop()
    assert of_kind(SessionDeleted)(opened.updates).session_id == session_id


async def test_copy_is_written_and_comes_in_as_a_second_chat(opened, folders, tmp_path):
    session_id = await chat(opened)
    for form in ("markdown", "html", "jsonl"):
        out = tmp_path / f"copy.{form}"
        await opened.engine.handle(ExportSession(session_id=session_id, path=str(out), format=form, redacted=False))
        assert of_kind(SessionExported)(opened.updates).bytes == out.stat().st_size
        assert "hello" in out.read_text()
    await opened.engine.handle(ImportSession(path=str(tmp_path / "copy.jsonl")))
    imported = of_kind(SessionImported)(opened.updates)
    assert imported.session_id != session_id
    assert "Its record is whole." in imported.report
    assert len(opened.engine.sessions.summaries(opened.engine.project.id).sessions) == 2
    assert not list(folders.store.glob(".import-*"))


async def test_changed_copy_comes_in_only_when_accepted(opened, tmp_path):
    session_id = await chat(opened)
    out = tmp_path / "copy.jsonl"
    await opened.engine.handle(ExportSession(session_id=session_id, path=str(out), format="jsonl", redacted=False))
    out.write_text(out.read_text().replace("hello", "HELLO"))
    await opened.engine.handle(ImportSession(path=str(out)))
    assert of_kind(CommandFailed)(opened.updates).code == "chain_broken"
    await opened.engine.handle(ImportSession(path=str(out), broken_accepted=True))
    assert of_kind(SessionImported)(opened.updates) is not None


@pytest.mark.parametrize("path", ["relative", "/no/such/folder/x", "/dev/null"])
async def test_what_cannot_be_written_or_read_is_said(opened, path):
    session_id = await chat(opened)
    await opened.engine.handle(ExportSession(session_id=session_id, path=path))
    assert of_kind(CommandFailed)(opened.updates).code == "not_exported"
    await opened.engine.handle(ImportSession(path=path))
    assert of_kind(CommandFailed)(opened.updates).code == "not_imported"


async def test_bad_line_is_named(opened, tmp_path):
    (tmp_path / "log").write_text(json.dumps({"seq": 0, "type": "x"}) + "\n{")
    await opened.engine.handle(ImportSession(path=str(tmp_path / "log")))
    assert "Line 2" in of_kind(CommandFailed)(opened.updates).text


async def test_lists_are_made_anew(opened):
    await chat(opened)
    await opened.engine.handle(RebuildIndex())
    assert of_kind(IndexRebuilt)(opened.updates).chats == 1


async def test_search_finds_the_newest_words_and_no_hidden_chat(opened):
    session_id = await chat(opened, "find the needle")
    await opened.engine.handle(SearchChats(request_id="1", query="needle"))
    found = of_kind(ChatsFound)(opened.updates)
    assert {hit.session_id for hit in found.hits} == {session_id}
    assert (found.request_id, found.indexing, found.problem) == ("1", False, "")
    await opened.engine.handle(DeleteSession(session_id=session_id))
    await opened.engine.handle(SearchChats(request_id="2", query="needle"))
    assert of_kind(ChatsFound)(opened.updates).hits == ()


async def test_an_index_whose_damage_a_search_meets_is_made_anew(opened):
    session_id = await chat(opened, "find the needle")
    for number in ("1", "2"):
        await opened.engine.handle(SearchChats(request_id=number, query="needle"))
        found = of_kind(ChatsFound)(opened.updates)
        assert {hit.session_id for hit in found.hits} == {session_id}
        assert (found.request_id, found.problem) == (number, "")
        connection = opened.engine._store.database.connection
        connection.execute("UPDATE search_text_data SET block = x'ff' WHERE id > 10")


async def test_later_search_voids_an_earlier_one(opened):
    await chat(opened, "needle")
    before = len(opened.updates)
    asked = (opened.engine.handle(SearchChats(request_id=str(n), query="needle")) for n in range(3))
    await asyncio.gather(*asked)
    answered = [u.request_id for u in opened.updates[before:] if isinstance(u, ChatsFound)]
    assert answered[-1] == "2"


@pytest.mark.parametrize(("ask", "matches"), [
    ({"text": "Aa"}, 3), ({"text": "Aa", "case": True}, 1), ({"text": "aa", "whole_word": True}, 2), ({"text": ""}, 0),
    ({"text": "a.*"}, 0), ({"text": "(["}, 0),
])  # fmt: skip
async def test_text_is_found_within_a_chat(opened, ask, matches):
    session_id = await chat(opened, "Aa aaB aa")
    await opened.engine.handle(FindInSession(request_id="1", session_id=session_id, **ask))
    found = of_kind(FoundInSession)(opened.updates)
    assert (found.counts, len(found.event_ids)) == ((matches,) if matches else (), 1 if matches else 0)
