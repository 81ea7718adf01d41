"""Frozen: the base of every value that is stored or crosses a thread."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable value; unknown fields are errors. Change it with `model_copy(update=…)`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
