"""How editable arguments are typed: read from the schemas that tools really have, and from what pydantic can make."""

from enum import StrEnum
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from desktop.agent.gate.edit_fields import edit_fields
from desktop.domain.gate.pending import EditField
from desktop.tools.registry import discover


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Everything(BaseModel):
    text: str = Field(description="Words.")
    maybe: str | None = None
    whole: int = Field(ge=1, le=9)
    part: float = 0.5
    yes: bool = False
    one: Literal["a", "b"] = "a"
    size: Size | None = None
    number_choice: Literal[1, 2] = 1
    several: list[str] = []
    either: int | str = 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", EditField(name="text", kind="text", about="Words.")),
        ("maybe", EditField(name="maybe", kind="text", optional=True)),
        ("whole", EditField(name="whole", kind="integer", least=1, most=9)),
        ("part", EditField(name="part", kind="number")),
        ("yes", EditField(name="yes", kind="boolean")),
        ("one", EditField(name="one", kind="choice", choices=("a", "b"))),
        ("size", EditField(name="size", kind="choice", choices=("small", "large"), optional=True)),
        ("number_choice", EditField(name="number_choice")),
        ("several", EditField(name="several")),
        ("either", EditField(name="either")),
        ("unheard_of", EditField(name="unheard_of")),
    ],
)
def test_each_kind_of_argument_has_its_control(name: str, expected: EditField) -> None:
    assert edit_fields(Everything.model_json_schema(), (name,)) == (expected,)


def test_no_editable_argument_of_a_tool_is_typed_as_json() -> None:
    for tool in discover().tools:
        fields = edit_fields(tool.schema, tool.editable)
        assert [field.name for field in fields] == list(tool.editable)
        assert "json" not in {field.kind for field in fields}, tool.name
