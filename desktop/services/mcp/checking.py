"""Values checked against a JSON schema of a server: within 250 ms, and looking nowhere outside the schema."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from itertools import islice
from typing import Any

from pydantic import JsonValue

from desktop.late import late

LIMIT_S = 0.25
MOST_PROBLEMS = 8
MAX_PROBLEM = 200
TOO_LONG = "they could not be checked within 250 ms"
_MOST_STEPS = 4_000_000
"""A pattern that could take more steps over a text is left to the server: nothing stops Python's `re` on the way."""
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,?\d*\})|\(\?[<=!P]|\\[1-9]")
_REPEATS = re.compile(r"(?<!\\)[*+]|\{\d+,\d*\}")

Check = Callable[[Any, Any, Any, Any], Iterator[Any]]


class TimeUp(Exception):
    """The check takes too long."""


class Checker:
    """Checks values against one schema, which is read at the first check."""

    def __init__(self, schema: dict[str, JsonValue], *, limit_s: float = LIMIT_S) -> None:
        self._schema = schema
        self._limit_s = limit_s
        self._ends = 0.0

    def problems(self, value: JsonValue) -> tuple[str, ...]:
        """What is wrong with the value, at most eight sentences without end; () for nothing."""
        try:
            validator = self._validator
            self._ends = time.monotonic() + self._limit_s
            return tuple(_words(error) for error in islice(validator.iter_errors(value), MOST_PROBLEMS))
        except TimeUp:
            return (TOO_LONG,)
        except RecursionError:
            return ("they cannot be checked, because the schema of the tool has no end",)
        except Exception as error:  # noqa: BLE001 - what a broken schema of a stranger makes the library raise
            return (f"they cannot be checked, because the schema of the tool is broken: {str(error)[:MAX_PROBLEM]}",)

    def unknown_fields(self, value: Mapping[str, JsonValue]) -> tuple[str, ...]:
        """Fields that the schema does not know, though it does not refuse them either."""
        schema = self._schema
        says_more = {"patternProperties", "additionalProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf"}
        known = schema.get("properties")
        if not isinstance(known, dict) or says_more & schema.keys() or "$ref" in schema:
            return ()
        return tuple(f"{name[:80]}: is not a field of this tool" for name in value if name not in known)

    @cached_property
    def _validator(self) -> Any:
        library = late("jsonschema.validators")
        kind = library.validator_for(self._schema, default=library.Draft202012Validator)
        checks: dict[str, Check] = {name: self._timed(check) for name, check in kind.VALIDATORS.items()}
        checks |= {"pattern": _pattern, "uniqueItems": _unique, "patternProperties": self._timed(_pattern_properties)}
        limited = library.extend(kind, checks)
        return limited(self._schema, registry=late("referencing").Registry())

    def _timed(self, check: Check) -> Check:
        def timed(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
            if time.monotonic() > self._ends:
                raise TimeUp
            yield from check(validator, said, value, schema) or ()

        return timed


@cache
def load_checking() -> None:
    """Import now what checks, on a worker thread, before the first call comes."""
    Checker({}).problems({})


def _pattern(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and _is_quick(said, value) and not re.search(said, value):
        yield late("jsonschema.exceptions").ValidationError(f"{value!r} does not match {said!r}")


def _pattern_properties(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
    for pattern, inner in said.items() if isinstance(value, dict) else ():
        for name, item in value.items():
            if _is_quick(pattern, name) and re.search(pattern, name):
                yield from validator.descend(item, inner, path=name, schema_path=pattern)


def _unique(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[Any]:
    if said and isinstance(value, list) and len({json.dumps(one, sort_keys=True) for one in value}) < len(value):
        yield late("jsonschema.exceptions").ValidationError("it has the same item twice")


def _is_quick(pattern: str, text: str) -> bool:
    """Whether the pattern surely ends soon on this text."""
    if _REPEATED_GROUP.search(pattern):
        return False
    steps: int = (len(text) + 1) ** max(len(_REPEATS.findall(pattern)), 1)
    return steps <= _MOST_STEPS


def _words(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path) or "input"
    text = str(error.message)
    return f"{place}: {text if len(text) <= MAX_PROBLEM else f'{text[:MAX_PROBLEM]}…'}"
