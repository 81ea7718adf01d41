"""RuleTaker: rules removed, and saved again."""

from desktop.agent.core.session import Session
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.domain.commands import RemoveRule, SaveRule
from desktop.domain.core.ids import new_id
from desktop.domain.gate.events import RuleRemoved, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.ledger.fold import rule_words
from desktop.domain.undo.steps import RuleStep


class RuleTaker:
    """Rules of a chat stand in its log, all others in their file."""

    def __init__(self, rules: RuleCommands) -> None:
        self._rules = rules

    async def look(self, session: Session, step: RuleStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        there = step.rule.id in self._ids(session)
        if there == step.save:
            return Look("done", "It is saved." if step.save else "The rule was removed already.", str(there))
        return Look("ready", rule_words(step.rule) if step.save else "The rule is removed.", str(there))

    async def take(self, session: Session, step: RuleStep) -> Took:
        """See `Taker`."""
        look = await self.look(session, step, Ahead())
        if look.verdict == "blocked":
            raise blocked(look)
        if look.verdict == "done":
            return Took(look.text, step.model_copy(update={"save": not step.save}))
        rule = await self._saved(session, step.rule) if step.save else await self._removed(session, step.rule)
        return Took(look.text, RuleStep(rule=rule, save=not step.save))

    async def _removed(self, session: Session, rule: Rule) -> Rule:
        if rule.scope == "session":
            session.append(RuleRemoved(rule_id=rule.id, scope=rule.scope))
            self._rules.changed()
        else:
            await self._rules.remove(RemoveRule(rule_id=rule.id, scope=rule.scope))
        return rule

    async def _saved(self, session: Session, rule: Rule) -> Rule:
        """The rule with the id that it gets."""
        if rule.scope == "session":
            saved = rule.model_copy(update={"id": new_id("r-")})
            session.append(RuleSaved(rule=saved))
            self._rules.changed()
            return saved
        before = self._ids(session)
        await self._rules.save(SaveRule(rule=rule.model_copy(update={"id": ""})))
        made = (one for one in self._rules.in_force(session) if one.id not in before)
        return next(made, rule)

    def _ids(self, session: Session) -> frozenset[str]:
        return frozenset(rule.id for rule in self._rules.in_force(session))
