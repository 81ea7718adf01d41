"""Frozen: the base of every value that is stored or crosses a thread."""

import sys
from types import ModuleType

from pydantic import BaseModel, ConfigDict

_SEARCH = "pydantic.plugin._loader"


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
