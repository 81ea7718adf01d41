"""The samples of command lines, judged by `banksman check shell` in one process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld

FOLDER = Path(__file__).parents[2] / "cases"
FIRST, SECOND = (json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ("shell_cases", "shell_cases_2"))
CASES = FIRST + SECOND


@pytest.fixture(scope="module")
def answers() -> list[dict[str, str | None]]:
    """One answer for each case, from one process."""
    lines = [
        json.dumps({"command": case["command"], "rules": [case["rule"]] if case.get("rule") else []}) for case in CASES
    ]
    argv = [sys.executable, "-c", "import sys; from desktop.cli.check import main; sys.exit(main(['shell']))"]
    done = subprocess.run(argv, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=25)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{at}-{CASES[at]['expect']}")
def test_a_sample_line_gets_the_verdict_that_is_expected(at: int, answers: list[dict[str, str | None]]) -> None:
    case, answer = CASES[at], answers[at]
    match case["expect"]:
        case "read_only":
            assert (answer["verdict"], answer["rule"]) == ("allow", None)
        case "ask":
            assert answer["verdict"] in ("ask", "deny")
        case "deny":
            assert answer["verdict"] == "deny"
            assert str(answer["rule"]).startswith("deny:D-")
        case "allowed_by_rule":
            assert (answer["verdict"], answer["rule"] in (case["rule"], None)) == ("allow", True)
        case _:
            assert answer["verdict"] != "allow"


def test_a_line_that_was_judged_before_is_judged_as_if_it_were_new() -> None:
    lines = list(dict.fromkeys(str(case["command"]) for case in CASES))
    for line in lines:
        first = assess_shell(line, TextWorld())
        elsewhere = assess_shell(line, TextWorld(), cwd="sub")
        assert assess_shell(line, TextWorld()) == first, line
        assert assess_shell(line, TextWorld(), cwd="sub") == elsewhere, line
