"""Attached files from the composer to the model: kept, named in the message, read by the agent, refused clearly."""

import base64
import io
import os

import pytest
from PIL import Image

from desktop.domain.chats.commands import AddAttachment, LoadAttachment
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.chats.updates import AttachmentLoaded, AttachmentReady
from desktop.domain.commands import SendMessage
from desktop.domain.core.ids import new_command_id
from desktop.domain.events import ToolCallFinished, UserMessage
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(out, "PNG")
    return out.getvalue()


async def attach(rig: Rig, **what: object) -> AttachmentReady:
    request_id = new_command_id()
    await rig.engine.handle(AddAttachment.model_validate({"request_id": request_id, **what}))
    return await rig.until(
        lambda updates: next(
            (u for u in updates if isinstance(u, AttachmentReady) and u.request_id == request_id), None
        )
    )


async def test_a_text_file_is_named_to_the_model_and_read_by_it(rig: Rig, model_api: FakeModelApi, tmp_path) -> None:
    (tmp_path / "notes.txt").write_text("the secret ingredient is thyme")
    ready = await attach(rig, path=str(tmp_path / "notes.txt"))
    assert (ready.logical_name, ready.problem) == ("notes.txt", "")
    (tmp_path / "notes.txt").write_text("changed afterwards")
    model_api.script(tool_turn("read_file", file_path="attachments:notes.txt"), text_turn("thyme"))
    await rig.new("What is the ingredient?", attachments=("notes.txt",))
    await rig.ended()
    assert "attachments:notes.txt (text/plain, 30 bytes)" in str(model_api.requests[0].messages)
    assert "thyme" in str(rig.events(ToolCallFinished)[0].content)
    assert [event.logical_name for event in rig.events(AttachmentAdded)] == ["notes.txt"]
    assert rig.events(UserMessage)[0].attachments == ("notes.txt",)


async def test_a_picture_reaches_the_model_scaled(rig: Rig, model_api: FakeModelApi) -> None:
    ready = await attach(rig, name="shot.png", data=png(3000, 1500))
    assert (ready.mime_type, ready.width_px, ready.height_px) == ("image/png", 3000, 1500)
    model_api.script(text_turn("red"))
    await rig.new("Which colour?", attachments=("shot.png",))
    await rig.ended()
    source = next(b for b in model_api.requests[0].messages[0]["content"] if b["type"] == "image")["source"]
    sent = Image.open(io.BytesIO(base64.b64decode(source["data"])))
    assert sent.size == (1568, 784)


async def test_a_picture_is_not_stored_in_the_log_itself(rig: Rig, model_api: FakeModelApi) -> None:
    data = png(600, 600)
    await attach(rig, name="shot.png", data=data)
    model_api.script(text_turn("red"))
    session_id = await rig.new("Which colour?", attachments=("shot.png",))
    await rig.ended()
    log = rig.engine.sessions.get(session_id).log
    encoded = base64.b64encode(data).decode()[:200]
    assert all(encoded not in str(envelope.event) for envelope in log)


async def test_another_chat_cannot_read_what_was_attached_here(rig: Rig, model_api: FakeModelApi) -> None:
    await attach(rig, name="notes.txt", data=b"hello")
    model_api.script(text_turn("ok"), tool_turn("read_file", file_path="attachments:notes.txt"), text_turn("no"))
    await rig.new("first", attachments=("notes.txt",))
    await rig.ended()
    await rig.new("second")
    await rig.ended(2)
    assert rig.events(ToolCallFinished)[-1].is_error


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("video.mp4", b"x" * 10_485_761, "video.mp4 is 10.1 MB; the limit is 10 MB."),
        ("empty.txt", b"", "empty.txt is empty."),
    ],
)
async def test_what_is_too_large_or_empty_is_refused_by_name(rig: Rig, name: str, data: bytes, sentence: str) -> None:
    assert (await attach(rig, name=name, data=data)).problem == sentence


async def test_folders_and_pipes_and_missing_files_are_refused(rig: Rig, tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    problems = [(await attach(rig, path=str(tmp_path / name))).problem for name in (".", "pipe", "none.txt")]
    assert "is a folder" in problems[0]
    assert problems[1] == "pipe is no file."
    assert problems[2] == "none.txt cannot be read: No such file or directory."


async def test_a_file_that_looks_secret_is_attached_only_after_a_word(rig: Rig, tmp_path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    asked = await attach(rig, path=str(tmp_path / ".env"))
    assert (asked.looks_secret, asked.sha256) == (True, "")
    kept = await attach(rig, path=str(tmp_path / ".env"), secret_accepted=True)
    assert kept.logical_name == "env"


async def test_a_broken_picture_is_attached_as_a_file_and_says_so(rig: Rig) -> None:
    ready = await attach(rig, name="broken.png", data=png(64, 64)[:60])
    assert "sent as a file" in ready.notice
    assert ready.width_px == 0


async def test_a_message_with_a_file_that_is_not_kept_is_refused_and_nothing_is_recorded(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("hello"))
    session_id = await rig.new("hello")
    await rig.ended()
    before = len(rig.engine.sessions.get(session_id).log)
    await rig.engine.handle(SendMessage(session_id=session_id, text="see", attachments=("gone.txt",)))
    assert rig.failures()[-1].code == "attachment_gone"
    assert len(rig.engine.sessions.get(session_id).log) == before


async def test_a_thumbnail_is_loaded_small(rig: Rig) -> None:
    ready = await attach(rig, name="shot.png", data=png(3000, 1500))
    await rig.engine.handle(LoadAttachment(sha256=ready.sha256, max_px=128))
    loaded = await rig.until(lambda us: next((u for u in us if isinstance(u, AttachmentLoaded)), None))
    assert Image.open(io.BytesIO(loaded.data)).size == (128, 64)
