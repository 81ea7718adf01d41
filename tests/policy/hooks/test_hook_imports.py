"""Hooks of another program: those that mean the same, and the others by name."""

import json
import tomllib
from typing import Any

import pytest

from desktop.domain.hooks.values import HookMatch
from desktop.policy.hooks.imports import as_file, imported_hooks


def imported(moment: str, command: Any, matcher: Any = ""):
    content = {"hooks": {moment: [{"matcher": matcher, "hooks": [command]}]}}
    return imported_hooks(json.dumps(content).encode())


def test_what_means_the_same_is_offered_as_a_file_of_ours():
    content = {
        "hooks": {
            "PostToolUse": [
                {
                    "matcher": "Edit|MultiEdit|Write",
                    "hooks": [
                        {"type": "command", "command": 'make "fmt" é'},
                        {"type": "command", "command": "make lint", "timeout": 30},
                    ],
                }
            ],
            "Stop": [{"hooks": [{"type": "command", "command": "make tidy"}]}],
        }
    }
    found = imported_hooks(json.dumps(content).encode())
    assert found.others == ()
    assert [hook.id for hook in found.hooks] == ["imported-1", "imported-2", "imported-3"]
    assert found.hooks[0].match == (HookMatch(tool="edit_file"), HookMatch(tool="write_file"))
    tables = tomllib.loads(as_file(found.hooks))["hook"]
    assert [table["command"] for table in tables] == ['make "fmt" é', "make lint", "make tidy"]
    assert [table["timeout_s"] for table in tables] == [60, 30, 60]
    assert tables[2]["blocking"] is False
    again = tomllib.loads(as_file(found.hooks, {"imported-1", "imported-3"}))["hook"]
    assert [table["id"] for table in again] == ["imported-2", "imported-4", "imported-5"]


@pytest.mark.parametrize(
    ("moment", "command", "matcher", "said"),
    [
        ("PreToolUse", {"command": "make"}, "", "lets the call run"),
        ("Notification", {"command": "make"}, "", "the desktop"),
        ("SessionStart", {"command": "make"}, "", "no such moment"),
        ("PostToolUse", {"command": "make"}, "mcp__.*", "matcher"),
        ("PostToolUse", {"command": "make"}, 3, "matcher"),
        ("Stop", {"command": "make"}, "Bash", "matcher"),
        ("PostToolUse", {"command": "jq .tool_input"}, "*", "may read"),
        ("PostToolUse", {"command": "./check.sh"}, "*", "may read"),
        ("PostToolUse", {"command": "make\nmake"}, "*", "may read"),
        ("PostToolUse", {"command": "make", "timeout": 600}, "*", "longer"),
        ("PostToolUse", {"command": "make", "timeout": "1"}, "*", "longer"),
        ("PostToolUse", {"command": "make", "async": True}, "*", "otherwise"),
        ("PostToolUse", {"type": "prompt"}, "*", "no command"),
        ("PostToolUse", 3, "*", "no command"),
    ],
)
def test_what_does_not_is_named(moment: str, command: Any, matcher: Any, said: str):
    found = imported(moment, command, matcher)
    assert found.hooks == ()
    assert found.others[0].startswith(f"{moment}: ")
    assert said in found.others[0]


def test_what_cannot_be_read():
    for content in (b"{}", b"[]", b'{"hooks": 3}', b"{"):
        with pytest.raises(ValueError, match=r"no hooks|Expecting"):
            imported_hooks(content)
    assert imported_hooks(b'{"hooks": {"Stop": 3, "PostToolUse": [{"hooks": 3}]}}').others == (
        "Stop: it cannot be read.",
        "PostToolUse: it cannot be read.",
    )
