"""Forms of servers as questions, and their answers as values."""

import pytest
from pydantic import JsonValue

from desktop.domain.gate.pending import Question
from desktop.policy.mcp.forms import Field, form_of, values_of
from desktop.policy.network.hosts import Refused


def form(**fields: JsonValue) -> tuple[Field, ...] | Refused:
    return form_of({"type": "object", "properties": dict(fields), "required": ["needed"]})


def questions(**fields: JsonValue) -> list[Question]:
    found = form(**fields)
    assert not isinstance(found, Refused), found
    return [field.question for field in found]


def test_plain_fields_are_questions() -> None:
    needed, age, sure = questions(
        needed={"type": "string", "title": "Name", "description": "Of the branch", "default": "main"},
        age={"type": "integer"},
        sure={"type": "boolean"},
    )
    assert (needed.text, needed.header, needed.required) == ("Name: Of the branch", "Name", True)
    assert (needed.default_assumption, needed.freeform) == ("main", True)
    assert (age.text, age.required) == ("age", False)
    assert [option.label for option in sure.options] == ["Yes", "No"]
    assert not sure.freeform


def test_choices_are_options_in_every_spelling() -> None:
    plain, named, titled, many = questions(
        plain={"type": "string", "enum": ["a", "b"]},
        named={"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
        titled={"type": "string", "oneOf": [{"const": "a", "title": "First"}, {"const": "b"}, {"const": 3}, 7]},
        many={"type": "array", "items": {"anyOf": [{"const": "a", "title": "First"}]}},
    )
    assert [(one.value, one.label) for one in plain.options] == [("a", "a"), ("b", "b")]
    assert [(one.value, one.label) for one in named.options] == [("a", "First"), ("b", "Second")]
    assert [(one.value, one.label) for one in titled.options] == [("a", "First"), ("b", "b")]
    assert many.multi_select
    assert not plain.multi_select


@pytest.mark.promise("guests-M26")
@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("x", {"type": "string", "format": "password"}),
        ("x", {"type": "string", "writeOnly": True}),
        ("password", {"type": "string"}),
        ("userPassword", {"type": "string"}),
        ("api_key", {"type": "string"}),
        ("apiKey", {"type": "string"}),
        ("x", {"type": "string", "title": "Access token"}),
        ("x", {"type": "string", "description": "The PIN of your card"}),
        ("card_number", {"type": "string"}),
    ],
)
def test_a_field_for_a_secret_refuses_the_form(name: str, field: JsonValue) -> None:
    found = form(**{"fine": {"type": "string"}, name: field})
    assert isinstance(found, Refused)
    assert "asks for a secret" in found.reason


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"x": {"type": "object", "properties": {}}}, "no text, number"),
        ({"x": {"type": "array", "items": {"type": "string"}}}, "no text, number"),
        ({"x": {"type": "array"}}, "no text, number"),
        ({"x": {}}, "no text, number"),
        ({"x": 3}, "is none"),
        ({"x": {"type": "string", "enum": [str(n) for n in range(21)]}}, "more than 20 choices"),
        ({f"f{n}": {"type": "string"} for n in range(11)}, "more than 10 things"),
        ({}, "asks for nothing"),
    ],
)
def test_other_forms_are_refused(fields: dict[str, JsonValue], words: str) -> None:
    found = form(**fields)
    assert isinstance(found, Refused)
    assert words in found.reason


def test_a_schema_without_fields_is_refused() -> None:
    assert isinstance(form_of({"type": "string"}), Refused)
    assert not isinstance(form_of({"properties": {"a": {"type": "string"}}, "required": "a"}), Refused)


def test_answers_become_values_of_their_kind() -> None:
    found = form(
        text={"type": "string"},
        whole={"type": "integer"},
        part={"type": "number"},
        yes={"type": "boolean"},
        no={"type": "boolean"},
        many={"type": "array", "items": {"enum": ["a", "b"]}},
        empty={"type": "string"},
    )
    assert not isinstance(found, Refused)
    answers = {
        "text": (" hi ",),
        "whole": ("4",),
        "part": ("0.5",),
        "yes": ("Yes",),
        "no": ("No",),
        "many": ("a", "b"),
        "empty": (" ",),
        "unasked": ("x",),
    }
    values = {"text": "hi", "whole": 4, "part": 0.5, "yes": True, "no": False, "many": ["a", "b"]}
    assert values_of(found, answers) == values


def test_a_number_that_is_none_is_told() -> None:
    found = form(age={"type": "integer", "title": "Age"}, part={"type": "number"})
    assert not isinstance(found, Refused)
    assert values_of(found, {"age": ("four",)}) == Refused("'Age' wants a whole number.")
    assert values_of(found, {"part": ("half",)}) == Refused("'part' wants a number.")
    assert values_of(found, {"part": ("nan",)}) == Refused("'part' wants a number.")
