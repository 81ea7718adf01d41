"""Validity, tests of their own, saving and the editor's words (gate-R7, gate-R8, gate-R16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.gate.rules import Rule
from desktop.policy.rule_check import (
    allows_sentence,
    cover_together,
    example_lines,
    matches_line,
    own_test_fault,
    rule_fault,
    saving_problem,
)
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.rule_tokens import token_problem

WORLD = TextWorld()


def judge(line):
    return assess_shell(line, WORLD)


def rule(decision="allow", kind="command", **fields):
    tokens = fields.pop("tokens", "npm test")
    if kind == "command":
        fields["tokens"] = tuple(tokens.split(" ")) if tokens else ()
    return Rule(id="r-1", decision=decision, kind=kind, **fields)


@pytest.mark.parametrize(
    "valid",
    [
        rule(), rule("deny", tokens="rm"), rule("ask", "sql", connection="*"), rule("allow", "path", glob="docs/**"),
        rule("allow", "network", host="example.org"), rule("allow", "tool", name="create_pr"),
        rule("allow", "mcp", server="s", tool="t", pin_sha256="a"), rule("deny", "mcp", server="s", tool="*"),
        rule("deny", scope="managed"),
    ],
)  # fmt: skip
def test_valid_rules_have_no_fault(valid):
    assert rule_fault(valid) == ""


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (rule(tokens=""), "needs tokens"), (rule("deny", "path"), "needs a glob"), (rule("deny", "sql"), "connection"),
        (rule("deny", "mcp"), "a server and a tool"), (rule("deny", tokens="a\x07"), "control character"),
        (rule("allow", "path", glob="/etc/*"), "relative to the lane"), (rule("deny", "path", glob="a/../b"), "no .."),
        (rule(scope="managed"), "may only ask and deny"), (rule("allow", "sql", connection="*"), "SQL"),
        (rule("allow", "mcp", server="s", tool="*", pin_sha256="a"), "its pin"),
        (rule("allow", "mcp", server="s", tool="t"), "its pin"), (rule(tokens="bash"), "Name the program"),
        (rule("deny", tokens="git "), "is empty"),
    ],
)  # fmt: skip
def test_invalid_rules_are_told_in_a_sentence(broken, words):
    assert words in rule_fault(broken)


@pytest.mark.promise("gate-R8")
def test_a_rule_runs_its_own_tests():
    good = rule(match=("npm test", "npm test -- -q"), not_match=("npm tests", "npm test; rm -r dist"))
    assert own_test_fault(good, judge) == ""
    assert "should match 'npm ci'" in own_test_fault(rule(match=("npm ci",)), judge)
    assert "should not match 'npm test'" in own_test_fault(rule(not_match=("npm test",)), judge)
    assert own_test_fault(rule("deny", match=("env npm test",), not_match=("ls",)), judge) == ""


def test_tests_of_other_kinds_name_a_target():
    assert matches_line(rule("deny", "path", glob="docs/*"), "DOCS/a", judge)
    assert not matches_line(rule("allow", "path", glob="docs/*"), "DOCS/a", judge)
    assert matches_line(rule("deny", "network", host="a.org"), "a.org", judge)
    assert matches_line(rule("deny", "tool", name="bash"), "bash", judge)
    assert matches_line(rule("deny", "sql", connection="shop"), "shop", judge)
    assert matches_line(rule("deny", "mcp", server="s", tool="t"), "s/t", judge)
    assert not matches_line(rule("deny", "mcp", server="s", tool="t"), "s/u", judge)


def test_rules_cover_a_line_together():
    both = [rule(), rule(tokens="make x")]
    assert cover_together(both, judge("npm test && make x"))
    assert not cover_together(both[:1], judge("npm test && make x"))
    assert not cover_together(both, judge("ls"))


TESTED = {"match": ("npm test",), "not_match": ("npm tests",)}


@pytest.mark.promise("gate-R16")
def test_a_rule_must_match_the_call_it_is_made_from():
    assert saving_problem(rule(**TESTED), judge) == ""
    assert saving_problem(rule(**TESTED), judge, call="npm test -- -q && make x") == ""
    assert saving_problem(rule(**TESTED), judge, call="npm ci") == "The rule does not match this call."
    assert saving_problem(rule(**TESTED), judge, call="npm test > x") == "The rule does not match this call."
    assert saving_problem(rule("deny"), judge, call="echo $(npm test)") == ""
    assert saving_problem(rule("deny"), judge, call="ls") == "The rule does not match this call."
    assert saving_problem(rule("deny", "path", glob="a"), judge, call="ls") == ""


@pytest.mark.promise("gate-R8")
def test_a_rule_that_allows_needs_tests_of_both_kinds():
    assert "at least one line" in saving_problem(rule(match=("npm test",)), judge)
    assert "at least one line" in saving_problem(rule(not_match=("npm ci",)), judge)
    assert "should match" in saving_problem(rule(match=("ls",)), judge)


TOKENS = [
    "npm run build", "npm test", "pytest", "git add", "git push origin", "make test", "cargo test", "go test", "tsc",
    "uv run pytest", "python -m pytest", "python scripts/x.py", "docker compose up", "tsc --noEmit", "just deploy",
    "CI=1 npm test", "PYTHONPATH=src python -m pytest",
    "find src", "tar", "less", "npm run deploy", "git push", "./run.sh", "ninja", "pip install", "mvn test", "git log",
]  # fmt: skip


@pytest.mark.parametrize("words", TOKENS)
def test_the_examples_of_the_editor_are_true(words):
    tokens = tuple(words.split())
    match, not_match = example_lines(tokens)
    assert len(match) == len(not_match) == 3
    fault = own_test_fault(rule(tokens=words, match=match, not_match=not_match), judge)
    assert bool(fault) is bool(token_problem(tokens)), fault


def test_the_editor_says_what_a_rule_allows():
    assert allows_sentence(("npm", "run", "build")) == (
        "npm run build, with anything after it",
        "npm run deploy; redirections; substitutions",
    )
    assert allows_sentence(("make", "test"))[0] == "make test, with any options after it"
    assert allows_sentence(("git", "add"))[1].startswith("git push;")
    assert allows_sentence(("pytest",))[1].startswith("pytest-other;")
    assert allows_sentence(("python", "-m", "pytest"))[1].startswith("python -m pip;")
    assert allows_sentence(("python", "x.py"))[1].startswith("python other;")
    assert allows_sentence(("X=a b", "npm", "test")) == (
        "X='a b' npm test, with anything after it",
        "npm test; redirections; substitutions",
    )
    assert allows_sentence(("X=1",))[0] == "X=1, with anything after it"


@given(st.lists(st.sampled_from(["npm", "run", "test", "a b", "'", "$x", "-q", "*", "make"]), min_size=1, max_size=4))
def test_examples_hold_for_words_that_need_quotes(words):
    tokens = tuple(words)
    match, not_match = example_lines(tokens)
    for line in not_match:
        assert not matches_line(Rule(id="r", decision="allow", kind="command", tokens=tokens), line, judge)
    assert all(line.startswith(match[0]) for line in match)
