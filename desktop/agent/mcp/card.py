"""The card of a call to a server: all arguments in their order, nothing cut, and what is known of the server."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.core.content import Block, Card, CodeBlock, TextBlock
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.mcp.values import McpServer, McpTool
from desktop.policy.mcp.arguments import sql_arguments, texts_in
from desktop.policy.mcp.names import shown_name
from desktop.records import dataclass
from desktop.tools.text import count_words, title_line

LONGEST_IN_TREE = 200
LAST_CALLS = 3
MOST_LINES, MOST_CHARACTERS = 4, 300
"""Of the result of a call before: the whole of it is the row of that call."""
_INDENTED = "\n    "
"""Before each further line of a text of a server: none of its lines may pose as one of ours."""
_HELD_TOLD: Mapping[bool, str] = {
    False: "in the sandbox",
    True: "in a sandbox that does not hold everything (Landlock)",
}
"""By whether it holds in part alone."""
_NETWORKS_TOLD: Mapping[str, str] = {"off": "no network", "open": "the whole network", "hosts": "the hosts {}"}
_FOLDERS_TOLD: Mapping[str, tuple[str, str]] = {
    "none": ("no folder of yours", "no folder of yours"),
    "read": ("the lane ({}), to read", "the project's main checkout ({}), to read"),
    "write": ("the lane ({}), to read and write", "the project's main checkout ({}), to read and write"),
}
"""Where each lane has a server of its own, and where the project has one."""
_CLAIMS_TOLD: Mapping[str, tuple[str, str]] = {
    "readOnlyHint": ("it only reads", "it changes something"),
    "destructiveHint": ("it can destroy something", "it destroys nothing"),
    "idempotentHint": ("it may be repeated", ""),
    "openWorldHint": ("it reaches out of this computer", "it stays on this computer"),
}
"""Where a hint says yes, and where it says no."""
_HEADS_TOLD: Mapping[str, str] = {"says": "The server says: {}", "last": "Last calls of this server:"}


@dataclass(frozen=True)
class Known:
    """What is known of a server and a tool of it. `name`: what the tool is called; `folder`: where the server runs;
    `last`: its calls before this, as `last_call` gives them; `sandbox`: what holds it here, None: not tried yet."""

    server: McpServer
    name: str
    folder: Path
    last: tuple[str, ...]
    sandbox: SandboxReport | None = None


def call_card(known: Known, tool: McpTool, given: Mapping[str, JsonValue], masked: Callable[[str], str]) -> Card:
    """`masked`: a text with known secrets as tokens."""
    server = known.server
    sql = {one.name for one in sql_arguments(given, server.sql)}
    apart = dict(_apart(given, sql))
    blocks: list[Block] = []
    if not given.keys() <= apart.keys() or not given:
        blocks.append(CodeBlock(language="text", text=masked("\n".join(_tree(given, apart, "", 0)) or "{}")))
    for path, text in apart.items():
        language = "sql" if path in sql else "text"
        blocks.append(TextBlock(text=path))
        blocks.append(CodeBlock(language=language, text=masked(text)))
    blocks.append(TextBlock(text=masked("\n".join(_about(known, tool)))))
    return Card(title=title_line(shown_name(server.id, known.name)), blocks=tuple(blocks))


def last_call(line: str, said: str) -> str:
    """How a call before this one ended, and below it the beginning of what the server said: no line of that is without
    a margin, so none may pose as one of ours. `said` is without secrets."""
    lines = [one for one in said.splitlines() if one.strip()]
    shown = "\n".join(lines[:MOST_LINES])[:MOST_CHARACTERS].splitlines()
    if left_out := sum(map(len, lines)) - sum(map(len, shown)):
        shown.append(f"… {count_words(left_out, 'more character')}")
    return "\n".join([f"  {title_line(line)}", *(f"      {one}" for one in shown)])


def _apart(given: Mapping[str, JsonValue], sql: Collection[str]) -> Iterator[tuple[str, str]]:
    """The texts that are shown below the tree: of several lines, long ones, and SQL."""
    for path, _name, text in texts_in(given):
        if "\n" in text or len(text) > LONGEST_IN_TREE or path in sql:
            yield path, text


def _tree(value: JsonValue | Mapping[str, JsonValue], apart: Mapping[str, str], path: str, depth: int) -> Iterator[str]:
    """One line for each value, objects and lists opened. A text that stands below is named without quotes, so that no
    text can pose as one."""
    indent = "  " * depth
    pairs: list[tuple[str, str, JsonValue]] = []
    if isinstance(value, Mapping):
        pairs = [(_key(name), f"{path}.{name}" if path else name, inner) for name, inner in value.items()]
    elif isinstance(value, list):
        pairs = [("-", f"{path}[{place}]", inner) for place, inner in enumerate(value)]
    for label, inner_path, inner in pairs:
        start = f"{indent}{label}" if label == "-" else f"{indent}{label}:"
        if isinstance(inner, dict | list) and inner:
            yield f"{start} ({count_words(len(inner), 'item' if isinstance(inner, list) else 'field')})"
            yield from _tree(inner, apart, inner_path, depth + 1)
        elif isinstance(inner, str) and inner_path in apart:
            yield f"{start} {_size(inner)}, shown below"
        else:
            yield f"{start} {json.dumps(inner, ensure_ascii=False)}"


def _key(name: str) -> str:
    """A name as it is where nothing in it misleads, else in quotes."""
    return name if name.isidentifier() else json.dumps(name, ensure_ascii=False)


def _size(text: str) -> str:
    return f"{count_words(text.count(chr(10)) + 1, 'line')}, {count_words(len(text), 'character')}"


def _about(known: Known, tool: McpTool) -> Iterator[str]:
    server = known.server
    if server.url:
        yield f"The server {server.id} stands at {server.url}."
    else:
        network = server.network if isinstance(server.network, str) else "hosts"
        reaches = _NETWORKS_TOLD[network].format(", ".join(server.network))
        folder = _FOLDERS_TOLD[server.folder][0 if server.per_lane else 1].format(_short(known.folder))
        held = _HELD_TOLD[known.sandbox is not None and known.sandbox.level == "limited"]
        yield f"The server {server.id} runs {held} and has {folder}, and {reaches}."
    if claims := "; ".join(_claims(tool.annotations)):
        yield f"Claimed by the server: {claims}."
    if tool.description:
        yield _HEADS_TOLD["says"].format(_INDENTED.join(tool.description.splitlines()))
    if known.last:
        yield _HEADS_TOLD["last"]
        yield from known.last


def _short(folder: Path) -> str:
    """The home folder of the person is `~`."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def _claims(annotations: Mapping[str, JsonValue]) -> Iterator[str]:
    for hint, (yes, no) in _CLAIMS_TOLD.items():
        said = annotations.get(hint)
        if isinstance(said, bool) and (claim := yes if said else no):
            yield claim
