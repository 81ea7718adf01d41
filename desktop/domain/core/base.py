"""Frozen: the base of every value that is stored or crosses a thread."""

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict

_SEARCH = "pydantic.plugin._loader"
_new = object.__new__
_place, _extra, _private, _given = (
    BaseModel.__dict__[name].__set__
    for name in ("__dict__", "__pydantic_extra__", "__pydantic_private__", "__pydantic_fields_set__")
)


class _NoPlugins(ModuleType):
    """In place of the module that looks for plugins of pydantic.

    WORKAROUND(pydantic 2.14): it reads the metadata of every installed distribution (0.04 s of a start, 33 modules),
    and a plugin that it found would have a say in every value here. The environment variable that turns plugins off
    would be handed on to commands; remove when there is another way.
    """

    @staticmethod
    def get_plugins() -> tuple[()]:
        """None."""
        return ()


sys.modules.setdefault(_SEARCH, _NoPlugins(_SEARCH))


class Frozen(BaseModel):
    """An immutable value; unknown fields are errors. Change it with `model_copy(update=…)`.

    The validator of a class is built when the first value of it is made, under pydantic's own lock: a start needs a
    quarter of the classes, and building all of them took 0.15 s.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, in a third of its time: folds of long logs copy a value for each entry."""
        if deep or self.__pydantic_extra__ is not None or self.__pydantic_private__ is not None:
            return super().model_copy(update=update, deep=deep)
        changes = update or {}
        return made_of(type(self), {**self.__dict__, **changes}, {*self.__pydantic_fields_set__, *changes})


T = TypeVar("T", bound=Frozen)


def made_of(cls: type[T], place: dict[str, Any], given: set[str]) -> T:
    """A value with these fields as they are, which nothing checks; the dictionary is the value's from here on. `given`:
    those that count as given."""
    made = _new(cls)
    _place(made, place)
    _given(made, given)
    _extra(made, None)
    _private(made, None)
    return made
