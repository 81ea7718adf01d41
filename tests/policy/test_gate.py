"""The decision, row by row (gate 3)."""

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode, RuleHit, Verdict
from desktop.policy.gate import RULES, CallFacts, SessionGateFacts, decide
from desktop.policy.paths import PathFacts, WalkFacts, assess_path, screen_path
from desktop.policy.shell.verdict import ShellVerdict

PLAN, EDIT, AUTO = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO
READ, WRITE, BASH, EXTERNAL = Category.READ, Category.WRITE, Category.BASH, Category.EXTERNAL


def call(
    category: Category = READ, *, paths: tuple[PathFacts, ...] = (), asks_person: bool = False, **assessed
) -> CallFacts:
    assessment = Assessment(**{"category": category, **assessed})
    return CallFacts(tool="t", category=category, assessment=assessment, paths=paths, asks_person=asks_person)


def session(mode: PermissionMode = EDIT, **facts) -> SessionGateFacts:
    return SessionGateFacts(mode=mode, **facts)


def path(op="write", raw="a", **facts) -> PathFacts:
    return assess_path(raw, op, WalkFacts(**{"rel": raw, "names": ((raw,),), "kind": "file", "nlink": 1, **facts}))


def outcome(facts: CallFacts, state: SessionGateFacts) -> tuple[str, str]:
    decision = decide(facts, state)
    return decision.verdict.name, decision.rule


@pytest.mark.parametrize("mode", list(PermissionMode))
@pytest.mark.parametrize("category", list(Category))
def test_the_mode_rule_follows_the_table(mode: PermissionMode, category: Category) -> None:
    decision = decide(call(category), session(mode))
    assert decision.rule == "mode"
    assert decision.review_after == (mode is AUTO and category is not READ)


@pytest.mark.promise("gate-G5")
def test_the_stricter_of_the_tools_and_the_calls_category_holds() -> None:
    sql = CallFacts(tool="t", category=READ, assessment=Assessment(category=EXTERNAL))
    assert outcome(sql, session(PLAN)) == ("DENY", "mode")
    assert outcome(sql, session(EDIT)) == ("ASK", "mode")
    loosened = CallFacts(tool="t", category=BASH, assessment=Assessment(category=READ))
    assert outcome(loosened, session(EDIT)) == ("ASK", "mode")
    assert decide(sql, session(AUTO)).review_after
    assert decide(loosened, session(AUTO)).review_after


def test_a_proven_read_runs_in_every_mode_and_is_not_reviewed_in_full_auto() -> None:
    assert outcome(call(BASH, proven_read=True), session(EDIT)) == ("ALLOW", "mode")
    assert not decide(call(BASH, proven_read=True), session(AUTO)).review_after
    assert outcome(call(BASH, proven_read=True), session(PLAN)) == ("ALLOW", "mode")
    assert outcome(call(BASH), session(PLAN)) == ("DENY", "mode")
    why = "This program is not among those that only read."
    command = call(BASH).model_copy(update={"command": ShellVerdict(reason=why)})
    refused = decide(command, session(PLAN))
    assert refused.reason == f"Only commands that are shown to read run in Plan mode. {why}"


@pytest.mark.promise("gate-G15")
@pytest.mark.parametrize("mode", [EDIT, AUTO])
def test_the_persons_own_checkout_is_read_only(mode: PermissionMode) -> None:
    state = session(mode, on_primary=True)
    assert outcome(call(WRITE), state) == ("DENY", "primary_lane")
    assert outcome(call(BASH), state) == ("DENY", "primary_lane")
    assert outcome(call(READ, paths=(path("delete"),)), state) == ("DENY", "primary_lane")
    assert outcome(call(READ, paths=(path("read"),)), state)[0] == "ALLOW"
    assert outcome(call(BASH, proven_read=True), state)[0] == "ALLOW"
    assert outcome(call(EXTERNAL), state)[1] == "mode"
    assert outcome(call(WRITE), session(mode, on_primary=True, primary_allowed=True))[0] == "ALLOW"


def test_nothing_that_touches_a_moved_lane_runs() -> None:
    state = session(AUTO, lane_moved=True)
    assert outcome(call(WRITE), state) == ("DENY", "lane_moved")
    assert outcome(call(BASH, proven_read=True), state) == ("DENY", "lane_moved")
    assert outcome(call(READ, paths=(path("read"),)), state) == ("DENY", "lane_moved")
    assert outcome(call(READ), state) == ("ALLOW", "mode")


@pytest.mark.promise("gate-P1")
@pytest.mark.parametrize("mode", [EDIT, AUTO])
@pytest.mark.parametrize(
    ("facts", "verdict", "rule"),
    [
        (screen_path("", "read", windows=False), "DENY", "path"),
        (path("write", fault="too many links"), "DENY", "path"),
        (path("read", place="outside"), "ASK", "path"),
        (path("write", place="outside"), "DENY", "path"),
        (path("read", place="outside", system=True), "DENY", "path"),
        (path("read", ".env"), "ASK", "path"),
        (path("write", ".env"), "ASK", "path"),
        (path("write", ".mcp.json"), "ASK", "path"),
        (path("read", ".git"), "ALLOW", "mode"),
        (path("write", ".git"), "DENY", "path"),
        (path("write", nlink=2), "ASK", "file_kind"),
        (path("write", kind="other"), "DENY", "file_kind"),
        (path("write", kind="dir"), "DENY", "file_kind"),
        (path("write", other_device=True), "DENY", "file_kind"),
        (path("read", place="reference"), "ALLOW", "mode"),
    ],
)
def test_each_judged_path_has_its_row(mode, facts, verdict: str, rule: str) -> None:
    category = WRITE if facts.op == "write" else READ
    assert outcome(call(category, paths=(facts,)), session(mode)) == (verdict, rule)


def test_a_protected_file_with_two_names_says_both() -> None:
    hits = decide(call(WRITE, paths=(path("write", ".env", nlink=2),)), session(EDIT)).hits
    assert [hit.rule for hit in hits if hit.verdict is Verdict.ASK] == ["path", "file_kind"]


def test_reasons_name_the_path_and_cut_it_when_it_is_long() -> None:
    assert decide(call(WRITE, paths=(path("write", ".mcp.json"),)), session(EDIT)).reason == (
        "'.mcp.json' is protected: other programs run or trust this file on sight."
    )
    long = decide(call(WRITE, paths=(path("write", "x/" * 400, place="outside"),)), session(EDIT)).reason
    assert "…" in long
    linked = path("read", "a", place="outside", via_symlink="a → /etc/passwd")
    assert "a → /etc/passwd" in decide(call(READ, paths=(linked,)), session(EDIT)).reason


@pytest.mark.parametrize("mode", [EDIT, AUTO])
def test_what_needs_consent_asks_in_every_mode_and_no_grant_lifts_it(mode: PermissionMode) -> None:
    facts = call(READ, needs_consent=True, reason="It deletes rows.", remember_key="k")
    decision = decide(facts, session(mode, session_grants=frozenset({"k"})))
    assert (decision.verdict, decision.rule, decision.reason) == (Verdict.ASK, "consent", "It deletes rows.")
    assert not decision.review_after
    assert decide(call(READ, needs_consent=True), session(mode)).reason


@pytest.mark.promise("gate-G13")
def test_a_hosted_session_asks_before_it_writes_until_it_may() -> None:
    assert outcome(call(WRITE), session(EDIT, kind="hosted")) == ("ASK", "hosted_write")
    assert outcome(call(WRITE), session(EDIT, kind="hosted", hosted_grant=True)) == ("ALLOW", "mode")
    assert outcome(call(WRITE), session(AUTO, kind="hosted")) == ("ALLOW", "mode")
    assert outcome(call(WRITE), session(PLAN, kind="hosted")) == ("DENY", "mode")
    assert outcome(call(READ), session(EDIT, kind="hosted")) == ("ALLOW", "mode")
    remembered = session(EDIT, kind="hosted", session_grants=frozenset({"k"}))
    assert outcome(call(WRITE, remember_key="k"), remembered) == ("ASK", "hosted_write")


def test_a_session_grant_lifts_the_mode_rule() -> None:
    decision = decide(call(BASH, remember_key="k"), session(EDIT, session_grants=frozenset({"k"})))
    assert (decision.verdict, decision.rule, decision.lifted_by) == (Verdict.ALLOW, "mode", "session_grant")
    assert outcome(call(BASH, remember_key="other"), session(EDIT, session_grants=frozenset({"k"})))[0] == "ASK"
    assert outcome(call(BASH), session(EDIT, session_grants=frozenset({"k"})))[0] == "ASK"


@pytest.mark.promise("gate-G18")
def test_a_session_grant_lifts_nothing_when_one_ask_cannot_be_lifted() -> None:
    facts = call(BASH, remember_key="k", paths=(path("read", ".env"),))
    decision = decide(facts, session(EDIT, session_grants=frozenset({"k"})))
    assert (decision.verdict, decision.lifted_by) == (Verdict.ASK, None)


@pytest.mark.promise("gate-G18")
def test_a_session_grant_never_lifts_a_refusal() -> None:
    assert outcome(call(BASH, remember_key="k"), session(PLAN, session_grants=frozenset({"k"}))) == ("DENY", "mode")


def test_a_tool_that_asks_by_itself_is_not_asked_about_twice() -> None:
    facts = call(READ, needs_consent=True, asks_person=True)
    assert outcome(facts, session(EDIT)) == ("ALLOW", "mode")
    writing = call(WRITE, asks_person=True)
    assert outcome(writing, session(EDIT, kind="hosted")) == ("ALLOW", "mode")
    assert outcome(writing, session(PLAN)) == ("DENY", "mode")


def test_the_earlier_row_names_the_decision_on_a_tie() -> None:
    facts = call(WRITE, paths=(path("write", "x", place="outside"), path("write", fault="no")))
    decision = decide(facts, session(PLAN, on_primary=True, lane_moved=True))
    assert decision.rule == "primary_lane"
    assert [hit.rule for hit in decision.hits] == ["primary_lane", "lane_moved", "path", "path", "mode"]
    assert "not a usable path" in decision.hits[2].reason


@pytest.mark.promise("gate-G1")
def test_a_rule_that_fails_is_a_refusal() -> None:
    def broken(facts, state):
        yield RuleHit(rule="x", verdict=Verdict.ALLOW, reason="")
        raise RuntimeError("no")

    decision = decide(call(READ), session(AUTO), rules=(*RULES, broken))
    assert (decision.verdict, decision.rule) == (Verdict.DENY, "gate_error")
    assert "RuntimeError" in decision.reason


@pytest.mark.promise("gate-G1")
def test_silence_of_all_rules_is_a_refusal() -> None:
    assert decide(call(READ), session(AUTO), rules=()).rule == "gate_error"
