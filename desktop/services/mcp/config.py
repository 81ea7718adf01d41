"""`mcp.toml`: the person's own servers, read with a line for every fault, written back with its comments (guests-M8).

[[server]]
id = "files"
command = ["npx", "-y", "@modelcontextprotocol/server-filesystem@2025.11.25", "."]
env = { TOKEN = "${secret:FILES_TOKEN}" }   # or names to pass on: env = ["TOKEN"]
folder = "read"                             # none, read, write (write: with share = "lane")
network = "off"                             # off, open, or hosts
tools = { write_file = "never" }
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import SettingsError
from desktop.domain.mcp.updates import McpFault
from desktop.domain.mcp.values import McpServer
from desktop.late import late
from desktop.records import dataclass
from desktop.services.mcp.fields import FieldFault, server_from, table_of

if TYPE_CHECKING:
    from tomlkit.items import Table

MOST_BYTES = 1024 * 1024
REPOSITORY_ENV = "repository_env"
_HEADER = re.compile(r"[ \t]*\[\[[ \t]*\"?server\"?[ \t]*\]\]")


@dataclass(frozen=True)
class ReadServers:
    """The servers of a file, each with its id once, and what is wrong with the others. `passed`: names of variables
    that files of repositories may use."""

    servers: tuple[McpServer, ...] = ()
    faults: tuple[McpFault, ...] = ()
    passed: tuple[str, ...] = ()


def read_servers(path: Path) -> ReadServers:
    """The servers of the person's file; none where there is no file. A fault of one leaves the others. Blocking."""
    try:
        content = path.read_bytes()
        text = content[:MOST_BYTES].decode("utf-8")
    except FileNotFoundError:
        return ReadServers()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return ReadServers(faults=(McpFault(str(path), line, "It is not UTF-8."),))
    except OSError as error:
        return ReadServers(faults=(McpFault(str(path), 0, f"It cannot be read: {error.strerror}."),))
    if len(content) > MOST_BYTES:
        return ReadServers(faults=(McpFault(str(path), 0, "It is larger than 1 MiB."),))
    return parse_servers(text, str(path))


def parse_servers(text: str, path: str) -> ReadServers:
    """The servers of a text. `path`: what faults name."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        return ReadServers(faults=(McpFault(path, line, f"It is not TOML: {error}."),))
    faults = [
        McpFault(path, _line_of(text, key), f"Unknown key {key!r}: servers are written as [[server]].")
        for key in sorted(set(document) - {"server", REPOSITORY_ENV})
    ]
    passed = document.get(REPOSITORY_ENV, [])
    if not isinstance(passed, list) or not all(isinstance(name, str) for name in passed):
        faults.append(McpFault(path, _line_of(text, REPOSITORY_ENV), f"{REPOSITORY_ENV} is a list of names."))
        passed = []
    tables = document.get("server", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        faults.append(McpFault(path, _line_of(text, "server"), "Servers are written as [[server]]."))
        tables = []
    servers = tuple(_good(tables, text, path, faults))
    return ReadServers(servers, tuple(faults), tuple(passed))


def _good(tables: list[dict[str, Any]], text: str, path: str, faults: list[McpFault]) -> Iterator[McpServer]:
    """The servers that can be used; what is wrong with the others is added to `faults`."""
    begins = [number for number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    begins = begins if len(begins) == len(tables) else [0] * len(tables)
    seen: set[str] = set()
    for table, begin in zip(tables, begins, strict=True):
        name = str(table.get("id", ""))
        try:
            server = server_from(table)
            if server.id in seen:
                raise FieldFault("id", f"Another server is called {server.id!r} too.")
        except FieldFault as fault:
            line = _line_of(text, fault.field, begin) or begin
            faults.append(McpFault(path, line, str(fault), name))
            continue
        seen.add(server.id)
        yield server


def _line_of(text: str, key: str, begin: int = 0) -> int:
    """The line of a key, in the table that begins in the line `begin`; 0: nobody knows."""
    for number, line in enumerate(text.splitlines(), 1):
        if number > begin and begin and _HEADER.match(line):
            return 0
        if number > begin and re.match(rf"[ \t\[\"']*{re.escape(key)}\b", line):
            return number
    return 0


def save_server(path: Path, server: McpServer, replaces: str = "") -> None:
    """Write a server to the file, in place of the one of the id `replaces`; the rest of the file stays as it is.
    Blocking.

    Raises:
        SettingsError: the file has a fault, another server has this id, or it cannot be written. Nothing was changed.
    """
    _change(path, server, replaces)


def remove_server(path: Path, server_id: str) -> None:
    """Take a server out of the file. Blocking. Raises SettingsError: as `save_server`."""
    _change(path, None, server_id)


def _change(path: Path, server: McpServer | None, replaces: str) -> None:
    read = read_servers(path)
    whole = [fault for fault in read.faults if not fault.server_id]
    if whole:
        where = f"{path}, line {whole[0].line}" if whole[0].line else str(path)
        raise SettingsError(f"{where}: {whole[0].text} Correct the file first; nothing was saved.")
    document = late("tomlkit").parse(path.read_text("utf-8") if path.exists() else "")
    tables = document.get("server")
    if tables is None:
        document["server"] = tables = late("tomlkit").aot()
    names = [str(table.get("id", "")) for table in tables]
    if server is not None and server.id != replaces and server.id in names:
        raise SettingsError(f"Another server is called {server.id!r} too. Choose another name.")
    if server is None and replaces not in names:
        raise SettingsError(f"There is no server {replaces!r} in {path} any more.")
    at = names.index(replaces) if replaces in names else None
    _put(tables, at, server)
    if not len(tables):
        del document["server"]
    written = str(late("tomlkit").dumps(document))
    if server is not None and server not in parse_servers(written, str(path)).servers:
        raise SettingsError(f"The server cannot be written to {path}. Look at the file, then save again.")
    try:
        make_private_folder(path.parent)
        write_durably(path, written.encode("utf-8"))
    except OSError as error:
        raise SettingsError(f"Could not save {path}: {error.strerror or error}. Nothing was changed.") from error


def _put(tables: Any, at: int | None, server: McpServer | None) -> None:
    if server is None:
        del tables[at]
    elif at is None:
        tables.append(_filled(late("tomlkit").table(), server))
    else:
        _filled(tables[at], server)


def _filled(table: "Table", server: McpServer) -> "Table":
    """The table with what differs from the default; what stands there and is the same keeps its comment."""
    wanted = table_of(server)
    for name in [one for one in table if one not in wanted]:
        del table[name]
    for name, value in wanted.items():
        if name not in table or table[name] != value:
            table[name] = value
    return table
