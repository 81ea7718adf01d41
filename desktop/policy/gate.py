"""The one decision: every rule looks at every call, and the strictest verdict holds."""

from desktop.domain.core.permissions import Decision, RuleHit, Verdict
from desktop.policy.call_facts import CallFacts as CallFacts
from desktop.policy.call_facts import SessionGateFacts as SessionGateFacts
from desktop.policy.gate_rules import (
    Rule,
    agent_tools_rule,
    ask_rules_rule,
    categories,
    children_budget_rule,
    consent_rule,
    credential_use_rule,
    deny_confirm_rule,
    deny_rule,
    deny_rules_rule,
    file_kind_rule,
    hosted_write_rule,
    lane_moved_rule,
    many_children_rule,
    mcp_destructive_rule,
    mcp_pin_rule,
    memory_guard_rule,
    mode_rule,
    net_address_rule,
    net_host_rule,
    path_rule,
    primary_lane_rule,
    rules_unreadable_rule,
    sandbox_rule,
    sandbox_wider_rule,
    sql_consent_rule,
    taint_rule,
)
from desktop.policy.modes import mode_row

SESSION_GRANT = "session_grant"

RULES: tuple[Rule, ...] = (
    memory_guard_rule,
    primary_lane_rule,
    lane_moved_rule,
    agent_tools_rule,
    children_budget_rule,
    deny_rule,
    path_rule,
    file_kind_rule,
    sandbox_rule,
    many_children_rule,
    deny_confirm_rule,
    sql_consent_rule,
    mcp_pin_rule,
    mcp_destructive_rule,
    consent_rule,
    credential_use_rule,
    net_address_rule,
    net_host_rule,
    sandbox_wider_rule,
    taint_rule,
    deny_rules_rule,
    ask_rules_rule,
    rules_unreadable_rule,
    hosted_write_rule,
    mode_rule,
)
_LEFT_TO_TOOLS_THAT_ASK: frozenset[Rule] = frozenset({consent_rule, hosted_write_rule})


def decide(call: CallFacts, session: SessionGateFacts, *, rules: tuple[Rule, ...] = RULES) -> Decision:
    """The decision for this call: same values in, same decision out, never an exception (gate-G1).

    The strictest hit names the decision, on a tie the earlier rule. A session grant or allow rules that cover the whole
    call lift ASK only when every ASK among the hits can be lifted; nothing lifts DENY.
    """
    hits: list[RuleHit] = []
    for rule in rules:
        if call.asks_person and rule in _LEFT_TO_TOOLS_THAT_ASK:
            continue
        try:
            hits.extend(rule(call, session))
        except Exception as e:  # noqa: BLE001 - any failure of a rule is a refusal, never a hole
            hits.append(RuleHit(rule="gate_error", verdict=Verdict.DENY, reason=f"{type(e).__name__} in a rule."))
    if not hits:
        return Decision(verdict=Verdict.DENY, rule="gate_error", reason="No rule spoke about this call.")
    return _decision(call, session, tuple(hits))


def _decision(call: CallFacts, session: SessionGateFacts, hits: tuple[RuleHit, ...]) -> Decision:
    strictest = max(hits, key=lambda hit: hit.verdict)
    verdict, lifted_by, reason = strictest.verdict, None, strictest.reason
    if verdict is Verdict.ASK and all(hit.liftable for hit in hits if hit.verdict is Verdict.ASK):
        lifted_by = _lifted_by(call, session)
        if lifted_by is not None:
            verdict, reason = Verdict.ALLOW, _lifted_reason(call, lifted_by)
    return Decision(
        verdict=verdict,
        rule=strictest.rule,
        reason=reason,
        review_after=verdict is Verdict.ALLOW and _review_after(call, session),
        lifted_by=lifted_by,
        hits=hits,
    )


def _lifted_by(call: CallFacts, session: SessionGateFacts) -> str | None:
    """The grant or the first rule that lets the call run; a rule lifts only what has no other say (gate-G18)."""
    if call.rules.allow:
        return call.rules.allow[0].rule_id
    key = call.assessment.remember_key
    return SESSION_GRANT if key is not None and key in session.session_grants else None


def _lifted_reason(call: CallFacts, lifted_by: str) -> str:
    if lifted_by == SESSION_GRANT:
        return "You allowed this for this chat."
    names = ", ".join(f'the rule "{match.text}"' for match in call.rules.allow)
    return f"Allowed by {names}."


def _review_after(call: CallFacts, session: SessionGateFacts) -> bool:
    proven = call.assessment.proven_read
    return any(mode_row(session.mode, c, proven_read=proven).review_after for c in categories(call))
