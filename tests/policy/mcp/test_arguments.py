"""What can be told of arguments to servers."""

from typing import Any

import pytest

from desktop.policy.mcp.arguments import (
    arguments_problem,
    begins_as_sql,
    leaving_paths,
    sql_arguments,
)


def test_arguments_have_a_size_and_a_depth() -> None:
    deep: Any = "x"
    for _ in range(20):
        deep = {"a": deep}
    assert arguments_problem(deep) == ""
    assert "deeper" in arguments_problem({"a": deep})
    assert arguments_problem({"a": "x" * 200_000}) == ""
    assert "larger" in arguments_problem({"a": "x" * 300_000})
    assert "larger" in arguments_problem({"a": "ü" * 140_000})


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "  drop table t",
        "-- a note\n/* and one */ DELETE FROM t",
        "# a note\nupdate t set a = 1",
        "/*!50000 DROP TABLE t */",
        "-- x\n/*M! DROP TABLE t */",
        ";; (select 1)",
        "\ufeffDROP TABLE t",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "pragma writable_schema = on",
    ],
)
def test_a_text_that_begins_like_sql_is_seen(text: str) -> None:
    assert begins_as_sql(text)


@pytest.mark.parametrize("text", ["", "ls -la", "how do I select a row", "selection", "/* only a note */", "/* open"])
def test_another_text_is_none(text: str) -> None:
    assert not begins_as_sql(text)


def test_sql_is_found_by_its_name_and_first_word_or_by_the_word_of_a_person() -> None:
    arguments: dict[str, Any] = {
        "sql": "SELECT 1",
        "text": "DROP TABLE t",
        "options": {"Query": "-- x\nDELETE FROM t", "command": "ls"},
        "steps": [{"statement": "VACUUM"}, 3],
    }
    assert [one.name for one in sql_arguments(arguments)] == ["sql", "options.Query", "steps[0].statement"]
    assert [one.name for one in sql_arguments(arguments, ("text",))][:2] == ["sql", "text"]
    assert sql_arguments({"sql": "anything"}, ("sql",))[0].text == "anything"
    assert sql_arguments({"sql": "anything"}) == ()


def test_paths_that_leave_the_lane_are_named() -> None:
    arguments: dict[str, Any] = {
        "inside": "/w/lane/src/a.py",
        "root": "/w/lane",
        "beside": "/w/lane2/a",
        "up": "../other",
        "back": "src/../../x",
        "home": "~/.ssh/id",
        "file": "file:///etc/passwd",
        "text": "and/or\nmore",
        "plain": "src/a.py",
        "empty": "",
        "long": "/" * 400,
        "list": ["/etc/hosts", "/etc/hosts"],
        "number": 3,
    }
    assert leaving_paths(arguments, "/w/lane") == (
        "/w/lane2/a",
        "../other",
        "src/../../x",
        "~/.ssh/id",
        "file:///etc/passwd",
        "/etc/hosts",
    )
