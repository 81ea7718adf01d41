"""What a model is told of a tool of a server: its description and schema, trimmed and cut, and which schemas
cannot be used."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from desktop.domain.core.base import Frozen

MAX_DESCRIPTION = 1_024
MAX_SCHEMA = 16 * 1024
MAX_GIVEN = 1024 * 1024
"""A longer schema is not read at all."""
MAX_DEPTH = 20
MAX_GIVEN_DEPTH = 100
CUT = " [… cut; the person can see the whole]"
CUT_SCHEMA = "The rest of this schema was cut; the server checks it."

_DROPPED = frozenset({"title", "examples", "example", "$schema", "$comment"})
_FORMATS = (
    *("date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "uuid"),
    *("regex", "json-pointer"),
)
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONE = frozenset(
    {
        *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties"),
    }
)
_REFS = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_ROOT_ONLY = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
"""Model services refuse these at the root of a tool's schema."""
_FIELD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_STEPS: tuple[tuple[int, int | None], ...] = ((MAX_DEPTH, None), (MAX_DEPTH, 200), (MAX_DEPTH, 0), (6, 0), (3, 0))
"""How deep the parts of a schema that is too long are told, and how long their descriptions; the first that fits."""


class Told(Frozen):
    """What a model is told. `cut`: the server said more."""

    description: str
    schema_: dict[str, Any]
    cut: bool = False


def schema_problem(schema: JsonValue) -> str:
    """Why a schema of arguments cannot be used, in one sentence; "" when it can."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return "Its schema does not describe an object."
    if depth_of(schema, MAX_GIVEN_DEPTH) > MAX_GIVEN_DEPTH:
        return f"Its schema is nested deeper than {MAX_GIVEN_DEPTH} levels."
    if len(json.dumps(schema)) > MAX_GIVEN:
        return "Its schema is larger than 1 MiB."
    outside = next((ref for ref in _refs(schema) if not ref.startswith("#")), None)
    if outside is not None:
        return f"Its schema points outside itself: {outside[:200]}."
    fields = schema.get("properties", {})
    if not isinstance(fields, dict) or not all(isinstance(one, dict | bool) for one in fields.values()):
        return "Its schema does not say what its fields are."
    odd = next((name for name in fields if not _FIELD.fullmatch(name)), None)
    return "" if odd is None else f"Models cannot name its field {odd[:80]!r}."


def told(description: str, schema: dict[str, Any]) -> Told:
    """What a model is told of a tool whose schema can be used."""
    text, text_cut = _cut(description)
    for depth, words in _STEPS:
        trimmed = _parts(schema, depth, words)
        shown = {"type": "object", **{key: part for key, part in trimmed.items() if key not in _ROOT_ONLY}}
        lost = depth < MAX_DEPTH or words is not None or len(shown) < len(trimmed) or depth_of(schema) > _most(depth)
        if lost:
            shown["description"] = CUT_SCHEMA
        if len(json.dumps(shown, ensure_ascii=False)) <= MAX_SCHEMA:
            return Told(description=text, schema_=shown, cut=text_cut or lost)
    return Told(description=text, schema_={"type": "object", "description": CUT_SCHEMA}, cut=True)


def depth_of(value: JsonValue, most: int = 10_000) -> int:
    """How deep objects and lists of a value stand within one another, 0 for a plain value; no more than `most` + 1 is
    looked at."""
    depth, level = 0, [value]
    while depth <= most:
        inside = [one for one in level if isinstance(one, dict | list)]
        if not inside:
            break
        depth += 1
        level = [part for one in inside for part in (one.values() if isinstance(one, dict) else one)]
    return depth


def _most(depth: int) -> int:
    """The depth of JSON that schemas within one another to this depth surely fit in."""
    return 2 * depth


def _cut(text: str, limit: int = MAX_DESCRIPTION) -> tuple[str, bool]:
    return (text, False) if len(text) <= limit else (text[: limit - len(CUT)] + CUT, True)


def _refs(value: JsonValue) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from (ref for key in _REFS if isinstance(ref := one.get(key), str))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _parts(schema: dict[str, JsonValue], depth: int, words: int | None) -> dict[str, Any]:
    """The schema without what a model does not need. `depth`: how many levels of schemas; `words`: how many characters
    a description may have, None: as the server says."""
    shown: dict[str, Any] = {}
    for key, part in schema.items():
        if key in _DROPPED or (key == "format" and part not in _FORMATS):
            continue
        if key == "description" and isinstance(part, str) and words is not None:
            if words:
                shown[key] = part[:words]
        elif key in _MAPS and isinstance(part, dict):
            shown[key] = {name: _inner(one, depth, words) for name, one in part.items()} if depth > 1 else {}
        elif key in _LISTS and isinstance(part, list):
            shown[key] = [_inner(one, depth, words) for one in part]
        elif key in _ONE:
            shown[key] = _inner(part, depth, words)
        else:
            shown[key] = part
    return shown


def _inner(schema: JsonValue, depth: int, words: int | None) -> Any:
    """A schema within another, `true` where it stands too deep."""
    if not isinstance(schema, dict):
        return schema
    return _parts(schema, depth - 1, words) if depth > 1 else True
