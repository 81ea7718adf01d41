"""How the editable arguments of a call are typed on its card: read from the tool's own JSON schema."""

from collections.abc import Sequence

from pydantic import JsonValue

from desktop.domain.gate.pending import EditField, EditKind

Schema = dict[str, JsonValue]
_KINDS: dict[JsonValue, EditKind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def edit_fields(schema: Schema, names: Sequence[str]) -> tuple[EditField, ...]:
    """One field for each name, in their order. What a schema says that no simple control can hold is typed as JSON."""
    properties = _object(schema.get("properties"))
    return tuple(_field(name, _object(properties.get(name)), _object(schema.get("$defs"))) for name in names)


def _field(name: str, said: Schema, definitions: Schema) -> EditField:
    about = said.get("description")
    choices = said.get("anyOf")
    kinds = [_object(one) for one in choices] if isinstance(choices, list) else [said]
    typed = [_resolved(one, definitions) for one in kinds if one.get("type") != "null"]
    optional = len(typed) < len(kinds)
    common = {"name": name, "optional": optional, "about": about if isinstance(about, str) else ""}
    if len(typed) != 1:
        return EditField(kind="json", **common)
    (one,) = typed
    values = one.get("enum")
    if isinstance(values, list):
        words = tuple(value for value in values if isinstance(value, str))
        fits = bool(words) and len(words) == len(values)
        return EditField(kind="choice", choices=words, **common) if fits else EditField(kind="json", **common)
    kind = _KINDS.get(one.get("type"), "json") if isinstance(one.get("type"), str) else "json"
    return EditField(kind=kind, least=_whole(one.get("minimum")), most=_whole(one.get("maximum")), **common)


def _resolved(one: Schema, definitions: Schema) -> Schema:
    """What a reference within the schema means."""
    reference = one.get("$ref")
    if not isinstance(reference, str):
        return one
    return _object(definitions.get(reference.rpartition("/")[2]))


def _object(value: JsonValue) -> Schema:
    return value if isinstance(value, dict) else {}


def _whole(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
