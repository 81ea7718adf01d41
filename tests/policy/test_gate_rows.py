"""The rows of the gate that need a command, SQL, a sandbox, a person's rules or a mark of taint (gate 3)."""

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode, Verdict
from desktop.domain.gate.rules import RuleMatches
from desktop.policy.call_facts import CallFacts, SessionGateFacts, SqlFacts
from desktop.policy.gate import decide
from desktop.policy.gate_rules import would_not_ask
from desktop.policy.paths import PathFacts
from desktop.policy.shell.verdict import DenyHit, ShellPath, ShellVerdict
from tests.policy.gate_values import NOW, READS, SECRET, match, sql

PLAN, EDIT, AUTO = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO
HIT = DenyHit(id="D-root", severity="forbid", reason="It deletes the root folder.")


def bash(*, proven: bool = False, rules: RuleMatches | None = None, profile: str = "lane-off", **said) -> CallFacts:
    category = Category.READ if proven else Category.BASH
    return CallFacts(
        tool="bash",
        category=Category.BASH,
        assessment=Assessment(category=category, proven_read=proven),
        command=ShellVerdict(**said),
        profile=profile,
        rules=rules or RuleMatches(),
        network=profile != "lane-off",
    )


def query(verdict=READS, **more) -> CallFacts:
    category = Category.READ if verdict.proven_read else Category.EXTERNAL
    return CallFacts(
        tool="sql_query",
        category=Category.READ,
        assessment=Assessment(category=category, needs_consent=not verdict.proven_read),
        sql=SqlFacts(connection="shop", verdict=verdict, **more),
    )


def said(call: CallFacts, mode: PermissionMode = AUTO, **session) -> tuple[str, str, str]:
    decision = decide(call, SessionGateFacts(mode=mode, **session))
    return decision.verdict.name, decision.rule, decision.reason


@pytest.mark.promise("gate-D4")
def test_a_deny_hit_refuses_and_names_its_class() -> None:
    assert said(bash(deny=(HIT,))) == ("DENY", "deny", "It deletes the root folder. (D-root)")
    bare = HIT.model_copy(update={"reason": "It deletes"})
    assert said(bash(deny=(bare,)))[2] == "It deletes. (D-root)"


@pytest.mark.promise("gate-D4")
def test_what_cannot_be_undone_asks_in_full_auto() -> None:
    hit = HIT.model_copy(update={"severity": "confirm", "id": "D-history"})
    assert said(bash(deny=(hit,)))[:2] == ("ASK", "deny_confirm")
    allowed = RuleMatches(allow=(match("allow"),))
    assert said(bash(deny=(hit,), rules=allowed), EDIT)[:2] == ("ASK", "deny_confirm")


@pytest.mark.parametrize(
    ("verdict", "text"),
    [("outside", "The command names '/x', which is outside this lane: far."), ("protected", "is protected: far.")],
)
def test_a_path_that_a_command_names_asks(verdict: str, text: str) -> None:
    named = ShellPath(path="/x", op="read", verdict=verdict, reason="far")
    assert said(bash(proven=False, paths=(named,)))[:2] == ("ASK", "path")
    assert text in said(bash(paths=(named,)))[2]
    assert said(bash(paths=(named.model_copy(update={"reason": ""}),)))[2].endswith(".")
    inside = named.model_copy(update={"verdict": "inside"})
    assert said(bash(paths=(inside,)))[0] == "ALLOW"


def test_a_long_path_is_cut_in_the_reason() -> None:
    named = ShellPath(path="/" + "x" * 400, op="read", verdict="outside")
    assert "…'" in said(bash(paths=(named,)))[2]


@pytest.mark.promise("gate-P5")
def test_a_hard_link_says_how_many_names_it_has() -> None:
    linked = PathFacts(
        raw="a", op="write", verdict="protected", rel="a", nlink=2, hard_link=True, ask=True, exists=True
    )
    call = CallFacts(tool="t", category=Category.WRITE, assessment=Assessment(category=Category.WRITE), paths=(linked,))
    assert "file_kind" in {hit.rule for hit in decide(call, SessionGateFacts(mode=EDIT)).hits}


@pytest.mark.promise("gate-S25")
def test_git_metadata_is_refused_in_the_sandbox_only() -> None:
    assert said(bash(git_writes=True))[:2] == ("DENY", "sandbox")
    assert said(bash(git_writes=True, profile="lane-open"))[:2] == ("DENY", "sandbox")
    assert said(bash(git_writes=True, profile="bare"))[0] == "ALLOW"
    assert said(bash(git_writes=True, profile="outside"))[:2] == ("ASK", "sandbox_wider")


@pytest.mark.parametrize(("profile", "word"), [("lane-open", "network"), ("outside", "outside the sandbox")])
def test_a_wider_place_asks_and_no_rule_lifts_it(profile: str, word: str) -> None:
    call = bash(profile=profile, rules=RuleMatches(allow=(match("allow"),)))
    for mode in (EDIT, AUTO):
        verdict, rule, reason = said(call, mode)
        assert (verdict, rule) == ("ASK", "sandbox_wider")
        assert word in reason


@pytest.mark.promise("memory-CR3")
def test_a_secret_asks_in_every_mode_and_neither_rule_nor_grant_lifts_it() -> None:
    file = SECRET.model_copy(update={"way": "file", "name": "CERT"})
    allowed = bash(rules=RuleMatches(allow=(match("allow"),))).model_copy(update={"secrets": (SECRET, file)})
    for mode in (EDIT, AUTO):
        assert said(allowed, mode) == (
            "ASK",
            "credential_use",
            "The command is given the secret Deploy token (Shop) as the variable KEY. The command is given the secret "
            "Deploy token (Shop) as a file, whose path is in the variable CERT. The command can pass the key on.",
        )
    assert said(allowed, PLAN)[:2] == ("DENY", "mode")
    header = SECRET.model_copy(update={"way": "header", "name": "Authorization", "host": "api.shop.example"})
    sent = allowed.model_copy(update={"secrets": (header,)})
    assert said(sent, EDIT)[2] == (
        "api.shop.example is sent the secret Deploy token (Shop) in the header Authorization."
    )  # fmt: skip


def test_sql_that_is_not_proven_asks_wherever_it_stands() -> None:
    assert said(query())[0] == "ALLOW"
    assert said(query(sql()))[1:] == ("sql_consent", "This SQL can lose rows or tables. It deletes rows.")
    assert said(query(sql()), PLAN)[:2] == ("DENY", "mode")
    assert said(bash(sql=(sql("write"),)))[1:] == ("sql_consent", "This SQL changes rows.")
    assert said(bash(sql=(READS,)))[0] == "ALLOW"


@pytest.mark.promise("gate-K6")
def test_a_tainted_chat_asks_before_the_network_each_time() -> None:
    allowed = RuleMatches(allow=(match("allow"),))
    call = bash(profile="bare", rules=allowed)
    assert said(call, EDIT, tainted=(".env",))[1:] == (
        "taint",
        "This chat has read .env, and this call can reach the network.",
    )
    assert said(bash(rules=allowed), EDIT, tainted=(".env",))[0] == "ALLOW"


def test_a_chat_that_read_strangers_words_publishes_unasked_only_in_full_auto() -> None:
    assess = Assessment(category=Category.EXTERNAL, remember_key="push_lane")
    call = CallFacts(tool="t", category=Category.EXTERNAL, assessment=assess, publishes=True)
    granted = {"session_grants": frozenset({"push_lane"})}
    assert said(call, EDIT, **granted)[0] == "ALLOW"
    strangers = {"tainted": ("github:o/r#42",), "holds_secrets": False}
    assert said(call, EDIT, **granted, **strangers)[:2] == ("ASK", "taint")
    assert said(call, AUTO, **strangers)[0] == "ALLOW"
    assert said(call, AUTO, tainted=(".env",))[1:] == (
        "taint",
        "This chat has read .env, and this call publishes something.",
    )


def test_rules_of_a_person_refuse_ask_and_allow() -> None:
    deny = match("deny", scope="user", reason="never", created_at=NOW)
    assert said(bash(rules=RuleMatches(deny=(deny,))))[1:] == (
        "rule",
        'Refused by the rule "npm test" (yours) of 2026-11-22. never',
    )
    plain = match("deny", scope="managed")
    refused = said(bash(proven=True, rules=RuleMatches(deny=(plain,))))[2]
    assert refused == 'Refused by the rule "npm test" (this computer\'s administrator).'
    ask = RuleMatches(ask=(match("ask", scope="shared"),), allow=(match("allow"),))
    assert said(bash(rules=ask))[1:] == (
        "rule_ask",
        'The rule "npm test" (the repository\'s own file) wants you to be asked.',
    )
    decision = decide(bash(rules=RuleMatches(allow=(match("allow"),))), SessionGateFacts(mode=EDIT))
    assert (decision.verdict, decision.lifted_by) == (Verdict.ALLOW, "r-allow")
    assert decision.reason == 'Allowed by the rule "npm test".'


@pytest.mark.promise("memory-SB3")
def test_words_of_a_person_are_quoted_where_they_refuse_and_where_they_ask() -> None:
    denied = bash(rules=RuleMatches(deny=(match("deny", quote="never push"),)))
    assert said(denied) == (
        "DENY",
        "rule",
        "Refused by a boundary in your user's words: “never push”. They can lift it.",
    )
    asked = bash(rules=RuleMatches(ask=(match("ask", quote="ask before you push"),)))
    assert said(asked) == ("ASK", "rule_ask", "You said: “ask before you push”.")


def test_rules_that_cannot_be_read_ask_for_all_but_reading() -> None:
    unreadable = RuleMatches(unreadable="rules.toml, line 7: no value")
    assert said(bash(rules=unreadable))[1:] == (
        "rules_unreadable",
        "The rules could not be read: rules.toml, line 7: no value.",
    )
    assert said(query().model_copy(update={"rules": unreadable}))[0] == "ALLOW"


def test_a_rule_that_nearly_covers_says_why_it_does_not() -> None:
    near = RuleMatches(note="The rule npm test does not cover this: the script behind it changed.")
    assert said(bash(rules=near), EDIT)[2].endswith("the script behind it changed.")


@pytest.mark.parametrize(
    ("call", "rule", "words"),
    [
        (bash(), "mode", "A rule that covers the command"),
        (CallFacts(tool="t", category=Category.EXTERNAL, assessment=Assessment()), "mode", "Full auto mode."),
        (bash(), "hosted_write", "every file change"),
        (bash(), "rules_unreadable", "Mending the file"),
        (bash(), "taint", "Clearing the mark"),
        (bash(), "rule_ask", "Removing that rule"),
        (bash(), "sql_consent", "Nothing"),
    ],
)
def test_a_card_says_what_would_have_let_the_call_run(call: CallFacts, rule: str, words: str) -> None:
    assert words in would_not_ask(call, SessionGateFacts(mode=EDIT), rule)
