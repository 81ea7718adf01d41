"""Recorded content blocks, reduced to what a model service takes: known fields only, nothing blank, no markers.

The rule numbers are those of the reconstruction of messages (`desktop.domain.history.builder`).
"""

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from pydantic import JsonValue

from desktop.domain.core.event_base import Parts
from desktop.domain.web.vendor import CALL_TYPES, is_call, is_result, result_type

Part = dict[str, Any]

THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})
_MARKER_KEYS = frozenset({"_truncated", "_originalSize", "_preview"})


def assistant_parts(parts: Parts) -> tuple[Part, ...]:
    """The blocks of an assistant event; signed and unsigned thinking alike, inputs as recorded.

    A thinking block keeps an empty `signature` when it has none, so that R14 can run before R9. Results do not belong
    into an answer and are dropped, but for those of the service's own tools. Texts keep what they cite: the service
    wants it back as it came.
    """
    reduced = (_spoken(part) for part in parts if isinstance(part, dict) and part.get("type") != "tool_result")
    return tuple(part for part in reduced if part is not None)


def cites(part: Part) -> bool:
    """Whether it is a text that says where its words come from."""
    return part.get("type") == "text" and "citations" in part


def user_parts(parts: Parts) -> tuple[Part, ...]:
    """The blocks of a user event without its embedded results. Calls and thinking are dropped."""
    own = THINKING_TYPES | {"tool_use", "tool_result"}
    said = (part for part in parts if isinstance(part, dict) and part.get("type") not in own | CALL_TYPES)
    reduced = (_reduce(part) for part in said if not result_type(part.get("type")))
    return tuple(part for part in reduced if part is not None)


def embedded_results(parts: Parts) -> list[tuple[Part, bool]]:
    """The `tool_result` blocks inside a user event, reduced, each with: is it only a placeholder?"""
    found: list[tuple[Part, bool]] = []
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "tool_result" and isinstance(part.get("tool_use_id"), str):
            meta = part.get("_meta")
            placeholder = isinstance(meta, dict) and meta.get("interrupted") is True
            content = part.get("content")
            kept = content if isinstance(content, (str, list)) else ""
            found.append(
                (result_part(str(part["tool_use_id"]), kept, is_error=part.get("is_error") is True), placeholder)
            )
    return found


def result_part(call_id: str, content: str | Sequence[JsonValue], *, is_error: bool) -> Part:
    """A `tool_result` block. An error with blank content is left so; the words for it are the caller's."""
    kept: str | list[Part]
    if isinstance(content, str):
        kept = content
    else:
        reduced = (_reduce(part) for part in content if isinstance(part, dict))
        kept = [part for part in reduced if part is not None] or ""
    block: Part = {"type": "tool_result", "tool_use_id": call_id, "content": kept}
    if is_error:
        block["is_error"] = True
    return block


def is_blank(text: str) -> bool:
    """Empty, or white space only."""
    return not text or text.isspace()


def input_object(value: JsonValue) -> dict[str, JsonValue] | None:
    """The object that a recorded input stands for: null is empty, JSON text is parsed; None: it is no object."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def is_marker(value: dict[str, JsonValue]) -> bool:
    """Does this stand for an input that was too long to be recorded?"""
    if value.get("_truncated") is True:
        return value.keys() <= _MARKER_KEYS
    return len(value) == 1 and value.get("_serializationError") is True


def _spoken(part: dict[str, JsonValue]) -> Part | None:
    reduced = _reduce(part)
    cited = part.get("citations")
    if reduced is None or part.get("type") != "text" or not isinstance(cited, list) or not cited:
        return reduced
    return {**reduced, "citations": cited}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _reduce(part: dict[str, JsonValue]) -> Part | None:
    """The block with its API fields only; None: blank text, or no block a service could take."""
    kind = part.get("type")
    match kind:
        case "text":
            text = part.get("text")
            return {"type": "text", "text": text} if isinstance(text, str) and not is_blank(text) else None
        case "tool_use":
            call_id, name = part.get("id"), part.get("name")
            if not isinstance(call_id, str) or not isinstance(name, str):
                return None
            return {"type": "tool_use", "id": call_id, "name": name, "input": part.get("input")}
        case "thinking":
            thinking, signature = part.get("thinking"), part.get("signature")
            signed = signature if isinstance(signature, str) else ""
            return (
                {"type": "thinking", "thinking": thinking, "signature": signed} if isinstance(thinking, str) else None
            )
        case "redacted_thinking":
            data = part.get("data")
            return {"type": "redacted_thinking", "data": data} if isinstance(data, str) else None
        case str() if (kind in CALL_TYPES or result_type(kind)) and not (is_call(part) or is_result(part)):
            return None
        case str():
            return {key: value for key, value in part.items() if not key.startswith("_")}
    return None
