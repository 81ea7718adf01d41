"""What of a conversation is sent: pictures, thinking, odd ids, lone surrogates, cache markers, and prefixes."""

import base64
import io
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from desktop.agent.providers.pictures import ERASED_CONTENT, MOST_BYTES, NOT_READ, left_out, plan_images
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.commands import SendMessage, SetModel
from desktop.domain.core.content import BlobRef
from desktop.domain.events import UserMessage
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, tool_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def wide(folders: Folders, repository: Path, model_api: FakeModelApi) -> AsyncIterator[Rig]:
    """An engine whose model has room for many pictures."""
    endpoint = Endpoint(
        id="fake", label="Fake", kind="compatible", base_url=model_api.url, auth="none", default_model="m",
        context_window=1_000_000,
    )  # fmt: skip
    save_settings(folders.settings_file, Settings(endpoints=(endpoint,), default_endpoint="fake"))
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()


def picture(width: int = 8, height: int = 6) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(out, "PNG")
    return out.getvalue()


def stored(ref: BlobRef) -> dict[str, Any]:
    data = {"$blob": ref.sha256, "form": "base64", "media_type": ref.media_type, "size": ref.size}
    return {"type": "image", "source": {"type": "base64", "media_type": ref.media_type, "data": data}}


def inline(data: bytes) -> dict[str, Any]:
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": encoded}}


async def say(rig: Rig, session_id: str, text: str = "Go on") -> None:
    session = rig.engine.sessions.get(session_id)
    before = session.state.turns
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
    await rig.until(lambda _: session.state.turns > before and session.state.turn is None)


async def begun(rig: Rig, api: FakeModelApi, *parts: dict[str, Any]) -> str:
    """A chat with one finished turn and a message of these parts after it."""
    api.script(text_turn("Hello."), text_turn("Done."))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    if parts:
        session.append(UserMessage(parts=parts))
    return session_id


def blocks(api: FakeModelApi) -> list[dict[str, Any]]:
    return [block for message in api.requests[-1].messages for block in message["content"]]


async def test_stored_pictures_are_sent_as_base64(rig: Rig, model_api: FakeModelApi) -> None:
    data = picture()
    ref = rig.engine._store.blobs.put(data, "image/png")
    session_id = await begun(rig, model_api, stored(ref))
    await say(rig, session_id)
    assert inline(data) in blocks(model_api)


async def test_a_picture_whose_bytes_are_gone_is_said_to_be_gone(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await begun(rig, model_api, stored(BlobRef(sha256="0" * 64, media_type="image/png", size=9)))
    await say(rig, session_id)
    assert {"type": "text", "text": ERASED_CONTENT} in blocks(model_api)


async def test_a_model_that_reads_no_pictures_gets_none(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    endpoint = Endpoint(
        id="fake", label="Fake", kind="compatible", base_url=model_api.url, auth="none", default_model="m",
        images="off",
    )  # fmt: skip
    save_settings(folders.settings_file, Settings(endpoints=(endpoint,), default_endpoint="fake"))
    rig = await Rig(folders).open(repository)
    session_id = await begun(rig, model_api, inline(picture()))
    await say(rig, session_id)
    assert {"type": "text", "text": NOT_READ} in blocks(model_api)
    assert not [block for block in blocks(model_api) if block["type"] == "image"]
    await rig.engine.stop()


async def test_of_more_than_100_pictures_the_oldest_are_left_out_by_name(wide: Rig, model_api: FakeModelApi) -> None:
    data = [picture(width) for width in range(1, 103)]
    refs = [wide.engine._store.blobs.put(one, "image/png") for one in data]
    session_id = await begun(wide, model_api, *(stored(ref) for ref in refs))
    session = wide.engine.sessions.get(session_id)
    session.append(
        AttachmentAdded(
            logical_name="plan.png",
            stored_file_name="x.png",
            sha256=refs[0].sha256,
            mime_type="image/png",
            size_bytes=1,
        )
    )
    await say(wide, session_id)
    sent = blocks(model_api)
    assert sum(block["type"] == "image" for block in sent) == 100
    assert {"type": "text", "text": left_out("plan.png")} in sent
    assert {"type": "text", "text": left_out("picture 2")} in sent
    assert inline(data[-1]) in sent


async def test_many_pictures_are_each_sent_with_at_most_2000_pixels_a_side(wide: Rig, model_api: FakeModelApi) -> None:
    ref = wide.engine._store.blobs.put(picture(2_500, 10), "image/png")
    session_id = await begun(wide, model_api, *(stored(ref) for _ in range(21)))
    await say(wide, session_id)
    sent = [block for block in blocks(model_api) if block["type"] == "image"]
    assert len(sent) == 21
    for block in sent:
        with Image.open(io.BytesIO(base64.b64decode(block["source"]["data"]))) as image:
            assert max(image.size) == 2_000


async def test_pictures_of_more_than_32_mb_leave_the_oldest_out() -> None:
    size = MOST_BYTES // 3
    kept = stored(BlobRef(sha256="0" * 64, media_type="image/png", size=size))
    messages = [{"role": "user", "content": [kept] * 4}]
    assert plan_images(messages, reads_images=True).skip == 2


async def test_thinking_of_another_model_is_not_sent(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("Hello.", thinking="hm", model="resolved-name"), *[text_turn("Done.")] * 2)
    session_id = await rig.new("Look", thinking="low")
    await rig.ended()
    await say(rig, session_id)
    assert blocks(model_api)[1]["type"] == "thinking"
    assert "thinking" in model_api.requests[-1].body
    await rig.engine.handle(SetModel(session_id=session_id, endpoint_id="fake", model="other", thinking="low"))
    await say(rig, session_id)
    assert [block["type"] for block in blocks(model_api)] == ["text"] * 5
    assert "thinking" in model_api.requests[-1].body


async def test_no_thinking_is_asked_for_when_the_answered_calls_came_without(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Done."))
    await rig.new("Look", thinking="low")
    await rig.ended()
    first, second = model_api.requests
    assert "thinking" in first.body
    assert "thinking" not in second.body


@pytest.mark.parametrize("fault", ["json", "one_chunk", "no_event_lines"])
async def test_a_server_that_does_everything_its_own_way_can_be_worked_with(
    rig: Rig, model_api: FakeModelApi, fault: str
) -> None:
    call = Call("read_file", {"file_path": "app.py"}, id="call.1")
    odd = turn("\ud83d oops", [call], usage=None, stop_reason=None, thinking="hm", signature="", fault=fault)
    model_api.script(odd, text_turn("Done.", usage=None))
    session_id = await rig.new("Look")
    ended = await rig.ended()
    assert (ended.status, ended.cost_microusd) == ("completed", None)
    assert rig.engine.sessions.get(session_id).state.cost_unknown
    (said, use), (result,) = (model_api.requests[-1].messages[at]["content"] for at in (1, 2))
    assert said == {"type": "text", "text": "\ufffd oops"}
    assert use["id"] == result["tool_use_id"]
    assert use["id"].startswith("t_")
    assert faults(model_api.requests[-1].messages) == []


@pytest.mark.promise("sessions-SP2")
async def test_history_is_sent_as_recorded_when_a_tool_is_gone(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("no_such_tool", x=1), text_turn("Done."))
    await rig.new("Look")
    await rig.ended()
    use = model_api.requests[-1].messages[1]["content"][0]
    assert (use["name"], use["input"]) == ("no_such_tool", {"x": 1})
    assert model_api.requests[-1].messages[-1]["role"] == "user"


def without_markers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_markers(item) for key, item in value.items() if key != "cache_control"}
    return [without_markers(item) for item in value] if isinstance(value, list) else value


def markers(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if "cache_control" in value else []
        return own + [found for item in value.values() for found in markers(item)]
    return [found for item in value for found in markers(item)] if isinstance(value, list) else []


async def test_each_request_begins_as_the_one_before_and_holds_at_most_four_markers(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    endpoint = Endpoint(
        id="fake", label="Fake", kind="compatible", base_url=model_api.url, auth="none", default_model="m",
        caching="on",
    )  # fmt: skip
    save_settings(folders.settings_file, Settings(endpoints=(endpoint,), default_endpoint="fake"))
    rig = await Rig(folders).open(repository)
    steps = [
        turn(f"Step {n}", [("read_file", {"file_path": "app.py", "limit": n + 1})], thinking="hm") for n in range(4)
    ]
    model_api.script(*steps, text_turn("Done."), *steps[:2], text_turn("Done."))
    session_id = await rig.new("Look", thinking="low")
    await rig.ended()
    await say(rig, session_id)
    lists = [request.messages for request in model_api.requests]
    assert len(lists) == 8
    for before, after in itertools.pairwise(lists):
        kept = without_markers(before[:-1])
        assert without_markers(after[: len(kept)]) == kept
        assert faults(without_markers(after)) == []
    for request in model_api.requests:
        marked = markers(request.body)
        assert 1 <= len(marked) <= 4
        assert not [block for block in marked if block.get("type") in ("thinking", "redacted_thinking")]
    await rig.engine.stop()


@pytest.mark.promise("sessions-SP1")
async def test_the_same_log_gives_the_same_request_after_a_restart(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Done."), *[text_turn("Done.")] * 2)
    session_id = await rig.new("Look")
    await rig.ended()
    await say(rig, session_id)
    before = model_api.requests[-1]
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    await say(again, session_id)
    after = model_api.requests[-1]
    assert json.dumps(after.messages[: len(before.messages)]) == json.dumps(before.messages)
    assert {**after.body, "messages": []} == {**before.body, "messages": []}
    await again.engine.stop()


async def test_all_steps_of_a_chat_go_over_one_connection(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.providers.streamed.REST_S", 20.0)
    steps = [tool_turn("read_file", file_path="app.py", limit=number + 1) for number in range(4)]
    model_api.script(*steps, text_turn("Done."), text_turn("Done."))
    session_id = await rig.new("Look")
    await rig.ended()
    await say(rig, session_id)
    assert len(model_api.requests) == 6
    assert len({request.connection for request in model_api.requests}) == 1
