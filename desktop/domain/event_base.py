"""EventBase: what every event has."""

from typing import Literal

from pydantic import Field, JsonValue

from desktop.domain.base import Frozen

By = Literal["person", "tool", "system"]
Parts = tuple[JsonValue, ...]


class EventBase(Frozen):
    """Fields of every event. `unknown_fields` keeps what a newer version wrote; it is written back on export."""

    v: int = 1
    unknown_fields: dict[str, JsonValue] = Field(default_factory=dict, exclude=True, repr=False)
