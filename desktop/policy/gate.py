"""The one decision: every rule looks at every call, and the strictest verdict holds."""

from collections.abc import Callable, Iterable
from typing import Literal

from desktop.domain.base import Frozen
from desktop.domain.permissions import Assessment, Category, Decision, PermissionMode, RuleHit, Verdict
from desktop.policy.modes import mode_reason, mode_row
from desktop.policy.paths import PathFacts


class SessionGateFacts(Frozen):
    """What the rules may know of a session. `session_grants` are remember keys a person allowed for this session.

    `on_primary`: the lane is the person's own checkout; `primary_allowed`: they started the session on it knowingly.
    `lane_moved`: the lane folder is not the one the session was opened on. `answerable`: a person can answer a card.
    """

    mode: PermissionMode
    kind: Literal["interactive", "hosted"] = "interactive"
    primary_allowed: bool = False
    on_primary: bool = False
    hosted_grant: bool = False
    lane_moved: bool = False
    session_grants: frozenset[str] = frozenset()
    answerable: bool = True
    sandbox: Literal["none"] = "none"


class CallFacts(Frozen):
    """One call as the rules see it: the tool's own category, what it stated about this call, and the judged paths.

    `asks_person`: the tool asks a person by itself, so it is not asked about a second time.
    """

    tool: str
    category: Category
    assessment: Assessment
    origin: Literal["agent"] = "agent"
    args_sha256: str = ""
    paths: tuple[PathFacts, ...] = ()
    asks_person: bool = False


Rule = Callable[[CallFacts, SessionGateFacts], Iterable[RuleHit]]
SESSION_GRANT = "session_grant"
MAX_REASON_PATH = 300


def primary_lane_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """The person's own checkout is read-only unless they started the session on it (gate-G15)."""
    if session.on_primary and not session.primary_allowed and _changes_lane(call):
        yield RuleHit(
            rule="primary_lane",
            verdict=Verdict.DENY,
            reason="This is your own checkout, which is read-only for agents.",
        )


def lane_moved_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Nothing that touches the lane runs once another folder stands in its place."""
    if session.lane_moved and (call.paths or _categories(call) != {Category.READ}):
        yield RuleHit(
            rule="lane_moved",
            verdict=Verdict.DENY,
            reason="The lane folder is not the one this chat was opened on.",
        )


def path_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Every named path is usable, inside the lane and not protected; the rest is asked or refused (gate-P1 to P7)."""
    for facts in call.paths:
        if facts.verdict == "invalid" and not facts.exists:
            yield _path_hit("path", facts, f"{_shown(facts)} is not a usable path: {facts.reason}.")
    for facts in call.paths:
        if facts.verdict == "outside":
            yield _path_hit("path", facts, f"{_shown(facts)} is outside this lane: {facts.reason}.")
    for facts in call.paths:
        if facts.verdict == "protected":
            yield _path_hit("path", facts, f"{_shown(facts)} is protected: {facts.reason}.")


def file_kind_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Only regular files of the lane's device with one name are written without asking (gate-P5)."""
    for facts in call.paths:
        wrong_kind = facts.verdict == "invalid" and facts.exists
        if wrong_kind or (facts.verdict == "inside" and (facts.ask or facts.deny)):
            yield _path_hit("file_kind", facts, f"{_shown(facts)} cannot be used freely: {facts.reason}.")
        elif facts.hard_link and facts.ask:
            reason = f"{_shown(facts)} has {facts.nlink} names (hard links), all of them would change."
            yield RuleHit(rule="file_kind", verdict=Verdict.ASK, reason=reason)


def consent_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """What a tool says needs consent asks in every mode."""
    if call.assessment.needs_consent:
        reason = call.assessment.reason or "This call needs your consent in every mode."
        yield RuleHit(rule="consent", verdict=Verdict.ASK, reason=reason)


def hosted_write_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Where no window owns the session, writes ask until a person gives the grant (gate-G13)."""
    writes = Category.WRITE in {call.category, call.assessment.category}
    asks = session.mode is PermissionMode.EDIT and session.kind == "hosted" and not session.hosted_grant
    if writes and asks:
        yield RuleHit(
            rule="hosted_write",
            verdict=Verdict.ASK,
            reason="This session has no window of its own, so changes to files ask until you allow them.",
        )


def mode_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """The table, taken for the tool's own category and for the assessed one; the stricter holds (gate-G5)."""
    proven = call.assessment.proven_read
    rows = [(mode_row(session.mode, c, proven_read=proven), c) for c in (call.category, call.assessment.category)]
    row, category = max(rows, key=lambda pair: pair[0].verdict)
    yield RuleHit(
        rule="mode",
        verdict=row.verdict,
        reason=mode_reason(session.mode, category, row.verdict, proven_read=proven),
        liftable=row.verdict is Verdict.ASK,
    )


RULES: tuple[Rule, ...] = (
    primary_lane_rule,
    lane_moved_rule,
    path_rule,
    file_kind_rule,
    consent_rule,
    hosted_write_rule,
    mode_rule,
)
_LEFT_TO_TOOLS_THAT_ASK: frozenset[Rule] = frozenset({consent_rule, hosted_write_rule})


def decide(call: CallFacts, session: SessionGateFacts, *, rules: tuple[Rule, ...] = RULES) -> Decision:
    """The decision for this call: same values in, same decision out, never an exception (gate-G1).

    The strictest hit names the decision, on a tie the earlier rule. A session grant lifts ASK only when every ASK
    among the hits can be lifted; nothing lifts DENY.
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
    verdict, lifted_by = strictest.verdict, None
    key = call.assessment.remember_key
    liftable = all(hit.liftable for hit in hits if hit.verdict is Verdict.ASK)
    if verdict is Verdict.ASK and liftable and key is not None and key in session.session_grants:
        verdict, lifted_by = Verdict.ALLOW, SESSION_GRANT
    return Decision(
        verdict=verdict,
        rule=strictest.rule,
        reason=strictest.reason,
        review_after=verdict is Verdict.ALLOW and _review_after(call, session),
        lifted_by=lifted_by,
        hits=hits,
    )


def _review_after(call: CallFacts, session: SessionGateFacts) -> bool:
    proven = call.assessment.proven_read
    return any(mode_row(session.mode, c, proven_read=proven).review_after for c in _categories(call))


def _categories(call: CallFacts) -> set[Category]:
    return {call.category, call.assessment.category}


def _changes_lane(call: CallFacts) -> bool:
    if any(facts.op in {"write", "delete"} for facts in call.paths) or Category.WRITE in _categories(call):
        return True
    return Category.BASH in _categories(call) and not call.assessment.proven_read


def _path_hit(rule: str, facts: PathFacts, reason: str) -> RuleHit:
    return RuleHit(rule=rule, verdict=Verdict.ASK if facts.ask else Verdict.DENY, reason=reason)


def _shown(facts: PathFacts) -> str:
    path = facts.via_symlink or facts.raw
    return f"'{path}'" if len(path) <= MAX_REASON_PATH else f"'{path[:MAX_REASON_PATH]}…'"
