"""What a person forbids in a message holds before the model is asked, and until they say otherwise on its chip."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.agent.boundaries import keeper
from desktop.agent.context.standing_facts import standing_facts
from desktop.config.folders import Folders
from desktop.domain.boundaries.commands import DismissBoundary, KeepBoundary
from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.chats.commands import ClearContext, ForkSession, RewindSession
from desktop.domain.commands import OpenSession, RemoveRule, SendMessage, SetMode
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Notice, ToolCallFinished, TurnStarted, UserMessage
from desktop.domain.gate.events import RuleRemoved, RuleSaved, SessionTainted
from desktop.domain.gate.pending import Answer
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

pytestmark = pytest.mark.asyncio
FREE = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True}


def results(rig: Rig) -> list[str]:
    return [str(event.content) for event in rig.events(ToolCallFinished)]


def boundaries(rig: Rig, session_id: str) -> tuple[ChatBoundary, ...]:
    return rig.engine.sessions.get(session_id).state.boundaries


async def say(rig: Rig, session_id: str, text: str) -> None:
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))


@pytest.mark.promise("memory-SB3")
async def test_what_is_forbidden_holds_at_once_in_full_auto_and_the_refusal_quotes_it(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("bash", command="bash -c 'git push origin main'", outside_sandbox=True),
        tool_turn("bash", command="env git -C . push", outside_sandbox=True),
        tool_turn("write_file", file_path="db/migrations/001.sql", content="select 1;\n"),
        tool_turn("bash", command="echo x > db/migrations/001.sql"),
        tool_turn("write_file", file_path="db/other.sql", content="select 1;\n"),
        text_turn("done"),
    )
    await rig.new("Add a table. Don't touch the migrations, and never push.", **FREE)
    await rig.ended()
    told = results(rig)
    assert "Refused by a boundary in your user's words: “never push”. They can lift it." in told[0]
    assert "“never push”" in told[1]
    assert "“Don't touch the migrations”" in told[2]
    assert "“Don't touch the migrations”" in told[3]
    assert rig.events(ToolCallFinished)[4].outcome == "ok"
    assert [event.title for event in rig.events(BoundaryProposed)] == ["Don’t change **/migrations/**", "Don’t push"]


@pytest.mark.promise("memory-SB5")
async def test_a_word_made_at_run_time_asks_and_the_card_quotes_the_boundary(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="x=pu; git ${x}sh origin", outside_sandbox=True), text_turn("done"))
    session_id = await rig.new("Look. Never push.", **FREE)
    asked = await rig.asked()
    assert any("Never push" in hit.reason for hit in asked.request.hits)
    (one,) = boundaries(rig, session_id)
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.engine.handle(DismissBoundary(session_id=session_id, boundary_id=one.boundary_id))
    await rig.ended()
    assert boundaries(rig, session_id) == ()


@pytest.mark.promise("memory-SB6")
async def test_a_boundary_outlives_a_mode_a_fork_and_the_program_until_a_person_lifts_it(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Never commit.", **FREE)
    await rig.ended()
    (one,) = boundaries(rig, session_id)
    await rig.engine.handle(KeepBoundary(session_id=session_id, boundary_id=one.boundary_id))
    assert {"commit_changes", "git commit", "git merge"} <= {event.rule.text for event in rig.events(RuleSaved)}
    assert all(
        event.rule.quote == "Never commit" and event.rule.created_by == "chip" for event in rig.events(RuleSaved)
    )
    (kept,) = boundaries(rig, session_id)
    assert kept.state == "kept"
    model_api.script(
        tool_turn("bash", command="git commit -am x", outside_sandbox=True),
        text_turn("no"),
        tool_turn("bash", command="echo hi"),
        text_turn("ok"),
    )
    await say(rig, session_id, "Go on")
    await rig.ended(2)
    assert "“Never commit”" in results(rig)[0]
    await rig.engine.handle(DismissBoundary(session_id=session_id, boundary_id=kept.boundary_id))
    assert len(rig.events(RuleRemoved)) == len(rig.events(RuleSaved))
    assert rig.events(BoundaryDecided)[-1].decision == "lifted"
    assert rig.engine.sessions.get(session_id).rules == ()


@pytest.mark.promise("memory-SB7")
async def test_later_words_propose_the_lifting_and_lift_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    again = tool_turn("bash", command="git commit -am x", outside_sandbox=True)
    model_api.script(text_turn("noted"), again, text_turn("refused"))
    session_id = await rig.new("Don't push yet. Never commit.", **FREE)
    await rig.ended()
    assert [one.action for one in boundaries(rig, session_id)] == ["push", "commit"]
    await say(rig, session_id, "You can commit now.")
    await rig.ended(2)
    (lifting,) = rig.events(BoundaryLiftingProposed)
    assert lifting.quote == "You can commit now"
    assert "“Never commit”" in results(rig)[0]
    assert [one.lifting for one in boundaries(rig, session_id)] == ["", "You can commit now"]


@pytest.mark.promise("memory-SB1")
async def test_the_words_are_read_before_the_first_request_and_only_once(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("noted"), text_turn("noted"))
    session_id = await rig.new("Never push.", **FREE)
    await rig.ended()
    log = [envelope.event for envelope in rig.engine.sessions.get(session_id).log]
    kinds = [type(event) for event in log if isinstance(event, TurnStarted | UserMessage | BoundaryProposed)]
    assert kinds[:3] == [TurnStarted, UserMessage, BoundaryProposed]
    await say(rig, session_id, "Never push.")
    await rig.ended(2)
    assert len(boundaries(rig, session_id)) == 1


async def test_words_in_quotes_and_code_and_of_an_agent_forbid_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("You said: never push."))
    session_id = await rig.new('The README says "never push".\n```\nnever commit\n```\n> never delete anything', **FREE)
    await rig.ended()
    assert boundaries(rig, session_id) == ()


@pytest.mark.promise("memory-SB6")
async def test_a_boundary_outlives_a_fork_the_program_and_a_change_of_mode(
    rig: Rig, model_api: FakeModelApi, repository: Path, rig_type: type[Rig]
) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Never commit.")
    await rig.ended()
    fork = ForkSession(session_id=session_id, new_session_id=new_session_id(), lane_from="none")
    await rig.engine.handle(fork)
    assert [one.quote for one in boundaries(rig, fork.new_session_id)] == ["Never commit"]
    await rig.engine.stop()
    later = await rig_type(rig.folders).open(repository)
    await later.engine.handle(OpenSession(session_id=session_id))
    await later.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    again = tool_turn("bash", command="git commit -am x", outside_sandbox=True)
    model_api.script(again, text_turn("no"))
    await say(later, session_id, "Go on")
    await later.ended()
    assert "“Never commit”" in results(later)[-1]
    await later.engine.stop()


@pytest.mark.promise("memory-SB6")
async def test_both_hold_after_a_rewind_to_before_they_were_said_a_cleared_context_and_in_a_sub_agent(
    rig: Rig, model_api: FakeModelApi
) -> None:
    both = [
        tool_turn("bash", command="sed -i s/a/b/ db/migrations/1.sql"),
        tool_turn("bash", command="bash -c 'git push'", outside_sandbox=True),
    ]
    model_api.script(text_turn("hello"), text_turn("noted"))
    session_id = await rig.new("Hello", **FREE)
    await rig.ended()
    before = rig.engine.sessions.get(session_id).log[-1].event_id
    await say(rig, session_id, "Don't touch the migrations, and never push")
    await rig.ended(2)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=before))
    assert [one.title for one in boundaries(rig, session_id)] == ["Don’t change **/migrations/**", "Don’t push"]
    model_api.script(*both, text_turn("no"))
    await say(rig, session_id, "Go on")
    await rig.ended(3)
    assert all("boundary in your user's words" in text for text in results(rig)[-2:])
    await rig.engine.handle(ClearContext(session_id=session_id))
    model_api.script(
        tool_turn("task", description="try", prompt="Try it", agent="implementer"),
        *both,
        text_turn("no"),
        text_turn("so"),
    )
    await say(rig, session_id, "Let another one try")
    await rig.ended(5)
    refused = [text for text in results(rig) if "boundary in your user's words" in text]
    assert len(refused) == 4


@pytest.mark.promise("memory-SB4")
async def test_an_agent_proposes_words_of_a_person_and_they_hold_once_they_are_kept(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("propose_boundary", quote="Finger weg von der Datenbank", path="db/**"),
        tool_turn("propose_boundary", quote="never touch anything", path="**"),
        tool_turn("write_file", file_path="db/a.sql", content="select 1;\n"),
        text_turn("done"),
        tool_turn("write_file", file_path="db/b.sql", content="select 1;\n"),
        text_turn("no"),
    )
    session_id = await rig.new("Bau die Seite. Finger weg von der Datenbank!", **FREE)
    await rig.ended()
    told = results(rig)
    assert "Proposed: Don’t change db/**. It does not hold before the person keeps it" in told[0]
    assert told[1] == "No person wrote these words in this chat. Quote them letter by letter."
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "error", "ok"]
    (one,) = boundaries(rig, session_id)
    assert (one.by_agent, one.holds) == (True, False)
    await rig.engine.handle(KeepBoundary(session_id=session_id, boundary_id=one.boundary_id))
    await say(rig, session_id, "Weiter")
    await rig.ended(2)
    assert "“Finger weg von der Datenbank”" in results(rig)[3]


@pytest.mark.parametrize("scope", ["lane", "project"])
async def test_a_boundary_of_the_lane_or_the_project_is_a_rule_of_its_file_until_it_is_lifted(
    rig: Rig, model_api: FakeModelApi, scope: str
) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Only change files in docs/, and stay offline.", **FREE)
    await rig.ended()
    for one in boundaries(rig, session_id):
        await rig.engine.handle(KeepBoundary(session_id=session_id, boundary_id=one.boundary_id, scope=scope))
    assert rig.failures() == []
    session = rig.engine.sessions.get(session_id)
    saved = [event.rule for event in rig.events(RuleSaved)]
    assert [(rule.text, rule.scope) for rule in saved] == [("docs/**", "project"), ("*", "project")]
    assert {rule.lane for rule in saved} == {session.state.lane_id if scope == "lane" else ""}
    assert saved[0].outside
    for one in boundaries(rig, session_id):
        await rig.engine.handle(DismissBoundary(session_id=session_id, boundary_id=one.boundary_id))
    assert len(rig.events(RuleRemoved)) == len(rig.events(RuleSaved))
    assert boundaries(rig, session_id) == ()


@pytest.mark.promise("memory-SB6")
async def test_a_child_is_held_to_what_was_forbidden_above_it(rig: Rig, model_api: FakeModelApi) -> None:
    push = tool_turn("bash", command="git push", outside_sandbox=True)
    model_api.answer_with(
        Cast(
            Parent=[turn(calls=[begins(1, "implementer")]), text_turn("done")],
            Child=[push, text_turn("refused")],
        )
    )
    session_id = await rig.new("Parent: go. Never push.", **FREE)
    await over(rig, session_id)
    refused = [event for event in rig.events(ToolCallFinished) if event.outcome == "refused"]
    assert ["“Never push”" in str(event.content) for event in refused] == [True]
    assert len(rig.events(BoundaryProposed)) == 1, "the words of an agent to its child forbid nothing by themselves"


@pytest.mark.promise("memory-SB6")
async def test_the_summary_of_a_chat_quotes_what_was_forbidden(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Never push.", **FREE)
    await rig.ended()
    assert "deny: git push (the user said: “Never push”)" in standing_facts(rig.engine.sessions.get(session_id))


async def test_a_boundary_that_was_kept_in_a_child_is_lifted_there(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(
        Cast(
            Parent=[turn(calls=[begins(1, "implementer")]), text_turn("done")],
            Child=[text_turn("seen"), text_turn("noted")],
        )
    )
    parent = rig.engine.sessions.get(await rig.new("Parent: go.", **FREE))
    await over(rig, parent.session_id)
    (child_id,) = parent.state.children
    await say(rig, child_id, "Never push.")
    await over(rig, child_id)
    (one,) = boundaries(rig, child_id)
    await rig.engine.handle(KeepBoundary(session_id=child_id, boundary_id=one.boundary_id))
    assert [rule.text for rule in parent.rules][:1] == ["push_lane"]
    await rig.engine.handle(DismissBoundary(session_id=child_id, boundary_id=one.boundary_id))
    assert (parent.rules, rig.engine.sessions.get(child_id).rules) == ((), ())


async def test_an_agent_proposes_the_same_once_and_only_so_many(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "MOST_PROPOSED", 2)
    model_api.script(
        *(tool_turn("propose_boundary", quote="Finger weg", path=path) for path in ("a/**", "a/**", "b/**", "c/**")),
        text_turn("done"),
    )
    session_id = await rig.new("Finger weg!", **FREE)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "ok", "ok", "error"]
    assert [one.title for one in boundaries(rig, session_id)] == ["Don’t change a/**", "Don’t change b/**"]


async def test_a_boundary_whose_rules_were_removed_elsewhere_is_not_shown_in_force(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Only change files in docs/. Never push.", **FREE)
    await rig.ended()
    for one in boundaries(rig, session_id):
        keep = KeepBoundary(session_id=session_id, boundary_id=one.boundary_id, scope="project")
        await rig.engine.handle(keep)
    docs, push = boundaries(rig, session_id)
    for rule in (*docs.rules, push.rules[0]):
        await rig.engine.handle(RemoveRule(rule_id=rule.id, scope=rule.scope))
    assert rig.failures() == []
    assert [one.title for one in boundaries(rig, session_id)] == ["Don’t push"]


@pytest.mark.promise("memory-SB6")
async def test_what_was_forbidden_after_the_point_of_a_fork_holds_in_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hello"), text_turn("noted"))
    session_id = await rig.new("Say something.")
    await rig.ended()
    point = rig.engine.sessions.get(session_id).log[-1].event_id
    await say(rig, session_id, "Never push.")
    await rig.ended(2)
    fork = ForkSession(session_id=session_id, at_event_id=point, new_session_id=new_session_id(), lane_from="none")
    await rig.engine.handle(fork)
    assert [(one.quote, one.holds) for one in boundaries(rig, fork.new_session_id)] == [("Never push", True)]


@pytest.mark.promise("memory-SB6")
async def test_a_fork_of_a_child_is_held_to_what_the_chat_above_it_was(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(
        Cast(Parent=[turn(calls=[begins(1, "implementer")]), text_turn("done")], Child=[text_turn("seen")])
    )
    parent = rig.engine.sessions.get(await rig.new("Parent: go. Never push.", **FREE))
    await over(rig, parent.session_id)
    parent.append(SessionTainted(reason="untrusted", source="a page", call_id="c1"))
    (child_id,) = parent.state.children
    fork = ForkSession(session_id=child_id, new_session_id=new_session_id(), lane_from="none")
    await rig.engine.handle(fork)
    assert [one.quote for one in boundaries(rig, fork.new_session_id)] == ["Never push"]
    assert rig.engine.sessions.get(fork.new_session_id).taint[0] == ("a page",)


async def test_names_of_the_lane_and_servers_are_meant(rig: Rig, model_api: FakeModelApi) -> None:
    write = tool_turn("write_file", file_path="app.py", content="x\n")
    model_api.script(write, tool_turn("write_file", file_path="other.py", content="x\n"), text_turn("done"))
    session_id = await rig.new("Don't touch the app, and never use the linear MCP.", **FREE)
    await rig.ended()
    told = results(rig)
    assert "“Don't touch the app”" in told[0]
    assert rig.events(ToolCallFinished)[1].outcome == "ok"
    assert [one.title for one in boundaries(rig, session_id)] == [
        "Don’t change **/app.*",
        "Don’t use the MCP server linear",
    ]


async def test_words_in_another_language_say_where_to_forbid(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("gut"))
    session_id = await rig.new("Bitte niemals pushen!", **FREE)
    await rig.ended()
    (told,) = [event.text for event in rig.events(Notice) if event.kind == "boundaries"]
    assert (told, boundaries(rig, session_id)) == (keeper.FOREIGN, ())


async def test_one_that_was_kept_until_a_time_ends_then(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("noted"))
    session_id = await rig.new("Never push.", **FREE)
    await rig.ended()
    (one,) = boundaries(rig, session_id)
    until = datetime.now(UTC) + timedelta(seconds=1.5)
    keep = KeepBoundary(session_id=session_id, boundary_id=one.boundary_id, scope="project", until=until)
    await rig.engine.handle(keep)
    assert [(one.state, one.until) for one in boundaries(rig, session_id)] == [("kept", until)]
    assert {event.rule.expires_at for event in rig.events(RuleSaved)} == {until}
    await rig.until(lambda _: boundaries(rig, session_id) == ())
    assert rig.events(BoundaryDecided)[-1].decision == "lifted"


async def test_one_whose_rules_went_while_its_chat_was_closed_is_over_once_it_is_opened(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("noted"), text_turn("hello"))
    session_id = await rig.new("Never push.", **FREE)
    await rig.ended()
    (one,) = boundaries(rig, session_id)
    await rig.engine.handle(KeepBoundary(session_id=session_id, boundary_id=one.boundary_id, scope="project"))
    rules = boundaries(rig, session_id)[0].rules
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        await again.new("Something else.")
        await again.ended()
        for rule in rules:
            await again.engine.handle(RemoveRule(rule_id=rule.id, scope=rule.scope))
        assert again.failures() == []
        await again.engine.handle(OpenSession(session_id=session_id))
        await again.until(lambda _: again.events(BoundaryDecided))
        assert boundaries(again, session_id) == ()
    finally:
        await again.engine.stop()
