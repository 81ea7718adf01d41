"""What a hook prints is read strictly, and only ever tightens."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.permissions import Decision, RuleHit, Verdict
from desktop.policy.hooks.answers import HookAnswer, HookEnd, answer_of, first_line, hook_hit, text_of, tightened

LONG = json.dumps({"decision": "ask", "reason": "x" * 501})
VERDICTS = st.sampled_from(Verdict)
HITS = st.builds(RuleHit, rule=st.just("mode"), verdict=VERDICTS, reason=st.text(max_size=9), liftable=st.booleans())
DECISIONS = st.builds(
    Decision,
    verdict=VERDICTS,
    rule=st.just("mode"),
    reason=st.text(max_size=9),
    review_after=st.booleans(),
    lifted_by=st.none() | st.just("rule"),
    hits=st.lists(HITS, max_size=3).map(tuple),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["allow", "pass", "ask", "deny"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["decision", "reason", "input", "allow", "mode"]), inner, max_size=4)
    ),
    max_leaves=6,
)
ENDS = st.builds(
    HookEnd,
    exit_status=st.none() | st.integers(0, 3),
    output=st.none() | st.text(max_size=20) | JSON.map(json.dumps),
    errors=st.text(max_size=9),
    problem=st.sampled_from(["", "", "it took too long"]),
    duration_ms=st.integers(0, 9_000),
)


@pytest.mark.promise("guests-H4")
@given(DECISIONS, st.lists(ENDS, max_size=4))
def test_no_answer_makes_a_decision_looser(decision: Decision, ends: list[HookEnd]):
    hits = tuple(hit for end in ends if (hit := hook_hit("h", answer_of(end), 5)) is not None)
    now = tightened(decision, hits)

    assert now.verdict == max([decision.verdict, *(hit.verdict for hit in hits)])
    assert now.verdict >= decision.verdict
    assert now.hits == (*decision.hits, *hits)
    assert all(not hit.liftable and hit.verdict is not Verdict.ALLOW for hit in hits)
    if now.verdict > decision.verdict:
        assert (now.rule, now.lifted_by, now.review_after) == ("hook", None, False)
    else:
        assert (now.rule, now.lifted_by) == (decision.rule, decision.lifted_by)


@given(ENDS)
def test_only_a_plain_end_passes(end: HookEnd):
    if answer_of(end).decision == "pass":
        assert (end.exit_status, end.problem) == (0, "")
        assert end.output is not None
        assert not end.output.strip() or json.loads(end.output)["decision"] == "pass"


@pytest.mark.promise("guests-H3")
@pytest.mark.parametrize(
    ("output", "decision", "reason"),
    [
        ("", "pass", ""),
        (" \n", "pass", ""),
        ('{"decision":"pass"}', "pass", ""),
        ('{"decision":"ask","reason":"look"}', "ask", "look"),
        ('{"decision":"deny"}', "deny", ""),
        ('{"decision":"allow"}', "failed", "it answered 'allow', and a hook cannot allow"),
        ('{"decision":"yes"}', "failed", "its 'decision' is not pass, ask or deny"),
        ("{}", "failed", "its 'decision' is not pass, ask or deny"),
        ("[]", "failed", "it printed what is not one JSON object"),
        ('{"decision":"pass"} {}', "failed", "it printed what is not one JSON object"),
        ('{"decision":"deny","decision":"pass"}', "failed", "it printed what is not one JSON object"),
        ('{"decision":"pass","input":{"a":NaN}}', "failed", "it printed what is not one JSON object"),
        ('{"decision":"pass","mode":"full-auto"}', "failed", "it printed 'mode', which no hook may answer"),
        ('{"decision":"pass","input":[]}', "failed", "its 'input' is not an object"),
        ('{"decision":"deny","reason":3}', "failed", "its 'reason' is not a text of at most 500 characters"),
        (LONG, "failed", "its 'reason' is not a text of at most 500 characters"),
        (None, "failed", "it printed over 64 KiB, or what is not text"),
    ],
)
def test_what_is_printed_is_read_strictly(output: str | None, decision: str, reason: str):
    answer = answer_of(HookEnd(0, output))
    assert (answer.decision, answer.reason) == (decision, reason)


def test_status_2_denies_with_the_first_line_of_errors():
    assert answer_of(HookEnd(2, '{"decision":"pass"}', "\n no \nmore")) == HookAnswer("deny", "no")
    assert answer_of(HookEnd(1, "")).reason == "it ended with status 1"
    assert answer_of(HookEnd(None, "", problem="it took too long")).decision == "failed"
    assert first_line("") == ""


def test_a_proposal_comes_with_a_pass_or_an_ask_and_not_with_a_no():
    for said in ("pass", "ask"):
        assert answer_of(HookEnd(0, json.dumps({"decision": said, "input": {"a": 1}}))).input == {"a": 1}
    assert answer_of(HookEnd(0, '{"decision":"deny","input":{"a":1}}')).input is None


def test_the_words_of_each_answer():
    assert hook_hit("h", HookAnswer("pass"), 5) is None
    words = {
        decision: hit.reason
        for decision in get_args(HookAnswer.__annotations__["decision"])
        if (hit := hook_hit("h", HookAnswer(decision, "why."), 1_234)) is not None
    }
    assert words == {
        "ask": 'The hook "h" asks: why (1,234 ms).',
        "deny": 'The hook "h" denies this: why (1,234 ms).',
        "failed": 'The hook "h" failed: why (1,234 ms).',
    }
    asks = hook_hit("h", HookAnswer("ask"), 5)
    assert asks is not None
    assert asks.reason == 'The hook "h" asks (5 ms).'


def test_a_tie_keeps_the_earlier_rule_and_says_both():
    asks = RuleHit(rule="hook", verdict=Verdict.ASK, reason="The hook asks.")
    before = Decision(verdict=Verdict.ASK, rule="mode", reason="Edit asks.")
    now = tightened(before, (asks,))
    assert (now.rule, now.reason) == ("mode", "Edit asks. The hook asks.")
    denied = Decision(verdict=Verdict.DENY, rule="path", reason="No.")
    assert tightened(denied, (asks,)).model_dump(exclude={"hits"}) == denied.model_dump(exclude={"hits"})
    assert tightened(before, ()) is before


@pytest.mark.parametrize(
    ("end", "text", "problem"),
    [
        (HookEnd(0, ""), "", ""),
        (HookEnd(0, '{"note":"look"}'), "look", ""),
        (HookEnd(0, '{"note":"look","decision":"allow"}'), "", "it printed more than 'note'"),
        (HookEnd(0, json.dumps({"note": "x" * 2_001})), "", "its 'note' is not a text of at most 2,000 characters"),
        (HookEnd(0, "prose"), "", "it printed what is not one JSON object"),
        (HookEnd(3, '{"note":"look"}'), "", "it ended with status 3"),
        (HookEnd(None, "", problem="it took too long"), "", "it took too long"),
    ],
)
def test_what_a_hook_says_after_a_call(end: HookEnd, text: str, problem: str):
    assert text_of(end, "note") == (text, problem)
