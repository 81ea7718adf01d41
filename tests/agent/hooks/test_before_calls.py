"""Hooks before a call: they tighten what was decided, whatever they print (guests-H3, guests-H4)."""

from pathlib import Path

import pytest

from desktop.agent.gate.calls import hooked
from desktop.agent.hooks import calls
from desktop.config.folders import Folders
from desktop.domain.commands import AnswerInput, CheckEdit, Interrupt, SaveRule
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, InputResolved, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.gate.rules import Rule
from desktop.domain.hooks.events import HookRan, HooksPassed
from desktop.domain.hooks.updates import HooksWait
from desktop.domain.updates import ActivityChanged, EditChecked
from tests.agent.hooks.hook_files import hook, own_hooks, shared_hooks, trusted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
WRITE = {"file_path": "new.txt", "content": "hello\n"}


async def run(rig: Rig, api: FakeModelApi, mode: PermissionMode = PermissionMode.EDIT) -> tuple[str, ToolCallFinished]:
    """A chat that writes one file, and the end of that call."""
    api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
    session_id = await rig.new("go", mode)
    await rig.ended()
    return session_id, rig.events(ToolCallFinished)[0]


@pytest.mark.promise("guests-H3")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("""echo '{"decision":"deny","reason":"not on a Friday"}'""", "denies this: not on a Friday"),
        ("echo 'not today' >&2; exit 2", "denies this: not today"),
        ("""echo '{"decision":"allow"}'""", "cannot allow"),
        ("exit 1", "status 1"),
        ("echo fine", "not one JSON object"),
        ("kill -9 $$", "SIGKILL"),
        ("head -c 10000000 /dev/zero | tr '\\\\0' x", "64 KiB"),
    ],
)
async def test_a_hook_that_denies_or_breaks_refuses_the_call(
    rig: Rig, folders: Folders, model_api: FakeModelApi, script: str, said: str
) -> None:
    own_hooks(folders, hook(script))
    session_id, finished = await run(rig, model_api)

    assert finished.outcome == "refused"
    assert said in str(finished.content)
    decided = rig.events(ToolCallDecided)[0]
    assert (decided.verdict, decided.rule) == (Verdict.DENY, "hook")
    assert not (rig.lane(session_id) / "new.txt").exists()
    assert rig.events(ToolCallStarted) == []


async def test_a_hook_that_hangs_refuses_the_call_and_is_ended(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("sleep 600", "timeout_s = 1"))
    _, finished = await run(rig, model_api)

    assert "took too long" in str(finished.content)
    ran = rig.events(HookRan)[0]
    assert (ran.decision, ran.exit_status) == ("failed", None)
    assert 900 < ran.duration_ms < 60_000


async def test_a_hook_that_asks_puts_a_card_before_the_person(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("""echo '{"decision":"ask","reason":"a new file"}'"""))
    model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
    session_id = await rig.new("go", PermissionMode.FULL_AUTO)
    asked = await rig.asked()

    assert asked.request.rule == "hook"
    assert 'The hook "check" asks: a new file (' in asked.request.reason
    assert asked.request.reason.endswith(" ms).")
    assert [grant.scope for grant in asked.request.grants] == ["once"]
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    assert (rig.lane(session_id) / "new.txt").read_text() == "hello\n"
    assert [ran.decision for ran in rig.events(HookRan)] == ["asked", "asked"]


async def test_a_hook_that_passes_changes_nothing_and_is_counted(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("true"), hook("true", 'match = [{ tool = "bash" }]', name="other"))
    _, finished = await run(rig, model_api)

    assert finished.outcome == "ok"
    assert rig.events(HookRan) == []
    assert [passed.passes for passed in rig.events(HooksPassed)] == [{"check": 1}]
    assert rig.events(InputRequested) == []


async def test_without_hooks_nothing_is_recorded(rig: Rig, model_api: FakeModelApi) -> None:
    _, finished = await run(rig, model_api)
    assert finished.outcome == "ok"
    assert rig.events(HookRan) == []
    assert rig.events(HooksPassed) == []


async def test_what_a_rule_denies_is_not_shown_to_hooks(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    own_hooks(folders, hook("""echo '{"decision":"deny"}'"""))
    model_api.script(tool_turn("write_file", path="../x", content="x"), text_turn("Done."))
    await rig.new("go")
    await rig.ended()
    assert rig.events(ToolCallDecided)[0].rule == "path"
    assert rig.events(HookRan) == []


async def test_what_a_hook_is_told(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    told = """$(head -c 450 | sed 's/"/~/g; s/.*/"&"/')"""
    own_hooks(folders, hook(f'echo "{{\\"decision\\":\\"deny\\",\\"reason\\":{told}}}"'))
    session_id, finished = await run(rig, model_api)
    said = str(finished.content).replace("~", '"')
    assert '{"version": 1, "event": "before_call", "session_id": "' + session_id in said
    assert '"tool": "write_file", "kind": "write", "arguments": {' in said


@pytest.mark.promise("gate-G19")
async def test_proposed_arguments_are_judged_and_asked_about_as_a_call(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(
        folders,
        hook("""grep -q '"tool": "bash"' || exit 0; echo '{"decision":"pass","input":{"command":"touch b"}}'"""),
    )
    model_api.script(tool_turn("bash", command="touch a", description="Make a"), text_turn("Done."))
    session_id = await rig.new("go")
    asked = await rig.asked()

    assert asked.request.arguments["command"] == "touch b"
    decided = rig.events(ToolCallDecided)
    assert [(one.verdict, one.digest) for one in decided] == [(Verdict.ASK, asked.request.digest)]
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    assert [(rig.lane(session_id) / name).exists() for name in ("a", "b")] == [False, True]
    finished = rig.events(ToolCallFinished)[0]
    assert '[The hook "check" changed this call before it ran: {"command":"touch b"' in str(finished.content)
    assert [ran.decision for ran in rig.events(HookRan)] == ["changed"]


@pytest.mark.promise("gate-G19")
async def test_a_proposal_that_a_rule_denies_is_refused(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    own_hooks(folders, hook("""echo '{"decision":"pass","input":{"file_path":"../x"}}'"""))
    _, finished = await run(rig, model_api)
    assert finished.outcome == "refused"
    assert rig.events(ToolCallDecided)[0].rule == "path"


async def test_hooks_that_do_not_agree_end_the_call(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    own_hooks(
        folders,
        hook("""grep -q '"file_path": "a"' || echo '{"decision":"pass","input":{"file_path":"a"}}'""", name="a"),
        hook("""grep -q '"file_path": "b"' || echo '{"decision":"pass","input":{"file_path":"b"}}'""", name="b"),
    )
    _, finished = await run(rig, model_api)
    assert "did not agree" in str(finished.content)


@pytest.mark.promise("guests-H5")
async def test_the_first_that_denies_ends_it_and_the_persons_hooks_come_first(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("""echo '{"decision":"ask"}'""", name="own-1"), hook("exit 2", name="own-2"))
    shared_hooks(repository, hook("true", name="shared"))
    await trusted(rig)
    await run(rig, model_api)
    assert [(ran.hook, ran.decision) for ran in rig.events(HookRan)] == [("own-1", "asked"), ("own-2", "denied")]
    assert rig.events(HooksPassed) == []


async def test_hooks_that_pass_run_in_order(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("true", name="own"))
    shared_hooks(repository, hook("exit 2", name="shared"))
    await trusted(rig)
    await run(rig, model_api)
    assert [ran.hook for ran in rig.events(HookRan)] == ["shared"]
    assert [passed.passes for passed in rig.events(HooksPassed)] == [{"own": 1}]


@pytest.mark.promise("guests-H7")
async def test_all_hooks_of_a_call_take_ten_seconds_at_most(
    rig: Rig, folders: Folders, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooked, "BEFORE_ALL_S", 1.0)
    own_hooks(folders, hook("sleep 0.7", name="a"), hook("sleep 5", name="b"))
    _, finished = await run(rig, model_api)
    assert 'The hook "b" failed: it took too long' in str(finished.content).replace("the hook", "The hook")
    assert calls.BEFORE_ALL_S == 10.0


@pytest.mark.promise("guests-H4")
async def test_a_card_that_a_hook_asked_for_is_not_answered_by_a_rule(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("""echo '{"decision":"ask"}'"""))
    model_api.script(tool_turn("bash", command="touch a", description="Make a"), text_turn("Done."))
    session_id = await rig.new("go")
    await rig.asked()
    rule = Rule(id="", decision="allow", kind="command", scope="user", tokens=("touch",))
    await rig.engine.handle(SaveRule(rule=rule))
    session = rig.engine.sessions.get(session_id)

    assert rig.failures() == []
    (opened,) = session.state.open_inputs.values()
    assert isinstance(opened.request, ApprovalRequest)
    assert 'The hook "check" asks' in opened.request.reason
    assert rig.events(InputResolved) == []


async def test_what_a_person_edits_is_shown_to_the_hooks_too(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("""grep -q 'touch b' && exit 2; true"""))
    model_api.script(tool_turn("bash", command="touch a", description="Make a"), text_turn("Done."))
    session_id = await rig.new("go")
    asked = await rig.asked()
    edited = {"command": "touch b"}
    await rig.engine.handle(CheckEdit(session_id=session_id, input_id=asked.input_id, edited_input=edited))
    checked = next(update for update in rig.updates if isinstance(update, EditChecked))
    assert checked.request is not None
    answer = Answer(outcome="allow_once", edited_input=edited)
    digest = checked.request.digest
    await rig.engine.handle(AnswerInput(session_id=session_id, input_id=asked.input_id, answer=answer, digest=digest))
    await rig.ended()
    assert rig.events(ToolCallFinished)[0].outcome == "refused"
    assert not (rig.lane(session_id) / "b").exists()


async def test_a_stop_ends_a_hook_and_the_call_with_it(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    own_hooks(folders, hook("sleep 600", "timeout_s = 5"))
    model_api.script(tool_turn("write_file", **WRITE), text_turn("Done."))
    session_id = await rig.new("go")
    await rig.until(lambda updates: any(isinstance(u, ActivityChanged) and u.detail == "hook check" for u in updates))
    await rig.engine.handle(Interrupt(session_id=session_id))
    ended = await rig.ended()
    assert ended.status == "interrupted"
    assert [finished.outcome for finished in rig.events(ToolCallFinished)] == ["cancelled"]


async def test_hooks_that_cannot_be_read_make_every_change_ask(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, "[[hook")
    model_api.script(tool_turn("read_file", path="app.py"), tool_turn("write_file", **WRITE), text_turn("Done."))
    await rig.new("go")
    asked = await rig.asked()
    assert "Your hooks cannot be used. hooks.toml: it is not TOML" in asked.request.reason
    assert [finished.outcome for finished in rig.events(ToolCallFinished)] == ["ok"]
    waits = [update.sentences for update in rig.updates if isinstance(update, HooksWait)]
    assert "cannot be used" in waits[-1][0]
