"""Frozen: the base of every value that is stored or crosses a thread."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable value; unknown fields are errors. Change it with `model_copy(update=…)`.

    The validator of a class is built when the first value of it is made, under pydantic's own lock: a start needs a
    quarter of the classes, and building all of them took 0.15 s.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
