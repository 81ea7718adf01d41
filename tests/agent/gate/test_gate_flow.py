"""The gate in the real engine: what a card can become, what holds meanwhile, and what runs in the end."""

import asyncio
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import LoadRules, RemoveRule, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, InputResolved, ModeChanged, Notice, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import RulesListed
from tests.agent.gate_rig import (
    HEADLESS,
    HOSTED,
    ONCE,
    REJECT,
    always,
    answer_with,
    approval,
    asked_in,
    check_edit,
    codes,
    decided,
    of_session,
    started,
)
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
RUN = "python3 tool.py"
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO


@pytest.fixture
def repository(repository: Path) -> Path:
    (repository / "tool.py").write_text("print('ran', file=open('ran', 'a'))\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "a tool")
    return repository


def runs(rig: Rig, session_id: str) -> int:
    marks = rig.lane(session_id) / "ran"
    return len(marks.read_text().splitlines()) if marks.exists() else 0


# Rules from a card


@pytest.mark.parametrize("scope", ["session", "project"])
async def test_a_rule_from_a_card_runs_the_call_and_the_next_one_of_its_reach(
    rig: Rig, model_api: FakeModelApi, scope: str
) -> None:
    model_api.script(tool_turn("bash", command=RUN), tool_turn("bash", command=f"{RUN} --again"), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    assert {grant.scope for grant in approval(asked).grants} == {"once", "session", "project"}
    await rig.answer(session_id, asked, always(scope))
    await rig.ended()
    assert runs(rig, session_id) == 2
    (saved,) = rig.events(RuleSaved)
    (resolved,) = rig.events(InputResolved)
    order = [type(e) for e in rig.events(object) if isinstance(e, RuleSaved | InputResolved)]
    assert order == [RuleSaved, InputResolved]
    assert (saved.rule.scope, saved.rule.tokens, saved.rule.request_id) == (
        scope,
        ("python3", "tool.py"),
        asked.input_id,
    )
    assert resolved.reason == "person"
    assert (decided(rig).verdict, decided(rig).lifted_by) == (Verdict.ALLOW, saved.rule.id)
    assert decided(rig).reason == 'Allowed by the rule "python3 tool.py".'
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    other = await rig.new("Run too")
    if scope == "project":
        await rig.ended(2)
        assert runs(rig, other) == 1
    else:
        await rig.answer(other, await asked_in(rig, other), REJECT)
        await rig.ended(2)
        assert runs(rig, other) == 0


@pytest.mark.promise("gate-R12")
async def test_variables_that_are_set_for_a_command_are_part_of_its_rule(rig: Rig, model_api: FakeModelApi) -> None:
    commands = [f"A=1 {RUN}", f"A=1 {RUN} 2>&1 | tail -n 1", f"A=2 {RUN}", f"{RUN} > out.txt"]
    model_api.script(*(tool_turn("bash", command=command) for command in commands), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    assert approval(asked).risk == "medium"
    assert approval(asked).no_grant == ""
    await rig.answer(session_id, asked, always("session"))
    other = await rig.asked(2)
    assert other.request.arguments["command"] == commands[2]
    await rig.answer(session_id, other, REJECT)
    last = await rig.asked(3)
    assert ">out.txt" in approval(last).no_grant
    assert [offer.scope for offer in approval(last).grants] == ["once"]
    await rig.answer(session_id, last, REJECT)
    await rig.ended()
    assert runs(rig, session_id) == 2
    assert rig.events(RuleSaved)[0].rule.tokens == ("A=1", "python3", "tool.py")


async def test_after_answers_alike_a_card_counts_them_and_rules_tell_of_the_day(
    rig: Rig, model_api: FakeModelApi
) -> None:
    commands = [RUN, f"{RUN} -v", f"{RUN} 2>&1 | tail -n 2", "touch one", RUN]
    model_api.script(*(tool_turn("bash", command=command) for command in commands), text_turn("done"))
    session_id = await rig.new("Run")
    seen = []
    for number in range(1, 6):
        asked = await rig.asked(number)
        seen.append(approval(asked).allowed_like)
        await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert seen == [0, 1, 2, 0, 3]
    await rig.engine.handle(LoadRules())
    (listed,) = [update for update in rig.updates if isinstance(update, RulesListed)][-1:]
    assert listed.asked.asked == 5
    assert [(kind.tokens, kind.times, kind.covered) for kind in listed.asked.kinds] == [
        ((("python3", "tool.py"),), 4, 4)
    ]


@pytest.mark.promise("gate-R5")
async def test_a_session_rule_ends_with_the_process_and_a_project_rule_stays(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=RUN), tool_turn("bash", command="python3 app.py"), text_turn("done"))
    first = await Rig(folders).open(repository)
    session_id = await first.new("Run")
    await first.answer(session_id, await first.asked(1), always("session"))
    await first.answer(session_id, await first.asked(2), always("project"))
    await first.ended()
    await first.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        model_api.script(tool_turn("bash", command="python3 app.py"), tool_turn("bash", command=RUN), text_turn("done"))
        other = again.engine.sessions.get(session_id)
        assert other.rules == ()
        later = await again.new("Again")
        await again.answer(later, await again.asked(), REJECT)
        await again.ended()
        assert [event.outcome for event in again.events(ToolCallFinished)] == ["ok", "declined"]
    finally:
        await again.engine.stop()


@pytest.mark.promise("gate-I9")
async def test_words_that_may_not_be_saved_keep_the_card_open(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    for tokens in [("python3",), ("bash",), ("sudo", "apt"), ("rm", "-r"), ("npm", "run", "build"), ("python3", "")]:
        await rig.answer(session_id, asked, always("project", *tokens))
    assert codes(rig) == ["rule_refused"] * 6
    assert rig.events(RuleSaved) == []
    assert rig.events(InputResolved) == []
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert runs(rig, session_id) == 1


@pytest.mark.promise("gate-R11")
async def test_rules_that_leave_a_command_of_the_line_uncovered_are_not_saved(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=f"{RUN} && python3 app.py"), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    await rig.answer(session_id, asked, always("session", "python3", "tool.py"))
    assert codes(rig) == ["rule_refused"]
    assert rig.events(RuleSaved) == []
    await rig.answer(session_id, asked, always("session"))
    await rig.ended()
    assert [saved.rule.tokens for saved in rig.events(RuleSaved)] == [("python3", "tool.py"), ("python3", "app.py")]
    assert runs(rig, session_id) == 1


@pytest.mark.promise("gate-R19")
async def test_a_rule_over_calls_that_were_declined_asks_once_more(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command=f"{RUN} --wipe"), tool_turn("bash", command=RUN), text_turn("done"))
    session_id = await rig.new("Run")
    await rig.answer(session_id, await rig.asked(1), REJECT)
    asked = await rig.asked(2)
    await rig.answer(session_id, asked, always("project"))
    assert codes(rig) == ["rule_declined"]
    assert rig.events(RuleSaved) == []
    await rig.answer(session_id, asked, always("project", despite_declined=True))
    await rig.ended()
    assert len(rig.events(RuleSaved)) == 1
    assert runs(rig, session_id) == 1


async def test_a_grant_pressed_twice_makes_one_rule_and_one_run(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    await asyncio.gather(*(rig.answer(session_id, asked, always("project")) for _ in range(3)))
    await rig.ended()
    assert len(rig.events(RuleSaved)) == 1
    assert codes(rig) == ["input_closed"] * 2
    assert runs(rig, session_id) == 1


async def test_a_card_that_the_mode_closes_while_its_rule_is_looked_at_makes_no_rule(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    await asyncio.gather(
        rig.answer(session_id, asked, always("project")),
        rig.engine.handle(SetMode(session_id=session_id, mode=PLAN)),
    )
    await rig.ended()
    assert rig.events(RuleSaved) == []
    assert codes(rig) == ["input_closed"]
    assert runs(rig, session_id) == 0


async def test_the_same_calls_waiting_in_several_chats_run_by_the_rule_and_say_so(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(*[tool_turn("bash", command=RUN) for _ in range(5)], loop=False)
    chats = []
    for number in range(5):
        chats.append(await rig.new(f"Run {number}"))
        await asked_in(rig, chats[-1])
    model_api.script(*[text_turn("done") for _ in range(5)])
    await rig.answer(chats[0], await asked_in(rig, chats[0]), always("project"))
    await rig.ended(5)
    assert [runs(rig, chat) for chat in chats] == [1] * 5
    (saved,) = rig.events(RuleSaved)
    for chat in chats[1:]:
        (resolved,) = of_session(rig, chat, InputResolved)
        assert (resolved.reason, resolved.person) == ("rule", "")
        assert [one.verdict for one in of_session(rig, chat, ToolCallDecided)] == [Verdict.ASK, Verdict.ALLOW]
        assert of_session(rig, chat, ToolCallDecided)[-1].lifted_by == saved.rule.id
        whole(rig, chat)


async def test_a_rule_that_covers_a_part_leaves_the_other_card_open(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command=f"{RUN} && python3 app.py"))
    wide = await rig.new("Both")
    await asked_in(rig, wide)
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    narrow = await rig.new("One")
    await rig.answer(narrow, await asked_in(rig, narrow), always("project"))
    await rig.ended()
    assert of_session(rig, wide, InputResolved) == []
    assert runs(rig, wide) == 0
    model_api.script(text_turn("done"))
    await rig.answer(wide, await asked_in(rig, wide), REJECT)
    await rig.ended(2)


async def test_a_rule_that_is_taken_back_asks_again_at_once(rig: Rig, model_api: FakeModelApi) -> None:
    commands = (RUN, "python3 app.py", RUN)
    model_api.script(*[tool_turn("bash", command=command) for command in commands], text_turn("done"))
    session_id = await rig.new("Run")
    await rig.answer(session_id, await rig.asked(1), always("project"))
    waiting = await rig.asked(2)
    (saved,) = rig.events(RuleSaved)
    await rig.engine.handle(RemoveRule(rule_id=saved.rule.id, scope="project"))
    await rig.answer(session_id, waiting, ONCE)
    await rig.answer(session_id, await rig.asked(3), REJECT)
    await rig.ended()
    assert runs(rig, session_id) == 1


async def test_a_call_that_a_rule_let_run_while_it_waited_asks_once_the_rule_is_gone(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=RUN))
    waiting = await rig.new("Wait")
    await asked_in(rig, waiting)
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"), text_turn("done"))
    other = await rig.new("Save")
    lock = rig.engine.sessions.get(waiting).write_lock
    await lock.acquire()
    await rig.answer(other, await asked_in(rig, other), always("project"))
    await rig.until(lambda _: of_session(rig, waiting, InputResolved))
    (saved,) = rig.events(RuleSaved)
    await rig.engine.handle(RemoveRule(rule_id=saved.rule.id, scope="project"))
    lock.release()
    again = await asked_in(rig, waiting, 2)
    assert runs(rig, waiting) == 0
    await rig.answer(waiting, again, REJECT)
    await rig.ended(2)
    assert runs(rig, waiting) == 0


# Changed calls


@pytest.mark.promise("gate-G27")
async def test_a_changed_command_runs_exactly_as_changed_and_the_model_is_told(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch one", description="make it"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    told = await check_edit(rig, session_id, asked, command="touch two")
    assert told is not None
    assert told.request is not None
    assert told.request.digest != approval(asked).digest
    assert told.request.edited_from == approval(asked).digest
    assert [grant.scope for grant in told.request.grants] == ["once"]
    changed = Answer(outcome="allow_once", edited_input={"command": "touch two"})
    await answer_with(rig, session_id, asked, changed, told.request.digest)
    await rig.ended()
    lane = rig.lane(session_id)
    assert (lane / "two").exists()
    assert not (lane / "one").exists()
    (began,) = started(rig)
    assert began.input["command"] == "touch one"
    assert began.executed_input["command"] == "touch two"
    assert began.digest == told.request.digest
    (resolved,) = rig.events(InputResolved)
    assert resolved.answer.edited_input == {"command": "touch two"}
    (finished,) = rig.events(ToolCallFinished)
    assert str(finished.content).startswith('[The person changed this call before it ran: {"command":"touch two"}]')
    whole(rig, session_id)


async def test_a_change_nobody_checked_or_another_than_checked_runs_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    own = approval(asked).digest
    two = Answer(outcome="allow_once", edited_input={"command": "touch two"})
    await answer_with(rig, session_id, asked, two, own)
    told = await check_edit(rig, session_id, asked, command="touch two")
    assert told is not None
    assert told.request is not None
    checked = told.request.digest
    three = Answer(outcome="allow_once", edited_input={"command": "touch three"})
    more = Answer(outcome="allow_once", edited_input={"command": "touch two", "cwd": ".."})
    forever = Answer(outcome="allow_always", scope="session", edited_input={"command": "touch two"})
    for answer, digest in [(three, checked), (more, checked), (forever, checked), (ONCE, checked), (two, own)]:
        await answer_with(rig, session_id, asked, answer, digest)
    assert codes(rig) == ["digest_differs"] * 3 + ["grant_not_offered"] + ["digest_differs"] * 2
    assert rig.events(InputResolved) == []
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()
    assert started(rig) == []


@pytest.mark.parametrize(
    "edited",
    [
        {"cwd": ".."},
        {"outside_sandbox": True},
        {"run_in_background": True},
        {"command": "touch x", "working_directory": "sub"},
        {"working_directory": None},
        {"unheard_of": None},
    ],
)
async def test_only_what_the_tool_lets_a_person_change_can_be_changed(
    rig: Rig, model_api: FakeModelApi, edited: dict[str, object]
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    assert await check_edit(rig, session_id, asked, **edited) is None
    assert codes(rig) == ["not_editable"]
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()


@pytest.mark.promise("gate-G27")
@pytest.mark.parametrize(
    ("command", "said"),
    [("rm -rf /", "D-root"), ("", "command"), ("  ", "command"), ("touch \0", "command"), ("x" * 17_000, "command")],
)
async def test_a_change_that_would_be_refused_says_why_and_leaves_the_card(
    rig: Rig, model_api: FakeModelApi, command: str, said: str
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    told = await check_edit(rig, session_id, asked, command=command)
    assert told is not None
    assert told.request is None
    assert said in told.problem
    changed = Answer(outcome="allow_once", edited_input={"command": command})
    await answer_with(rig, session_id, asked, changed, approval(asked).digest)
    assert codes(rig) == ["digest_differs"]
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert (rig.lane(session_id) / "one").exists()


async def test_a_change_into_what_cannot_be_undone_needs_its_word(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    told = await check_edit(rig, session_id, asked, command="git clean -fdx")
    assert told is not None
    assert told.request is not None
    assert told.request.confirm_word == "run"
    changed = Answer(outcome="allow_once", edited_input={"command": "git clean -fdx"})
    await answer_with(rig, session_id, asked, changed, told.request.digest)
    assert codes(rig) == ["confirm_differs"]
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()
    assert started(rig) == []


async def test_a_changed_call_is_judged_again_in_the_moment_it_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    told = await check_edit(rig, session_id, asked, command="python3 tool.py")
    assert told is not None
    assert told.request is not None
    (rig.lane(session_id) / "tool.py").write_text("open('other', 'w')\n")
    changed = Answer(outcome="allow_once", edited_input={"command": "python3 tool.py"})
    await answer_with(rig, session_id, asked, changed, told.request.digest)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    assert started(rig) == []
    assert not (rig.lane(session_id) / "other").exists()


# Modes


@pytest.mark.promise("gate-I17")
async def test_plan_closes_open_cards_and_refuses_their_calls(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    await rig.engine.handle(SetMode(session_id=session_id, mode=PLAN))
    await rig.ended()
    (resolved,) = rig.events(InputResolved)
    assert (resolved.reason, resolved.answer.outcome) == ("mode", "cancelled")
    assert "mode changed to plan" in str(rig.events(ToolCallFinished)[0].content)
    await rig.answer(session_id, asked, ONCE)
    assert codes(rig) == ["input_closed"]
    assert started(rig) == []


async def test_full_auto_keeps_open_cards_and_a_saved_rule_answers_only_what_it_covers(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch one"))
    waiting = await rig.new("Touch")
    asked = await asked_in(rig, waiting)
    await rig.engine.handle(SetMode(session_id=waiting, mode=AUTO, without_sandbox=True))
    assert rig.events(ModeChanged)[-1].mode is AUTO
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    other = await rig.new("Run")
    await rig.answer(other, await asked_in(rig, other), always("project"))
    await rig.ended()
    assert of_session(rig, waiting, InputResolved) == []
    assert not (rig.lane(waiting) / "one").exists()
    model_api.script(text_turn("done"))
    await rig.answer(waiting, asked, ONCE)
    await rig.ended(2)
    assert (rig.lane(waiting) / "one").exists()


async def test_the_mode_chosen_last_counts_however_long_the_sandbox_is_tried(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    auto = SetMode(session_id=session_id, mode=AUTO, without_sandbox=True)
    await asyncio.gather(rig.engine.handle(auto), rig.engine.handle(SetMode(session_id=session_id, mode=PLAN)))
    assert rig.engine.sessions.get(session_id).state.mode is PLAN
    await asyncio.gather(rig.engine.handle(auto), rig.engine.handle(SetMode(session_id=session_id, mode=PLAN)))
    assert [change.mode for change in rig.events(ModeChanged)] == [PLAN]


# What cannot be undone


@pytest.mark.promise("gate-T3")
async def test_what_cannot_be_undone_runs_with_its_word_only(rig: Rig, model_api: FakeModelApi, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    command = f"git push --force {tmp_path}/hub.git HEAD:main"
    model_api.script(tool_turn("bash", command=command, outside_sandbox=True), text_turn("done"))
    session_id = await rig.new("Push", AUTO, without_sandbox=True)
    asked = await rig.asked()
    request = approval(asked)
    assert (request.irreversible, request.risk) == (True, "irreversible")
    assert [grant.scope for grant in request.grants] == ["once"]
    for word in ("", "MAIN", f"{request.confirm_word}x"):
        await rig.answer(session_id, asked, Answer(outcome="allow_once", confirm=word))
    assert codes(rig) == ["confirm_differs"] * 3
    assert rig.events(InputResolved) == []
    await rig.answer(session_id, asked, Answer(outcome="allow_once", confirm=request.confirm_word))
    await rig.ended()
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok", finished.content
    assert git(tmp_path / "hub.git", "rev-parse", "main") == git(rig.lane(session_id), "rev-parse", "HEAD")


async def test_a_wider_place_asks_once_only_whatever_rules_and_modes_say(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("bash", command=RUN),
        tool_turn("bash", command=RUN, outside_sandbox=True),
        tool_turn("bash", command=RUN, network=True),
        tool_turn("bash", command="ls", outside_sandbox=True),
        text_turn("done"),
    )
    session_id = await rig.new("Run")
    await rig.answer(session_id, await rig.asked(1), always("project"))
    if rig.engine.sandbox.level == "none":
        pytest.skip("there is no sandbox here to leave")
    for number in (2, 3, 4):
        asked = await rig.asked(number)
        assert "sandbox_wider" in {hit.rule for hit in approval(asked).hits}
        assert [grant.scope for grant in approval(asked).grants] == ["once"]
        await rig.answer(session_id, asked, always("session", confirm=approval(asked).confirm_word))
        await rig.answer(session_id, asked, REJECT)
        if number == 2:
            await rig.engine.handle(SetMode(session_id=session_id, mode=AUTO))
    await rig.ended()
    assert codes(rig) == ["grant_not_offered"] * 3
    assert runs(rig, session_id) == 1


@pytest.mark.parametrize("more", [{"network": True}, {"outside_sandbox": True}, {"run_in_background": True}])
async def test_no_wider_place_in_plan_mode(
    rig: Rig, model_api: FakeModelApi, repository: Path, more: dict[str, bool]
) -> None:
    call = tool_turn("bash", command="touch never", **more)
    model_api.script(call, text_turn("done"))
    await rig.new("Plan", PLAN)
    await rig.ended()
    assert (decided(rig).verdict, decided(rig).rule) == (Verdict.DENY, "mode")
    assert rig.events(InputRequested) == []
    assert not (repository / "never").exists()


async def test_plan_mode_runs_commands_that_are_shown_to_read_and_no_others(rig: Rig, model_api: FakeModelApi) -> None:
    reads = ["git log --oneline | head", "ls && wc -l app.py"]
    others = [RUN, "touch never", "git log > out.txt", "ls; A=1 ls", "cat ../x"]
    model_api.script(*(tool_turn("bash", command=command) for command in (*reads, *others)), text_turn("done"))
    session_id = await rig.new("Plan", PLAN)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"] * 2 + ["refused"] * 5
    told = str(rig.events(ToolCallFinished)[2].content)
    assert told.startswith("Not run: Only commands that are shown to read run in Plan mode. This program")
    assert rig.events(InputRequested) == []
    assert sorted(path.name for path in rig.lane(session_id).iterdir() if path.name in ("never", "out.txt")) == []


# What changed since


@pytest.mark.promise("gate-G22")
@pytest.mark.parametrize("what", ["script", "script elsewhere", "head", "folder"])
async def test_what_changed_after_it_was_allowed_runs_only_after_a_second_card(
    rig: Rig, model_api: FakeModelApi, what: str
) -> None:
    prepare = "mkdir -p sub other; cp tool.py sub; cp tool.py other; ln -s sub here"
    model_api.script(tool_turn("bash", command=prepare), text_turn("done"))
    session_id = await rig.new("Prepare")
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.ended()
    lane = rig.lane(session_id)
    cwd = {"script": ".", "head": ".", "script elsewhere": "sub", "folder": "here"}[what]
    model_api.script(tool_turn("bash", command=RUN, cwd=cwd), text_turn("done"))
    lock = rig.engine.sessions.get(session_id).write_lock
    await rig.engine.handle(SendMessage(session_id=session_id, text="Run"))
    asked = await rig.asked(2)
    await lock.acquire()
    await rig.answer(session_id, asked, ONCE)
    if what == "script":
        (lane / "tool.py").write_text("open('evil', 'w')\n")
    elif what == "script elsewhere":
        (lane / "sub" / "tool.py").write_text("open('evil', 'w')\n")
    elif what == "head":
        git(lane, "commit", "-q", "--allow-empty", "-m", "later")
    else:
        (lane / "here").unlink()
        (lane / "here").symlink_to("other")
    lock.release()
    again = await rig.asked(3)
    assert len(started(rig)) == 1
    words = {"head": "the lane's commit", "folder": "the folder it runs in"}.get(what, "a script it runs")
    assert words in approval(again).reason
    (notice,) = [notice for notice in rig.events(Notice) if notice.kind == "digest"]
    assert words in notice.text
    await rig.answer(session_id, again, ONCE)
    await rig.ended(2)
    assert len(started(rig)) == 2
    whole(rig, session_id)


async def test_what_changes_again_is_refused_and_not_asked_for_ever(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
    session_id = await rig.new("Run")
    for number in (1, 2):
        asked = await rig.asked(number)
        (rig.lane(session_id) / "tool.py").write_text(f"print({number})\n")
        await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    assert len(rig.events(InputRequested)) == 2
    assert started(rig) == []


async def test_a_protected_file_that_changed_after_it_was_allowed_is_not_written(
    rig: Rig, model_api: FakeModelApi
) -> None:
    call = {"file_path": ".vscode/tasks.json", "content": "{}\n"}
    model_api.script(tool_turn("write_file", **call), text_turn("done"))
    session_id = await rig.new("Write")
    asked = await rig.asked()
    target = rig.lane(session_id) / ".vscode" / "tasks.json"
    target.parent.mkdir()
    target.write_text("mine")
    await rig.answer(session_id, asked, ONCE)
    await rig.answer(session_id, await rig.asked(2), REJECT)
    await rig.ended()
    assert target.read_text() == "mine"


# Answers that come too late, or for something else


@pytest.mark.promise("gate-I5")
async def test_answers_for_another_chat_another_card_or_another_text_run_nothing(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    first = await rig.new("One")
    one = await asked_in(rig, first)
    model_api.script(tool_turn("bash", command="touch two"), text_turn("done"))
    second = await rig.new("Two")
    two = await asked_in(rig, second)
    await answer_with(rig, second, one, ONCE, approval(one).digest)
    await answer_with(rig, first, one, ONCE, approval(two).digest)
    await answer_with(rig, first, one, ONCE, "")
    await answer_with(rig, first, one, ONCE, "0" * 64)
    unknown = one.model_copy(update={"input_id": "inp_unknown"})
    await answer_with(rig, first, unknown, ONCE, approval(one).digest)
    await answer_with(rig, first, one, Answer(outcome="answered"), approval(one).digest)
    await answer_with(rig, first, one, Answer(outcome="cancelled"), approval(one).digest)
    assert codes(rig) == [
        "wrong_session", "digest_differs", "digest_differs", "digest_differs", "input_closed", "wrong_kind",
        "wrong_kind",
    ]  # fmt: skip
    assert rig.events(InputResolved) == []
    model_api.script(text_turn("done"), text_turn("done"))
    await rig.answer(first, one, REJECT)
    await rig.answer(first, one, ONCE)
    assert codes(rig)[-1] == "input_closed"
    await rig.answer(second, two, REJECT)
    await rig.ended(2)
    assert started(rig) == []


# Nobody there, or no window of its own


async def test_where_nobody_can_answer_what_asks_is_declined_and_the_rest_runs(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders, HEADLESS).open(repository)
    try:
        model_api.script(tool_turn("bash", command=RUN), tool_turn("bash", command="git clean -fdx"), text_turn("done"))
        session_id = await rig.new("Run", AUTO, without_sandbox=True)
        await rig.ended()
        assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "declined"]
        model_api.script(tool_turn("bash", command=RUN), text_turn("done"))
        await rig.new("Run", EDIT)
        await rig.ended(2)
        assert rig.events(ToolCallFinished)[-1].outcome == "declined"
        assert rig.events(InputRequested) == []
        assert runs(rig, session_id) == 1
    finally:
        await rig.engine.stop()


@pytest.mark.promise("gate-G13")
async def test_a_hosted_chat_asks_before_it_writes_until_its_own_grant(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders, HOSTED).open(repository)
    try:
        writes = [tool_turn("write_file", file_path=f"{name}.txt", content="x\n") for name in ("a", "b")]
        model_api.script(*writes, text_turn("done"))
        session_id = await rig.new("Write")
        asked = await rig.asked()
        assert approval(asked).rule == "hosted_write"
        await rig.answer(session_id, asked, always("project"))
        await rig.answer(session_id, asked, always("session", "python3", "tool.py"))
        await rig.ended()
        assert codes(rig) == ["grant_not_offered"]
        assert rig.events(RuleSaved) == []
        assert (rig.lane(session_id) / "b.txt").exists()
        model_api.script(tool_turn("write_file", file_path="c.txt", content="x\n"), text_turn("done"))
        other = await rig.new("Write")
        await rig.answer(other, await asked_in(rig, other), REJECT)
        await rig.ended(2)
        assert not (rig.lane(other) / "c.txt").exists()
    finally:
        await rig.engine.stop()
