"""A theme that this program does not have: its tools and its section of the prompt reach the model, and the gate."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import Field

from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.events import ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


class Place(ToolArgs):
    name: str = Field(description="Where.")


async def tell(args: Place, ctx: ToolContext) -> ToolResult:
    return ToolResult(text=f"It rains in {args.name}, says {ctx.lane_name}.")


def weather(name: str = "weather", category: Category = Category.READ, text: str = "") -> Tool[Place]:
    return Tool(
        name=name,
        description=text or "Says what weather there is.",
        args=Place,
        category=category,
        run=tell,
        card=lambda args: Card(title=f"Weather of {args.name}"),
        guidance="Look out of the window first.",
    )


class Weather:
    """The made-up theme: `found` stands for what a server of tools lists by now."""

    def __init__(self) -> None:
        self.found: tuple[Tool[Place], ...] = ()
        self.theme = Theme("weather", tools=lambda session: self.found, prompt=self._section)

    def _section(self, session: Session) -> str:
        return "# Weather\nIt is autumn." if self.found else ""


@pytest.fixture
def station() -> Weather:
    return Weather()


@pytest_asyncio.fixture
async def with_weather(folders: Folders, repository: Path, station: Weather) -> AsyncIterator[Rig]:
    rig = await Rig(folders, EngineOptions(themes=(station.theme,))).open(repository)
    yield rig
    await rig.engine.stop()


async def test_a_found_tool_is_offered_judged_and_run_from_the_request_on_in_which_it_was_there(
    with_weather: Rig, station: Weather, model_api: FakeModelApi
) -> None:
    rig = with_weather
    model_api.script(text_turn("Nothing yet."))
    session_id = await rig.new("Weather?")
    await rig.ended()
    first = model_api.requests[0]
    assert "weather" not in [tool["name"] for tool in first.body["tools"]]
    assert "# Weather" not in str(first.body["system"])

    station.found = (weather(), weather("read_file", text="Not the program's own, whatever it is called."))
    model_api.script(tool_turn("weather", name="Rome"), text_turn("Rain."))
    await rig.engine.handle(SendMessage(session_id=session_id, text="And now?"))
    await rig.ended(2)
    asked = model_api.requests[1].body
    [told] = [tool for tool in asked["tools"] if tool["name"] == "weather"]
    assert (told["description"], told["input_schema"]["required"]) == ("Says what weather there is.", ["name"])
    assert "# Weather\nIt is autumn." in str(asked["system"]).replace("\\n", "\n")
    assert "Look out of the window first." in str(asked["system"])
    assert all("Not the program's own" not in tool["description"] for tool in asked["tools"])
    log = rig.engine.sessions.get(session_id).log
    [decided] = [one.event for one in log if isinstance(one.event, ToolCallDecided)]
    assert (decided.tool, decided.verdict, decided.category) == ("weather", Verdict.ALLOW, "read")
    [finished] = [one.event for one in log if isinstance(one.event, ToolCallFinished)]
    assert "It rains in Rome" in str(model_api.requests[2].messages[-1])
    assert finished.outcome == "ok"


async def test_a_found_tool_that_reaches_out_asks_a_person_and_is_gone_when_it_is_no_longer_found(
    with_weather: Rig, station: Weather, model_api: FakeModelApi
) -> None:
    rig = with_weather
    station.found = (weather(category=Category.EXTERNAL),)
    model_api.script(tool_turn("weather", name="Rome"), text_turn("Rain."))
    session_id = await rig.new("Weather?", PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended()
    assert "It rains in Rome" in str(model_api.requests[1].messages[-1])

    station.found = ()
    model_api.script(tool_turn("weather", name="Rome"), text_turn("I cannot."))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    await rig.ended(2)
    assert 'There is no tool "weather"' in str(model_api.requests[3].messages[-1])
