"""A chat that nobody asks for gives back what the store holds too, and goes on as if it had not."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from desktop.agent.core.sessions import REST_AFTER_S
from desktop.agent.providers.sent_messages import SentMessages
from desktop.collecting import give_back
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, TitleChanged, UserMessage
from desktop.domain.history.builder import HistoryBuilder, to_messages
from desktop.domain.history.packing import PackedLog
from tests.agent.rig import Rig
from tests.bench.bench_many import rss_mib
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


KINDS = (PackedLog, HistoryBuilder, SentMessages, Envelope)
_of_others: list[object] = []


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """What tests before this one have left in the process is not counted."""
    gc.collect()
    _of_others.extend(one for one in gc.get_objects() if type(one) in KINDS)
    yield
    _of_others.clear()


def held(*kinds: type) -> int:
    """How many values of these classes are alive since the test began."""
    gc.collect()
    others = {id(one) for one in _of_others}
    return sum(type(one) in kinds and id(one) not in others for one in gc.get_objects())


async def test_an_idle_chat_holds_nothing_of_its_log_and_goes_on(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("list_dir", path="."), text_turn("One."), text_turn("Two."))
    session_id = await rig.new("first")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    said, count, names = session.history.messages(), len(session.log), session.blob_ids
    rig.updates.clear()
    rig.engine.sessions.rest(REST_AFTER_S)
    assert held(PackedLog) == 1  # somebody asked for it just now
    rig.engine.sessions.rest(0.0)
    assert held(PackedLog, HistoryBuilder, SentMessages) == 0
    assert held(Envelope) <= 1  # the newest, which was told last
    session.append(TitleChanged(title="later", by="person"))
    rig.updates.clear()
    assert held(PackedLog, HistoryBuilder) == 0
    assert session.blob_ids == names
    await rig.engine.handle(SendMessage(session_id=session_id, text="second"))
    await rig.ended()
    assert len(session.log) > count + 1
    assert session.history.messages()[: len(said)] == said
    assert session.history.messages() == to_messages(session.log)
    assert [one["role"] for one in model_api.requests[-1].messages[:-1]] == [one["role"] for one in said]


async def test_a_chat_whose_agent_works_does_not_rest(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Wait", fault="hold"))
    session_id = await rig.new("first")
    await rig.until(lambda _: model_api.requests or None)
    rig.engine.sessions.rest(0.0)
    assert held(PackedLog) == 1
    model_api.go_on()
    await rig.ended()
    rig.engine.sessions.rest(0.0)
    assert held(PackedLog) == 0
    assert rig.engine.sessions.get(session_id).log[-1].kind == "turn_ended"


async def test_a_long_chat_gives_its_memory_back(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Hello."))
    session_id = await rig.new("first", PermissionMode.PLAN)
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    session.history.messages()
    tracemalloc.start()
    try:
        for number in range(600):
            text = f"message {number} " * 20
            session.append(UserMessage(parts=({"type": "text", "text": text},)), lazy=True)
        session.history.messages()
        rig.updates.clear()
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
        rig.engine.sessions.rest(0.0)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < grown / 5


async def test_memory_between_what_is_held_goes_back_to_the_system() -> None:
    blocks = [bytes(20_000) for _ in range(3_000)]
    held_blocks = blocks[::10]
    full = rss_mib()
    del blocks
    give_back()
    assert full - rss_mib() > (20_000 * 2_000) / 1024**2
    assert len(held_blocks) == 300
