"""Whether a hook is about a call: as a rule that tightens is, so that what cannot be read is not missed."""

from desktop.domain.gate.rules import Rule
from desktop.domain.hooks.values import Hook, HookMatch
from desktop.policy.call_facts import CallFacts
from desktop.policy.rules import CallSubject, tightens


def is_about(hook: Hook, facts: CallFacts, *, text: str = "", lane_root: str = "") -> bool:
    """Whether one of its matches holds for the call; a hook without any is about every call. `text`: the command line
    of the call, "" for other tools."""
    if not hook.match:
        return True
    subject = CallSubject(
        tool=facts.tool,
        category=facts.category,
        command=facts.command,
        text=text,
        paths=facts.paths,
        lane_root=lane_root,
    )
    return any(_holds(match, facts, subject) for match in hook.match)


def _holds(match: HookMatch, facts: CallFacts, subject: CallSubject) -> bool:
    if match.tool and match.tool != facts.tool:
        return False
    if match.kind and match.kind not in (facts.category, facts.assessment.category):
        return False
    if match.tokens and not tightens(Rule(id="", decision="deny", kind="command", tokens=match.tokens), subject):
        return False
    return not match.glob or tightens(Rule(id="", decision="deny", kind="path", glob=match.glob), subject)
