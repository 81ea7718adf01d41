"""What the gate says of a call to a server."""

from typing import Any

import pytest

from desktop.domain.core.permissions import Decision, Verdict
from desktop.domain.gate.rules import Rule
from desktop.policy.mcp import facts
from desktop.policy.mcp.facts import McpFacts


def call(**more: Any) -> McpFacts:
    return McpFacts(server="db", tool="write_query", pin_sha256="3fa9" * 16, **more)


def rule(**more: Any) -> Rule:
    return Rule(id="r", decision="allow", kind="mcp", **{"server": "db", "tool": "write_query", **more})


def test_a_changed_tool_and_one_that_a_person_switched_off_are_refused() -> None:
    assert list(facts.pin_hits(call())) == []
    assert [hit.reason for hit in facts.pin_hits(call(pin="changed"))] == [facts.CHANGED]
    [hit] = facts.pin_hits(call(policy="never"))
    assert (hit.rule, hit.verdict) == ("mcp_pin", Verdict.DENY)
    assert "db › write_query" in hit.reason


def test_what_claims_to_destroy_asks_for_good() -> None:
    assert list(facts.destructive_hits(call())) == []
    [hit] = facts.destructive_hits(call(destructive=True))
    assert (hit.verdict, hit.liftable) == (Verdict.ASK, False)


def test_a_grant_is_about_one_definition() -> None:
    assert facts.session_key(call()) != facts.session_key(call().model_copy(update={"pin_sha256": "0" * 64}))
    assert facts.may_grant(call(), sql=False)
    assert not facts.may_grant(call(destructive=True), sql=False)
    assert not facts.may_grant(call(), sql=True)


def test_a_grant_is_about_one_server_as_it_was_accepted() -> None:
    first, second = call(server_sha256="a" * 64), call(server_sha256="b" * 64)
    assert facts.session_key(first) != facts.session_key(second)
    assert facts.rule_allows(facts.rule_of(first), first)
    assert not facts.rule_allows(facts.rule_of(first), second)


@pytest.mark.parametrize(
    ("named", "about"),
    [
        ({}, True),
        ({"tool": "*"}, True),
        ({"server": "*", "tool": "*"}, True),
        ({"server": "files"}, False),
        ({"tool": "read_query"}, False),
    ],
)
def test_a_rule_that_tightens_names_a_tool_a_server_or_all(named: dict[str, str], about: bool) -> None:
    assert facts.rule_names(rule(**named), call()) is about


def test_a_rule_that_allows_is_about_this_definition_alone() -> None:
    assert facts.rule_allows(rule(pin_sha256="3fa9" * 16), call())
    assert not facts.rule_allows(rule(pin_sha256="0" * 64), call())
    assert not facts.rule_allows(rule(), call())
    assert not facts.rule_allows(rule(tool="*", pin_sha256="3fa9" * 16), call())


def test_a_rule_of_a_card_names_the_card() -> None:
    assert (facts.rule_of(call(), "inp_1").created_by, facts.rule_of(call()).created_by) == ("card", "settings")
    assert facts.rule_of(call(), "inp_1").text == "db › write_query"


def test_a_consent_is_told_in_parts() -> None:
    decision = Decision(verdict=Verdict.ASK, rule="sql_consent", reason="")
    assert facts.consent(call(), decision, "person", "once") == {
        "server": "db",
        "tool": "write_query",
        "verdict": "ask",
        "rule": "sql_consent",
        "by": "person",
        "scope": "once",
        "pin": "3fa93fa93fa9",
    }
