"""What models are told of tools of servers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.mcp import schemas
from desktop.policy.mcp.schemas import depth_of, schema_problem, told


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


def test_titles_examples_and_unknown_formats_are_not_told_and_fields_of_these_names_are() -> None:
    given = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Args",
        "properties": {
            "title": {"type": "string", "title": "Title", "examples": ["a"]},
            "when": {"type": "string", "format": "date-time", "enum": ["title"]},
            "odd": {"type": "string", "format": "color"},
            "examples": {"type": "array", "items": {"title": "One", "type": "string"}, "prefixItems": [True]},
        },
        "additionalProperties": False,
    }
    shown = told("Does it", given)
    assert not shown.cut
    assert shown.description == "Does it"
    assert shown.schema_ == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "when": {"type": "string", "format": "date-time", "enum": ["title"]},
            "odd": {"type": "string"},
            "examples": {"type": "array", "items": {"type": "string"}, "prefixItems": [True]},
        },
        "additionalProperties": False,
    }


def test_a_long_description_is_cut_with_a_mark() -> None:
    shown = told("a" * 2_000, {"type": "object"})
    assert shown.cut
    assert len(shown.description) == 1_024
    assert shown.description.endswith("can see the whole]")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {f"f{n}": {"type": "string", "description": "d" * 400} for n in range(50)}},
        {"type": "object", "properties": {f"f{n}": {"type": "string", "description": "d" * 90} for n in range(200)}},
        {"type": "object", "properties": {f"f{n}": nested(8) for n in range(60)}},
        {"type": "object", "properties": {f"f{n}": nested(5) for n in range(150)}},
        {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(5_000)}},
    ],
)
def test_a_long_schema_is_cut_until_it_fits_and_says_so(schema: dict[str, Any]) -> None:
    shown = told("", schema)
    assert shown.cut
    assert shown.schema_["description"] == schemas.CUT_SCHEMA
    assert len(json.dumps(shown.schema_)) <= schemas.MAX_SCHEMA


def test_what_stands_too_deep_is_not_told() -> None:
    shown = told("", nested(30))
    assert shown.cut
    assert depth_of(shown.schema_) <= 2 * schemas.MAX_DEPTH


def test_conditions_at_the_root_which_services_refuse_are_left_to_the_server() -> None:
    shown = told("", {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}, "anyOf": [{}]})
    assert shown.cut
    assert shown.schema_["properties"] == {"a": {"anyOf": [{"type": "string"}]}}
    assert "anyOf" not in shown.schema_


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": True}, "$defs": {"a": {}}}, ""),
        ({}, ""),
        ({"type": "string"}, "does not describe an object"),
        ([], "does not describe an object"),
        ({"properties": {"a": {"$ref": "https://example.org/a.json"}}}, "points outside itself"),
        ({"properties": {"a": [{"$dynamicRef": "other#x"}]}}, "points outside itself"),
        ({"properties": ["a"]}, "does not say what its fields are"),
        ({"properties": {"a": "string"}}, "does not say what its fields are"),
        ({"properties": {"a b": {}}}, "cannot name its field 'a b'"),
        ({"description": "x" * 5_000_000}, "larger than 1 MiB"),
        (nested(120), "nested deeper"),
    ],
)
def test_a_schema_that_cannot_be_used_is_named(schema: Any, problem: str) -> None:
    found = schema_problem(schema)
    assert (problem in found) if problem else not found


def test_depth_counts_objects_and_lists() -> None:
    assert depth_of("a") == 0
    assert depth_of({"a": [1, {"b": 2}]}) == 3
    assert depth_of({"a": [1, {"b": 2}]}, 1) == 2


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "items", "properties", "anyOf", "a", "title", "format", "description", "$ref"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["properties", "items", "description", "format", "$ref", "a"]), _JSON))
def test_any_schema_is_told_or_named(schema: dict[str, Any]) -> None:
    if not schema_problem(schema):
        assert len(json.dumps(told("", schema).schema_)) <= schemas.MAX_SCHEMA
