"""What the judges say of the sample cases is told in each language: no reason reaches a window in English."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from desktop.language import SAID
from desktop.policy.display_warn import command_warnings, path_warnings
from desktop.policy.lazy import assess_shell
from desktop.policy.path_words import path_warning
from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.sql.assess import assess_sql
from desktop.sayings import read
from tests.languages import CODES, FOLDER

CASES = Path(__file__).parents[1] / "cases"


def texts(key: str, *names: str) -> list[str]:
    cases = (case for name in names for case in json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")))
    return [case[key] for case in cases if isinstance(case.get(key), str)]


@cache
def reasons() -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in _reasons() if one))


def _reasons() -> Iterator[str]:
    world = TextWorld()
    places = DenyPlaces(home=world.home)
    for command in texts("command", "shell_cases", "shell_cases_2", "deny_cases"):
        yield assess_shell(command, world).reason
        yield from command_warnings(command, places)
        yield from (hit.reason for hit in deny_hits(command, places))
    for sql in texts("sql", "sql_cases", "sql_cases_2"):
        yield assess_sql(sql, "postgres").reason
    for path in ("", "~/x", ".git/config", "a\0", "x" * 256, "file:///x", "/etc", ".env", "a/" * 3000):
        yield from path_warnings(path)


@pytest.mark.parametrize("code", CODES)
def test_every_reason_of_a_judge_is_told_in_the_language(code: str) -> None:
    told = read(sorted((FOLDER / code / SAID).glob("*.json")))
    assert len(reasons()) > 100
    assert [one for one in reasons() if told.of(one) == one] == []


@pytest.mark.parametrize("code", CODES)
def test_a_reason_within_a_sentence_is_told_too(code: str) -> None:
    told = read(sorted((FOLDER / code / SAID).glob("*.json")))
    warned = [path_warning("invalid", f"it contains the character U+{at:04X}") for at in range(9)]
    assert [one for one in warned if "contains" in told.of(one)] == []
    assert path_warning("inside", "") == ""
