"""The rows of the gate for calls to servers, and rules about their tools."""

from datetime import UTC, datetime
from typing import Any

import pytest

from desktop.domain.core.permissions import Assessment, Category, Decision, PermissionMode, Verdict
from desktop.domain.gate.rules import Rule
from desktop.policy import refusals
from desktop.policy.call_facts import CallFacts, SessionGateFacts, SqlFacts
from desktop.policy.gate import decide
from desktop.policy.mcp.facts import CHANGED, McpFacts, rule_of, session_key
from desktop.policy.risk import risk, subject
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.sql.assess import assess_sql

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PIN = "a" * 64


def mcp(**more: Any) -> McpFacts:
    return McpFacts(server="db", tool="write_query", pin_sha256=PIN, **more)


def call(facts: McpFacts | None = None, **more: Any) -> CallFacts:
    category = more.pop("category", Category.BASH)
    key = session_key(facts or mcp())
    assessment = Assessment(category=category, remember_key=key)
    return CallFacts(tool="mcp__db__write_query", category=category, assessment=assessment, mcp=facts or mcp(), **more)


def session(mode: PermissionMode = PermissionMode.EDIT, **more: Any) -> SessionGateFacts:
    return SessionGateFacts(mode=mode, **more)


def matched(rule: Rule, **more: Any) -> Any:
    given = CallSubject(tool="mcp__db__write_query", category=Category.BASH, **{"mcp": mcp(), **more})
    return match_rules([rule.model_copy(update={"id": "r-1"})], given, NOW)


def test_a_call_to_a_server_follows_the_row_of_commands() -> None:
    assert decide(call(), session()).verdict is Verdict.ASK
    assert decide(call(), session(PermissionMode.PLAN)).verdict is Verdict.DENY
    assert decide(call(), session(PermissionMode.FULL_AUTO)).verdict is Verdict.ALLOW
    assert decide(call(), session(PermissionMode.FULL_AUTO)).review_after


def test_a_tool_that_a_person_says_only_reads_is_free_in_every_mode() -> None:
    for mode in PermissionMode:
        assert decide(call(mcp(read=True), category=Category.READ), session(mode)).verdict is Verdict.ALLOW


@pytest.mark.promise("gate-M3")
def test_a_changed_tool_is_refused_whatever_rules_and_grants_say() -> None:
    changed = mcp(pin="changed")
    allowed = matched(rule_of(changed), mcp=changed)
    facts = call(changed, rules=allowed)
    decision = decide(facts, session(PermissionMode.FULL_AUTO, session_grants=frozenset({session_key(changed)})))
    assert (decision.verdict, decision.rule) == (Verdict.DENY, "mcp_pin")
    text = refusals.refusal_text(decision, tool="t", mode=PermissionMode.EDIT, lane="", paths=())
    assert text == CHANGED


def test_what_claims_to_destroy_asks_in_full_auto_and_no_grant_lifts_it() -> None:
    facts = mcp(destructive=True)
    decision = decide(call(facts), session(PermissionMode.FULL_AUTO, session_grants=frozenset({session_key(facts)})))
    assert (decision.verdict, decision.rule) == (Verdict.ASK, "mcp_destructive")


def test_a_grant_of_the_chat_lifts_the_question_for_this_definition_alone() -> None:
    given = session(session_grants=frozenset({session_key(mcp())}))
    assert decide(call(), given).lifted_by == "session_grant"
    other = mcp().model_copy(update={"pin_sha256": "b" * 64})
    assert decide(call(other), given).verdict is Verdict.ASK


def test_a_rule_allows_one_definition_of_one_tool() -> None:
    assert [one.rule_id for one in matched(rule_of(mcp())).allow] == ["r-1"]
    other = mcp().model_copy(update={"pin_sha256": "b" * 64})
    assert matched(rule_of(mcp()), mcp=other).allow == ()
    assert matched(rule_of(mcp()), mcp=mcp(destructive=True)).allow == ()
    assert matched(rule_of(mcp()), sql=assess_sql("SELECT 1", "sqlite")).allow == ()
    assert matched(rule_of(mcp()), mcp=None).allow == ()


def test_the_word_of_a_person_on_a_tool_allows_it_as_a_rule_does() -> None:
    never = Rule(id="r", decision="deny", kind="mcp", server="db", tool="other")
    assert matched(never, mcp=mcp(policy="allow")).allow[0].text == "db › write_query"
    assert matched(never, mcp=mcp(policy="allow", destructive=True)).allow == ()
    assert matched(never.model_copy(update={"tool": "*"}), mcp=mcp(policy="allow")).allow == ()


def test_rules_that_ask_and_refuse_may_name_all_tools_of_a_server() -> None:
    asks = Rule(id="r", decision="ask", kind="mcp", server="db", tool="*")
    refuses = asks.model_copy(update={"decision": "deny"})
    assert matched(asks).ask
    assert matched(refuses).deny
    assert not matched(asks, mcp=None).ask
    assert not matched(refuses, mcp=None).deny


@pytest.mark.promise("gate-Q24")
def test_sql_that_is_not_proven_asks_in_full_auto_too() -> None:
    for text, verdict in (("DROP TABLE t", Verdict.ASK), ("SELECT 1", Verdict.ALLOW)):
        sql = SqlFacts(connection="db", verdict=assess_sql(text, "sqlite"))
        assert decide(call(sql=sql), session(PermissionMode.FULL_AUTO)).verdict is verdict
    unknown = SqlFacts(connection="db", verdict=assess_sql("SELECT 1", ""))
    assert decide(call(sql=unknown), session(PermissionMode.FULL_AUTO)).rule == "sql_consent"


def test_a_chat_that_read_strangers_asks_before_a_server_that_reaches_the_network() -> None:
    tainted = session(PermissionMode.FULL_AUTO, tainted=("mcp:db",))
    assert decide(call(network=True), tainted).rule == "taint"
    assert decide(call(), tainted).verdict is Verdict.ALLOW


def test_only_a_server_that_can_write_the_lane_changes_it() -> None:
    here = session(on_primary=True)
    assert decide(call(), here).verdict is Verdict.ASK
    assert decide(call(mcp(writes_lane=True)), here).rule == "primary_lane"
    unsearched = session(search_first=True)
    assert decide(call(), unsearched).verdict is Verdict.ASK
    assert decide(call(mcp(writes_lane=True)), unsearched).rule == "memory_guard"


def test_a_card_of_a_server_is_its_own_and_says_a_middle_risk() -> None:
    assert (subject(call()), risk(call(), SessionGateFacts(mode=PermissionMode.EDIT))) == ("mcp", "medium")
    sql = SqlFacts(connection="db", verdict=assess_sql("DROP TABLE t", "sqlite"))
    assert subject(call(sql=sql)) == "sql"


def test_no_other_call_is_about_a_server() -> None:
    other = CallFacts(tool="bash", category=Category.BASH, assessment=Assessment(category=Category.BASH))
    hits = decide(other, session()).hits
    assert isinstance(decide(other, session()), Decision)
    assert not {"mcp_pin", "mcp_destructive"} & {hit.rule for hit in hits}
