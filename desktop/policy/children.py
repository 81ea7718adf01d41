"""What the gate knows and says of sub-agents: how many a chat may begin, and which commands one may run."""

from collections.abc import Iterable

from desktop.domain.children.values import MOST_AT_ONCE, MOST_OF_A_CHAT, MOST_OF_A_TURN
from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import RuleHit, Verdict
from desktop.policy.shell.verdict import ShellVerdict


class ChildrenFacts(Frozen):
    """The children of a chat when a call wants to begin one more: those of this turn and of the chat, the tokens that
    those which ended used, and whether a person let this turn begin more than a few."""

    of_turn: int = 0
    of_chat: int = 0
    tokens: int = 0
    more_allowed: bool = False


def budget_hits(children: ChildrenFacts) -> Iterable[RuleHit]:
    """Refuses what no answer makes right: more children than a turn or a chat may have (memory-SU5)."""
    reason = ""
    if children.of_chat >= MOST_OF_A_CHAT:
        reason = f"This chat has begun {MOST_OF_A_CHAT} sub-agents, which is the most."
    elif children.of_turn >= MOST_OF_A_TURN:
        reason = f"This turn has begun {MOST_OF_A_TURN} sub-agents, which is the most."
    if reason:
        yield RuleHit(rule="children_budget", verdict=Verdict.DENY, reason=reason)


def many_hits(children: ChildrenFacts) -> Iterable[RuleHit]:
    """Asks a person once a turn before it begins more than four, in every mode (memory-SU5)."""
    if children.of_turn >= MOST_AT_ONCE and not children.more_allowed:
        used = f"about {round(children.tokens / 1000)}k tokens" if children.tokens >= 1000 else "few tokens"
        reason = f"This agent wants to start more sub-agents ({children.of_turn} so far, {used})."
        yield RuleHit(rule="many_children", verdict=Verdict.ASK, reason=reason)


def words_hits(words: tuple[str, ...], command: ShellVerdict) -> Iterable[RuleHit]:
    """Refuses a command of which a part does not begin with words that the agent's file lists (memory-SU20)."""
    allowed = [tuple(one.split()) for one in words]
    for simple in command.simple:
        if not any(simple.spelled[: len(one)] == one for one in allowed):
            named = " ".join(simple.spelled[:3]) or "this command"
            reason = f"The file of this agent allows commands that begin with {', '.join(words)}, and not {named}."
            yield RuleHit(rule="agent_tools", verdict=Verdict.DENY, reason=reason)
            return
    if not command.simple:
        reason = "What this command would run is not known, and the file of this agent allows only certain commands."
        yield RuleHit(rule="agent_tools", verdict=Verdict.DENY, reason=reason)
