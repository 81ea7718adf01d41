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
_NETWORKS = {"off": "no network", "open": "the whole network"}
_FOLDERS = {"none": "no folder of yours", "read": "{}, to read", "write": "{}, to read and write"}


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
        network = server.network if isinstance(server.network, str) else ""
        reaches = _NETWORKS.get(network) or f"the hosts {', '.join(server.network)}"
        seen = "the lane" if server.per_lane else "the project's main checkout"
        folder = _FOLDERS[server.folder].format(f"{seen} ({known.folder})")
        partly = known.sandbox is not None and known.sandbox.level == "limited"
        held = "in a sandbox that does not hold everything (Landlock)" if partly else "in the sandbox"
        yield f"The server {server.id} runs {held} and has {folder}, and {reaches}."
    if hints := ", ".join(_hints(tool.annotations)):
        yield f"Claimed by the server: it {hints}."
    if tool.description:
        yield f"The server says: {_INDENTED.join(tool.description.splitlines())}"
    if known.last:
        yield "Last calls of this server:"
        yield from known.last


def _hints(annotations: Mapping[str, JsonValue]) -> Iterator[str]:
    words = {
        "readOnlyHint": ("only reads", "changes something"),
        "destructiveHint": ("can destroy something", "destroys nothing"),
        "idempotentHint": ("may be repeated", ""),
        "openWorldHint": ("reaches out of this computer", "stays on this computer"),
    }
    for hint, (yes, no) in words.items():
        said = annotations.get(hint)
        if isinstance(said, bool) and (word := yes if said else no):
            yield word
