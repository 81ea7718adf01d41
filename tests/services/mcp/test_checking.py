"""Arguments of calls against schemas of servers."""

import time
from typing import Any

import pytest

from desktop.services.mcp.checking import TOO_LONG, Checker

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "pattern": "^[a-z/]+$"},
        "limit": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "required": ["path"],
}


def test_what_fits_has_no_problem() -> None:
    assert Checker(SCHEMA).problems({"path": "src/a", "limit": 3, "tags": ["a", "b"]}) == ()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "input: 'path' is a required property"),
        ({"path": 3}, "path: 3 is not of type 'string'"),
        ({"path": "a", "limit": 0}, "limit: 0 is less than the minimum of 1"),
        ({"path": "A"}, "path: 'A' does not match '^[a-z/]+$'"),
        ({"path": "a", "tags": ["x", "x"]}, "tags: it has the same item twice"),
        ({"path": "a", "tags": ["x", 1]}, "tags.1: 1 is not of type 'string'"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(value: dict[str, Any], problem: str) -> None:
    assert Checker(SCHEMA).problems(value) == (problem,)


def test_problems_are_few_and_short() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    found = Checker(schema).problems({str(n): "x" * 10_000 for n in range(50)})
    assert len(found) == 8
    assert all(len(one) < 300 for one in found)


def test_fields_that_a_schema_neither_knows_nor_refuses_are_found() -> None:
    assert Checker(SCHEMA).unknown_fields({"path": "a", "force": True}) == ("force: is not a field of this tool",)
    assert Checker({**SCHEMA, "additionalProperties": True}).unknown_fields({"force": True}) == ()
    assert Checker({"type": "object"}).unknown_fields({"force": True}) == ()


def test_a_reference_goes_nowhere_outside() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}
    [problem] = Checker(schema).problems({"a": 1})
    assert "schema of the tool is broken" in problem


def test_a_reference_within_is_followed_and_a_loop_of_them_ends() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}
    assert Checker(tree).problems({"next": {"next": {"n": "x"}}}) == ("next.next.n: 'x' is not of type 'integer'",)
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    [problem] = Checker(loop).problems({})
    assert "has no end" in problem or problem == TOO_LONG


def test_a_schema_that_is_none_is_named() -> None:
    [problem] = Checker({"type": "object", "properties": {"a": {"type": "text"}}}).problems({"a": 1})
    assert "schema of the tool is broken" in problem


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(?=a)a*b", r"(a)\1*", "a*a*a*a*a*b"])
def test_a_pattern_that_would_not_end_is_left_to_the_server(pattern: str) -> None:
    began = time.monotonic()
    assert Checker({"properties": {"a": {"pattern": pattern}}}).problems({"a": "a" * 5_000 + "!"}) == ()
    assert Checker({"patternProperties": {pattern: {"type": "string"}}}).problems({"a" * 5_000 + "!": 1}) == ()
    assert time.monotonic() - began < 5


def test_properties_by_pattern_are_checked() -> None:
    checker = Checker({"type": "object", "patternProperties": {"^x_": {"type": "integer"}}})
    assert checker.problems({"x_a": 1, "y": "text"}) == ()
    assert checker.problems({"x_a": "one"}) == ("x_a: 'one' is not of type 'integer'",)
    assert checker.problems([]) != ()


def test_a_check_without_end_is_ended() -> None:
    kinds = {f"a{n}": {"anyOf": [{"properties": {"a": {"$ref": f"#/$defs/a{n + 1}"}}}] * 2} for n in range(30)}
    schema = {"type": "object", "$ref": "#/$defs/a0", "$defs": {**kinds, "a30": {"type": "integer"}}}
    value: Any = "x"
    for _ in range(30):
        value = {"a": value}
    began = time.monotonic()
    assert Checker(schema).problems(value) == (TOO_LONG,)
    assert time.monotonic() - began < 10
