"""What a peer returned to a request: one of a result and an error, whatever it sent (tools-T38)."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

NEITHER = "The handler returned neither result nor error."
UNKNOWN = "unknown error"
NO_OUTPUT = "(no output)"
DROPPED = "result dropped"


def error_of(answer: Mapping[str, JsonValue]) -> str | None:
    """The text of its error, which goes before a result; None: it has a result and no error."""
    said = answer.get("error")
    if said is None:
        return None if "result" in answer else NEITHER
    text = said.get("message") if isinstance(said, dict) else said
    return (text if isinstance(text, str) else json_text(said)).strip() or UNKNOWN


def result_text(result: JsonValue) -> str:
    """A result that is no object of its protocol, as text."""
    if result is None:
        return NO_OUTPUT
    return result if isinstance(result, str) else json_text(result)


def json_text(value: JsonValue) -> str:
    """JSON for a reader, with the keys in their order."""
    return json.dumps(value, indent=2, ensure_ascii=False)
