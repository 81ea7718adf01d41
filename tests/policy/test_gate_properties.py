"""What holds for every call and every session."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.permissions import Assessment, Category, PermissionMode, RuleHit, Verdict
from desktop.policy.gate import RULES, CallFacts, SessionGateFacts, decide
from desktop.policy.paths import WalkFacts, assess_path

KEYS = st.sampled_from([None, "a", "b"])
WALKS = st.builds(
    WalkFacts,
    fault=st.sampled_from(["", "", "too many links"]),
    place=st.sampled_from(["lane", "lane", "reference", "outside"]),
    rel=st.sampled_from([".", "a", ".env", ".git/config"]),
    names=st.sampled_from([(), (("a",),), ((".env",),), ((".git", "config"),), ((".husky", "x"),)]),
    system=st.booleans(),
    product_folder=st.booleans(),
    git_folder=st.booleans(),
    kind=st.sampled_from(["file", "dir", "missing", "other"]),
    nlink=st.integers(0, 3),
    other_device=st.booleans(),
    via_symlink=st.sampled_from(["", "a → b"]),
)
PATHS = st.builds(assess_path, st.just("a"), st.sampled_from(["read", "list", "write", "delete"]), WALKS)
CALLS = st.builds(
    CallFacts,
    tool=st.just("t"),
    category=st.sampled_from(Category),
    assessment=st.builds(
        Assessment,
        category=st.sampled_from(Category),
        needs_consent=st.booleans(),
        remember_key=KEYS,
        proven_read=st.booleans(),
    ),
    paths=st.lists(PATHS, max_size=3).map(tuple),
    asks_person=st.booleans(),
)
SESSIONS = st.builds(
    SessionGateFacts,
    mode=st.sampled_from(PermissionMode),
    kind=st.sampled_from(["interactive", "hosted"]),
    primary_allowed=st.booleans(),
    on_primary=st.booleans(),
    hosted_grant=st.booleans(),
    lane_moved=st.booleans(),
    session_grants=st.frozensets(st.sampled_from(["a", "b"])),
    answerable=st.booleans(),
)
STRICTER = {PermissionMode.PLAN: PermissionMode.EDIT, PermissionMode.EDIT: PermissionMode.FULL_AUTO}


@given(CALLS, SESSIONS)
def test_the_decision_is_total_repeatable_and_names_its_strictest_hit(call, session) -> None:
    decision = decide(call, session)
    assert decision == decide(call, session)
    assert decision.rule != "gate_error"
    strictest = max(hit.verdict for hit in decision.hits)
    first = next(hit for hit in decision.hits if hit.verdict == strictest)
    assert (decision.rule, decision.reason) == (first.rule, first.reason)
    assert decision.reason.endswith((".", "…"))
    if decision.lifted_by is None:
        assert decision.verdict == strictest
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
