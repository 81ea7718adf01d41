"""Rules that a person makes in Settings: each kind is saved with tests of its own, and counts at once."""

from pathlib import Path

import pytest

from desktop.domain import commands as c
from desktop.domain.gate.events import RuleRemoved, RulesAccepted, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.updates import CommandFailed, CommandTried, RulesListed
from tests.agent.gate_rig import of_session, rules_file
from tests.agent.rig import Rig, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


def listed(rig: Rig) -> list[Rule]:
    files = [update for update in rig.updates if isinstance(update, RulesListed)][-1].files
    return [state.rule for file in files for state in file.rules]


@pytest.mark.parametrize(
    "rule",
    [
        Rule(id="", decision="allow", kind="path", glob="docs/**", ops=("write",), scope="project"),
        Rule(id="", decision="allow", kind="path", glob="**/*.md", scope="user"),
        Rule(id="", decision="allow", kind="tool", name="create_lane", scope="project"),
        Rule(id="", decision="deny", kind="command", tokens=("git", "push"), scope="user"),
    ],
    ids=lambda rule: rule.text,
)
async def test_a_rule_of_each_kind_is_saved_and_removed(rig: Rig, rule: Rule) -> None:
    await rig.engine.handle(c.SaveRule(rule=rule))
    (saved,) = listed(rig)
    assert (saved.text, saved.decision, saved.scope) == (rule.text, rule.decision, rule.scope)
    assert rule.decision == "deny" or (saved.match and saved.not_match)
    await rig.engine.handle(c.RemoveRule(rule_id=saved.id, scope=saved.scope))
    assert listed(rig) == []


async def test_an_allow_rule_for_everything_is_refused_with_the_reason(rig: Rig) -> None:
    await rig.engine.handle(c.SaveRule(rule=Rule(id="", decision="allow", kind="path", glob="**", scope="user")))
    assert [update for update in rig.updates if isinstance(update, CommandFailed)][-1].text


async def test_a_saved_rule_decides_a_command_that_is_tried(rig: Rig) -> None:
    tokens = ("npm", "run", "test")
    rule = Rule(id="", decision="allow", kind="command", tokens=tokens, scope="project", created_by="settings")
    await rig.engine.handle(c.SaveRule(rule=rule))
    await rig.engine.handle(c.TryCommand(text="npm run test"))
    tried = [update for update in rig.updates if isinstance(update, CommandTried)][-1]
    assert tried.verdict == "allow"
    assert tried.rule == listed(rig)[0].id


async def test_a_rule_is_changed_in_place_and_its_tests_follow(rig: Rig) -> None:
    rule = Rule(id="", decision="allow", kind="command", tokens=("npm", "run", "test"), created_by="settings")
    await rig.engine.handle(c.SaveRule(rule=rule))
    (first,) = listed(rig)
    other = first.model_copy(update={"tokens": ("npm", "run", "lint"), "match": (), "not_match": ()})
    await rig.engine.handle(c.SaveRule(rule=other))
    (second,) = listed(rig)
    assert (second.id, second.tokens, second.created_at) == (first.id, ("npm", "run", "lint"), first.created_at)
    assert second.match
    assert second.match != first.match
    await rig.engine.handle(c.TryCommand(text="npm run lint"))
    assert [update for update in rig.updates if isinstance(update, CommandTried)][-1].verdict == "allow"


async def test_what_is_done_to_rules_stands_in_the_logs_of_the_chats_it_counts_for(
    rig: Rig, model_api: FakeModelApi, repository: Path, tmp_path: Path
) -> None:
    model_api.script(text_turn("hi"), text_turn("hi"))
    here = await rig.new("Hi")
    await rig.ended()
    await rig.engine.handle(c.OpenProject(path=str(make_repository(tmp_path / "other"))))
    there = await rig.new("Hi")
    await rig.ended(2)
    before = {chat: rig.engine.sessions.get(chat).state.last_activity_at for chat in (here, there)}
    mine = Rule(id="", decision="deny", kind="command", tokens=("git", "push"), scope="user")
    await rig.engine.handle(c.SaveRule(rule=mine))
    await rig.engine.handle(c.SaveRule(rule=mine.model_copy(update={"scope": "project", "tokens": ("make",)})))
    for rule in listed(rig):
        await rig.engine.handle(c.RemoveRule(rule_id=rule.id, scope=rule.scope))
    assert [event.rule.tokens for event in of_session(rig, here, RuleSaved)] == [("git", "push")]
    assert [event.rule.tokens for event in of_session(rig, there, RuleSaved)] == [("git", "push"), ("make",)]
    assert [event.scope for event in of_session(rig, here, RuleRemoved)] == ["user"]
    assert [event.scope for event in of_session(rig, there, RuleRemoved)] == ["user", "project"]
    assert {chat: rig.engine.sessions.get(chat).state.last_activity_at for chat in (here, there)} == before


async def test_trust_in_the_rules_of_the_repository_stands_in_the_log_with_those_rules(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    allowed = 'decision = "allow"\nkind = "command"\ntokens = ["npm", "run", "x"]\n'
    tests = 'match = ["npm run x"]\nnot_match = ["npm run y"]'
    rules_file(repository / ".banksman" / "rules.toml", allowed + tests)
    await rig.engine.handle(c.LoadRules())
    listing = [update for update in rig.updates if isinstance(update, RulesListed)][-1]
    sha256 = next(file.sha256 for file in listing.files if file.scope == "shared")
    await rig.engine.handle(c.TrustRules(sha256=sha256))
    (accepted,) = of_session(rig, session_id, RulesAccepted)
    assert accepted.sha256 == sha256
    assert accepted.path.endswith("rules.toml")
    assert [rule.tokens for rule in accepted.rules] == [("npm", "run", "x")]


async def test_without_an_open_chat_the_file_says_who_made_a_rule_and_when(rig: Rig) -> None:
    await rig.engine.handle(
        c.SaveRule(rule=Rule(id="", decision="deny", kind="command", tokens=("make",), created_by="settings"))
    )
    (saved,) = listed(rig)
    assert saved.created_by == "settings"
    assert saved.created_at is not None
    assert rig.events(RuleSaved) == []
