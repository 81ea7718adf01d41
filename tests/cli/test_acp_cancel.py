"""An editor cancels a request by its id: a message is stopped, or not sent; all else is answered by an error."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.events import TurnEnded, UserMessage
from tests.acp_editor import Editor, log_of, result_of
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytest_plugins = ("tests.acp_plugin",)
pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-R12")]
PERMISSION = "session/request_permission"
CANCEL = "$/cancel_request"
STOPPED = {"stopReason": "cancelled"}


async def soon(answer: "asyncio.Future[dict[str, Any]]") -> dict[str, Any]:
    return await asyncio.wait_for(answer, 30)


def messages(home: Path, chat: str) -> str:
    return "\n".join(str(one.event.parts) for one in log_of(home, chat) if isinstance(one.event, UserMessage))


async def test_cancelling_the_request_of_a_turn_stops_it_and_takes_its_card_back(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"), text_turn("Here I am."))
    async with Editor(home, shop) as editor:
        chat, answer = await editor.asked_about(shop, "Build")
        for params in ({"requestId": 99}, {"requestId": True}, {"requestId": "1"}, {"requestId": [3]}, {}, None):
            editor.send(method=CANCEL, params=params)
        await editor.ask("session/list")
        assert not answer.done()
        editor.send(method=CANCEL, params={"requestId": 3})  # after initialize and session/new
        assert result_of(await soon(answer)) == STOPPED
        assert editor.cancelled == [{"requestId": editor.asked[0]["id"]}]
        assert await editor.say(chat, "Go on") == "end_turn"
    ends = [one.event.status for one in log_of(home, chat) if isinstance(one.event, TurnEnded)]
    assert ends == ["interrupted", "completed"]


async def test_cancelling_the_request_of_a_message_that_waits_takes_that_alone_back(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"), text_turn("Not built."), text_turn("Linted."))
    answered = asyncio.Event()

    async def declines(_params: dict[str, Any]) -> dict[str, Any]:
        await answered.wait()
        return {"outcome": {"outcome": "cancelled"}}

    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = declines
        chat, first = await editor.asked_about(shop, "Build")
        second, third = editor.prompt(chat, "And test"), editor.prompt(chat, "And lint")
        editor.send(method=CANCEL, params={"requestId": 4})
        assert result_of(await soon(second)) == STOPPED
        assert not first.done()
        assert not third.done()
        answered.set()
        await soon(first)
        await soon(third)
    sent = messages(home, chat)
    assert "And lint" in sent
    assert "And test" not in sent


@pytest.mark.parametrize("by", ["its id", "its chat"])
async def test_a_message_that_is_cancelled_while_it_is_sent_ends_as_cancelled(
    home: Path, shop: Path, model_api: FakeModelApi, by: str
) -> None:
    model_api.script(text_turn("Built."), text_turn("Built."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        answer = editor.prompt(chat, "Build")
        if by == "its id":
            editor.send(method=CANCEL, params={"requestId": 3})
        else:
            editor.send(method="session/cancel", params={"sessionId": chat})
        assert result_of(await soon(answer)) == STOPPED
        assert editor.text.count("Built.") == 0


async def test_any_other_request_that_is_cancelled_is_answered_by_the_error_for_it(home: Path, shop: Path) -> None:
    async with Editor(home, shop) as editor:
        await editor.greet()
        answer = editor.begin("session/new", {"cwd": str(shop), "mcpServers": []})
        editor.send(method=CANCEL, params={"requestId": 2})
        assert (await soon(answer))["error"] == {"code": -32800, "message": "Cancelled."}
        assert await editor.new(shop)
