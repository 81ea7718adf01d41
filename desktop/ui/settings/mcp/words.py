"""What the settings say of MCP servers and their tools. Everything that a server says of itself is made fit to show."""

import json
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from desktop.domain.display.surfaces import path_text
from desktop.domain.display.text import display_text
from desktop.domain.mcp.updates import McpFault, McpImport, McpServerRow, McpToolRow, McpToolState
from desktop.domain.mcp.values import EDITOR, McpServer, McpServerState, Scope, ToolPolicy
from desktop.language import said, separated, tr
from desktop.ui.text.format import count, local_date

STATES: Mapping[McpServerState, str] = {
    "off": tr("off"),
    "waiting": tr("waits for you"),
    "starting": tr("starting…"),
    "ready": tr("ready"),
    "failed": tr("down"),
    "changed": tr("changed"),
}
ICONS: Mapping[McpServerState, str] = {
    "off": "minus",
    "waiting": "shield-alert",
    "starting": "loader-circle",
    "ready": "check",
    "failed": "circle-x",
    "changed": "shield-alert",
}
TOOL_STATES: Mapping[McpToolState, str] = {
    "on": tr("on"),
    "new": tr("new"),
    "changed": tr("changed"),
    "kept_off": tr("you keep it off"),
    "gone": tr("not there any more"),
    "clash": tr("off: its name is taken"),
    "invalid": tr("cannot be used"),
    "never": tr("off"),
}
POLICIES: Mapping[ToolPolicy, str] = {"ask": tr("Ask"), "allow": tr("Allow"), "never": tr("Never")}
_SCOPES: dict[Scope, str] = {
    "person": tr("your own"),
    "repository": tr("of the repository"),
    "editor": tr("of an editor"),
}
_FOLDERS = {
    "none": tr("It sees no folder of yours."),
    "read": tr("It reads the project's folder and cannot change it."),
    "write": tr("It reads and writes the lane's folder."),
}
_CLAIMS = {
    "readOnlyHint": tr("only reads"),
    "destructiveHint": tr("may destroy"),
    "idempotentHint": tr("can be repeated without further effect"),
    "openWorldHint": tr("reaches beyond this computer"),
}


def waits(row: McpServerRow) -> bool:
    """Whether a person has to look at it before it, or some tool of it, is used."""
    return row.server.enabled and (row.state in ("waiting", "changed") or bool(undecided(row)))


def unlisted(row: McpServerRow) -> bool:
    """Whether nobody knows its tools yet though it may be started: there is nothing to decide before it was."""
    return row.scope == "person" and not (row.tools or row.accepted or row.difference)


def undecided(row: McpServerRow) -> tuple[McpToolRow, ...]:
    """The tools that wait for a yes or a no."""
    return tuple(tool for tool in row.tools if tool.state in ("new", "changed"))


def acceptable(row: McpServerRow) -> tuple[McpToolRow, ...]:
    """The tools that a yes would put in force: those that wait, else those that a person keeps off."""
    return undecided(row) or tuple(tool for tool in row.tools if tool.state == "kept_off")


def state_words(row: McpServerRow) -> str:
    """How it stands, in few words."""
    if row.kept_off:
        return tr("you keep it off")
    if row.state == "off" and row.server.enabled:
        return tr("rests until it is used")
    return STATES[row.state]


def server_line(row: McpServerRow) -> str:
    """A server in its list, on two lines."""
    scope = _SCOPES[row.scope]
    on = sum(tool.state == "on" for tool in row.tools)
    tools = tr("{on} of {tools}", on=on, tools=count(len(row.tools), "tool")) if row.tools else ""
    facts = [display_text(row.id), state_words(row), scope, tools, tr("server-sent events") if row.by_events else ""]
    return f"{' · '.join(fact for fact in facts if fact)}\n{target(row.server)}"


def target(server: McpServer) -> str:
    """What is started or reached, on one line."""
    return display_text(command_text(server.command) if server.is_local else server.url)


def command_text(words: Sequence[str]) -> str:
    """The words as `shlex.split` reads them, quoted where they must be."""
    return " ".join(word if _splits_to(word) == [word] else shlex.quote(word) for word in words)


def _splits_to(word: str) -> list[str]:
    try:
        return shlex.split(word)
    except ValueError:
        return []


def server_facts(server: McpServer, place: str = "") -> list[str]:
    """What starting it means, a sentence each."""
    names = ", ".join(display_text(name) for name, _ in (*server.env, *server.headers))
    facts = [
        tr("Starts: {command}", command=target(server))
        if server.is_local
        else tr("Reaches: {address}", address=target(server))
    ]
    facts += [tr("Configured in {place}.", place=path_text(place))] if place and place != EDITOR else []
    facts += [tr("An editor names it for its chat; it goes with that editor.")] if place == EDITOR else []
    facts += [tr("Is given: {names}.", names=names)] if names else []
    if server.is_local:
        shared = (
            tr("One process for each lane.") if server.per_lane else tr("One process for all chats of the project.")
        )
        if server.read:
            facts.append(tr("It also reads {places}.", places=", ".join(path_text(path) for path in server.read)))
        facts += [_FOLDERS[server.folder], network_words(server), shared]
    return facts


def network_words(server: McpServer) -> str:
    """What of the network it reaches."""
    if server.network == "off":
        return tr("It reaches no network.")
    if server.network == "open":
        return tr("It reaches the whole network.")
    return tr("It reaches {hosts} and nothing else.", hosts=", ".join(display_text(host) for host in server.network))


def standing_lines(row: McpServerRow) -> list[str]:
    """Why it stands as it does, and what is known of it."""
    about = [tr("It calls itself {name}", name=display_text(row.version)) if row.version else ""]
    about += [
        tr("speaks version {version} of the protocol", version=display_text(row.protocol)) if row.protocol else ""
    ]
    about += [
        tr("was ready after {seconds} s", seconds=separated(f"{row.ready_ms / 1000:.1f}")) if row.ready_ms else ""
    ]
    known = ", ".join(part for part in about if part)
    yes = (
        tr("Accepted by {person} on {day}.", person=display_text(row.person), day=_day(row.day))
        if row.day and row.person
        else ""
    )
    return [line for line in (display_text(said(row.why)), f"{known}." if known else "", yes) if line]


def tool_line(row: McpToolRow) -> str:
    """A tool in its list."""
    own = display_text(row.tool.name)
    facts = [f"{display_text(row.called)} ({own})" if row.called else own, TOOL_STATES[row.state]]
    if row.state == "on":
        facts.append({"ask": tr("asks"), "allow": tr("allowed"), "never": tr("never")}[row.policy])
        facts += [tr("counts as a read")] if row.treat_as_read else []
        facts += [tr("always offered")] if row.always else []
    return " · ".join(facts)


def tool_text(row: McpToolRow) -> str:
    """All that the server says of a tool, as it came: it is shown, never obeyed. Made fit where it is drawn."""
    tool = row.tool
    claims = [words for key, words in _CLAIMS.items() if tool.annotations.get(key) is True]
    parts = [said(row.why), tool.title, tool.description or tr("(The server describes it with no word.)")]
    parts += [tr("Claimed by the server, which proves nothing: {claims}.", claims=", ".join(claims))] if claims else []
    parts += [tr("Arguments:\n{json}", json=pretty(tool.input_schema))]
    parts += [tr("Answers:\n{json}", json=pretty(tool.output_schema))] if tool.output_schema is not None else []
    parts += [tr("Annotations:\n{json}", json=pretty(tool.annotations))] if tool.annotations else []
    return "\n\n".join(part for part in parts if part)


def pretty(value: Mapping[str, JsonValue]) -> str:
    """JSON to be read by people, in the order in which it came."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def fault_line(fault: McpFault) -> str:
    """A file, or a server of it, that is not used."""
    file = path_text(fault.path)
    place = tr("{file}, line {line}", file=file, line=fault.line) if fault.line else file
    who = f" ({display_text(fault.server_id)})" if fault.server_id else ""
    return f"{place}{who}: {display_text(said(fault.text))}"


def import_lines(found: McpImport) -> str:
    """What another program would start, on a few lines."""
    what = (display_text(found.server.id), display_text(found.program), target(found.server))
    lines = [" · ".join(part for part in what if part)]
    lines += (
        [tr("Is given: {names}", names=", ".join((display_text(name) for name, _ in found.server.env)))]
        if found.server.env
        else []
    )
    if found.secrets:
        lines.append(
            tr("Goes to the keyring: {secrets}", secrets=", ".join(display_text(name) for name in found.secrets))
        )
    lines += [display_text(said(note)) for note in (*found.notes, found.problem) if note]
    return "\n".join(lines)


def _day(iso: str) -> str:
    """A day as the window says it; what is no day, as it is written."""
    try:
        return local_date(datetime.fromisoformat(iso))
    except ValueError:
        return display_text(iso)
