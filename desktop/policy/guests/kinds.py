"""Which tool judges a call of a guest, and with which arguments (guests-A17)."""

from collections.abc import Mapping

from pydantic import JsonValue

from desktop.policy.guests.permission import GuestCall

COMMAND, EDIT, READ, FETCH, THINK, OTHER = "bash", "edit_file", "read_file", "web_fetch", "think", "guest_call"
MODE = "switch_mode"
WRITE, QUESTION, UNREPORTED = "write_file", "guest_question", "unreported_change"


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


def plan_of(told: Mapping[str, JsonValue]) -> str:
    """The plan in what a guest tells of a call by which it wants to leave its plan mode, "" for none (guests-A29)."""
    raw, content = told.get("rawInput"), told.get("content")
    plan = raw.get("plan") if isinstance(raw, dict) else None
    if isinstance(plan, str) and plan.strip():
        return plan
    parts = [one.get("content") for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    texts = [one.get("text") for one in parts if isinstance(one, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
