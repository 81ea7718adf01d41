"""Tools that fail where no tool should: each call still has one decision and one result, and the turn goes on."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.agent.core.offers import Offers
from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.inputs import PendingInputs
from desktop.agent.gate.judge import Judge, JudgeNeeds
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.gate.sandbox import SandboxCommands
from desktop.agent.hooks.book import HookBook
from desktop.agent.hooks.calls import CallHooks
from desktop.agent.hooks.past import PastRuns
from desktop.agent.hooks.runner import HookRunner
from desktop.config.folders import Folders
from desktop.domain.core.clock import utc_now
from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.events import ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.redaction import Redactor
from desktop.policy.shell.verdict import ShellVerdict
from desktop.services.egress.egress import Egress
from desktop.services.hooks.running import HookRuns
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from desktop.store.gate.rules import RuleStore
from desktop.store.readings import SqliteReadings
from desktop.tools.registry import Registry
from desktop.tools.tool import Evidence, Tool, ToolArgs, ToolContext, ToolResult
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


class NoArgs(ToolArgs):
    """Arguments."""


async def runs(args: NoArgs, ctx: ToolContext) -> ToolResult:
    return ToolResult(text="ran")


def fails(*given: Any) -> Any:
    raise ZeroDivisionError("broken")


async def fails_late(args: NoArgs, ctx: ToolContext) -> ToolResult:
    raise ZeroDivisionError("broken")


async def exits(args: NoArgs, ctx: ToolContext) -> ToolResult:
    raise SystemExit(3)


async def gives_what_no_log_holds(args: NoArgs, ctx: ToolContext) -> ToolResult:
    return ToolResult(text="ran", data={"value": float("nan")})


GOOD = Tool(
    name="good", description="x", args=NoArgs, category=Category.WRITE, run=runs, card=lambda args: Card(title="Good")
)


@pytest_asyncio.fixture
async def session(rig: Rig, model_api: FakeModelApi) -> AsyncIterator[Session]:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    yield rig.engine.sessions.get(session_id)


def judge_of(session: Session, tool: Tool[Any], folder: Path) -> Judge:
    """A judge that knows this tool only, with no rules and no sandbox tried yet."""
    store = RuleStore(folder, folder, judge=unread, managed_path=folder / "none.toml")
    rules = RuleCommands(
        store, unread, lambda update: None, utc_now, past=SqliteReadings(folder / "none.db"), project=lambda: None
    )
    sandbox = SandboxCommands(Sandbox({}, SandboxOptions(tiers=())), lambda update: None)
    book = HookBook(Folders(folder, folder, folder, folder), tuple)
    hooks = CallHooks(HookRunner(book, HookRuns(sandbox.sandbox, {}, Egress()), Redactor, PastRuns(folder)))
    return Judge(Registry([tool]), session._store.blobs, JudgeNeeds(rules, sandbox, hooks), Offers(), can_ask=True)


def unread(text: str) -> ShellVerdict:
    return ShellVerdict()


async def carry_out(session: Session, tool: Tool[Any]) -> tuple[ToolCallFinished, bool]:
    """The one result of one call of this tool, and whether its handler was started."""
    caller = ToolCaller(judge_of(session, tool, Path("/nonexistent")), PendingInputs(), can_ask=True)
    before = len(session.log)
    try:
        await caller.carry_out(session, await caller.prepare(session, "call_1", tool.name, {}))
    finally:
        events = [envelope.event for envelope in session.log[before:]]
        finished = [event for event in events if isinstance(event, ToolCallFinished)]
        assert isinstance(events[0], ToolCallDecided)
        assert len(finished) == 1
    return finished[0], any(isinstance(event, ToolCallStarted) for event in events)


async def test_a_good_tool_runs(session: Session) -> None:
    finished, started = await carry_out(session, GOOD)
    assert (finished.outcome, started) == ("ok", True)


@pytest.mark.parametrize(
    "broken",
    [
        replace(GOOD, assess=fails),
        replace(GOOD, paths=fails),
        replace(GOOD, card=fails),
        replace(
            GOOD, card=fails, assess=lambda args, ctx: Evidence(assessment=Assessment(needs_consent=True, reason="x"))
        ),
    ],
    ids=["assess", "paths", "card", "card of a call that asks"],
)
async def test_a_tool_that_cannot_state_its_facts_does_not_run(session: Session, broken: Tool[Any]) -> None:
    finished, started = await carry_out(session, broken)
    assert (finished.outcome, started) == ("refused", False)
    assert finished.content == "Not run: internal error ZeroDivisionError. The person has been told."


async def test_a_handler_that_fails_is_an_error_result(session: Session) -> None:
    finished, started = await carry_out(session, replace(GOOD, run=fails_late))
    assert (finished.outcome, started) == ("error", True)
    assert finished.content == "The tool failed: ZeroDivisionError: broken. Details are in the log."


async def test_a_handler_that_leaves_the_program_is_recorded_as_interrupted(session: Session) -> None:
    before = len(session.log)
    with pytest.raises(SystemExit):
        await carry_out(session, replace(GOOD, run=exits))
    outcomes = [e.event.outcome for e in session.log[before:] if isinstance(e.event, ToolCallFinished)]
    assert outcomes == ["interrupted"]


async def test_a_result_that_no_log_can_hold_is_an_error_result(session: Session) -> None:
    finished, started = await carry_out(session, replace(GOOD, run=gives_what_no_log_holds))
    assert (finished.outcome, started) == ("error", True)
    assert "The result cannot be kept" in str(finished.content)


async def test_a_chat_whose_lane_is_gone_refuses_every_call_and_goes_on(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("todo_read"), text_turn("I see"))
    session_id = await rig.new("Todos", PermissionMode.EDIT)
    session = rig.engine.sessions.get(session_id)
    session.files = None
    assert (await rig.ended()).status == "completed"
    finished = rig.events(ToolCallFinished)[0]
    assert (finished.outcome, finished.content) == (
        "refused",
        "Not run: the lane folder is not the one this chat was opened on.",
    )
