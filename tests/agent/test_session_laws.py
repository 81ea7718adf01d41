"""Laws that hold for every log a real engine wrote: forks, copies, and what the model is sent after any entry."""

import base64
import json
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from desktop.domain import commands as c
from desktop.domain.chats.commands import (
    AddAttachment,
    ApplyCompaction,
    ClearContext,
    Compact,
    ExportSession,
    ForkSession,
    ImportSession,
    RemoveFromContext,
    RewindSession,
    UndoRewind,
)
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.chats.updates import AttachmentReady, CompactionOffered, SessionImported
from desktop.domain.context.events import Compacted, ContextCleared, Rewound
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.history.builder import HistoryBuilder, to_messages
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state_of import SessionState, fold
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, tool_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def say(rig: Rig, session_id: str, text: str, ends: int, **more: object) -> None:
    await rig.engine.handle(c.SendMessage(session_id=session_id, text=text, **more))
    await rig.ended(ends)


@pytest_asyncio.fixture
async def lived(rig: Rig, model_api: FakeModelApi) -> str:
    """A chat in which everything happened: calls of all ends, a picture, a queue, checkpoints, a summary, rewinds."""
    reads = turn("reads", [Call("read_file", {"file_path": "app.py"}), Call("no_such_tool"), Call("list_dir")])
    model_api.script(reads, tool_turn("write_file", file_path="a.txt", content="one"), text_turn("first"))
    session_id = await rig.new("Begin", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    await rig.engine.handle(AddAttachment(request_id="1", session_id=session_id, name="dot.png", data=PNG))
    ready = next(u for u in reversed(rig.updates) if isinstance(u, AttachmentReady))
    model_api.script(tool_turn("bash", command="sleep 0.3; echo hi"), text_turn("seen"), text_turn("queued seen"))
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="look", attachments=(ready.logical_name,)))
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="and this"))
    await rig.ended(2)
    assert rig.events(MessageQueued)
    await rig.engine.handle(c.SetMode(session_id=session_id, mode=PermissionMode.EDIT))
    model_api.script(tool_turn("bash", command="touch x"), text_turn("declined"))
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="touch"))
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject"))
    await rig.ended(3)
    log = rig.engine.sessions.get(session_id).log
    user = [e for e in log if isinstance(e.event, UserMessage)][-1]
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=user.parent_id, restore_files=True))
    rewound = next(e for e in reversed(log) if isinstance(e.event, Rewound))
    await rig.engine.handle(UndoRewind(session_id=session_id, rewound_event_id=rewound.event_id))
    model_api.script(text_turn("words " * 8000), text_turn("short"))
    await say(rig, session_id, "Tell much", 4)
    await say(rig, session_id, "Tell little", 5)
    model_api.script(text_turn("A short summary."), text_turn("after the summary"))
    await rig.engine.handle(Compact(session_id=session_id))
    assert rig.failures() == []
    offer = next(u for u in reversed(rig.updates) if isinstance(u, CompactionOffered))
    await rig.engine.handle(
        ApplyCompaction(session_id=session_id, staging_id=offer.staging_id, summary="Mine.")
    )  # fmt: skip
    await say(rig, session_id, "And now", 6)
    await rig.engine.handle(RemoveFromContext(session_id=session_id, target_id=user.event_id))
    await rig.engine.handle(ClearContext(session_id=session_id))
    model_api.script(text_turn("a new beginning"))
    await say(rig, session_id, "Again", 7)
    kinds = {e.kind for e in log}
    assert {"compacted", "context_cleared", "rewound", "message_deleted", "files_restored", "attachment_added"} <= kinds
    assert rig.failures() == []
    assert rig.events(Compacted)
    assert rig.events(ContextCleared)
    whole(rig, session_id)
    follows(rig, session_id)
    return session_id


async def test_what_is_built_step_by_step_is_what_the_log_gives_at_every_entry(rig: Rig, lived: str) -> None:
    log = rig.engine.sessions.get(lived).log
    builder, state = HistoryBuilder(lived), SessionState(session_id=lived)
    for number, envelope in enumerate(log, start=1):
        builder.add(envelope)
        state = fold(state, envelope)
        messages = to_messages(log[:number], session_id=lived)
        assert builder.messages() == messages == to_messages(log, at=envelope.event_id)
        assert not faults(messages), envelope
        assert fold_log(SessionState(session_id=lived), log[:number]) == state


@pytest.mark.promise("sessions-SF2")
async def test_a_fork_at_any_entry_is_the_first_of_the_source_and_its_own(
    rig: Rig, model_api: FakeModelApi, lived: str
) -> None:
    source = list(rig.engine.sessions.get(lived).log)
    model_api.script(text_turn("in the fork"), loop=True)
    for number, envelope in enumerate(source):
        fork_id = new_session_id()
        said = "And in the fork" if number % 25 == 0 else ""
        ends = len([u for u in rig.updates if isinstance(u, Envelope) and u.kind == "turn_ended"])
        await rig.engine.handle(ForkSession(
            session_id=lived, at_event_id=envelope.event_id, new_session_id=fork_id, lane_from="none", text=said
        ))  # fmt: skip
        fork = rig.engine.sessions.get(fork_id)
        if said:
            await rig.ended(ends + 1)
        else:
            assert fork.history.messages() == to_messages(source, at=envelope.event_id)
        inherited = [one for one in fork.log if one.session_id == lived]
        on_path, wanted = [], envelope.event_id
        known = {one.event_id: one for one in source}
        while wanted:
            on_path.append(known[wanted])
            wanted = known[wanted].parent_id
        assert inherited == on_path[::-1]
        follows(rig, fork_id)
    assert rig.failures() == []
    assert rig.engine.sessions.get(lived).log == source


async def test_a_copy_of_a_copy_is_the_same_bytes(
    rig: Rig, folders: Folders, repository: Path, tmp_path: Path, lived: str
) -> None:
    fork_id = new_session_id()
    at = rig.engine.sessions.get(lived).log[40].event_id
    await rig.engine.handle(ForkSession(session_id=lived, at_event_id=at, new_session_id=fork_id, lane_from="none"))
    first = await copied(rig, fork_id, tmp_path / "1.jsonl")
    ids = {lived: [e.event_id for e in first_log(rig, lived)], fork_id: [e.event_id for e in first_log(rig, fork_id)]}
    other = Folders(*(tmp_path / "other" / name for name in ("config", "data", "cache", "logs")))
    other.config.mkdir(parents=True)
    other.settings_file.write_text(folders.settings_file.read_text())
    there = await Rig(other).open(repository)
    try:
        await there.engine.handle(ImportSession(path=str(tmp_path / "1.jsonl")))
        assert there.failures() == []
        assert "Its record is whole." in next(u for u in there.updates if isinstance(u, SessionImported)).report
        second = await copied(there, fork_id, tmp_path / "2.jsonl")
        assert without_marks(second) == without_marks(first)
        for event_id in ids[fork_id]:
            log = there.engine.sessions.get(fork_id).log
            assert to_messages(log, at=event_id) == to_messages(first_log(rig, fork_id), at=event_id)
        follows(there, fork_id)
        await there.engine.handle(ImportSession(path=str(tmp_path / "2.jsonl")))
        third_id = [u for u in there.updates if isinstance(u, SessionImported)][-1].session_id
        assert third_id != fork_id
        follows(there, third_id)
    finally:
        await there.engine.stop()


def first_log(rig: Rig, session_id: str) -> list[Envelope]:
    return rig.engine.sessions.get(session_id).log


async def copied(rig: Rig, session_id: str, out: Path) -> list[bytes]:
    await rig.engine.handle(
        ExportSession(session_id=session_id, path=str(out), format="jsonl", redacted=False)
    )  # fmt: skip
    assert rig.failures() == []
    return out.read_bytes().splitlines()


def without_marks(lines: list[bytes]) -> list[bytes]:
    """Without the header, which names the newest hash, and what an import adds."""
    return [line for line in lines[1:] if json.loads(line)["type"] not in ("imported", "banksman.imported")]
