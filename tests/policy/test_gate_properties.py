"""What holds for every call and every session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.permissions import Category, PermissionMode, RuleHit, Verdict
from desktop.policy.gate import RULES, CallFacts, SessionGateFacts, decide
from desktop.policy.risk import confirm_word, risk, subject
from desktop.policy.shell.verdict import DenyHit, ShellPath
from tests.policy.gate_values import CALLS, COMMANDS, PATHS, SESSIONS, match, sql

STRICTER = {PermissionMode.PLAN: PermissionMode.EDIT, PermissionMode.EDIT: PermissionMode.FULL_AUTO}


@given(CALLS, SESSIONS)
def test_the_decision_is_total_repeatable_and_names_its_strictest_hit(call, session) -> None:
    decision = decide(call, session)
    assert decision == decide(call, session)
    assert decision.rule != "gate_error"
    strictest = max(hit.verdict for hit in decision.hits)
    first = next(hit for hit in decision.hits if hit.verdict == strictest)
    assert decision.rule == first.rule
    assert decision.reason.endswith((".", "…", ")"))
    if decision.lifted_by is None:
        assert (decision.verdict, decision.reason) == (strictest, first.reason)
    else:
        assert (strictest, decision.verdict) == (Verdict.ASK, Verdict.ALLOW)
        assert all(hit.liftable for hit in decision.hits if hit.verdict is Verdict.ASK)


@given(CALLS, SESSIONS)
def test_a_stricter_mode_never_allows_more(call, session) -> None:
    looser = STRICTER.get(session.mode)
    if looser is not None:
        strict = decide(call, session).verdict
        assert strict >= decide(call, session.model_copy(update={"mode": looser})).verdict


@given(
    CALLS,
    SESSIONS,
    st.lists(
        st.builds(
            RuleHit, rule=st.just("new"), verdict=st.sampled_from(Verdict), reason=st.just("r"), liftable=st.booleans()
        )
    ),
    st.integers(0, len(RULES)),
)
def test_another_rule_never_loosens(call, session, hits, place) -> None:
    rules = (*RULES[:place], lambda _call, _session: hits, *RULES[place:])
    assert decide(call, session, rules=rules).verdict >= decide(call, session).verdict


@given(CALLS, SESSIONS)
def test_without_grants_nothing_is_looser(call, session) -> None:
    bare = session.model_copy(update={"session_grants": frozenset(), "hosted_grant": False})
    assert decide(call, bare).verdict >= decide(call, session).verdict


@given(CALLS, SESSIONS)
def test_a_path_that_nobody_may_allow_is_always_refused(call, session) -> None:
    if any(facts.deny for facts in call.paths):
        assert decide(call, session).verdict is Verdict.DENY
    elif any(facts.ask for facts in call.paths):
        assert decide(call, session).verdict >= Verdict.ASK


@given(CALLS, SESSIONS)
def test_only_what_ran_in_full_auto_is_looked_back_on(call, session) -> None:
    decision = decide(call, session)
    if decision.review_after:
        assert session.mode is PermissionMode.FULL_AUTO
        assert decision.verdict is Verdict.ALLOW
        assert {call.category, call.assessment.category} != {Category.READ}


@given(CALLS, SESSIONS)
def test_a_rule_that_asks_or_refuses_never_loosens_and_one_that_allows_lifts_no_refusal(call, session) -> None:
    before = decide(call, session)
    for decision, least in (("ask", Verdict.ASK), ("deny", Verdict.DENY)):
        rules = call.rules.model_copy(update={decision: (match(decision),)})
        after = decide(call.model_copy(update={"rules": rules}), session)
        assert after.verdict >= max(before.verdict, least)
    allowed = call.rules.model_copy(update={"allow": (match("allow"),)})
    after = decide(call.model_copy(update={"rules": allowed}), session)
    if before.verdict is Verdict.DENY:
        assert after.verdict is Verdict.DENY
    if any(hit.verdict is Verdict.ASK and not hit.liftable for hit in before.hits):
        assert after.verdict >= Verdict.ASK
    assert after.hits == before.hits


@given(CALLS, SESSIONS, COMMANDS)
def test_more_that_is_found_in_a_command_never_loosens(call, session, command) -> None:
    plain = call.model_copy(update={"command": command})
    before = decide(plain, session).verdict
    more = [
        {"deny": (*command.deny, DenyHit(id="D-root", severity="forbid", reason="r"))},
        {"deny": (*command.deny, DenyHit(id="D-history", severity="confirm", reason="r"))},
        {"paths": (*command.paths, ShellPath(path="/x", op="read", verdict="outside"))},
        {"sql": (*command.sql, sql())},
        {"git_writes": True},
    ]
    for update in more:
        worse = plain.model_copy(update={"command": command.model_copy(update=update)})
        assert decide(worse, session).verdict >= before


@given(CALLS, SESSIONS, PATHS)
def test_more_that_is_known_never_loosens(call, session, path) -> None:
    before = decide(call, session).verdict
    assert decide(call.model_copy(update={"paths": (*call.paths, path)}), session).verdict >= before
    assert decide(call, session.model_copy(update={"tainted": (".env", "x")})).verdict >= before
    assert decide(call.model_copy(update={"network": True}), session).verdict >= before
    assert decide(call.model_copy(update={"publishes": True}), session).verdict >= before
    assert decide(call, session.model_copy(update={"holds_secrets": True})).verdict >= before
    assert decide(call, session.model_copy(update={"lane_moved": True})).verdict >= before
    unreadable = call.rules.model_copy(update={"unreadable": "rules.toml"})
    assert decide(call.model_copy(update={"rules": unreadable}), session).verdict >= before


@given(CALLS, SESSIONS)
def test_what_must_never_run_unasked_does_not(call, session) -> None:
    verdict = decide(call, session).verdict
    command = call.command
    if command is not None and any(hit.severity == "forbid" for hit in command.deny):
        assert verdict is Verdict.DENY
    unproven = [call.sql.verdict] if call.sql is not None else []
    unproven += command.sql if command is not None else ()
    told = session.tainted and call.publishes and session.holds_secrets
    wider = call.profile in ("lane-open", "outside") or (session.tainted and call.network) or told
    wider = wider or (call.profile == "lane-hosts" and not call.rules.hosts)
    if wider or any(not one.proven_read for one in unproven) or (command is not None and command.deny):
        assert verdict >= Verdict.ASK


@pytest.mark.promise("gate-G2")
@given(CALLS, SESSIONS)
def test_the_stored_facts_give_the_same_decision_again(call, session) -> None:
    stored = CallFacts.model_validate_json(call.model_dump_json())
    facts = SessionGateFacts.model_validate_json(session.model_dump_json())
    assert decide(stored, facts) == decide(call, session)


@given(CALLS, SESSIONS)
def test_what_needs_a_word_is_never_less_than_irreversible(call, session) -> None:
    assert (risk(call, session) == "irreversible") == bool(confirm_word(call))
    assert subject(call) in {"command", "sql", "external", "edit", "path", "mcp", "other"}
