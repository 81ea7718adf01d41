"""What a guest has a model do through the proxy: counted, paid for and kept within limits."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.config.prices import ModelPrice
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.domain.guests.events import GuestCounted
from desktop.domain.guests.updates import GuestChanged
from desktop.domain.history.state_of import message_text
from tests.agent.guest_rig import PROGRAM, command
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.guest_ground import written_program

pytestmark = pytest.mark.asyncio
COUNTED = {"prompt_tokens": 100_000, "completion_tokens": 50_000}
USED = Usage(input=100_000, output=50_000)
COST = 100_000 * 2 + 50_000 * 4
ASK = {"ask_model": {"model": "m"}, "base": "MODEL_BASE"}


@asynccontextmanager
async def service(usage: object = COUNTED) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A model service that answers as a stream; the heads that it heard."""
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        told = ({"model": "m", "choices": [{"delta": {"content": "hi"}}]}, {"model": "m", "usage": usage})
        body = "".join(f"data: {json.dumps(one)}\n\n" for one in told) + "data: [DONE]\n\n"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body.encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


@pytest.fixture
def described(tmp_path: Path, folders: Folders, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Describes a guest that asks the service at an address, and plays these steps."""
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tools), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    written_program(tools, "mine-acp", PROGRAM)

    def describe(url: str, *prompts: list[dict[str, Any]]) -> None:
        script = json.dumps(json.dumps({"prompts": prompts}))
        table = f"[[guest]]\nid = 'mine'\nlabel = 'Mine'\nprograms = ['mine-acp']\nargs = [{script}]\n"
        gateway = "[guest.gateway]\ndialect = 'openai'\nenv = { MODEL_BASE = '{url}' }\n"
        folders.config.mkdir(parents=True, exist_ok=True)
        (folders.config / "guests.toml").write_text(table + gateway, encoding="utf-8")
        price = ModelPrice(model="m", input_microusd=2_000_000, output_microusd=4_000_000)
        endpoint = Endpoint(
            id="fake",
            label="Fake",
            kind="openai_compatible",
            base_url=url,
            auth="none",
            default_model="m",
            prices=(price,),
        )
        chosen = Settings(endpoints=(endpoint,), default_endpoint="fake", guest_models={"mine": "fake"})
        save_settings(folders.settings_file, chosen)

    return describe


def said(rig: Rig) -> str:
    return "".join(message_text(one) for one in rig.events(AssistantMessage))


def uses(rig: Rig) -> list[str]:
    return [one.abilities.usage for one in rig.updates if isinstance(one, GuestChanged)]


@pytest.mark.promise("guests-A49")
async def test_what_the_model_of_a_guest_answers_is_counted_and_paid_for(
    described: Callable[..., None], folders: Folders, repository: Path
) -> None:
    async with service() as (url, heard):
        described(url, [ASK, {"say": " Done."}, ASK])
        rig = await Rig(folders).open(repository)
        try:
            session_id = await rig.new("Do it", driver="mine", limits=Limits(cost_microusd=1_000_000))
            ended = await rig.ended()
            assert (ended.status, ended.detail) == ("completed", "")
            assert "[DONE]" in said(rig)
            counted = [(one.model, one.usage, one.cost_microusd) for one in rig.events(GuestCounted)]
            assert counted == [("m", USED, COST)] * 2
            assert (ended.usage.input, ended.usage.output, ended.cost_microusd) == (200_000, 100_000, 2 * COST)
            assert uses(rig)[-1] == "exact"
            assert len(heard) == 2
            assert b"gzip" not in heard[0]
            follows(rig, session_id)
            whole(rig, session_id)
        finally:
            await rig.engine.stop()


@pytest.mark.promise("guests-A49")
@pytest.mark.promise("guests-A30")
@pytest.mark.parametrize(
    ("limits", "reason"), [(Limits(cost_microusd=COST), "cost"), (Limits(tokens=120_000), "tokens")]
)
async def test_a_guest_whose_model_has_used_up_a_limit_is_stopped_before_it_asks_again(
    described: Callable[..., None], folders: Folders, repository: Path, limits: Limits, reason: str
) -> None:
    async with service() as (url, heard):
        described(url, [ASK, ASK, {"ask": command("python3 tool.py")}, {"hold": True}])
        rig = await Rig(folders).open(repository)
        try:
            session_id = await rig.new("Do it", driver="mine", limits=limits)
            ended = await rig.ended()
            assert (ended.status, ended.reason) == ("limit", reason)
            assert len(heard) == 1
            assert rig.events(GuestCounted)[0].usage == USED
            whole(rig, session_id)
        finally:
            await rig.engine.stop()


@pytest.mark.promise("guests-A49")
async def test_a_service_that_tells_no_tokens_keeps_no_limit_in_money(
    described: Callable[..., None], folders: Folders, repository: Path
) -> None:
    async with service(usage=None) as (url, heard):
        described(url, [ASK, ASK, {"hold": True}])
        rig = await Rig(folders).open(repository)
        try:
            await rig.new("Do it", driver="mine", limits=Limits(cost_microusd=1_000_000))
            ended = await rig.ended()
            assert (ended.status, ended.reason, ended.cost_microusd) == ("failed", "no_price", None)
            assert (len(heard), uses(rig)[-1]) == (1, "unknown")
        finally:
            await rig.engine.stop()
