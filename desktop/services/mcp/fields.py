"""The fields of a server as files say them: each checked, with a sentence for what cannot be used."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from urllib.parse import urlsplit

from pydantic import ValidationError

from desktop.domain.credentials.names import name_problem
from desktop.domain.mcp.values import LONGEST_TIME_LIMIT_S, SERVER_ID, McpServer
from desktop.policy.network.hosts import Refused, check_allowed
from desktop.policy.sql.reading.dialects import find_dialect

_PAIRS = ("env", "headers", "tools")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_IN_FILE = tuple(name for name in McpServer.model_fields if name != "scope")


class FieldFault(Exception):
    """A field that cannot be used. `field`: its name."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def server_from(table: Mapping[str, object]) -> McpServer:
    """The server that a table of the person's file describes.

    Raises:
        FieldFault: the first field that cannot be used.
    """
    unknown = sorted(set(table) - set(_IN_FILE))
    if unknown:
        raise FieldFault(unknown[0], f"Unknown key {unknown[0]!r}.")
    fields = {name: _pairs(name, value) if name in _PAIRS else value for name, value in table.items()}
    try:
        server = McpServer.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0])
        raise FieldFault(name, f"{name}: {first['msg']}.") from None
    check(server)
    return server


def table_of(server: McpServer) -> dict[str, object]:
    """The server as a table of the person's file: what differs from the default, in the order of the format."""
    usual = McpServer(id="").model_dump()
    wanted: dict[str, object] = {}
    for name, value in server.model_dump(exclude={"scope"}).items():
        if name == "id" or value != usual[name]:
            kept = dict(value) if name in _PAIRS else value
            wanted[name] = list(kept) if isinstance(kept, tuple) else kept
    return wanted


def check(server: McpServer) -> None:
    """Raises FieldFault: a server that cannot be as it is configured."""
    if not SERVER_ID.fullmatch(server.id):
        raise FieldFault("id", "The id is at most 24 small letters, digits and -, and begins with no -.")
    if bool(server.command) == bool(server.url):
        raise FieldFault("command", "A server has either a command (a list of words) or a url.")
    if server.command and (not server.command[0].strip() or any("\0" in word for word in server.command)):
        raise FieldFault("command", "The first word of the command names a program.")
    if server.url:
        _check_url(server.url)
    if not 1 <= server.time_limit_s <= LONGEST_TIME_LIMIT_S:
        raise FieldFault("time_limit_s", f"time_limit_s is from 1 to {LONGEST_TIME_LIMIT_S} seconds.")
    if server.folder == "write" and not server.per_lane:
        raise FieldFault("folder", 'A server that writes the lane is one for each lane: add share = "lane".')
    if server.dialect and find_dialect(server.dialect) is None:
        raise FieldFault("dialect", f"{server.dialect[:40]!r} is no dialect of SQL that Banksman reads.")
    inside = PurePath(server.cwd)
    if inside.is_absolute() or ".." in inside.parts:
        raise FieldFault("cwd", "cwd is a folder below the lane.")
    if any(not PurePath(path).is_absolute() for path in server.read):
        raise FieldFault("read", "read lists whole paths.")
    _check_names(server)


def _check_names(server: McpServer) -> None:
    for name, value in server.env:
        if problem := name_problem(name):
            raise FieldFault("env", f"{problem}.")
        if "\0" in value:
            raise FieldFault("env", f"The value of {name} holds a NUL character.")
    for name, value in server.headers:
        if not _HEADER_NAME.fullmatch(name) or any(char in value for char in "\r\n\0"):
            raise FieldFault("headers", f"{name!r} cannot be sent as a header.")
    for host in () if isinstance(server.network, str) else server.network:
        if isinstance(refused := check_allowed(host), Refused):
            raise FieldFault("network", f"network is off, open, or a list of hosts. {refused.reason}")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.username or parts.password or parts.scheme not in ("http", "https"):
        raise FieldFault("url", "The url begins with https:// and names a host, without user or password.")
    if parts.scheme == "http" and host not in ("localhost", "127.0.0.1", "::1"):
        raise FieldFault("url", "Only a server on this computer is reached by http; others by https.")


def _pairs(name: str, value: object) -> object:
    """A table as pairs; for variables also a list of names that are passed on."""
    if isinstance(value, Mapping):
        return tuple((str(key), one) for key, one in value.items())
    if name == "env" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple((one, f"${{env:{one}}}") for one in value)
    raise FieldFault(name, f"{name} is a table{' or a list of names' if name == 'env' else ''}.")
