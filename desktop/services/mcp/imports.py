"""Servers that other programs of the person are configured to start, read when asked and converted (guests-M10).

Nothing is written to the files of those programs. What looks like a secret does not leave this module but by `secrets`,
which whoever takes a server over puts into the keyring.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from desktop.domain.gate.redaction import Redactor
from desktop.domain.mcp.updates import McpFault, McpImport
from desktop.domain.mcp.values import McpServer
from desktop.records import dataclass
from desktop.services.mcp.config import MOST_BYTES
from desktop.services.mcp.fields import FieldFault, check
from desktop.services.mcp.repository import id_of

NO_NETWORK = "Here it runs without the network, until you open it."
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|auth|credential|cookie|dsn|_pat$|^pat$")
_MARK = re.compile(r"\$\{([^}]*)\}")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_KNOWN = frozenset({"command", "args", "env", "url", "serverUrl", "httpUrl", "headers", "type", "cwd", "source"})
_FOLDERS = ("${workspaceFolder}", "${workspaceRoot}", "$PWD")


@dataclass(frozen=True)
class Program:
    """A program with its file: `keys` lead to its servers in it."""

    name: str
    path: Path
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A server that could be taken over, with the values of its secrets."""

    shown: McpImport
    secrets: tuple[tuple[str, str], ...] = ()


def programs(home: Path, platform: str = sys.platform, app_data: Path | None = None) -> tuple[Program, ...]:
    """Where such programs keep their servers on this system."""
    if platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = app_data if platform == "win32" and app_data is not None else home / ".config"
    zed = home / ".config" / "zed" if platform != "win32" else base / "Zed"
    usual = ("mcpServers",)
    return (
        Program("Claude Desktop", base / "Claude" / "claude_desktop_config.json", usual),
        Program("Claude Code", home / ".claude.json", usual),
        Program("VS Code", base / "Code" / "User" / "mcp.json", ("servers",)),
        Program("VS Code", base / "Code" / "User" / "settings.json", ("mcp", "servers")),
        Program("Cursor", home / ".cursor" / "mcp.json", usual),
        Program("Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json", usual),
        Program("Zed", zed / "settings.json", ("context_servers",)),
    )


def find_imports(known: tuple[Program, ...], project: Path | None = None) -> tuple[list[Found], list[McpFault]]:
    """What these programs would start, in their order, and files that cannot be read. `project`: for a program that
    keeps servers by folder, the one whose count. Blocking."""
    found: list[Found] = []
    faults: list[McpFault] = []
    for program in known:
        try:
            if program.path.stat().st_size > MOST_BYTES * 16:
                raise ValueError("it is too large")
            document = json.loads(_COMMENT.sub(_plain, program.path.read_text("utf-8")))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
            faults.append(McpFault(str(program.path), line, f"It cannot be read: {error}."))
            continue
        for name, said in _servers(document, program, project):
            found.append(_found(program, name, said))
    return found, faults


def _servers(document: object, program: Program, project: Path | None) -> Iterator[tuple[str, object]]:
    places = [program.keys]
    if program.name == "Claude Code" and project is not None:
        places.append(("projects", str(project), *program.keys))
    for keys in places:
        inner = document
        for key in keys:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            yield from inner.items()


def _found(program: Program, name: str, said: object) -> Found:
    text = json.dumps([program.name, str(program.path), name, said], sort_keys=True)
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    server_id = id_of(name) or "server"
    try:
        server, secrets, notes = _converted(server_id, said)
        problem = ""
    except FieldFault as fault:
        server, secrets, notes, problem = McpServer(id=server_id), (), (), str(fault)
    names = tuple(one for one, _ in secrets)
    return Found(McpImport(key, program.name, str(program.path), server, names, problem, notes), secrets)


def _converted(server_id: str, said: object) -> tuple[McpServer, tuple[tuple[str, str], ...], tuple[str, ...]]:
    if not isinstance(said, dict):
        raise FieldFault("id", "It is no object.")
    given = {**said, **said["command"]} if isinstance(said.get("command"), dict) else dict(said)
    command = given.get("path", "") if isinstance(said.get("command"), dict) else given.get("command", "")
    url = given.get("url") or given.get("serverUrl") or given.get("httpUrl") or ""
    secrets: dict[str, str] = {}
    env = _values(given.get("env"), secrets)
    headers = _values(given.get("headers"), secrets)
    words = [command, *_texts(given.get("args"))] if command else []
    if not isinstance(url, str) or not all(isinstance(word, str) for word in words):
        raise FieldFault("command", "Its command is no list of words.")
    try:
        server = McpServer(
            id=server_id,
            command=tuple(_lane(word) for word in words),
            url="" if words else url,
            env=env,
            headers=headers,
            network="off" if words else "open",
        )
    except ValidationError as error:
        raise FieldFault("command", f"It cannot be read: {error.error_count()} fields are not as expected.") from None
    check(server)
    return server, tuple(secrets.items()), tuple(_notes(given, words))


def _notes(given: Mapping[str, object], words: list[str]) -> Iterator[str]:
    if words:
        yield NO_NETWORK
    left = sorted(set(given) - _KNOWN - {"path", "disabled", "settings"})
    if left:
        yield f"Left out: {', '.join(left)[:200]}."
    if any(Redactor().redact(word).text != word for word in words):
        yield "Its command line holds what looks like a secret: put that into a variable."
    if any(str(value).startswith("${input:") for value in _table(given.get("env")).values()):
        yield "It asks for values when it starts: type them as secrets."


def _values(said: object, secrets: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The values as marks where they are variables or look like secrets, which are added to `secrets`."""
    pairs: list[tuple[str, str]] = []
    for name, value in _table(said).items():
        if not isinstance(value, str | int | float):
            raise FieldFault("env", f"The value of {name} is no text.")
        text = str(value)
        whole = _MARK.fullmatch(text)
        secret = re.sub(r"[^A-Za-z0-9_]", "_", name).strip("_")[:64] or "SECRET"
        if whole is not None and whole[1].startswith("input:"):
            pairs.append((name, f"${{secret:{secret}}}"))
        elif _MARK.search(text):
            pairs.append((name, _MARK.sub(_variable, text)))
        elif text and (_SECRET_NAME.search(name) or Redactor().redact(f"{name}={text}").text != f"{name}={text}"):
            secrets[secret] = text
            pairs.append((name, f"${{secret:{secret}}}"))
        else:
            pairs.append((name, text))
    return tuple(pairs)


def _variable(found: re.Match[str]) -> str:
    name = found[1].removeprefix("env:").partition(":-")[0]
    if not _WORD.fullmatch(name):
        raise FieldFault("env", f"It uses ${{{found[1][:100]}}}, which means nothing here.")
    return f"${{env:{name}}}"


def _lane(word: str) -> str:
    for mark in _FOLDERS:
        word = word.replace(mark, "${lane}")
    return word


def _table(said: object) -> Mapping[str, object]:
    if said is None:
        return {}
    if not isinstance(said, dict):
        raise FieldFault("env", "Its variables are no object.")
    return said


def _texts(said: object) -> list[object]:
    if said is None:
        return []
    if not isinstance(said, list):
        raise FieldFault("command", "Its arguments are no list.")
    return said


def _plain(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else ""
