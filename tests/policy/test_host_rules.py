"""Commands that ask for hosts: which rules let them, and what the gate says."""

from datetime import UTC, datetime

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.gate.rules import Rule, RuleMatches
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.gate import decide
from desktop.policy.gate_rules import would_not_ask
from desktop.policy.network.hosts import includes, overlap
from desktop.policy.risk import risk
from desktop.policy.rule_check import rule_fault
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.shell.verdict import ShellVerdict

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def rule(host: str, decision: str = "allow", ports: tuple[int, ...] = (443,), scope: str = "project") -> Rule:
    return Rule(id=f"{decision} {host}", decision=decision, kind="network", host=host, ports=ports, scope=scope)


def found(hosts: tuple[str, ...], *rules: Rule) -> RuleMatches:
    subject = CallSubject(tool="bash", category=Category.BASH, command=ShellVerdict(), hosts=hosts)
    return match_rules(rules, subject, NOW)


@pytest.mark.parametrize(
    ("hosts", "rules", "allowed"),
    [
        (("pypi.org",), [rule("pypi.org")], True),
        (("pypi.org",), [rule("files.pypi.org")], False),
        (("pypi.org", "npmjs.org"), [rule("pypi.org")], False),
        (("pypi.org", "npmjs.org"), [rule("pypi.org"), rule("npmjs.org")], True),
        (("a.pypi.org",), [rule(".pypi.org")], True),
        ((".a.pypi.org",), [rule(".pypi.org")], True),
        ((".pypi.org",), [rule("a.pypi.org")], False),
        (("pypi.org:8080",), [rule("pypi.org")], False),
        (("pypi.org:443,8080",), [rule("pypi.org", ports=(443, 8080))], True),
        (("pypi.org",), [rule("PyPI.org.")], True),
        (("pypi.org",), [rule("*")], False),
        (("pypi.org",), [rule("pypi.org", scope="managed")], False),
        (("pypi.org",), [rule("pypi.org"), rule(".pypi.org", "ask"), rule("other.org", "deny")], True),
        ((), [rule("pypi.org")], False),
    ],
)
def test_rules_allow_hosts_when_together_they_name_all_with_their_ports(
    hosts: tuple[str, ...], rules: list[Rule], allowed: bool
) -> None:
    assert bool(found(hosts, *rules).hosts) is allowed


@pytest.mark.parametrize(
    ("hosts", "host", "speaks"),
    [
        (("pypi.org",), "pypi.org", True),
        (("a.pypi.org",), ".pypi.org", True),
        ((".pypi.org",), "a.pypi.org", True),
        (("pypi.org",), "npmjs.org", False),
        (("pypi.org",), "PyPI.org.", True),
    ],
)
def test_a_rule_that_forbids_a_host_speaks_about_every_list_that_has_it(
    hosts: tuple[str, ...], host: str, speaks: bool
) -> None:
    matches = found(hosts, rule(hosts[0].removeprefix(".")), rule(host, "deny"))
    assert bool(matches.deny) is speaks
    assert not (matches.deny and matches.hosts)


@pytest.mark.parametrize(
    ("one", "other", "both", "wider"),
    [
        ("a.org", "a.org", True, True),
        (".a.org", "b.a.org", True, True),
        ("b.a.org", ".a.org", True, False),
        (".a.org", ".b.a.org", True, True),
        ("a.org", "b.org", False, False),
        ("", "", False, False),
    ],
)
def test_patterns_include_each_other_or_have_hosts_in_common(one: str, other: str, both: bool, wider: bool) -> None:
    assert overlap(one, other) is both
    assert includes(one, other) is wider


@pytest.mark.parametrize(("host", "valid"), [("pypi.org", True), (".pypi.org", True), ("*", False), ("8.8.8.8", False)])
def test_a_rule_that_allows_names_a_host(host: str, valid: bool) -> None:
    assert (rule_fault(rule(host)) == "") is valid


def call(**more: object) -> CallFacts:
    facts = {
        "tool": "bash",
        "category": Category.BASH,
        "assessment": Assessment(category=Category.BASH),
        "command": ShellVerdict(),
        "profile": "lane-hosts",
        "network": True,
        "hosts": ("pypi.org",),
    }
    return CallFacts.model_validate(facts | more)


@pytest.mark.promise("gate-W5")
@pytest.mark.parametrize("mode", [PermissionMode.EDIT, PermissionMode.FULL_AUTO])
def test_hosts_ask_in_every_mode_until_a_rule_allows_them(mode: PermissionMode) -> None:
    session = SessionGateFacts(mode=mode, sandbox="full")
    asked = decide(call(), session)
    assert (asked.verdict.name, asked.rule) == ("ASK", "sandbox_wider")
    assert "pypi.org" in asked.reason
    assert would_not_ask(call(), session, asked.rule) == "Rules that allow its hosts."
    allowed = decide(call(rules=found(("pypi.org",), rule("pypi.org"))), session)
    assert allowed.verdict.name == ("ALLOW" if mode is PermissionMode.FULL_AUTO else "ASK")
    assert risk(call(), session) == "high"


def test_a_rule_for_the_command_alone_does_not_let_it_reach_a_host() -> None:
    covered = RuleMatches(allow=found(("pypi.org",), rule("pypi.org")).hosts)
    decision = decide(call(rules=covered), SessionGateFacts(mode=PermissionMode.FULL_AUTO, sandbox="full"))
    assert (decision.verdict.name, decision.rule) == ("ASK", "sandbox_wider")


def test_where_hosts_cannot_be_kept_apart_the_call_is_refused_unasked() -> None:
    session = SessionGateFacts(mode=PermissionMode.FULL_AUTO, sandbox="limited", keeps_hosts=False)
    decision = decide(call(), session)
    assert (decision.verdict.name, decision.rule) == ("DENY", "sandbox")


def test_a_chat_that_has_read_secrets_asks_although_a_rule_allows_the_host() -> None:
    session = SessionGateFacts(mode=PermissionMode.FULL_AUTO, sandbox="full", tainted=("a key",))
    decision = decide(call(rules=found(("pypi.org",), rule("pypi.org"))), session)
    assert (decision.verdict.name, decision.rule) == ("ASK", "taint")
