"""Hooks of another program's settings as ours, where they mean the same, and the others with the reason (guests-H8).

Read are settings with an object `hooks`: by moment a list of matchers, each with a list of commands.
"""

import json
import re
from collections.abc import Collection, Mapping
from itertools import count

from pydantic import JsonValue

from desktop.domain.hooks.values import Hook, HookMatch, HookMoment
from desktop.records import dataclass

LONGEST_S = 60.0
_MOMENTS: dict[str, HookMoment] = {"PostToolUse": "after_call", "Stop": "on_stop"}
_OTHERS_TOLD: Mapping[str, str] = {
    "PreToolUse": "{shown}, as there a hook that fails lets the call run, and here it refuses it.",
    "Notification": "{shown}, as there it reaches the desktop, and here it runs in the sandbox.",
    "": "{shown}, as there is no such moment here.",
}
_TOOLS = {
    "Bash": "bash",
    "Edit": "edit_file",
    "MultiEdit": "edit_file",
    "Write": "write_file",
    "Read": "read_file",
}
_READS_INPUT = re.compile(
    r"\$|`|/dev/stdin|\b(?:jq|cat|read|xargs|tee|grep|sed|awk|head|tail|python\d?|node|bun|deno|ruby|perl)\b"
    r"|(?:^|[\s;&|])(?:\.{0,2}/|~)|\.(?:sh|py|js|ts|rb|pl|mjs|cjs)\b|\b(?:curl|wget|say|osascript|notify-send)\b"
)
"""What may read what it is told there, in another form than here, or leaves the lane."""


@dataclass(frozen=True)
class Imported:
    """`hooks` mean the same here; `others`: the rest, each with the reason, as sentences."""

    hooks: tuple[Hook, ...] = ()
    others: tuple[str, ...] = ()


def imported_hooks(content: bytes) -> Imported:
    """What is to be made of the settings.

    Raises:
        ValueError: they are not JSON, or hold no hooks.
    """
    settings = json.loads(content)
    found = settings.get("hooks") if isinstance(settings, dict) else None
    if not isinstance(found, dict):
        raise ValueError("it has no hooks")
    hooks: list[Hook] = []
    others: list[str] = []
    for moment, entries in found.items():
        for entry in entries if isinstance(entries, list) else [None]:
            for made in _entry(moment, entry, len(hooks)):
                if isinstance(made, Hook):
                    hooks.append(made)
                else:
                    others.append(made)
    return Imported(tuple(hooks), tuple(others))


def as_file(hooks: tuple[Hook, ...], taken: Collection[str] = ()) -> str:
    """The hooks as the end of a hooks.toml whose own have the ids in `taken`."""
    ids = (name for number in count(1) if (name := f"imported-{number}") not in taken)
    return "".join(_table(hook.model_copy(update={"id": name})) for hook, name in zip(hooks, ids, strict=False))


def _entry(moment: str, entry: JsonValue, made: int) -> list[Hook | str]:
    if not isinstance(entry, dict) or not isinstance(commands := entry.get("hooks"), list):
        return [f"{moment}: it cannot be read."]
    matcher = entry.get("matcher", "")
    found: list[Hook | str] = []
    for command in commands:
        found.append(_hook(moment, matcher, command, made + sum(isinstance(one, Hook) for one in found) + 1))
    return found


def _hook(moment: str, matcher: JsonValue, command: JsonValue, number: int) -> Hook | str:
    if not isinstance(command, dict) or not isinstance(line := command.get("command"), str):
        return f"{moment}: it is no command."
    shown = f"{moment}: “{line}”"
    on = _MOMENTS.get(moment)
    if on is None:
        return _OTHERS_TOLD.get(moment, _OTHERS_TOLD[""]).format(shown=shown)
    matches = _matches(matcher)
    if matches is None or (matches and on != "after_call"):
        return f"{shown}, as its matcher {matcher!r} has no equal here."
    if _READS_INPUT.search(line) or "\n" in line:
        return f"{shown}, as it may read what it is told, which is written otherwise here, or reach beyond the lane."
    timeout = command.get("timeout", LONGEST_S)
    if not isinstance(timeout, int | float) or not 0 < timeout <= LONGEST_S or set(command) - _KEYS:
        return f"{shown}, as it takes longer or is run otherwise than any hook here."
    return Hook(id=f"imported-{number}", on=on, match=matches, text=line, timeout_s=timeout, blocking=False)


_KEYS = frozenset({"type", "command", "timeout"})


def _matches(matcher: JsonValue) -> tuple[HookMatch, ...] | None:
    """What the matcher is about, () for every call; None: more than can be said here."""
    if matcher in ("", "*"):
        return ()
    names = matcher.split("|") if isinstance(matcher, str) else [""]
    if any(name not in _TOOLS for name in names):
        return None
    return tuple(HookMatch(tool=tool) for tool in dict.fromkeys(_TOOLS[name] for name in names))


def _table(hook: Hook) -> str:
    lines = ["", "[[hook]]", f"id = {_text(hook.id)}", f"on = {_text(hook.on)}"]
    if hook.match:
        lines.append(f"match = [{', '.join(f'{{ tool = {_text(match.tool)} }}' for match in hook.match)}]")
    lines += [f"command = {_text(hook.text)}", f"timeout_s = {hook.timeout_s:g}"]
    return "\n".join([*lines, *(["blocking = false"] if hook.on == "on_stop" else []), ""])


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
