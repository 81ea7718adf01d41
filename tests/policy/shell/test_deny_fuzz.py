"""No way of writing a forbidden command gets past the deny matcher (gate-D6)."""

import importlib.util
import itertools
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits

PLACES = DenyPlaces(home="/home/user")
STEP = 12


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MUTATIONS = loaded("deny_mutations")
CASES = json.loads((Path(__file__).parent.parent.parent / "cases" / "deny_cases.json").read_text("utf-8"))
FORBIDDEN = sorted({case["class"] for case in CASES if case["expect"] == "forbid"})


@pytest.mark.promise("gate-D3")
@pytest.mark.parametrize("class_id", FORBIDDEN)
def test_no_respelling_of_a_forbidden_command_passes(class_id: str) -> None:
    passed = []
    commands = [case["command"] for case in CASES if case["class"] == class_id and case["expect"] == "forbid"]
    for turn, command in enumerate(commands):
        if "unclosed" in command or command.endswith(" ("):
            continue
        ways = itertools.chain(MUTATIONS.framed(command), MUTATIONS.respelled(command))
        for written in itertools.islice(ways, turn % STEP, None, STEP):
            if not any(hit.severity == "forbid" for hit in deny_hits(written, PLACES)):
                passed.append(written)
    assert passed == []


def test_everyday_commands_in_other_spellings_are_not_refused() -> None:
    refused = []
    names = re.compile(r"banksman|\.pem|TOKEN|\.env")  # words that mean something else when they stand inside code
    for turn, command in enumerate(case["command"] for case in CASES if case["expect"] == "none"):
        if not command.strip("# ") or "unclosed" in command or command.startswith("#") or names.search(command):
            continue
        for written in itertools.islice(MUTATIONS.framed(command), turn % 6, None, 6):
            if any(hit.severity == "forbid" for hit in deny_hits(written, PLACES)):
                refused.append(written)
    assert refused == []
