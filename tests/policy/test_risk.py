"""What is at stake, which word must be typed, and which card draws it (gate-C2, gate-T3)."""

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.gate.sandbox import SandboxLevel
from desktop.policy.call_facts import CallFacts, SessionGateFacts, SqlFacts
from desktop.policy.paths import PathFacts
from desktop.policy.risk import confirm_word, risk, subject
from desktop.policy.shell.verdict import DenyHit, ShellPath, ShellVerdict, SimpleCommand
from tests.policy.gate_values import READS, SECRET, sql

FORBID = DenyHit(id="D-root", severity="forbid", reason="r")
PUSH = DenyHit(id="D-history", severity="confirm", reason="r", confirm_word="main")
SIMPLE = (SimpleCommand(words=()),)
OPEN = SessionGateFacts(mode=PermissionMode.EDIT)
AWAY = ShellPath(path="/x", op="read", verdict="outside")
PROTECTED = ShellPath(path=".env", op="read", verdict="protected")


def call(category: Category = Category.BASH, **facts) -> CallFacts:
    proven = facts.pop("proven", False)
    assessed = Category.READ if proven else category
    return CallFacts(tool="t", category=category, assessment=Assessment(category=assessed, proven_read=proven), **facts)


def command(**said) -> CallFacts:
    proven, profile = said.pop("proven", False), said.pop("profile", "lane-off")
    return call(proven=proven, profile=profile, command=ShellVerdict(**{"simple": SIMPLE, **said}))


def query(verdict, **more) -> CallFacts:
    return call(Category.READ, sql=SqlFacts(connection="shop", verdict=verdict, **more))


def path(**facts) -> PathFacts:
    return PathFacts(**{"raw": "a", "op": "write", "verdict": "inside", "rel": "deploy/.env", **facts})


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (command(deny=(FORBID, PUSH)), "main"),
        (command(deny=(FORBID,)), ""),
        (command(), ""),
        (command(profile="outside"), "outside"),
        (command().model_copy(update={"secrets": (SECRET,)}), ""),
        (command().model_copy(update={"secrets": (SECRET,), "network": True}), "KEY"),
        (query(READS), ""),
        (query(READS, production=True), ""),
        (query(sql()), "t"),
        (query(sql(statements=(), code="destructive")), ""),
        (query(sql("destructive").model_copy(update={"statements": ()})), ""),
        (query(sql("write")), ""),
        (query(sql("write"), production=True), "shop"),
        (call(Category.WRITE, paths=(path(class_="secret"),)), ".env"),
        (call(Category.WRITE, paths=(path(class_="secret", op="read"),)), ""),
    ],
)
def test_the_word_that_must_be_typed(facts: CallFacts, word: str) -> None:
    assert confirm_word(facts) == word
    assert (risk(facts, OPEN) == "irreversible") == bool(word)


def test_a_destructive_statement_without_a_table_needs_the_name_of_the_connection() -> None:
    statement = sql().statements[0].model_copy(update={"tables": ()})
    assert confirm_word(query(sql(statements=(statement,)))) == "shop"


@pytest.mark.promise("gate-C2")
@pytest.mark.parametrize(
    ("facts", "level"),
    [
        (command(proven=True), "low"),
        (command(), "medium"),
        (command(simple=()), "high"),
        (command(profile="lane-open"), "high"),
        (command(paths=(AWAY,)), "high"),
        (command(paths=(PROTECTED,)), "high"),
        (command(sql=(sql(),)), "high"),
        (command(sql=(READS,)), "medium"),
        (command(profile="lane-hosts"), "high"),
        (query(sql("opaque")), "high"),
        (query(sql("write")), "low"),
        (call(Category.EXTERNAL), "medium"),
        (call(Category.WRITE, paths=(path(),)), "low"),
        (call(Category.WRITE, paths=(path(verdict="protected"),)), "high"),
    ],
)
def test_how_much_is_at_stake(facts: CallFacts, level: str) -> None:
    assert risk(facts, OPEN) == level


@pytest.mark.promise("gate-C2")
@pytest.mark.parametrize(
    ("facts", "sandbox", "level"),
    [
        (command(simple=()), "full", "medium"),
        (command(simple=()), "limited", "high"),
        (command(simple=(), profile="bare"), "full", "high"),
        (command(simple=(), profile="lane-hosts"), "full", "high"),
        (command(paths=(AWAY,)), "full", "medium"),
        (command(paths=(AWAY,)), "limited", "high"),
        (command(paths=(PROTECTED,)), "full", "high"),
        (command(sql=(sql(),)), "full", "high"),
        (command(profile="lane-open"), "full", "high"),
        (command(simple=(), deny=(PUSH,)), "full", "irreversible"),
    ],
)
def test_a_sandbox_that_stops_everything_makes_less_of_what_stays_in_the_lane(
    facts: CallFacts, sandbox: SandboxLevel, level: str
) -> None:
    assert risk(facts, SessionGateFacts(mode=PermissionMode.EDIT, sandbox=sandbox)) == level


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        (command(), "command"),
        (query(READS), "sql"),
        (call(Category.EXTERNAL), "external"),
        (call(Category.WRITE), "edit"),
        (call(Category.READ, paths=(path(),)), "path"),
        (call(Category.READ), "other"),
    ],
)
def test_which_card_draws_it(facts: CallFacts, kind: str) -> None:
    assert subject(facts) == kind
