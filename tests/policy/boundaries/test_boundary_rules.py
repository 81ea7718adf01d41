"""Rules that were made of a person's words: what they refuse of a command, and where they ask."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.permissions import Category
from desktop.domain.gate.rules import Rule
from desktop.policy.boundaries.detect import detect
from desktop.policy.paths import PathFacts
from desktop.policy.rule_check import rule_fault
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld

CASES = json.loads((Path(__file__).parents[2] / "cases" / "boundary_commands.json").read_text("utf-8"))
"""What a person said, and command lines that are refused, asked about and left alone because of it."""
LINES = [
    (case["said"], line, "" if word == "free" else word)
    for case in CASES
    for word in ("deny", "ask", "free")
    for line in case.get(word, ())
]
LANE = "/home/robin/lanes/fix-login"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def path(rel: str, op: str) -> PathFacts:
    """A path of the lane."""
    return PathFacts(raw=rel, op=op, verdict="inside", rel=rel)


def said(quote: str = "never push", **fields) -> Rule:
    """A rule that was made of a person's words."""
    return Rule(**{"id": "b", "decision": "deny", "quote": quote, "created_by": "chip", **fields})


def decided(rules: Rule | tuple[Rule, ...], line: str, **fields) -> str:
    """What a rule, or more of them, say of a command line."""
    verdict = assess_shell(line, TextWorld())
    subject = CallSubject(tool="bash", category=Category.BASH, command=verdict, text=line, **fields)
    matches = match_rules([rules] if isinstance(rules, Rule) else rules, subject, NOW)
    assert all(one.quote for one in (*matches.deny, *matches.ask))
    return "deny" if matches.deny else "ask" if matches.ask else ""


@pytest.mark.promise("memory-SB5")
@pytest.mark.parametrize(("said", "line", "wanted"), LINES)
def test_what_a_person_said_refuses_asks_and_leaves_alone(said: str, line: str, wanted: str) -> None:
    (found,) = detect(said)
    assert decided(found.rules, line.replace("{LANE}", LANE), lane_root=LANE) == wanted


@pytest.mark.promise("memory-SB5")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("git push", "deny"),
        ("bash -c 'git push'", "deny"),
        ("env git -C . push", "deny"),
        ("echo $(git push)", "deny"),
        ("x=1; if true; then git push; fi <<< y", "deny"),
        ("git $x", "ask"),
        ("git pull", ""),
        ("echo push", ""),
    ],
)
def test_words_that_forbid_a_command_refuse_what_surely_runs_it_and_ask_where_it_could(line: str, wanted: str) -> None:
    assert decided(said(kind="command", tokens=("git", "push")), line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("sed -i s/a/b/ db/migrations/1.sql", "deny"),
        ("echo x > migrations/1.sql", "deny"),
        ("rm -r ./db/migrations/", "deny"),
        ("cat db/migrations/1.sql", ""),
        ("touch other", ""),
    ],
)
def test_words_that_forbid_files_refuse_commands_that_name_them(line: str, wanted: str) -> None:
    assert decided(said(kind="path", glob="**/migrations/**", ops=("write",)), line) == wanted


@pytest.mark.promise("memory-SB5")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("cd src && sed -i s/a/b/ app.py", "deny"),
        ("make -C src app.py", "deny"),
        ("echo > ./src//app.py", "deny"),
        ("echo > lib/../src/app.py", "deny"),
        ("echo > $PWD/src/app.py", "deny"),
        ("sed -i s/a/b/ src/*.py", "deny"),
        ("rm -r src", "deny"),
        ("mv ./src/ lib", "deny"),
        ("touch src/other.py", ""),
        ("touch lib/*.py", ""),
        ("".join(f"cd d{number}; " for number in range(9)) + "touch a", "deny"),
        ("touch *a*b*c*d*e", "deny"),
        ("cd lib && touch app.py", ""),
        ("rm -r lib", ""),
        ("pytest src", ""),
    ],
)
def test_a_file_that_words_forbid_is_known_by_its_other_spellings(line: str, wanted: str) -> None:
    assert decided(said(kind="path", glob="src/app.py", ops=("write",)), line) == wanted


def test_words_that_leave_only_one_folder_ask_about_commands_that_may_write_elsewhere() -> None:
    rule = said(kind="path", glob="docs/**", outside=True, ops=("write",))
    assert decided(rule, "make docs") == "ask"
    assert decided(rule, "ls src") == ""
    write = CallSubject(tool="write_file", category=Category.WRITE, paths=(path("src/a.py", "write"),))
    assert match_rules([rule], write, NOW).deny
    inside = CallSubject(tool="write_file", category=Category.WRITE, paths=(path("docs/a.md", "write"),))
    assert not match_rules([rule], inside, NOW).deny


def test_a_rule_for_every_host_is_about_whatever_asks_for_the_network() -> None:
    rule = said(kind="network", host="*")
    assert decided(rule, "curl https://example.org/") == "deny"
    assert decided(rule, "ls") == ""
    asks = CallSubject(tool="bash", category=Category.BASH, command=assess_shell("make", TextWorld()), network=True)
    assert match_rules([rule], asks, NOW).deny


def test_where_nothing_keeps_a_command_from_the_network_words_that_forbid_it_ask() -> None:
    rule = said("stay offline", kind="network", host="*")
    assert decided(rule, "python3 x.py", may_reach=True) == "ask"
    assert decided(rule, "wget x", may_reach=True) == "deny"
    made = Rule(id="r", decision="deny", kind="network", host="*")
    verdict = assess_shell("python3 x.py", TextWorld())
    subject = CallSubject(tool="bash", category=Category.BASH, command=verdict, text="python3 x.py", may_reach=True)
    assert match_rules([made], subject, NOW).deny == ()
    named = said("stay offline", kind="network", host="example.org")
    assert decided(named, "curl https://example.org/") == "deny"


def test_a_rule_of_a_persons_own_is_not_about_what_a_patch_may_hold() -> None:
    rule = Rule(id="r", decision="deny", kind="path", glob="migrations/**", ops=("write",))
    subject = CallSubject(
        tool="bash", category=Category.BASH, command=assess_shell("git apply x", TextWorld()), text="git apply x"
    )
    assert match_rules([rule], subject, NOW).deny == ()


def test_a_rule_for_all_but_a_pattern_may_not_allow() -> None:
    rule = Rule(id="r", decision="allow", kind="path", glob="docs/**", outside=True)
    assert rule_fault(rule) == "A rule for all but a pattern may only ask and deny."
    assert rule_fault(rule.model_copy(update={"decision": "deny"})) == ""


@pytest.mark.parametrize(
    "line", [f"touch {'*' * 20_000}x", f"cd {'a' * 9} && touch {' '.join(map(str, range(5_000)))}"]
)
def test_a_command_that_is_made_to_be_read_slowly_is_read_at_once(line: str) -> None:
    rule, verdict = said(kind="path", glob="**/src/a/b/c/d/e/app.py", ops=("write",)), assess_shell(line, TextWorld())
    subject = CallSubject(tool="bash", category=Category.BASH, command=verdict, text=line)
    began = time.process_time()
    match_rules([rule], subject, NOW)
    assert time.process_time() - began < 0.5
