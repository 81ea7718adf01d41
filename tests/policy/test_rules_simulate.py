"""What a rule would have done over past commands (gate-R18, gate-R19)."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.gate.rules import AskedLately, PastCall, Rule
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.simulate import MAX_EXAMPLES, asked_lately, simulate

START = datetime(2026, 11, 1, tzinfo=UTC)
WORLD = TextWorld()


def judge(line):
    return assess_shell(line, WORLD)


def calls(*pairs):
    return [
        PastCall(session_id="s", call_id=f"c{number}", at=START + timedelta(minutes=number), text=text, outcome=outcome)
        for number, (text, outcome) in enumerate(pairs)
    ]


def rule(decision, words, kind="command"):
    return Rule(id=words, decision=decision, kind=kind, tokens=tuple(words.split()))


PAST = calls(
    ("npm test", "approved"), ("npm test -- -q", "declined"), ("npm test; rm -r x", "declined"), ("npm ci", "approved"),
    ("npm test", "allowed"), ("npm test", "refused"), ("npm test | tail", "cancelled"), ("", "approved"),
)  # fmt: skip


@pytest.mark.promise("gate-R19")
def test_declined_calls_come_first_and_doubtful_ones_are_counted_apart():
    found = simulate([rule("allow", "npm test")], PAST, judge)
    assert (found.checked, found.unknown) == (7, 1)
    assert (found.would_match, found.newly_allowed, found.declined) == (5, 3, 1)
    assert (found.newly_asked, found.newly_denied) == (0, 0)
    assert [call.outcome for call in found.examples] == ["declined", "refused", "cancelled", "approved", "allowed"]


def test_allow_rules_count_together():
    past = calls(("npm test && make x", "approved"))
    both = [rule("allow", "npm test"), rule("allow", "make x")]
    assert simulate(both, past, judge).newly_allowed == 1
    assert simulate(both[:1], past, judge).would_match == 0


@pytest.mark.promise("gate-R18")
def test_ask_and_deny_rules_count_what_would_stop():
    past = calls(("ls", "allowed"), ("git push", "allowed"), ("env git push", "approved"), ("git push", "declined"))
    asked = simulate([rule("ask", "git push")], past, judge)
    assert (asked.would_match, asked.newly_asked, asked.newly_denied) == (3, 1, 0)
    denied = simulate([rule("deny", "git push")], past, judge)
    assert (denied.would_match, denied.newly_asked, denied.newly_denied) == (3, 0, 2)


def test_quotes_do_not_hide_a_call():
    assert simulate([rule("allow", "npm test")], calls(("n'p'm te\\st", "declined")), judge).declined == 1


def test_examples_are_at_most_twenty_the_newest_first():
    found = simulate([rule("allow", "npm test")], calls(*[("npm test", "approved")] * 30), judge)
    assert len(found.examples) == MAX_EXAMPLES
    assert found.examples[0].call_id == "c29"


def test_no_rules_and_no_calls_match_nothing():
    assert simulate([], PAST, judge).would_match == 0
    assert simulate([rule("allow", "npm test")], [], judge).checked == 0


def test_what_asked_lately_is_told_by_kind_with_what_a_rule_would_have_answered():
    texts = ("npm test", "npm test -- -q", "cd web && npm test | tail", "curl https://x", "rm a", "", "ls > x")
    asked = [(text, "approved") for text in texts]
    found = asked_lately(calls(*asked, ("npm test --all", "declined"), ("npm test", "allowed")), judge)
    assert found.asked == 8
    assert [(kind.tokens, kind.times, kind.covered, kind.declined) for kind in found.kinds] == [
        ((("npm", "test"),), 4, 4, 1)
    ]
    assert asked_lately(calls(*asked[:2]), judge).kinds == ()
    assert asked_lately((), judge) == AskedLately()
