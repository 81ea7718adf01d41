"""Arguments are read strictly, and a refusal says what to send instead."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from desktop.tools.builtin.bash import Bash
from desktop.tools.registry import ArgumentsError, Registry, parse_args
from desktop.tools.tool import ToolArgs


@pytest.fixture
def read(registry: Registry) -> Any:
    def parse(name: str, raw: Any) -> ToolArgs:
        tool = registry.resolve(name)
        assert tool is not None
        return parse_args(tool, raw)

    return parse


def refusal(read: Any, name: str, raw: Any) -> str:
    with pytest.raises(ArgumentsError) as caught:
        read(name, raw)
    return str(caught.value)


@pytest.mark.promise("tools-T22")
def test_a_whole_float_is_an_integer_and_nothing_else_is_converted(read: Any) -> None:
    assert read("bash", {"command": "ls", "timeout_ms": 2000.0}).timeout_ms == 2000
    for wrong in ("2000", True, 2000.5, None):
        assert "timeout_ms: must be a whole number" in refusal(read, "bash", {"command": "ls", "timeout_ms": wrong})
    assert "replace_all: must be true or false" in refusal(
        read, "edit_file", {"file_path": "a", "old_string": "b", "new_string": "c", "replace_all": 1}
    )


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_does_not_know_are_refused(read: Any, text: str) -> None:
    raw = json.loads(f'{{"command": "ls", "timeout_ms": {text}}}')
    assert "timeout_ms: is not a number" in refusal(read, "bash", raw)


def test_two_spellings_with_different_values_are_refused_and_equal_ones_are_not(read: Any) -> None:
    text = refusal(read, "read_file", {"path": "a", "filePath": "b"})
    assert text == (
        "Invalid arguments for read_file: file_path: given twice with different values (path and filePath). "
        "Fields: file_path: string, offset: integer (optional), limit: integer (optional)."
    )
    assert read("read_file", {"path": "a", "file_path": "a"}).file_path == "a"
    assert read("str_replace", {"path": "a", "old_str": "b", "newString": "c", "replaceAll": True}).replace_all
    assert read("bash", {"command": "ls", "timeout": 5000, "working_directory": "x"}).cwd == "x"


def test_path_stays_path_where_a_tool_has_that_field(read: Any) -> None:
    assert read("grep", {"pattern": "x", "path": "src"}).path == "src"


def test_missing_null_and_wrong_inputs(read: Any) -> None:
    assert read("todo_read", None) == read("todo_read", {})
    assert "file_path: is missing" in refusal(read, "read_file", None)
    assert "input: must be an object" in refusal(read, "todo_read", [1])


@pytest.mark.promise("tools-T22")
def test_unknown_fields_are_refused_by_name(read: Any) -> None:
    assert "role: is not a field of this tool" in refusal(read, "todo_read", {"role": "coordinator"})


def test_half_characters_are_refused_in_names_and_values(read: Any) -> None:
    for raw in ({"\ud800": 1}, {"file_path": "a\udc00"}, {"file_path": {"\ud800": 1}}):
        text = refusal(read, "read_file", raw)
        text.encode()


def test_at_most_eight_problems_are_listed(read: Any) -> None:
    text = refusal(read, "todo_read", {f"field{i}": 1 for i in range(12)})
    assert text.count("is not a field") == 8
    assert "and 4 more" in text


def test_blank_and_too_long_commands_and_zero_time_are_refused(read: Any) -> None:
    assert "command: must not be blank" in refusal(read, "bash", {"command": " \n "})
    assert "at most 16384" in refusal(read, "bash", {"command": "x" * 17_000})
    assert "timeout_ms: must be greater than or equal to 1000" in refusal(
        read, "bash", {"command": "ls", "timeout_ms": 0}
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, "at least one of question, body and questions"),
        ({"question": " ", "body": ""}, "at least one of"),
        ({"questions": [{"question": f"q{i}"} for i in range(6)]}, "at most 5"),
        ({"questions": [{"question": "a", "options": [{"label": "x"}]}]}, "one option is no choice"),
        ({"questions": [{"question": "a", "id": "x"}, {"question": "b", "id": "x"}]}, "the same id"),
        ({"questions": [{"question": "a"}, {"question": "b", "id": "q1"}]}, "the same id"),
        ({"questions": [{"question": "  "}]}, "must not be blank"),
        ({"questions": [{"question": "a", "options": [{"label": "x"}, {"label": "x"}]}]}, "the same value"),
    ],
)
def test_ask_user_refuses_what_nobody_could_answer(read: Any, raw: dict[str, Any], words: str) -> None:
    assert words in refusal(read, "ask_user", raw)


@pytest.mark.parametrize("host", ["localhost", "localhost:3000", "shop.localhost", ".shop.localhost"])
def test_no_command_asks_to_reach_what_its_sandbox_itself_is(host: str) -> None:
    with pytest.raises(ValidationError, match="means the sandbox itself"):
        Bash(command="curl x", hosts=f"example.org {host}")
    assert Bash(command="curl x", hosts="example.org").hosts == "example.org"
