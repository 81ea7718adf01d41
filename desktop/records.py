"""dataclass: as the standard library's, with its methods made when they are first needed.

The standard one writes and compiles six methods of a class while its module is imported, and a start imports three
times as many of such classes as it makes values of. Three of the six say the same in every class, but for the names of
fields: they are not compiled.
"""

import dataclasses
import threading
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> type | Callable[[type], type]:
        """As `dataclasses.dataclass`. A mistake in the fields is told at the first value, not at the import."""
        if cls is None:
            return lambda kind: dataclass(kind, **options)
        if _is_made_otherwise(cls):
            return dataclasses.dataclass(cls, **options)
        if options.get("slots"):
            return _whole(cls, options)
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
                _whole(self._cls, self._options)
                type.__setattr__(self._cls, "__new__", staticmethod(_new))

    def _new(self, cls: type, /, *args: object, **kwargs: object) -> object:
        self._make()
        return object.__new__(cls)


def _new(cls: type, /, *args: object, **kwargs: object) -> object:
    """In place of `object.__new__`, which CPython lets refuse arguments once a class has had another."""
    return object.__new__(cls)


def _is_made_otherwise(cls: type) -> bool:
    return any("__new__" in vars(base) and _FIELDS not in vars(base) for base in cls.__mro__[:-1])


def _whole(cls: type, options: dict[str, bool]) -> type:
    """The class with all its methods, which say what the standard ones would."""
    if options.get("order") or options.get("unsafe_hash"):
        return dataclasses.dataclass(**options)(cls)
    own = dict(vars(cls))
    made: type = dataclasses.dataclass(**{**options, "repr": False, "eq": False})(cls)
    fields = dataclasses.fields(made)
    methods: dict[str, object] = {}
    if options.get("repr", True) and "__repr__" not in own:
        methods["__repr__"] = _repr([one.name for one in fields if one.repr])
    if options.get("eq", True):
        if "__eq__" not in own:
            methods["__eq__"] = _eq([one.name for one in fields if one.compare])
        if own.get("__hash__") is None and ("__hash__" not in own or "__eq__" in own):
            hashed = [one.name for one in fields if (one.compare if one.hash is None else one.hash)]
            methods["__hash__"] = _hash(hashed) if options.get("frozen") else None
    for name, method in methods.items():
        type.__setattr__(made, name, method)
    return made


def _values(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    only = [attrgetter(name) for name in names]
    return lambda value: tuple(get(value) for get in only)


def _repr(names: Sequence[str]) -> Callable[[object], str]:
    values = _values(names)

    @recursive_repr()
    def said(self: object) -> str:
        words = ", ".join(f"{name}={value!r}" for name, value in zip(names, values(self), strict=True))
        return f"{self.__class__.__qualname__}({words})"

    return said


def _eq(names: Sequence[str]) -> Callable[[object, object], bool]:
    values = _values(names)

    def is_equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return is_equal


def _hash(names: Sequence[str]) -> Callable[[object], int]:
    values = _values(names)

    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed
