"""An engine over a damaged store: it says what is wrong, shows what can be read, and records nothing."""

import hashlib
from pathlib import Path

import pytest

from desktop.domain.chats.commands import SearchChats
from desktop.domain.chats.updates import ChatsFound, StoreDamaged
from desktop.domain.commands import NewSession, OpenSession, RenameSession, SendMessage
from desktop.domain.core.ids import new_id, new_session_id
from desktop.domain.events import SessionStarted, UserMessage
from desktop.domain.updates import CommandFailed, EngineReady, SessionOpened
from desktop.store.database import DATABASE_NAME, open_store
from tests.agent.rig import Rig, folders_below, make_repository, write_settings

pytestmark = pytest.mark.asyncio


async def test_a_damaged_store_is_shown_and_every_writing_command_refused(tmp_path: Path):
    folders = folders_below(tmp_path / "home")
    write_settings(folders, "http://127.0.0.1:9")
    session_id = new_session_id()
    store = open_store(folders.store)
    store.events.append(session_id, SessionStarted(project_id="p", title="Kept"))
    for number in range(40):
        parts = ({"type": "text", "text": f"entry{number} " + "word " * 700},)
        store.events.append(session_id, UserMessage(parts=parts))
    store.close()
    file = folders.store / DATABASE_NAME
    data = bytearray(file.read_bytes())
    page = data.index(b"entry17 ") // 4096 * 4096
    data[page : page + 64] = b"\xff" * 64
    file.write_bytes(data)
    before = hashlib.sha256(file.read_bytes()).digest()
    rig = Rig(folders)
    await rig.open(make_repository(tmp_path / "shop"))
    try:
        kinds = [type(update) for update in rig.updates]
        assert kinds.index(StoreDamaged) > kinds.index(EngineReady)
        (damaged,) = [update for update in rig.updates if isinstance(update, StoreDamaged)]
        assert any("“Kept” cannot be read" in problem for problem in damaged.problems)
        await rig.engine.handle(OpenSession(command_id=new_id("cmd_"), session_id=session_id))
        opened = [update for update in rig.updates if isinstance(update, SessionOpened)]
        assert sum(len(update.envelopes) for update in opened) > 30
        await rig.engine.handle(SearchChats(command_id=new_id("cmd_"), request_id="r", query="entry3"))
        (found,) = [update for update in rig.updates if isinstance(update, ChatsFound)]
        assert found.hits
        for command in (
            NewSession(command_id=new_id("cmd_"), session_id=new_session_id(), text="hello"),
            SendMessage(command_id=new_id("cmd_"), session_id=session_id, text="hello"),
            RenameSession(command_id=new_id("cmd_"), session_id=session_id, title="x"),
        ):
            assert not command.reads
            await rig.engine.handle(command)
            failed = rig.updates[-1]
            assert isinstance(failed, CommandFailed)
            assert failed.code == "read_only"
    finally:
        await rig.engine.stop()
    assert hashlib.sha256(file.read_bytes()).digest() == before
