"""Cards that are open while modes, rules, marks and the sandbox change: what they show then, and what runs."""

import asyncio
from pathlib import Path

import pytest

from desktop.domain.commands import ClearTaint, PreviewRule, ProbeSandbox, RemoveRule, SaveRule, SetMode
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.update import Update
from desktop.domain.core.work import SessionSummary
from desktop.domain.events import Notice, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule
from desktop.domain.updates import RulePreviewed, RulesListed, SessionsChanged
from tests.agent.gate_rig import ONCE, REJECT, always, answer_with, approval, asked_in, check_edit, codes, of_session
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
EDIT, AUTO = PermissionMode.EDIT, PermissionMode.FULL_AUTO
ASK_TOUCH = Rule(id="", decision="ask", kind="command", scope="project", tokens=("touch",), created_by="settings")


async def open_card(rig: Rig, model_api: FakeModelApi, command: str = "touch one") -> tuple[str, str]:
    """A chat that waits for a yes to a command, and its digest."""
    model_api.script(tool_turn("bash", command=command), text_turn("done"))
    session_id = await rig.new("Touch")
    return session_id, approval(await asked_in(rig, session_id)).digest


@pytest.mark.promise("gate-I17")
async def test_an_ask_rule_that_comes_while_a_card_waits_is_named_on_it(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, digest = await open_card(rig, model_api)
    asked = await rig.asked()
    await rig.engine.handle(SaveRule(rule=ASK_TOUCH))
    (revised,) = rig.events(InputRevised)
    assert revised.input_id == asked.input_id
    assert (approval(asked).rule, revised.request.rule) == ("mode", "rule_ask")
    assert "touch" in revised.request.reason
    assert revised.request.would_not_ask == "Removing that rule in Settings."
    assert [grant.scope for grant in revised.request.grants] == ["once"]
    assert revised.request.digest == digest
    assert rig.events(ToolCallDecided)[-1].rule == "rule_ask"
    opened = rig.engine.sessions.get(session_id).state.open_inputs[asked.input_id]
    assert opened.request == revised.request
    await rig.answer(session_id, asked, always("session"))
    assert codes(rig) == ["grant_not_offered"]
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert (rig.lane(session_id) / "one").exists()
    whole(rig, session_id)


async def test_taking_the_rule_back_shows_the_first_reason_again(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, _ = await open_card(rig, model_api)
    asked = await rig.asked()
    await rig.engine.handle(SaveRule(rule=ASK_TOUCH))
    saved = next(u for u in reversed(rig.updates) if isinstance(u, RulesListed))
    rule_id = next(state.rule.id for file in saved.files for state in file.rules)
    await rig.engine.handle(RemoveRule(rule_id=rule_id, scope="project"))
    first, second = rig.events(InputRevised)
    assert first.request.rule == "rule_ask"
    assert second.request == approval(asked).model_copy(update={"report_id": second.request.report_id})
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()


async def test_a_change_that_concerns_a_card_in_nothing_leaves_it_alone(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, _ = await open_card(rig, model_api)
    asked = await rig.asked()
    await rig.engine.handle(SaveRule(rule=ASK_TOUCH.model_copy(update={"tokens": ("tee",)})))
    await rig.engine.handle(ProbeSandbox())
    await rig.engine.handle(ClearTaint(session_id=session_id))
    assert rig.events(InputRevised) == []
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()


async def test_full_auto_says_on_the_card_that_it_would_not_ask_and_still_waits(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, digest = await open_card(rig, model_api)
    asked = await rig.asked()
    await rig.engine.handle(SetMode(session_id=session_id, mode=AUTO, without_sandbox=True))
    (revised,) = rig.events(InputRevised)
    assert revised.request.mode is AUTO
    assert revised.request.would_not_ask == "Full auto, which this chat is in now: the next such call will not."
    assert (revised.request.reason, revised.request.rule) == (approval(asked).reason, "mode")
    assert revised.request.digest == digest
    assert rig.events(ToolCallFinished) == []
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert (rig.lane(session_id) / "one").exists()
    assert rig.engine.sessions.get(session_id).state.reviews == {}


@pytest.mark.promise("gate-I17")
async def test_a_sandbox_that_is_lost_shows_on_the_card_and_the_old_digest_runs_nothing(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session_id, digest = await open_card(rig, model_api)
    asked = await rig.asked()
    if approval(asked).sandbox == "none":
        pytest.skip("this computer has no sandbox to lose")
    lose_sandbox(tmp_path, monkeypatch)
    await rig.engine.handle(ProbeSandbox())
    (revised,) = rig.events(InputRevised)
    assert (approval(asked).network, revised.request.network) == ("off", "open")
    assert revised.request.sandbox == "none"
    assert revised.request.digest != digest
    await answer_with(rig, session_id, asked, ONCE, digest)
    assert codes(rig) == ["digest_differs"]
    await answer_with(rig, session_id, asked, ONCE, revised.request.digest)
    await rig.ended()
    assert (rig.lane(session_id) / "one").exists()
    assert [notice.kind for notice in rig.events(Notice)] == []


async def test_what_changed_on_disk_meanwhile_is_said_and_bound(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, digest = await open_card(rig, model_api, "python3 app.py")
    asked = await rig.asked()
    (rig.lane(session_id) / "app.py").write_text("open('ran', 'w')\n")
    rule = ASK_TOUCH.model_copy(update={"tokens": ("python3", "app.py")})
    await rig.engine.handle(SaveRule(rule=rule))
    (revised,) = rig.events(InputRevised)
    assert revised.request.reason.startswith("Since you were asked, a script it runs changed. ")
    assert revised.request.digest != digest
    await answer_with(rig, session_id, asked, ONCE, digest)
    assert codes(rig) == ["digest_differs"]
    await answer_with(rig, session_id, asked, REJECT, revised.request.digest)
    await rig.ended()


async def test_a_changed_call_is_checked_again_once_its_card_says_something_else(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, _ = await open_card(rig, model_api)
    asked = await rig.asked()
    told = await check_edit(rig, session_id, asked, command="touch two")
    assert told is not None
    assert told.request is not None
    await rig.engine.handle(SaveRule(rule=ASK_TOUCH))
    changed = Answer(outcome="allow_once", edited_input={"command": "touch two"})
    await answer_with(rig, session_id, asked, changed, told.request.digest)
    assert codes(rig) == ["digest_differs"]
    told = await check_edit(rig, session_id, asked, command="touch two")
    assert told is not None
    assert told.request is not None
    assert told.request.rule == "rule_ask"
    await answer_with(rig, session_id, asked, changed, told.request.digest)
    await rig.ended()
    assert (rig.lane(session_id) / "two").exists()


async def test_a_rule_that_covers_a_part_marks_that_part_on_the_card(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, _ = await open_card(rig, model_api, "touch one && python3 app.py")
    asked = await rig.asked()
    rule = Rule(id="", decision="allow", kind="command", scope="project", tokens=("touch",), created_by="settings")
    await rig.engine.handle(SaveRule(rule=rule))
    (revised,) = rig.events(InputRevised)
    assert [command.state for command in approval(asked).commands] == ["asks", "asks"]
    assert [command.state for command in revised.request.commands] == ["rule", "asks"]
    offered = next(grant for grant in revised.request.grants if grant.scope == "project")
    assert offered.tokens == (("python3", "app.py"),)
    await rig.engine.handle(
        PreviewRule(session_id=session_id, input_id=asked.input_id, tokens=(("python3", "app.py"),))
    )
    assert [update.problem for update in rig.updates if isinstance(update, RulePreviewed)] == [""]
    await rig.answer(session_id, asked, always("session"))
    await rig.ended()
    assert rig.events(ToolCallDecided)[-1].verdict is Verdict.ASK


def _chats(updates: list[Update]) -> list[SessionSummary]:
    """The chats as they were listed last."""
    lists = [update.sessions for update in updates if isinstance(update, SessionsChanged)]
    return list(lists[-1]) if lists else []


async def test_what_waits_is_no_past_call_of_the_rule_that_is_looked_at(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="Rscript one.R"), text_turn("done"))
    session_id = await rig.new("Plot")
    asked = await asked_in(rig, session_id)
    listed = await rig.until(lambda updates: next((one for one in _chats(updates) if one.waiting), None))
    (waiting,) = listed.waiting
    assert (waiting.title, waiting.verbatim) == ("Rscript one.R", True)
    await rig.engine.handle(PreviewRule(session_id=session_id, input_id=asked.input_id, tokens=(("Rscript", "one.R"),)))
    (previewed,) = [update for update in rig.updates if isinstance(update, RulePreviewed)]
    assert (previewed.problem, previewed.simulation.would_match, previewed.simulation.checked) == ("", 0, 0)


async def test_open_cards_of_several_chats_are_all_redrawn(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), tool_turn("bash", command="touch one"))
    chats = [await rig.new("Touch"), await rig.new("Touch too")]
    await asyncio.gather(*(asked_in(rig, chat) for chat in chats))
    await rig.engine.handle(SaveRule(rule=ASK_TOUCH))
    assert [len(of_session(rig, chat, InputRevised)) for chat in chats] == [1, 1]


def lose_sandbox(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that could hold a command works any more."""
    monkeypatch.setattr("desktop.services.processes.sandbox.bubblewrap.SYSTEM_FOLDERS", str(folder))
    monkeypatch.setattr("desktop.services.processes.sandbox.sandbox.LEAST_ABI", 10_000)
