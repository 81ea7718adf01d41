"""Agents as people write them: a Markdown file with front matter, in own or foreign spellings (memory-SU20)."""

import hashlib
import re

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.skills.values import AgentFile, Fault
from desktop.records import dataclass
from desktop.services.skills.front_matter import MatterError, read_front_matter
from desktop.services.skills.matter_fields import DESCRIPTION_CHARS, MatterFields

MOST_TURNS = 10_000
_CALL = re.compile(r"(\w+)\((.*)\)")
_BASH = ("bash", "Bash")
_CAPS = {
    "": None,
    "plan": PermissionMode.PLAN,
    "default": PermissionMode.EDIT,
    "acceptedits": PermissionMode.EDIT,
    "edit": PermissionMode.EDIT,
}


def read_agent(content: bytes, path: str) -> AgentFile | Fault:
    """The agent of a file, or what is wrong with it. Never raises for any content."""
    matter = read_front_matter(content, path)
    if isinstance(matter, Fault):
        return matter
    try:
        return _agent(MatterFields(matter), matter.body, hashlib.sha256(content).hexdigest(), path)
    except MatterError as error:
        return Fault(path, error.line, str(error))


@dataclass(frozen=True)
class _Tools:
    names: tuple[str, ...] | None
    bash_words: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def _agent(fields: MatterFields, body: str, sha256: str, path: str) -> AgentFile:
    tools = _tools(fields)
    denied, too_wide = _denied(fields)
    cap, widened = _cap(fields)
    lane = fields.text("lane", most=100)
    if lane not in ("", "same", "own"):
        raise fields.fault("lane", "'lane' must be same or own.")
    return AgentFile(
        path=path,
        sha256=sha256,
        name=fields.name(),
        description=fields.text("description", most=DESCRIPTION_CHARS, required=True),
        text=body,
        tools=tools.names,
        denied=denied,
        bash_words=tools.bash_words,
        model=fields.text("model", most=200) or "inherit",
        max_turns=_turns(fields),
        skills=fields.names("skills"),
        cap=cap,
        lane="own" if lane == "own" else "same",
        background=fields.flag("background", default=False),
        ignored=fields.rest(),
        notices=(*tools.notices, *too_wide, *widened),
    )


def _tools(fields: MatterFields) -> _Tools:
    """A tool with a pattern that only bash can have is not given: without the pattern it would be more than asked."""
    if not fields.has("tools"):
        return _Tools(None)
    names: list[str] = []
    words: list[str] = []
    notices: list[str] = []
    whole = False
    for written in fields.names("tools"):
        call = _CALL.fullmatch(written)
        if call is None:
            whole = whole or written in _BASH
            names.append(written)
        elif call[1] in _BASH:
            word = _beginning(call[2])
            whole = whole or not word
            names.append(call[1])
            words.append(word)
        else:
            notices.append(f"{written}: only bash can be given in part; it is left out.")
    return _Tools(tuple(dict.fromkeys(names)), () if whole else tuple(dict.fromkeys(words)), tuple(notices))


def _denied(fields: MatterFields) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tools that are taken away; one with a pattern is taken away as a whole."""
    names: list[str] = []
    notices: list[str] = []
    for written in fields.names("disallowedTools"):
        call = _CALL.fullmatch(written)
        names.append(written if call is None else call[1])
        if call is not None:
            notices.append(f"{written}: it is taken away as a whole.")
    return tuple(dict.fromkeys(names)), tuple(notices)


def _beginning(pattern: str) -> str:
    """`npm run test:*` and `npm run test *` as the words that a command begins with; "" for any."""
    return " ".join(pattern.strip().removesuffix("*").removesuffix(":").split())


def _cap(fields: MatterFields) -> tuple[PermissionMode | None, tuple[str, ...]]:
    written = fields.text("permissionMode", most=100)
    if written.lower() in _CAPS:
        return _CAPS[written.lower()], ()
    return PermissionMode.EDIT, (f"The permissionMode {written} counts as edit.",)


def _turns(fields: MatterFields) -> int:
    written = fields.text("maxTurns", most=100)
    if not written:
        return 0
    if not (written.isascii() and written.isdigit() and 0 < int(written) <= MOST_TURNS):
        raise fields.fault("maxTurns", f"'maxTurns' must be a whole number from 1 to {MOST_TURNS:,}.")
    return int(written)
