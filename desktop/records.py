"""dataclass: as the standard library's, with its methods made when they are first needed.

The standard one writes and compiles six methods of a class while its module is imported, and a start imports three
times as many of such classes as it makes values of.
"""

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> type | Callable[[type], type]:
        """As `dataclasses.dataclass`. A mistake in the fields is told at the first value, not at the import."""
        if cls is None:
            return lambda kind: dataclass(kind, **options)
        if options.get("slots") or _is_made_otherwise(cls):
            return dataclasses.dataclass(cls, **options)
        _Unmade(cls, options)
        return cls


_FIELDS = "__dataclass_fields__"
_making = threading.RLock()  # any thread may make the first value of a class, as any may import it


class _Unmade:
    """Stands in a class for its fields: before somebody is given these, or a value is made, the methods are."""

    def __init__(self, cls: type, options: dict[str, bool]) -> None:
        self._cls, self._options = cls, options
        type.__setattr__(cls, _FIELDS, self)
        type.__setattr__(cls, "__new__", staticmethod(self._new))

    def __get__(self, instance: object, owner: type) -> object:
        self._make()
        return vars(self._cls)[_FIELDS]

    def _make(self) -> None:
        with _making:
            if vars(self._cls)[_FIELDS] is self:
                dataclasses.dataclass(**self._options)(self._cls)
                type.__setattr__(self._cls, "__new__", staticmethod(_new))

    def _new(self, cls: type, /, *args: object, **kwargs: object) -> object:
        self._make()
        return object.__new__(cls)


def _new(cls: type, /, *args: object, **kwargs: object) -> object:
    """In place of `object.__new__`, which CPython lets refuse arguments once a class has had another."""
    return object.__new__(cls)


def _is_made_otherwise(cls: type) -> bool:
    return any("__new__" in vars(base) and _FIELDS not in vars(base) for base in cls.__mro__[:-1])
