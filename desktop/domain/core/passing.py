"""Passing: the base of commands and updates, values that go from one thread to the other and are never stored."""

from collections.abc import Mapping
from dataclasses import Field, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from pydantic import BaseModel, ConfigDict, TypeAdapter

from desktop.records import dataclass


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Passing:
    """A frozen value made of keyword arguments and compared by its fields, which are taken as they are: our own code
    makes it, of values that were checked where they came from. A start imports hundreds of such classes and makes a
    dozen values, so that what a model costs for each of them (0.2 ms) is not paid."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not issubclass(cls, BaseModel):
            dataclass(frozen=True, kw_only=True)(cls)

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        """The value with these fields changed, as of a model."""
        return replace(self, **update)

    @classmethod
    def model_validate(cls, values: Mapping[str, object], /) -> Self:
        """The value of these fields, as of a model.

        Raises:
            ValidationError: one of them is not what it must be.
        """
        return TypeAdapter(cls).validate_python(values)
