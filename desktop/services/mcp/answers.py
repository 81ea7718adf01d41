"""Answers of servers that are no messages of the protocol, read all the same: who asked does not wait in vain."""

from typing import TYPE_CHECKING, Final

from pydantic import JsonValue, ValidationError

from desktop.late import late
from desktop.services.peers.answers import DROPPED, error_of, result_text

if TYPE_CHECKING:
    from mcp.types.jsonrpc import JSONRPCMessage

INTERNAL = -32603
RESULT_DROPPED: Final = {"note": DROPPED}
"""The `data` of an error that came with a result; this very value, as a server may send an equal one."""


def answer_of(error: Exception) -> "JSONRPCMessage | None":
    """The same for a message that the library could not read, as it hands it on of old servers at an address."""
    if not isinstance(error, ValidationError):
        return None
    return next((answer for one in error.errors() if (answer := answer_in(one["input"])) is not None), None)


def answer_in(value: JsonValue) -> "JSONRPCMessage | None":
    """The answer to a request of ours that a message holds, None where it is none (tools-T38)."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0" or "method" in value:
        return None
    number = value.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str):
        return None
    types, problem, result = late("mcp.types"), error_of(value), value.get("result")
    made: JSONRPCMessage
    if problem is None:
        given = result if isinstance(result, dict) else {"content": [{"type": "text", "text": result_text(result)}]}
        made = types.JSONRPCResponse(jsonrpc="2.0", id=number, result=given)
        return made
    said = value.get("error")
    code = said.get("code") if isinstance(said, dict) else None
    error = types.ErrorData(code=code if isinstance(code, int) else INTERNAL, message=problem)
    if "result" in value:
        error.data = RESULT_DROPPED
    made = types.JSONRPCError(jsonrpc="2.0", id=number, error=error)
    return made
