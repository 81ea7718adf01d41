"""What a line of the wire holds: its JSON, read so that nothing in it can harm whoever handles it (guests-A7)."""

import json
from typing import NoReturn

from pydantic import JsonValue

DEEPEST = 200


class TooDeep(Exception):
    """A message that is nested too deep."""


def parsed(line: bytes) -> JsonValue:
    """The value of a line. Raises ValueError: it is no JSON; TooDeep."""
    try:
        value: JsonValue = _DECODER.decode(line.decode("utf-8"))
    except RecursionError as error:
        raise TooDeep from error
    if line.count(b"{") + line.count(b"[") > DEEPEST and _is_too_deep(value):
        raise TooDeep
    return _without_halves(value) if b"\\ud" in line or b"\\uD" in line else value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _is_too_deep(value: JsonValue) -> bool:
    level: list[JsonValue] = [value]
    for _ in range(DEEPEST):
        inner = [part for one in level for part in _parts_of(one)]
        level = [part for part in inner if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _parts_of(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _without_halves(value: JsonValue) -> JsonValue:
    """The value, in which halves of characters are question marks: text that is cut between them can be sent."""
    text = json.dumps(value, ensure_ascii=False)
    made: JsonValue = json.loads(text.encode("utf-8", "replace"))
    return made


def is_message(found: dict[str, JsonValue]) -> bool:
    """Whether this is a request, a notification or an answer, by its form."""
    number = found.get("id")
    if isinstance(number, bool) or not isinstance(number, str | int | None):
        return False
    return isinstance(found.get("method"), str) or ("id" in found and ("result" in found or "error" in found))
