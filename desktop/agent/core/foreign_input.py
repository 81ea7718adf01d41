"""What a model sends as parts of its answer, made so that it can be recorded; an input: its digest, its faults."""

import hashlib
import json
from typing import NoReturn

from pydantic import JsonValue

from desktop.domain.core.event_base import Parts
from desktop.domain.gate.action import canonical_json
from desktop.store.history.event_body import MAX_NESTING, nesting

MAX_INPUT_NESTING = MAX_NESTING - 10
_UNSHOWABLE = "[" * (MAX_INPUT_NESTING + 1)


def recordable_parts(parts: Parts) -> Parts:
    """The parts, in order. A call's input that no event can hold becomes text; another such part is left out.

    What no event can hold: NaN, Infinity, more than 190 levels (an event adds its own to reach the limit of 200).
    """
    kept: list[JsonValue] = []
    for part in parts:
        if _is_recordable(part):
            kept.append(part)
        elif isinstance(part, dict) and part.get("type") == "tool_use":
            kept.append({**part, "input": _as_text(part.get("input"))})
    return tuple(kept)


def input_problem(raw: JsonValue) -> str:
    """Why this input cannot be used, "" if it may be. Text instead of an object: what its JSON would have been."""
    if not isinstance(raw, str):
        return "" if _is_recordable(raw) else "it holds a number that JSON does not know, or is nested too deep"
    if nesting(raw, MAX_INPUT_NESTING) > MAX_INPUT_NESTING:
        return f"it is nested over {MAX_INPUT_NESTING} levels"
    try:
        json.loads(raw, parse_constant=_refuse)
    except _UnknownNumber as error:
        return f"it holds {error}, which is not JSON"
    except ValueError as error:
        return f"it is not JSON ({error}); perhaps it was cut off"
    return "it is not an object"


def input_digest(raw: JsonValue) -> str:
    """64 hex digits, or "" for an input that has no canonical form."""
    try:
        return hashlib.sha256(canonical_json(raw).encode()).hexdigest()
    except (ValueError, RecursionError):
        return ""


class _UnknownNumber(Exception):
    """NaN or an infinity; the text is its name."""


def _refuse(name: str) -> NoReturn:
    raise _UnknownNumber(name)


def _is_recordable(value: JsonValue) -> bool:
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return False
    return nesting(text, MAX_INPUT_NESTING) <= MAX_INPUT_NESTING


def _as_text(value: JsonValue) -> str:
    try:
        return json.dumps(value)
    except (ValueError, TypeError, RecursionError):
        return _UNSHOWABLE
