"""Rules that a person makes in Settings: each kind is saved with tests of its own, and counts at once."""

import pytest

from desktop.domain import commands as c
from desktop.domain.rules import Rule
from desktop.domain.updates import CommandFailed, CommandTried, RulesListed
from tests.agent.rig import Rig

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
