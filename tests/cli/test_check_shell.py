"""`banksman check shell`: a verdict a line, with the rule that decided, and errors where there is none."""

import json
from io import StringIO
from pathlib import Path

import pytest

from desktop.cli.check import answer_lines
from desktop.cli.check_shell import check_shell

Answer = dict[str, str | None]


def answers(*lines: object) -> list[Answer]:
    """What the check writes for these lines."""
    out = StringIO()
    answer_lines(check_shell, [json.dumps(line).encode() for line in lines], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def verdict(command: str, *rules: str) -> tuple[str | None, str | None]:
    """Verdict and rule for a command where nothing but the text is known."""
    found = answers({"command": command, "rules": list(rules)})[0]
    assert found["reason"]
    return found["verdict"], found["rule"]


@pytest.mark.promise("gate-J2")
@pytest.mark.parametrize(
    ("command", "rules", "expected"),
    [
        ("ls", (), ("allow", None)),
        ("npm test", (), ("ask", "mode")),
        ("npm test", ("npm test",), ("allow", "npm test")),
        ("ls && npm test && make x", ("make x", "npm test"), ("allow", "npm test")),
        ("git status; rm x", ("git status",), ("ask", "mode")),
        ("npm run build:prod", ("npm run build",), ("ask", "mode")),
        ("npm run build -- --outDir ../../x", ("npm run build",), ("ask", "mode")),
        ("git log --output=x", ("git log",), ("ask", "mode")),
        ("git -c core.pager=x log", ("git log",), ("ask", "mode")),
        ("bash x.sh", ("bash",), ("ask", "mode")),
        ("npm test", ("", "bash", "npm test"), ("allow", "npm test")),
        ("cat ../x", ("cat",), ("ask", "path")),
        ("cat .env", (), ("ask", "path")),
        ("psql -c 'DROP TABLE x'", (), ("ask", "sql_consent")),
        ("git push --force", ("git push origin",), ("ask", "deny:D-history")),
        ("rm -rf /", (), ("deny", "deny:D-root")),
        ("sudo rm -rf /", (), ("deny", "deny:D-root")),
        ("true; " * 201 + "rm -rf /", (), ("deny", "deny:D-root")),
        ("find . -dele\\te", (), ("ask", "deny:D-wide")),
        ("find . -dele\\\nte", (), ("ask", "deny:D-wide")),
        ("echo hi > out.txt", ("echo",), ("ask", "mode")),
        ("X=1 ls", ("ls",), ("ask", "mode")),
        ("ls &", ("ls",), ("ask", "mode")),
        ("echo $(pwd)", ("echo",), ("allow", None)),
        ('grep -n "a b" src/x.py | head -n 5 2>/dev/null', (), ("allow", None)),
        ("l\u200bs", ("ls",), ("ask", "mode")),
        ('echo "rm -rf /"', (), ("allow", None)),
        ("x" * 20_000, (), ("ask", "mode")),
    ],
)  # fmt: skip
def test_a_line_gets_its_verdict_and_the_rule_that_decided(
    command: str, rules: tuple[str, ...], expected: tuple[str, str | None]
) -> None:
    assert verdict(command, *rules) == expected


def test_with_a_lane_the_real_disk_is_read(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "a").write_text("x", "utf-8")
    found = answers(
        {"command": "cat a", "lane": str(tmp_path)},
        {"command": "cat out/passwd", "lane": str(tmp_path)},
        {"command": "git status", "lane": str(tmp_path)},
    )

    assert [(answer["verdict"], answer["rule"]) for answer in found] == [
        ("allow", None),
        ("ask", "path"),
        ("ask", "mode"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        [], {}, {"command": 1}, {"command": "ls", "rules": "x"}, {"command": "ls", "rules": [1]},
        {"command": "ls", "lane": 1}, {"command": "ls", "lane": "relative"}, {"command": "ls", "lane": "/no/such"},
        {"command": "a\0b"}, {"command": "x" * 100_001},
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_judged_is_an_error_and_the_rest_goes_on(line: object) -> None:
    first, second = answers(line, {"command": "ls", "unknown": 1, "rules": None})

    assert list(first) == ["error"]
    assert second["verdict"] == "allow"
