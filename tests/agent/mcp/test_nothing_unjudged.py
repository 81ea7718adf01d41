"""Whatever agents and people do: nothing reaches a server without a verdict on record that lets it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, InputResolved, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.mcp import commands as c
from tests.agent.mcp_rig import accept, configure, fake_server, stands
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

PLAIN = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
TOOLS = [
    {"name": "look", "description": "Looks.", "inputSchema": PLAIN},
    {"name": "wipe", "description": "Wipes.", "inputSchema": PLAIN, "annotations": {"destructiveHint": True}},
    {
        "name": "query",
        "description": "Asks.",
        "inputSchema": {"type": "object", "properties": {"sql": {"type": "string"}}},
    },
    {"name": "quiet", "description": "Is off.", "inputSchema": PLAIN},
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("mcp__fake__look", {"text": "a"}),
    ("mcp__fake__look", {"text": 3}),
    ("mcp__fake__look", {"force": True}),
    ("mcp__fake__wipe", {"text": "b"}),
    ("mcp__fake__query", {"sql": "SELECT 1"}),
    ("mcp__fake__query", {"sql": "DROP TABLE t"}),
    ("mcp__fake__quiet", {}),
    ("mcp__fake__none", {}),
    ("mcp__FAKE__look", {}),
    ("look", {}),
]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(CALLS),
        st.sampled_from(["allow_once", "reject", "session", "project"]),
        st.sampled_from([*([""] * 4), "change"]),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.promise("guests-M15")
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=STEPS, mode=st.sampled_from(PermissionMode))
async def test_no_call_reaches_a_server_without_a_verdict_that_lets_it(
    folders: Folders, repository: Path, model_api: FakeModelApi, steps: list[Any], mode: PermissionMode
) -> None:
    home = folders.data / "mcp" / "homes" / "fake"
    home.mkdir(parents=True, exist_ok=True)
    (home / "calls").unlink(missing_ok=True)
    (folders.data / "mcp" / "pins.json").unlink(missing_ok=True)
    (home / "tools").write_text(json.dumps(TOOLS), encoding="utf-8")
    configure(folders, fake_server(f"calls={home / 'calls'}", f"tools={home / 'tools'}"))
    rig = await Rig(folders).open(repository)
    try:
        await _play(rig, model_api, steps, mode, home / "tools")
    finally:
        await rig.engine.stop()
    lines = (home / "calls").read_text(encoding="utf-8").splitlines() if (home / "calls").exists() else []
    reached = [line.split(" ", 1) for line in lines]
    allowed = _allowed(rig)
    assert [(f"mcp__fake__{name}", json.loads(given)) for name, given in reached] == allowed
    assert not any(name in ("mcp__fake__quiet", "mcp__fake__none") for name, _ in allowed)
    ends = [end.call_id for end in rig.events(ToolCallFinished)]
    assert len(ends) == len(set(ends)) == len(steps)


def _allowed(rig: Rig) -> list[tuple[str, Any]]:
    """The calls whose record says that they may run: allowed by the gate, or by a person on their card."""
    asked = {event.input_id: event.call_id for event in rig.events(InputRequested) if event.request.blocking}
    yes = {asked[one.input_id] for one in rig.events(InputResolved) if one.answer.outcome.startswith("allow")}
    decided = {event.call_id: event for event in rig.events(ToolCallDecided)}
    found = []
    for started in rig.events(ToolCallStarted):
        decision = decided[started.call_id]
        assert decision.verdict is Verdict.ALLOW or (decision.verdict is Verdict.ASK and started.call_id in yes)
        mcp = decision.facts["call"]["mcp"]
        assert mcp["pin"] == "accepted"
        found.append((started.tool, started.input))
    return found


async def _play(rig: Rig, model_api: FakeModelApi, steps: list[Any], mode: PermissionMode, tools: Path) -> None:
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    await stands(rig, "waiting")
    await accept(rig, wanted=lambda name: name != "quiet")
    for number, ((name, given_), answer, event) in enumerate(steps, 1):
        if event == "change":
            changed = [{**tool, "description": f"{tool['description']} {number}"} for tool in TOOLS]
            tools.write_text(json.dumps(changed), encoding="utf-8")
            await rig.engine.handle(c.RestartMcpServer(server_id="fake"))
            if answer == "project":
                await accept(rig, wanted=lambda tool: tool != "quiet")
        model_api.script(tool_turn(name, **given_), text_turn("Done."))
        cards = len(_cards(rig))
        session_id = await rig.new("use it", mode=mode)
        await rig.until(lambda _updates, cards=cards, number=number: len(_cards(rig)) > cards or _ended(rig, number))
        if len(_cards(rig)) > cards:
            await rig.answer(session_id, _cards(rig)[-1], _given(_cards(rig)[-1], answer))
        await rig.ended(number)


def _cards(rig: Rig) -> list[InputRequested]:
    return [event for event in rig.events(InputRequested) if event.request.blocking]


def _ended(rig: Rig, number: int) -> bool:
    return len(rig.events(ToolCallFinished)) >= number


def _given(asked: InputRequested, answer: str) -> Answer:
    request = asked.request
    assert isinstance(request, ApprovalRequest)
    if answer in ("session", "project") and any(grant.scope == answer for grant in request.grants):
        return Answer(outcome="allow_always", scope=answer)
    outcome = "reject" if answer == "reject" else "allow_once"
    return Answer(outcome=outcome, confirm=request.confirm_word)
