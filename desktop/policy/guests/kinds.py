"""Which tool judges a call of a guest, and with which arguments (guests-A17)."""

from pydantic import JsonValue

from desktop.policy.guests.permission import GuestCall

COMMAND, EDIT, READ, FETCH, THINK, OTHER = "bash", "edit_file", "read_file", "web_fetch", "think", "guest_call"
MODE = "switch_mode"
WRITE = "write_file"


def as_call(call: GuestCall) -> tuple[str, dict[str, JsonValue]]:
    """The name and the arguments by which the gate judges the call. What does not say enough is a call of which
    nothing is known, and asks in every mode (guests-A18)."""
    title = call.title
    if not call.readable:
        return OTHER, {"title": title, "input": call.raw, "readable": False}
    match call.kind:
        case "execute":
            given: dict[str, JsonValue] = {"command": call.command or "", "description": title}
            return COMMAND, {**given, "cwd": call.cwd} if call.cwd else given
        case "edit" | "delete" | "move":
            changes: list[JsonValue] = [edit.model_dump() for edit in call.edits]
            paths: list[JsonValue] = [path.model_dump() for path in call.paths]
            return EDIT, {"title": title, "changes": changes, "paths": paths}
        case "read" | "search":
            return READ, {"title": title, "paths": [path.path for path in call.paths]}
        case "fetch":
            return FETCH, {"url": call.url}
        case "think":
            return THINK, {"title": title}
        case "switch_mode":
            return MODE, {"title": title}
    return OTHER, {"title": title, "input": call.raw}
