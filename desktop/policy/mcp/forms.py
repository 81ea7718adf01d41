"""What a server may ask a person for: a flat form as questions, and the answers as its values (guests-M26)."""

import math
import re
from collections.abc import Mapping

from pydantic import JsonValue

from desktop.domain.gate.pending import Option, Question
from desktop.policy.network.hosts import Refused
from desktop.records import dataclass

MOST_FIELDS = 10
MOST_CHARS = 1_000
MOST_OPTIONS = 20
_SECRET = re.compile(
    r"pass\s*-?_?(?:word|phrase|code|wd)|\bpwd\b|\bpin\b|secret|token|credential|api\W?_?key|(?:private|access|secret)"
    r"\W?_?key|\botp\b|one\W?time|\bcvv\b|\bcvc\b|card\W?_?number|\biban\b|seed\W?_?phrase",
    re.IGNORECASE,
)
_YES, _NO = "Yes", "No"
Values = dict[str, str | int | float | bool | list[str] | None]


@dataclass(frozen=True)
class Field:
    """One field: the question that it is for a person, and what its answer is for the server."""

    question: Question
    kind: str

    @property
    def name(self) -> str:
        """Its name."""
        return self.question.id


def form_of(schema: Mapping[str, JsonValue]) -> tuple[Field, ...] | Refused:
    """The fields of a form, or why it is not shown: it is nested, too long, or asks for a secret."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not properties:
        return Refused("It asks for nothing.")
    if len(properties) > MOST_FIELDS:
        return Refused(f"It asks for more than {MOST_FIELDS} things at once.")
    fields: list[Field] = []
    for name, said in properties.items():
        if not isinstance(said, dict):
            return Refused(f"Its field {name[:60]!r} is none.")
        if _is_secret(name, said):
            return Refused(f"Its field {name[:60]!r} asks for a secret, which no server is given on a card.")
        needed = isinstance(required, list) and name in required
        field = _field(name, said, needed)
        if isinstance(field, Refused):
            return field
        fields.append(field)
    return tuple(fields)


def values_of(fields: tuple[Field, ...], answers: Mapping[str, tuple[str, ...]]) -> Values | Refused:
    """What the server gets for these answers, or what is wrong with one of them. Fields without an answer are left out;
    what nobody asked for is dropped."""
    values: Values = {}
    for field in fields:
        given = [text.strip() for text in answers.get(field.name, ()) if text.strip()]
        if not given:
            continue
        value = _value(field.kind, given)
        if value is None:
            return Refused(f"{field.question.text!r} wants {_WANTED[field.kind]}.")
        values[field.name] = value
    return values


_WANTED = {"integer": "a whole number", "number": "a number"}


def _field(name: str, said: Mapping[str, JsonValue], needed: bool) -> Field | Refused:
    kind = said.get("type")
    choices = _choices(said)
    if kind == "array" and isinstance(items := said.get("items"), dict):
        kind, choices = "list", _choices(items)
    if kind not in ("string", "number", "integer", "boolean", "list") or (kind == "list" and not choices):
        return Refused(f"Its field {name[:60]!r} is no text, number, choice or yes and no.")
    if kind == "boolean":
        choices = ((_YES, _YES), (_NO, _NO))
    if len(choices) > MOST_OPTIONS:
        return Refused(f"Its field {name[:60]!r} has more than {MOST_OPTIONS} choices.")
    title, about, default = (_text(said.get(key)) for key in ("title", "description", "default"))
    question = Question(
        id=name,
        text=": ".join(part for part in (title or name, about) if part)[:MOST_CHARS],
        header=(title or name)[:40],
        options=tuple(Option(label=label[:120], value=value) for value, label in choices),
        multi_select=kind == "list",
        required=needed,
        freeform=not choices,
        default_assumption=default[:300],
    )
    return Field(question, str(kind))


def _choices(said: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    """Values with what people read, of a list of values or of named ones."""
    plain, named = said.get("enum"), said.get("oneOf") or said.get("anyOf")
    if isinstance(plain, list):
        words = said.get("enumNames")
        labels = words if isinstance(words, list) and len(words) == len(plain) else plain
        return tuple((str(value), str(label)) for value, label in zip(plain, labels, strict=True))
    if isinstance(named, list):
        found = [one for one in named if isinstance(one, dict) and isinstance(one.get("const"), str)]
        return tuple((str(one["const"]), _text(one.get("title")) or str(one["const"])) for one in found)
    return ()


def _is_secret(name: str, said: Mapping[str, JsonValue]) -> bool:
    if said.get("format") == "password" or said.get("writeOnly") is True:
        return True
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")
    return any(_SECRET.search(text) for text in (spaced, *(_text(said.get(key)) for key in ("title", "description"))))


def _value(kind: str, given: list[str]) -> str | int | float | bool | list[str] | None:
    if kind == "list":
        return given
    first = given[0]
    if kind == "boolean":
        return first == _YES
    if kind == "string":
        return first
    try:
        number = int(first) if kind == "integer" else float(first)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _text(said: JsonValue) -> str:
    return "" if said is None or isinstance(said, (dict, list)) else str(said).strip()
