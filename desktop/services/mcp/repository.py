"""`.mcp.json` of a repository: the servers that it asks for, which nobody starts before a person accepted them (M9).

Only commands, arguments, variables, addresses and headers are taken. `${NAME}` in them is a variable that the person's
own file lists under `repository_env`; any other makes its server unusable.
"""

import json
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from desktop.domain.mcp.updates import McpFault
from desktop.domain.mcp.values import REPOSITORY_FILE, McpServer
from desktop.services.mcp.config import MOST_BYTES, ReadServers
from desktop.services.mcp.fields import FieldFault, check

_FIELDS = frozenset({"command", "args", "env", "url", "headers", "type", "cwd"})
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NO_ID = re.compile(r"[^a-z0-9-]+")


def read_repository(root: Path, passed: Collection[str]) -> ReadServers:
    """The servers that the file below `root` asks for; none where there is no file. Links are not followed. Blocking.
    `passed`: names of variables that may be used in it."""
    path = root / REPOSITORY_FILE
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return ReadServers()
    except OSError as error:
        return _unusable(0, f"It cannot be read: {error.strerror}.")
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return _unusable(0, "It is no regular file.")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        return _unusable(0, "It is larger than 1 MiB.")
    try:
        return parse_repository(content.decode("utf-8"), passed)
    except UnicodeDecodeError as error:
        return _unusable(content[: error.start].count(b"\n") + 1, "It is not UTF-8.")


def parse_repository(text: str, passed: Collection[str] = ()) -> ReadServers:
    """The servers of a text, with what is wrong with the others."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        return _unusable(error.lineno, f"It is not JSON: {error.msg}.")
    except RecursionError:
        return _unusable(0, "It is nested too deeply.")
    servers = document.get("mcpServers") if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        return _unusable(1, 'It has no "mcpServers".')
    faults: list[McpFault] = []
    good = tuple(_good(servers, text, frozenset(passed), faults))
    return ReadServers(good, tuple(faults))


def _good(
    servers: Mapping[str, object], text: str, passed: frozenset[str], faults: list[McpFault]
) -> Iterator[McpServer]:
    seen: set[str] = set()
    for name, said in servers.items():
        server_id = id_of(name)
        try:
            if server_id in seen:
                raise FieldFault("id", f"{name!r} cannot be told apart from another server.")
            server = server_of(server_id, said, passed)
        except FieldFault as fault:
            faults.append(McpFault(REPOSITORY_FILE, _line_of(text, name), str(fault), server_id))
            continue
        seen.add(server_id)
        yield server


def id_of(name: str) -> str:
    """The id that a server of this name gets."""
    return _NO_ID.sub("-", name.lower()).strip("-")[:24].strip("-")


def server_of(server_id: str, said: object, passed: Collection[str]) -> McpServer:
    """The server that an object of the file describes, with the network off and the lane read-only.

    Raises:
        FieldFault: the first field that cannot be used.
    """
    if not isinstance(said, dict):
        raise FieldFault("id", "It is no object.")
    unknown = sorted(set(said) - _FIELDS)
    if unknown:
        raise FieldFault(str(unknown[0]), f"Unknown key {str(unknown[0])!r}.")
    if said.get("type", "stdio") not in ("stdio", "http", "sse", "streamable-http"):
        raise FieldFault("type", "The type is stdio, http or sse.")
    command, url = said.get("command", ""), said.get("url", "")
    words = [command, *_list("args", said.get("args", []))] if command else []
    if not isinstance(url, str) or not all(isinstance(word, str) for word in words):
        raise FieldFault("command", "The command and the url are text.")
    server = McpServer(
        id=server_id,
        command=tuple(_filled(str(word), passed) for word in words),
        url=_filled(url, passed),
        env=tuple((name, _filled(value, passed)) for name, value in _table("env", said.get("env", {}))),
        headers=tuple((name, _filled(value, passed)) for name, value in _table("headers", said.get("headers", {}))),
        cwd=str(said.get("cwd", ".")),
        network="off" if command else "open",
        scope="repository",
    )
    check(server)
    return server


def _list(field: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise FieldFault(field, f"{field} is a list of words.")
    return value


def _table(field: str, value: object) -> list[tuple[str, str]]:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise FieldFault(field, f"{field} is an object of texts.")
    return list(value.items())


def _filled(text: str, passed: Collection[str]) -> str:
    """The text with `${NAME}` as a mark for that variable, if the person lets files of repositories use it."""

    def mark(found: re.Match[str]) -> str:
        name = found[1]
        if not _NAME.fullmatch(name) or name not in passed:
            allow = "Add the name to repository_env in your mcp.toml to allow that."
            raise FieldFault("env", f"It uses ${{{name[:100]}}}, which you did not allow. {allow}")
        return f"${{env:{name}}}"

    return _VARIABLE.sub(mark, text)


def _line_of(text: str, name: str) -> int:
    key = json.dumps(name, ensure_ascii=False)
    found = (number for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith(key))
    return next(found, 0)


def _unusable(line: int, text: str) -> ReadServers:
    return ReadServers(faults=(McpFault(REPOSITORY_FILE, line, text),))
