"""The tools of agents of others that the scripted model service calls, with what each takes."""

from typing import Any

from desktop.records import dataclass

_SHELLS = {"exec_command": "cmd", "shell_command": "command", "Bash": "command", "run_shell_command": "command"}
_SHELLS |= {"bash": "command", "execute": "command"}


@dataclass(frozen=True)
class Wanted:
    """A call. `text`: what a tool of free text is given."""

    name: str
    given: dict[str, Any]
    text: str = ""


def wanted_calls(lines: list[tuple[str, str]], tools: set[str]) -> list[Wanted]:
    """The calls for these lines with these tools; a line that none of them can carry out is left out."""
    found = [_call(what, rest.strip(), tools) for what, rest in lines]
    return [one for one in found if one is not None]


def _call(what: str, rest: str, tools: set[str]) -> Wanted | None:
    path, *texts = [part.strip() for part in rest.split(" => ")]
    match what:
        case "run":
            return _command(rest, tools)
        case "read":
            name = next((one for one in ("Read", "read_file") if one in tools), "")
            return Wanted(name, {"file_path": path}) if name else _command(f"cat {path}", tools)
        case "write" | "edit":
            return _change(path, texts, tools)
        case "plan":
            return _plan([step.strip() for step in rest.split(";")], tools)
        case "fetch" if "web_fetch" in tools:
            return Wanted("web_fetch", {"prompt": f"Read {rest}"})
        case "fetch" if "Bash" in tools:
            return Wanted("WebFetch", {"url": rest, "prompt": "Read it"})
    return None


def _command(command: str, tools: set[str]) -> Wanted | None:
    name = next((one for one in _SHELLS if one in tools), "")
    more = {"description": "Run it"} if _SHELLS.get(name) == "command" else {}
    return Wanted(name, {_SHELLS[name]: command, **more}) if name else None


def _change(path: str, texts: list[str], tools: set[str]) -> Wanted | None:
    old, new = texts if len(texts) == 2 else ("", texts[0])
    if "apply_patch" in tools:
        what = f"Update File: {path}\n@@\n-{old}\n" if old else f"Add File: {path}\n"
        return Wanted("apply_patch", {}, f"*** Begin Patch\n*** {what}+{new}\n*** End Patch\n")
    if old:
        name = next((one for one in ("Edit", "replace") if one in tools), "")
        more = {"instruction": "Change it."} if name == "replace" else {}
        return Wanted(name, {"file_path": path, "old_string": old, "new_string": new, **more}) if name else None
    name = next((one for one in ("Write", "write_file") if one in tools), "")
    return Wanted(name, {"file_path": path, "content": f"{new}\n"}) if name else None


def _plan(steps: list[str], tools: set[str]) -> Wanted | None:
    if "update_plan" in tools:
        return Wanted("update_plan", {"plan": [{"step": step, "status": "pending"} for step in steps]})
    if "Bash" not in tools:
        return None
    todos = [{"content": step, "status": "pending", "activeForm": step} for step in steps]
    return Wanted("TodoWrite", {"todos": todos})
