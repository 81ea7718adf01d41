"""No lasting grant covers more than its text says: by an adversarial list, and by properties over lines that are put
together."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.gate.rules import Rule
from desktop.policy.rules import covering_rules
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.assignments import assignment_problem, spelled, split_assignments
from desktop.policy.shell.words.cover import covers
from desktop.policy.shell.words.offer import MAX_RULES_OF_A_CARD, rule_offer
from tests.policy.shell.uncovered_lines import PAIRS

WORLD = TextWorld()


def rule(text: str) -> Rule:
    return Rule(id=text, decision="allow", kind="command", tokens=tuple(text.split()))


def lets_run(rules: str, line: str) -> bool:
    verdict = assess_shell(line, WORLD)
    return verdict.proven_read or covering_rules([rule(text.strip()) for text in rules.split(";")], verdict) is not None


def test_the_list_is_long() -> None:
    assert len(set(PAIRS)) >= 150


@pytest.mark.promise("gate-R12")
@pytest.mark.parametrize(("rules", "line"), PAIRS)
def test_no_grant_lets_this_line_run(rules: str, line: str) -> None:
    assert not lets_run(rules, line)


COVERED = [
    ("CI=1 npm test", "CI=1 npm test -- --coverage"),
    ("CI=1 DEBUG=a npm test", "CI=1 DEBUG=a npm test 2>&1 | tail -n 20"),
    ("PYTHONPATH=src python3 -m pytest", "PYTHONPATH=src python3 -m pytest -q tests/test_a.py"),
    ("PYTHONPATH=src:lib pytest", "PYTHONPATH=src:lib pytest -x"),
    ("PYTHONPATH=. pytest", "cd web && PYTHONPATH=. pytest"),
    ("npm test", "cd web && npm test 2>&1 | grep -v warn | tail -n 5"),
    ("npm ci; npm test", "npm ci && npm test"),
    ("npm ci; CI=1 npm test", "npm ci && CI=1 npm test && git status"),
    ("DATABASE_URL=postgres://localhost/x npm test", "DATABASE_URL=postgres://localhost/x npm test"),
    ("EMPTY= npm test", "EMPTY= npm test"),
]


@pytest.mark.promise("gate-R12")
@pytest.mark.parametrize(("rules", "line"), COVERED)
def test_what_the_text_of_a_grant_says_runs(rules: str, line: str) -> None:
    assert lets_run(rules, line)


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("PYTHONPATH=src python3 -m pytest -q", [("PYTHONPATH=src", "python3", "-m", "pytest")]),
        ("X='a b' npm test", [("X=a b", "npm", "test")]),
        ("cd web && npm test 2>&1 | tail -20", [("npm", "test")]),
        ("npm ci && CI=1 npm run build | head", [("npm", "ci"), ("CI=1", "npm", "run", "build")]),
        ("npm test; npm test -- a", [("npm", "test")]),
    ],
)
def test_a_rule_is_offered_for_each_command_that_asks(line: str, tokens: list[tuple[str, ...]]) -> None:
    offer = offer_for(line)

    assert (list(offer.tokens), offer.prevented) == (tokens, "")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("npm test > out.txt", ">out.txt"),
        ("npm test &", "(&)"),
        ("pytest $(git diff --name-only)", "$(git diff --name-only)"),
        ("pytest tests/*.py", "tests/*.py"),
        ("NODE_OPTIONS=a npm test", "NODE_OPTIONS"),
        ("API_KEY=a npm test", "API_KEY"),
        ("X=/etc npm test", "X=/etc"),
        ("curl https://example.org", "curl"),
        ("timeout 60 npm test", "timeout"),
        ("node -e 1", "node"),
        ("pytest ../x", "../x"),
        ("npm ci && rm -r build", "rm"),
        ("mytool 'a b'", "mytool"),
        ("X=1; npm test", "X=1"),
        ("; ".join(f"npm run a{n}" for n in range(MAX_RULES_OF_A_CARD + 1)), "6 commands"),
    ],
)
def test_where_no_rule_is_offered_the_word_that_prevents_it_is_named(line: str, word: str) -> None:
    offer = offer_for(line)

    assert offer.tokens == ()
    assert word in offer.prevented


def test_a_line_that_is_empty_or_all_covered_has_neither() -> None:
    assert offer_for("").prevented == "It holds no command."
    assert rule_offer(assess_shell("ls", WORLD), ()).prevented == ""


def test_an_assignment_that_holds_what_a_program_could_expand_is_none_for_a_rule() -> None:
    assert assignment_problem("A=1") == ""
    assert "expanded" in assignment_problem("A=$(x)")
    assert "expanded" in assignment_problem("A=a\nb")


def offer_for(line: str):
    verdict = assess_shell(line, WORLD)
    return rule_offer(verdict, [command for command in verdict.simple if not command.proven])


# Properties

PROGRAMS = st.sampled_from(["npm test", "pytest", "cargo test", "make test", "npm run build", "python3 -m pytest"])
GIVEN = st.lists(
    st.sampled_from(["CI=1", "PYTHONPATH=src", "NODE_ENV=test", "DEBUG='a b'", "X=", "CI=2"]), max_size=2, unique=True
)
MORE = st.lists(st.sampled_from(["-q", "--", "a", "src/b.py", "--verbose", "-k", "'a b'"]), max_size=3)
READS = st.sampled_from(["ls", "git status", "cat a.txt", "true", "echo done", "cd web"])
FILTERS = st.sampled_from(["", " 2>&1", " | tail -n 5", " 2>&1 | grep x | head", " 2>/dev/null", " >/dev/null 2>&1"])
BREAKS = st.sampled_from(
    [" > out", " 2> out", " >> out", " < ../x", " &", " $(x)", " `x`", " <(x)", " << E", " ~", " *", " {a,../b}", " $X",
     " ../../x", " | sh", " | tee a", " ; rm a", " && evil", " || ./evil", "\nevil", " | xargs rm", " <<< x", " |& cat"]
)  # fmt: skip


@st.composite
def commands(draw: st.DrawFn) -> str:
    return " ".join([*draw(GIVEN), draw(PROGRAMS), *draw(MORE)])


@st.composite
def lines(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.one_of(commands(), READS), min_size=1, max_size=4))
    joined = parts[0]
    for part in parts[1:]:
        joined += draw(st.sampled_from([" && ", "; ", "\n"])) + part
    return joined + draw(FILTERS)


@given(lines())
def test_what_a_card_offers_lets_that_very_line_run_and_each_rule_is_needed(line: str) -> None:
    verdict = assess_shell(line, WORLD)
    asking = [command for command in verdict.simple if not command.proven]
    offer = rule_offer(verdict, asking)
    rules = [Rule(id=str(at), decision="allow", kind="command", tokens=one) for at, one in enumerate(offer.tokens)]

    assert bool(offer.tokens) == (not offer.prevented and bool(asking))
    if rules:
        assert covering_rules(rules, verdict) is not None
        for left_out in rules:
            rest = [one for one in rules if one is not left_out]
            assert covering_rules(rest, verdict) is None


@given(lines())
def test_each_command_that_a_rule_covers_begins_with_all_words_of_the_rule_and_no_other_variable(line: str) -> None:
    verdict = assess_shell(line, WORLD)
    known = [tuple(text.split()) for text in ("npm test", "CI=1 npm test", "PYTHONPATH=src pytest", "pytest")]
    for command in verdict.simple:
        for tokens in known:
            if covers(tokens, command):
                assert command.spelled[: len(tokens)] == tokens
                assert split_assignments(command.spelled)[0] == split_assignments(tokens)[0]


@given(lines(), BREAKS)
def test_what_breaks_out_of_a_line_is_never_covered_by_the_rules_of_the_line(line: str, out: str) -> None:
    before = assess_shell(line, WORLD)
    offer = rule_offer(before, [command for command in before.simple if not command.proven])
    rules = [Rule(id=str(at), decision="allow", kind="command", tokens=one) for at, one in enumerate(offer.tokens)]
    after = assess_shell(line + out, WORLD)

    if rules:
        assert not after.proven_read
        assert covering_rules(rules, after) is None or _reads_alone(line, out)


def _reads_alone(line: str, out: str) -> bool:
    """A pattern or a plain word behind a command that only reads is judged by that command alone."""
    last = assess_shell(f"{line.splitlines()[-1].rpartition(' && ')[2].rpartition('; ')[2]}{out}", WORLD)
    return last.proven_read


@given(commands(), st.sampled_from(["A=1", "PATH=.", "LD_PRELOAD=x", "GIT_DIR=x", "CI=3"]))
def test_one_more_variable_is_another_command(line: str, more: str) -> None:
    verdict = assess_shell(line, WORLD)
    offer = rule_offer(verdict, verdict.simple)
    rules = [Rule(id=str(at), decision="allow", kind="command", tokens=one) for at, one in enumerate(offer.tokens)]

    assert covering_rules(rules, assess_shell(f"{more} {line}", WORLD)) is None


@given(commands())
def test_the_words_of_a_rule_are_read_back_from_how_they_are_spelled(line: str) -> None:
    (command,) = assess_shell(line, WORLD).simple
    (again,) = assess_shell(spelled(command.spelled), WORLD).simple

    assert (again.spelled, again.assigned) == (command.spelled, command.assigned)
    assert shlex.split(line) == list(command.spelled)
