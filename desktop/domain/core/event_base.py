"""EventBase: what every event has."""

from typing import Annotated, Any, Literal

from pydantic import Field, GetCoreSchemaHandler, JsonValue, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from desktop.domain.core.base import Frozen

By = Literal["person", "tool", "system"]
Parts = tuple[JsonValue, ...]


class EventBase(Frozen):
    """Fields of every event. `unknown_fields` keeps what a newer version wrote; it is written back on export."""

    v: int = 1
    unknown_fields: dict[str, JsonValue] = Field(default_factory=dict, exclude=True, repr=False)


class TakenAsIs:
    """An annotation: an event is taken as it is. The validator of every kind of event together (0.02 s) is built only
    when one is read from plain data."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """For pydantic, in place of the schema of all kinds."""

        def read(value: object) -> object:
            if isinstance(value, EventBase):
                return value
            return TypeAdapter(Annotated[source, Field(discriminator="type")]).validate_python(value)

        return core_schema.no_info_plain_validator_function(read)
