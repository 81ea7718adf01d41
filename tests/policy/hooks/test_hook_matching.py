"""Which calls a hook is about."""

import pytest

from desktop.domain.core.permissions import Assessment, Category
from desktop.domain.hooks.values import Hook, HookMatch
from desktop.policy.call_facts import CallFacts
from desktop.policy.hooks.matching import is_about
from desktop.policy.lazy import assess_shell
from desktop.policy.paths import PathFacts
from desktop.policy.shell.read.world import TextWorld


def bash(command: str) -> tuple[CallFacts, str]:
    verdict = assess_shell(command, TextWorld())
    category = Category.READ if verdict.proven_read else Category.BASH
    assessed = Assessment(category=category, proven_read=verdict.proven_read)
    return CallFacts(tool="bash", category=Category.BASH, assessment=assessed, command=verdict), command


def write(path: str) -> tuple[CallFacts, str]:
    paths = (PathFacts(raw=path, op="write", verdict="inside", rel=path),)
    assessed = Assessment(category=Category.WRITE)
    return CallFacts(tool="write_file", category=Category.WRITE, assessment=assessed, paths=paths), ""


UPGRADE = HookMatch(tool="bash", tokens=("alembic", "upgrade"))
MIGRATIONS = HookMatch(kind="write", glob="migrations/**")


@pytest.mark.parametrize(
    ("call", "matches", "about"),
    [
        (bash("alembic upgrade head"), (UPGRADE, MIGRATIONS), True),
        (bash("cd x && uv run alembic upgrade head"), (UPGRADE,), True),
        (bash("sh -c 'alembic upgrade head'"), (UPGRADE,), True),
        (bash("alembic history"), (UPGRADE, MIGRATIONS), False),
        (write("migrations/a/1.py"), (UPGRADE, MIGRATIONS), True),
        (write("Migrations/1.py"), (MIGRATIONS,), True),
        (write("src/1.py"), (UPGRADE, MIGRATIONS), False),
        (bash("rm -r migrations"), (MIGRATIONS,), False),
        (bash("rm -r migrations"), (HookMatch(glob="migrations/**"),), True),
        (bash("ls"), (HookMatch(kind="read"),), True),
        (bash("ls"), (HookMatch(kind="external"),), False),
        (write("a"), (HookMatch(tool="write_file"),), True),
        (write("a"), (HookMatch(tokens=("git",)),), False),
        (write("a"), (), True),
    ],
)
def test_which_calls_a_hook_is_about(call: tuple[CallFacts, str], matches: tuple[HookMatch, ...], about: bool):
    facts, text = call
    hook = Hook(id="h", on="before_call", match=matches, command=("true",))
    assert is_about(hook, facts, text=text, lane_root="/lane") is about
