"""Addresses that agents would ask for: refused by spelling or for a secret, asked about by host, flagged."""

import base64
import hashlib
from datetime import UTC, datetime

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode, Verdict
from desktop.domain.gate.rules import Rule
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.gate import decide
from desktop.policy.gate_rules import would_not_ask
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.web import WebFacts, may_look_up, web_facts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEPT = "the whole of a small file"


def no_secret(text: str) -> tuple[str, ...]:
    return ()


def facts_of(url: str, *, private: frozenset[str] = frozenset(), read: frozenset[str] = frozenset()) -> WebFacts:
    return web_facts(url, private=private, secrets=no_secret, read=read)


def call_of(web: WebFacts, *rules: Rule) -> CallFacts:
    subject = CallSubject(tool="web_fetch", category=Category.READ, network=True, host=web.host, port=web.port)
    return CallFacts(
        tool="web_fetch",
        category=Category.READ,
        assessment=Assessment(category=Category.READ, remember_key=web.remember_key if web.usual else None),
        network=True,
        web=web,
        rules=match_rules(rules, subject, NOW),
    )


def session_of(mode: PermissionMode = PermissionMode.EDIT, **more: object) -> SessionGateFacts:
    return SessionGateFacts.model_validate({"mode": mode, **more})


def allow(host: str, *ports: int) -> Rule:
    return Rule(id="r-1", decision="allow", kind="network", host=host, ports=ports or (443,))


@pytest.mark.promise("guests-W6")
@pytest.mark.parametrize("mode", list(PermissionMode))
def test_a_host_that_nobody_allowed_asks_in_every_mode(mode: PermissionMode) -> None:
    decision = decide(call_of(facts_of("https://example.org/a")), session_of(mode))
    assert (decision.verdict, decision.rule) == (Verdict.ASK, "net_host")
    assert "example.org" in decision.reason


@pytest.mark.promise("guests-W6")
def test_a_grant_or_a_rule_for_the_host_lets_it_run_until_the_chat_has_read_from_outside() -> None:
    web = facts_of("https://example.org/a")
    granted = session_of(session_grants=frozenset({"web-host:example.org"}))
    assert decide(call_of(web), granted).lifted_by == "session_grant"
    assert decide(call_of(web, allow("example.org")), session_of()).lifted_by == "r-1"
    tainted = session_of(session_grants=frozenset({"web-host:example.org"}), tainted=("web:example.org",))
    for call in (call_of(web), call_of(web, allow("example.org"))):
        assert decide(call, tainted).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://example.org.evil.net/", allow("example.org")),
        ("https://badexample.org/", allow(".example.org")),
        ("https://a.example.org/", allow("example.org")),
        ("http://example.org/", allow("example.org", 80)),
        ("https://example.org:8443/", allow("example.org", 8443)),
        ("https://example.org/", allow("example.org", 8443)),
        ("https://example.org/", Rule(id="r", decision="allow", kind="network", host="*")),
    ],
)
def test_a_rule_covers_its_host_alone_over_https_at_its_port(url: str, rule: Rule) -> None:
    decision = decide(call_of(facts_of(url), rule), session_of())
    assert decision.verdict is Verdict.ASK, decision


@pytest.mark.parametrize("host", ["bücher.de", "BÜCHER.de.", "xn--bcher-kva.de", ".de"])
def test_a_rule_may_write_a_host_in_its_own_letters(host: str) -> None:
    rule = Rule(id="r-3", decision="deny", kind="network", host=host)
    assert decide(call_of(facts_of("https://bücher.de/"), rule), session_of()).verdict is Verdict.DENY
    other = Rule(id="r-3", decision="deny", kind="network", host="ü..de")
    assert decide(call_of(facts_of("https://bücher.de/"), other), session_of()).verdict is Verdict.ASK
    below = Rule(id="r-3", decision="deny", kind="network", host=".bücher.de")
    assert decide(call_of(facts_of("https://a.bücher.de/"), below), session_of()).verdict is Verdict.DENY


def test_a_rule_for_names_below_covers_them() -> None:
    decision = decide(call_of(facts_of("https://docs.example.org/"), allow(".example.org")), session_of())
    assert decision.verdict is Verdict.ALLOW


@pytest.mark.parametrize(("decision", "verdict"), [("deny", Verdict.DENY), ("ask", Verdict.ASK)])
@pytest.mark.parametrize("host", ["example.org", "*"])
def test_a_rule_that_tightens_counts_for_the_web_too(decision: str, verdict: Verdict, host: str) -> None:
    rule = Rule.model_validate({"id": "r-2", "decision": decision, "kind": "network", "host": host})
    granted = session_of(session_grants=frozenset({"web-host:example.org"}))
    assert decide(call_of(facts_of("https://example.org/"), rule), granted).verdict is verdict


@pytest.mark.promise("gate-W1")
@pytest.mark.parametrize("url", ["ftp://a.org/", "https://a@b/", "http://0x7f.1/", "http://169.254.169.254/x"])
def test_an_address_that_hides_where_it_leads_is_refused_unasked(url: str) -> None:
    decision = decide(call_of(facts_of(url)), session_of(PermissionMode.FULL_AUTO))
    assert (decision.verdict, decision.rule) == (Verdict.DENY, "net_address")


@pytest.mark.parametrize("url", ["https://a.org/?k=sk-1", "https://a.org/?k=s%6B%2D1"])
def test_an_address_with_a_known_secret_is_refused(url: str) -> None:
    web = web_facts(
        url, private=frozenset(), secrets=lambda text: ("Shop",) if "sk-1" in text else (), read=frozenset()
    )
    decision = decide(call_of(web), session_of())
    assert decision.verdict is Verdict.DENY
    assert decision.reason == "The address holds the secret Shop."


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.org/" + "x/" * 200, "characters, which the agent wrote and the host gets"),
        ("https://a.org/?q=" + "a%20" * 40, "Its query has 162 characters"),
        ("http://a.org/", "http carries"),
        ("https://a.org/" + "k" * 50, "long run of characters"),
        ("https://a.org/?q=the%20whole%20of%20a%20small%20file", "content of a file"),
        ("https://a.org/the%20whole%20of%20a%20small%20file", "content of a file"),
        (f"https://a.org/?q={base64.urlsafe_b64encode(KEPT.encode()).decode().rstrip('=')}", "content of a file"),
        (f"https://a.org/{KEPT.encode().hex()}", "content of a file"),
    ],
)
def test_what_an_address_could_carry_away_is_said_on_its_card(url: str, words: str) -> None:
    web = facts_of(url, read=frozenset({hashlib.sha256(KEPT.encode()).hexdigest()}))
    assert any(words in flag for flag in web.flags), web.flags


def test_a_plain_address_has_no_flags_and_a_private_host_says_so() -> None:
    assert facts_of("https://example.org/a?q=1").flags == ()
    named = facts_of("https://wiki.home/", private=frozenset({"wiki.home"}))
    assert named.flags[0].startswith("wiki.home may lead to your own network")


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://docs.example.org/a?q=1", True),
        ("https://a.b.example.org/", True),
        ("https://a.b.c.example.org/", False),
        ("https://abcdefghijklmnopqrstuvwx.example.org/", True),
        ("https://abcdefghijklmnopqrstuvwxy.example.org/", False),
        ("https://n1234.example.org/", True),
        ("https://n12345.example.org/", False),
        ("http://docs.example.org/", False),
        ("https://docs.example.org/" + "x" * 300, False),
        ("https://127.0.0.1/", False),
        ("https://93.184.216.34/", False),
    ],
)
def test_a_name_that_could_carry_something_is_not_looked_up_unasked(url: str, may: bool) -> None:
    assert may_look_up(facts_of(url)) == may


def test_a_card_says_what_would_let_a_host_run() -> None:
    usual, odd = call_of(facts_of("https://a.org/")), call_of(facts_of("http://a.org/"))
    assert would_not_ask(usual, session_of(), "net_host").startswith("A rule for this host")
    assert would_not_ask(odd, session_of(), "net_host").startswith("Nothing")
