"""Sub-agents with the web: their pages pass the same gate, with their chat's grants, and mark both."""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.config.web import WebSettings
from desktop.domain.children.events import ChildBegun
from desktop.domain.commands import SaveRule, SendMessage
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.gate.rules import Rule
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn, tool_turn, turn
from tests.fakes.web_host import Told, WebHost

pytestmark = pytest.mark.asyncio
HOST, GRANTED = "wiki.example.com", "https://nowhere.example.com/a"
ALLOWS = Rule(id="", decision="allow", kind="network", host="nowhere.example.com", ports=(443,), scope="project")
FORBIDS = Rule(id="", decision="deny", kind="network", host="nowhere.example.com", scope="project")


async def resolve(host: str, port: int) -> Sequence[str]:
    """One host is here; all others are nowhere."""
    if host == HOST:
        return ["127.0.0.1"]
    raise OSError(f"{host} is unknown.")


@pytest.fixture
def site() -> Iterator[WebHost]:
    pages = {"/tokens": Told(b"A token lasts a day.", {"Content-Type": "text/plain"})}
    with WebHost(pages) as host:
        yield host


@pytest_asyncio.fixture
async def web(folders: Folders, model_api: FakeModelApi, repository: Path) -> AsyncIterator[Rig]:
    write_settings(folders, model_api.url, web=WebSettings(enabled=True, private_hosts=(HOST,)))
    rig = await Rig(folders, EngineOptions(resolve=resolve)).open(repository)
    yield rig
    await rig.engine.stop()


def verdicts(rig: Rig, name: str = "web_fetch") -> list[tuple[Verdict, str]]:
    return [(one.verdict, one.rule) for one in rig.events(ToolCallDecided) if one.name_called == name]


def taint(rig: Rig, session_id: str) -> tuple[str, ...]:
    return rig.engine.sessions.get(session_id).taint[0]


@pytest.mark.promise("guests-W6")
@pytest.mark.parametrize("mode", list(PermissionMode))
async def test_a_page_of_a_sub_agent_asks_with_its_name_in_every_mode_and_marks_its_chat_too(
    web: Rig, model_api: FakeModelApi, site: WebHost, mode: PermissionMode
) -> None:
    url = f"http://{HOST}:{site.port}/tokens"
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), tool_turn("web_fetch", url=url), text_turn("done")],
        Child=[tool_turn("web_fetch", url=url), tool_turn("web_fetch", url=f"{url}?q=1"), text_turn("a day")],
    )
    model_api.answer_with(cast)
    session_id = await web.new("Parent: go", mode=mode, without_sandbox=True)
    asked = await web.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert (asked.request.rule, "Parent: go › part 1" in asked.request.asker) == ("net_host", True)
    child_id = web.events(ChildBegun)[0].child_id
    assert site.asked == []
    await web.answer(child_id, asked, Answer(outcome="allow_once"))
    second = await web.asked(2)
    assert isinstance(second.request, ApprovalRequest)
    assert second.request.tainted == (f"web:{HOST}",)
    assert [offer.scope for offer in second.request.grants] == ["once"]
    await web.answer(child_id, second, Answer(outcome="reject"))
    third = await web.asked(3)
    assert isinstance(third.request, ApprovalRequest)
    assert (third.request.asker, third.request.tainted) == ("Agent", (f"web:{HOST}",))
    await web.answer(session_id, third, Answer(outcome="reject"))
    await over(web, session_id)
    assert site.paths == ["/tokens"]
    assert taint(web, child_id) == taint(web, session_id) == (f"web:{HOST}",)
    first = next(
        one for one in web.events(ToolCallFinished) if one.outcome == "ok" and "token lasts" in str(one.content)
    )
    assert str(first.content).startswith(f'<untrusted source="web:{HOST}">')
    recorded = [one for event in web.events(EgressRecorded) for one in event.traffic if one.host == HOST]
    assert [(one.connections, one.kind) for one in recorded] == [(1, "web")]


async def test_what_a_chat_may_ask_unasked_its_sub_agents_may_until_one_of_them_reads_from_outside(
    web: Rig, model_api: FakeModelApi, site: WebHost
) -> None:
    await web.engine.handle(SaveRule(rule=ALLOWS))
    assert web.failures() == []
    fetch, page = tool_turn("web_fetch", url=GRANTED), f"http://{HOST}:{site.port}/tokens"
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), fetch, text_turn("done")],
        Child=[fetch, tool_turn("web_fetch", url=page), fetch, text_turn("read")],
    )
    model_api.answer_with(cast)
    session_id = await web.new("Parent: go")
    asked = await web.asked()
    child_id = web.events(ChildBegun)[0].child_id
    assert verdicts(web) == [(Verdict.ALLOW, "net_host"), (Verdict.ASK, "net_host")]
    await web.answer(child_id, asked, Answer(outcome="allow_once"))
    again = await web.asked(2)
    assert isinstance(again.request, ApprovalRequest)
    assert {hit.rule for hit in again.request.hits if hit.verdict is Verdict.ASK} >= {"taint"}
    await web.answer(child_id, again, Answer(outcome="reject"))
    of_chat = await web.asked(3)
    assert isinstance(of_chat.request, ApprovalRequest)
    assert of_chat.request.asker == "Agent"
    await web.answer(session_id, of_chat, Answer(outcome="reject"))
    await over(web, session_id)
    assert [one.request.blocking for one in web.events(InputRequested)] == [True] * 3


async def test_a_host_that_a_rule_forbids_is_forbidden_to_sub_agents(web: Rig, model_api: FakeModelApi) -> None:
    await web.engine.handle(SaveRule(rule=FORBIDS))
    assert web.failures() == []
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), text_turn("done")],
        Child=[tool_turn("web_fetch", url=GRANTED), text_turn("no")],
    )
    model_api.answer_with(cast)
    session_id = await web.new("Parent: go", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await over(web, session_id)
    assert [verdict for verdict, _ in verdicts(web)] == [Verdict.DENY]
    assert web.events(InputRequested) == []


async def test_a_chat_that_read_from_outside_begins_sub_agents_that_are_asked_about(
    web: Rig, model_api: FakeModelApi, site: WebHost
) -> None:
    await web.engine.handle(SaveRule(rule=ALLOWS))
    assert web.failures() == []
    cast = Cast(
        Parent=[
            tool_turn("web_fetch", url=f"http://{HOST}:{site.port}/tokens"),
            text_turn("read"),
            turn(calls=[begins(1)]),
            text_turn("done"),
        ],
        Child=[tool_turn("web_fetch", url=GRANTED), text_turn("no")],
    )
    model_api.answer_with(cast)
    session_id = await web.new("Parent: go")
    await web.answer(session_id, await web.asked(), Answer(outcome="allow_once"))
    await web.ended()
    await web.engine.handle(SendMessage(session_id=session_id, text="go on"))
    asked = await web.asked(2)
    assert isinstance(asked.request, ApprovalRequest)
    assert (asked.request.tainted, asked.request.asker != "Agent") == ((f"web:{HOST}",), True)
    assert [offer.scope for offer in asked.request.grants] == ["once"]
    await web.answer(web.events(ChildBegun)[0].child_id, asked, Answer(outcome="reject"))
    await over(web, session_id)
    assert site.paths == ["/tokens"]


@pytest.mark.promise("guests-W1")
async def test_with_the_web_switched_off_no_sub_agent_has_it(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), text_turn("done")],
        Child=[tool_turn("web_fetch", url=GRANTED), text_turn("no")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await over(rig, session_id)
    offered = {tool["name"] for tool in cast.asked["Child"][0].body["tools"]}
    assert not {"web_fetch", "web_search"} & offered
    refused = next(one for one in rig.events(ToolCallFinished) if one.outcome == "refused")
    assert "switched off" in str(refused.content)
