"""What a server asks for by itself during a call: a person's answers on a card, and its folders."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest, QuestionRequest
from desktop.domain.mcp import commands as c
from tests.agent.mcp_rig import FAKE, accept, configure, fake_server, stands
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
FORM = {
    "mode": "form",
    "message": "Which branch?",
    "requestedSchema": {
        "type": "object",
        "properties": {"branch": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["branch"],
    },
}


class Asked:
    """A chat in which a server asked for something."""

    def __init__(self, rig: Rig, session_id: str) -> None:
        self.rig = rig
        self.session_id = session_id

    async def question(self, number: int = 1) -> InputRequested:
        """The n-th question on a card."""

        def find(updates: object) -> InputRequested | None:
            asked = [one for one in self.rig.events(InputRequested) if isinstance(one.request, QuestionRequest)]
            return asked[number - 1] if len(asked) >= number else None

        return await self.rig.until(find)

    async def approval(self, number: int) -> InputRequested:
        """The n-th card of a call."""

        def find(updates: object) -> InputRequested | None:
            asked = [one for one in self.rig.events(InputRequested) if isinstance(one.request, ApprovalRequest)]
            return asked[number - 1] if len(asked) >= number else None

        return await self.rig.until(find)

    async def answer(self, asked: InputRequested, answer: Answer) -> None:
        await self.rig.answer(self.session_id, asked, answer)

    async def heard(self) -> str:
        """What the server was answered, as it says it."""
        await self.rig.ended()
        return str(self.rig.events(ToolCallFinished)[-1].content)


@pytest.fixture
def begun(rig: Rig, folders: Folders, model_api: FakeModelApi) -> Callable[..., object]:
    async def begin(method: str, params: object, *more: object, **settings: object) -> Asked:
        configure(folders, fake_server("asks", **{"elicits": True, **settings}))
        await rig.engine.handle(c.TestMcpServer(server_id="fake"))
        await stands(rig, "waiting")
        await accept(rig, wanted=lambda name: name == "request")
        asked = {"method": method, "params": params}
        text = json.dumps({**asked, "params": params[0], "times": len(params)} if isinstance(params, list) else asked)
        calls = [tool_turn("mcp__fake__request", text=text) for _ in range(1 + len(more))]
        model_api.script(*calls, text_turn("Done."))
        session_id = await rig.new("use it")
        approval = await rig.asked()
        assert isinstance(approval.request, ApprovalRequest)
        await rig.answer(session_id, approval, Answer(outcome="allow_once"))
        return Asked(rig, session_id)

    return begin


@pytest.mark.promise("guests-M26")
async def test_a_form_is_a_card_that_names_the_server(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM)
    card = await asked.question()
    assert isinstance(card.request, QuestionRequest)
    assert card.request.title == "The server fake asks"
    assert card.request.body == "Which branch?"
    assert [one.id for one in card.request.questions] == ["branch", "count"]
    await asked.answer(card, Answer(outcome="answered", choices={"branch": ("main",), "count": ("3",)}))
    assert '{"action": "accept", "content": {"branch": "main", "count": 3}}' in await asked.heard()


async def test_an_answer_that_does_not_fit_is_asked_for_again(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM)
    await asked.answer(
        await asked.question(), Answer(outcome="answered", choices={"branch": ("main",), "count": ("three",)})
    )
    again = await asked.question(2)
    assert isinstance(again.request, QuestionRequest)
    assert again.request.body.startswith("'count' wants a whole number.")
    await asked.answer(again, Answer(outcome="answered", choices={"branch": ("main",)}))
    assert '"content": {"branch": "main"}' in await asked.heard()


@pytest.mark.promise("guests-M26")
async def test_a_server_asks_three_times_in_a_turn_and_no_more(rig: Rig, begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM, 2, 3, 4)
    for number in range(1, 5):
        if number > 1:
            await rig.answer(asked.session_id, await asked.approval(number), Answer(outcome="allow_once"))
        if number < 4:
            await asked.answer(await asked.question(number), Answer(outcome="reject"))
    assert "No more than 3 questions are asked in a turn." in await asked.heard()
    assert len([one for one in rig.events(InputRequested) if isinstance(one.request, QuestionRequest)]) == 3


async def test_a_server_has_one_question_open_at_a_time(rig: Rig, begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", [FORM, FORM])
    await asked.answer(await asked.question(), Answer(outcome="reject"))
    heard = await asked.heard()
    assert heard.count("One question of this server is open already.") == 1
    assert heard.count('\\"decline\\"') + heard.count('"decline"') == 1
    assert len([one for one in rig.events(InputRequested) if isinstance(one.request, QuestionRequest)]) == 1


async def test_a_decline_is_told_as_one(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM)
    await asked.answer(await asked.question(), Answer(outcome="reject"))
    assert '"action": "decline"' in await asked.heard()


async def test_a_stop_closes_the_card(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM)
    card = await asked.question()
    await asked.rig.engine.handle(Interrupt(session_id=asked.session_id))
    await asked.rig.ended()
    (closed,) = [one for one in asked.rig.events(InputResolved) if one.input_id == card.input_id]
    assert closed.reason == "interrupted"


@pytest.mark.promise("guests-M26")
async def test_a_server_that_nobody_ticked_asks_nobody(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM, elicits=False)
    assert '"error"' in await asked.heard()
    assert not [one for one in asked.rig.events(InputRequested) if isinstance(one.request, QuestionRequest)]


@pytest.mark.promise("guests-M26")
async def test_nobody_is_asked_for_a_password(begun: Callable[..., object]) -> None:
    schema = {"type": "object", "properties": {"pass": {"type": "string", "format": "password"}}}
    asked = await begun("elicitation/create", {**FORM, "requestedSchema": schema})
    assert "asks for a secret, which no server is given on a card" in await asked.heard()
    assert not [one for one in asked.rig.events(InputRequested) if isinstance(one.request, QuestionRequest)]


async def test_an_address_is_shown_whole_and_nothing_opens(begun: Callable[..., object]) -> None:
    url = "https://bücher.example/pay?x=1"
    asked = await begun(
        "elicitation/create", {"mode": "url", "message": "Pay " * 2_000, "url": url, "elicitationId": "1"}
    )
    card = await asked.question()
    assert isinstance(card.request, QuestionRequest)
    assert "\n\nhttps://xn--bcher-kva.example/pay?x=1" in card.request.body
    assert "xn--bcher-kva.example (bücher.example)" in card.request.body
    await asked.answer(card, Answer(outcome="answered", choices={"went": ("I have been there",)}))
    assert '"action": "accept"' in await asked.heard()


async def test_an_address_of_the_own_network_is_not_shown(begun: Callable[..., object]) -> None:
    url = "http://192.168.1.1/reboot"
    asked = await begun("elicitation/create", {"mode": "url", "message": "x", "url": url, "elicitationId": "1"})
    assert "not an address of the public network" in await asked.heard()


async def test_the_time_limit_of_a_call_stands_still_while_a_person_is_asked(begun: Callable[..., object]) -> None:
    asked = await begun("elicitation/create", FORM, time_limit_s=1)
    card = await asked.question()
    await asyncio.sleep(2.5)
    await asked.answer(card, Answer(outcome="answered", choices={"branch": ("main",)}))
    assert '"action": "accept"' in await asked.heard()


@pytest.mark.promise("guests-M27")
async def test_a_server_is_told_its_own_folder_alone(begun: Callable[..., object], tmp_path: Path) -> None:
    added = tmp_path / "notes"
    added.mkdir()
    asked = await begun("roots/list", {}, read=[str(FAKE), str(added)])
    said = await asked.heard()
    found = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert [root["uri"] for root in found["roots"]] == [(tmp_path / "shop").as_uri(), added.as_uri()]


async def test_a_server_that_sees_no_folder_is_told_none(begun: Callable[..., object]) -> None:
    asked = await begun("roots/list", {}, folder="none")
    assert '"error"' in await asked.heard()


@pytest.mark.promise("guests-M27")
async def test_a_server_hears_that_its_folders_changed(
    begun: Callable[..., object], folders: Folders, tmp_path: Path
) -> None:
    added, calls = tmp_path / "notes", folders.data / "mcp" / "homes" / "fake" / "calls"
    added.mkdir()
    roots = {"method": "roots/list", "params": {}}
    server = fake_server("asks", f"calls={calls}")
    asked = await begun("roots/list", {}, "once more", command=server["command"], read=[str(FAKE), str(added)])
    again = await asked.approval(2)
    assert added.as_uri() in str(asked.rig.events(ToolCallFinished)[-1].content)
    added.rmdir()
    await asked.answer(again, Answer(outcome="allow_once"))
    said = await asked.heard()
    assert (tmp_path / "shop").as_uri() in said
    assert added.as_uri() not in said
    call = f"request {json.dumps({'text': json.dumps(roots)})}"
    assert calls.read_text().splitlines() == [call, "folders changed", call]
