"""How full the window is, as the engine tells it while a chat runs."""

import asyncio
from pathlib import Path

import pytest

from desktop.agent.context.keeper import compaction_threshold
from desktop.agent.context.tokens import IMAGE_TOKENS, count_parts
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.chats.commands import DeleteSession
from desktop.domain.chats.updates import ContextMeterChanged, SessionDeleted
from desktop.domain.commands import OpenSession, SendMessage
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.events import AssistantMessage, UserMessage
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def readings(updates: list[Update]) -> list[ContextMeterChanged]:
    return [update for update in updates if isinstance(update, ContextMeterChanged)]


async def settled(rig: Rig, session_id: str) -> ContextMeterChanged:
    """The meter once nothing more is to be told."""
    return rig.engine.parts.chats.context.keeper.reading(rig.engine.sessions.get(session_id))


def sending(session_id: str, text: str) -> Command:
    return SendMessage(session_id=session_id, text=text)


def opening(session_id: str) -> Command:
    return OpenSession(session_id=session_id)


async def test_the_meter_says_what_the_service_counted_last(rig: Rig, model_api: FakeModelApi) -> None:
    usage = {"input_tokens": 9_000, "output_tokens": 500, "cache_read_input_tokens": 3_000}
    model_api.script(text_turn("Done.", usage=usage))
    session_id = await rig.new("hello")
    await rig.ended()
    meter = await rig.until(lambda updates: next((m for m in readings(updates) if m.used == 12_500), None))
    assert meter.session_id == session_id
    assert not meter.estimated
    assert meter.system + meter.tools + meter.messages + meter.results + meter.images == meter.used
    assert meter.system > 0
    assert meter.tools > 0
    assert meter.cost_unknown


async def test_what_was_appended_since_is_added_as_an_estimate(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."), text_turn("Done.", fault="hold"))
    session_id = await rig.new("hello")
    await rig.ended()
    before = (await settled(rig, session_id)).used
    session = rig.engine.sessions.get(session_id)
    from_log = len(session.log)
    await rig.engine.handle(sending(session_id, "x" * 4_000))
    await rig.until(lambda _: len(session.log) > from_log + 1)
    meter = await settled(rig, session_id)
    assert meter.estimated
    assert before + 1_000 <= meter.used <= before + 1_100
    model_api.go_on()
    await rig.ended(2)


async def test_results_have_a_part_of_their_own(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        text_turn("Done.", usage={"input_tokens": 90_000, "output_tokens": 10}),
    )
    session_id = await rig.new("hello")
    await rig.ended()
    assert (await settled(rig, session_id)).results > 0


async def test_it_is_told_at_most_twice_a_second(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [tool_turn("read_file", file_path="app.py", limit=n + 1) for n in range(12)]
    model_api.script(*calls, text_turn("Done."))
    began = asyncio.get_running_loop().time()
    await rig.new("hello")
    await rig.ended()
    passed = asyncio.get_running_loop().time() - began
    assert len(readings(rig.updates)) <= passed * 2 + 2


@pytest.mark.promise("sessions-SK5")
async def test_an_unknown_window_is_told_as_unknown(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    session_id = await rig.new("hello")
    await rig.ended()
    assert (await settled(rig, session_id)).window == 0
    assert (await settled(rig, session_id)).compacts_at == 24_576


async def test_the_endpoints_own_window_counts(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    await rig.engine.stop()
    endpoint = Endpoint(
        id="fake", label="Fake", kind="compatible", base_url=model_api.url, auth="none", default_model="fake-model",
        context_window=64_000,
    )  # fmt: skip
    save_settings(folders.settings_file, Settings(endpoints=(endpoint,), default_endpoint="fake"))
    model_api.script(text_turn("Done."))
    again = await Rig(folders).open(repository)
    session_id = await again.new("hello")
    await again.ended()
    meter = await settled(again, session_id)
    assert (meter.window, meter.compacts_at) == (64_000, 48_000)
    await again.engine.stop()


async def test_opening_a_chat_tells_its_meter(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    session_id = await rig.new("hello")
    await rig.ended()
    await rig.until(lambda updates: next((m for m in readings(updates) if not m.estimated), None))
    rig.updates.clear()
    await rig.engine.handle(opening(session_id))
    meter = await rig.until(lambda updates: next(iter(readings(updates)), None))
    assert meter.used == 120


async def test_a_chat_that_was_deleted_meanwhile_has_no_meter(rig: Rig, model_api: FakeModelApi) -> None:
    broken: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: broken.append(context))
    model_api.script(text_turn("Done."))
    session_id = await rig.new("hello")
    await rig.ended()
    rig.engine.parts.chats.library.commands.undo_s = 0
    await rig.engine.handle(DeleteSession(session_id=session_id))
    await rig.until(lambda updates: any(isinstance(one, SessionDeleted) for one in updates))
    rig.engine.parts.chats.context.keeper.changed(session_id)
    await rig.until(lambda _updates: not rig.engine.parts.chats.context.keeper._timers)
    assert broken == []


async def test_thresholds_are_a_share_of_a_small_window_and_leave_room_in_a_large_one() -> None:
    assert compaction_threshold(32_768) == 24_576
    assert compaction_threshold(100_000) == 75_000
    assert compaction_threshold(200_000) == 175_000
    assert compaction_threshold(1_000_000) == 250_000


async def test_a_picture_counts_by_its_pixels() -> None:
    sized = {"type": "image", "source": {"data": {"$blob": "0" * 64, "width_px": 1500, "height_px": 1000}}}
    assert count_parts((sized,)).images == 2_000
    assert count_parts(({"type": "image", "source": {"data": "?"}},)).images == IMAGE_TOKENS


async def test_of_a_long_chat_only_its_end_is_read_until_it_goes_on(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("Done.", usage={"input_tokens": 40_000, "output_tokens": 10}), text_turn("Done."))
    session_id = await rig.new("hello")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    last = next(one.event for one in reversed(session.log) if isinstance(one.event, AssistantMessage))
    session.append_many([UserMessage(parts=({"type": "text", "text": "y" * 400},)) for _ in range(1_100)])
    session.append(last)
    whole = (await settled(rig, session_id)).used
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    meter = await settled(again, session_id)
    assert meter.used == whole == 40_010
    assert meter.system + meter.tools + meter.messages == meter.used
    await again.engine.handle(sending(session_id, "Go on"))
    await again.ended()
    await again.engine.stop()
