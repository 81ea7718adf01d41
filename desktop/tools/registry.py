"""The registry of all tools: found at start, checked loudly, looked up by name, and their arguments read strictly."""

import functools
import hashlib
import importlib
import json
import pkgutil
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel, JsonValue

from desktop.domain.core.errors import StartError
from desktop.domain.core.permissions import PermissionMode
from desktop.tools.arguments import ArgumentsError, parse_args
from desktop.tools.tool import Tool, ToolArgs

__all__ = ["ArgumentsError", "Registry", "builtin_tools", "discover", "parse_args", "schema_hash"]

BUILTIN_PACKAGE = "desktop.tools.builtin"
MAX_GUIDANCE = 1_200
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
_TOOL_WORD = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


class Registry:
    """All tools by their names. Immutable, so what was asked of it is kept: each step of a chat asks the same."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}
        self._needs = frozenset(need for tool in self._tools.values() for need in tool.needs)
        self._aliases = {alias: tool for tool in self._tools.values() for alias in tool.aliases}
        self._last_found: tuple[tuple[Tool[Any], ...], Registry] | None = None
        self._offered: dict[tuple[PermissionMode, frozenset[type[object]], str], tuple[Tool[Any], ...]] = {}

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """All tools, sorted by name."""
        return tuple(self._tools.values())

    @property
    def needs(self) -> frozenset[type[object]]:
        """The kinds of offers that some tool needs."""
        return self._needs

    def with_found(self, found: Iterable[Tool[Any]]) -> "Registry":
        """The registry of these tools and those of `found` whose names and aliases no tool before them has; itself for
        none found."""
        found = tuple(found)
        if not found:
            return self
        if self._last_found is not None and self._last_found[0] == found:
            return self._last_found[1]
        self._last_found = (found, self._joined(found))
        return self._last_found[1]

    def _joined(self, found: Iterable[Tool[Any]]) -> "Registry":
        tools, taken = [*self._tools.values()], {*self._tools, *self._aliases}
        for tool in found:
            names = {tool.name, *tool.aliases}
            if not names & taken:
                tools.append(tool)
                taken |= names
        return Registry(tools) if len(tools) > len(self._tools) else self

    def resolve(self, name: str) -> Tool[Any] | None:
        """The tool of exactly this name or alias: case counts and nothing is trimmed (tools-T50)."""
        return self._tools.get(name) or self._aliases.get(name)

    def offered(
        self, mode: PermissionMode, present: Collection[type[object]], surface: str = "chat"
    ) -> tuple[Tool[Any], ...]:
        """The tools for a session of this surface and mode that has all of `present`, sorted by name."""
        asked = (mode, frozenset(present), surface)
        if asked not in self._offered:
            self._offered[asked] = tuple(
                tool
                for tool in self.tools
                if surface in tool.surfaces
                and mode in tool.offered_modes
                and not tool.withdrawn
                and asked[1].issuperset(tool.needs)
            )
        return self._offered[asked]


def description(tool: Tool[Any]) -> dict[str, JsonValue]:
    """The description of a tool that the model gets."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def schema_hash(tool: Tool[Any]) -> str:
    """Hex SHA-256 of what the model is told, so that two builds can be compared."""
    text = json.dumps(description(tool), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def discover(package: str = BUILTIN_PACKAGE) -> Registry:
    """Import every module of the package and take its TOOL. Nothing is skipped.

    Raises:
        StartError: one line that names the file and its fault (tools-T2).
    """
    folder = importlib.import_module(package)
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    if not names:
        raise StartError(f"No tools were found in {package}.")
    tools = {f"{name}.py": _load(package, name) for name in names}
    _check_unique(tools)
    known = {tool.name for tool in tools.values()}
    for file, tool in tools.items():
        _check_guidance(file, tool, known)
    return Registry(tools.values())


@functools.cache
def builtin_tools() -> Registry:
    """The program's own tools, which stay as they are: looked for once in a process.

    Raises:
        StartError: as `discover`.
    """
    return discover()


def _load(package: str, name: str) -> Tool[Any]:
    file = f"{name}.py"
    try:
        module = importlib.import_module(f"{package}.{name}")
    except Exception as error:  # whatever a module raises must name its file
        raise StartError(f"{file}: cannot be imported: {type(error).__name__}: {error}") from error
    tool = _tool_of(file, module)
    for fault in _faults(tool, name):
        raise StartError(f"{file}: {fault}.")
    return tool


def _tool_of(file: str, module: ModuleType) -> Tool[Any]:
    tool = vars(module).get("TOOL")
    if not isinstance(tool, Tool):
        raise StartError(f"{file}: it must end in TOOL = Tool(…).")
    return tool


def _faults(tool: Tool[Any], file_name: str) -> list[str]:
    faults: list[str] = []
    if tool.name != file_name:
        faults.append(f'the tool is named "{tool.name}", not as its file')
    if not _NAME.fullmatch(tool.name):
        faults.append(f'"{tool.name}" is not a usable name')
    if not 20 <= len(tool.description) <= 1024:
        faults.append("the description must have 20 to 1,024 characters")
    if len(tool.guidance) > MAX_GUIDANCE:
        faults.append("the guidance must have at most 1,200 characters")
    unknown = [need for need in tool.needs if not isinstance(need, type)]
    if unknown:
        faults.append(f"it needs {unknown[0]!r}, which is no protocol")
    if not issubclass(tool.args, ToolArgs):
        return [*faults, "its arguments must be a subclass of ToolArgs"]
    if tool.args.model_config.get("extra") != "forbid" or not tool.args.model_config.get("frozen"):
        faults.append("its arguments must be frozen and forbid unknown fields")
    faults += [f'the field "{path}" has no description' for path in _undescribed(tool.args)]
    wrong = sorted(field for field in tool.spellings.values() if field not in tool.args.model_fields)
    if wrong:
        faults.append(f'a spelling leads to "{wrong[0]}", which is no field')
    return faults


def _undescribed(arguments: type[BaseModel]) -> list[str]:
    """The fields without a description, those of the values inside included. Told by the classes: the schemas, which
    say it too, are made for tools that are offered (1 ms each)."""
    waiting, seen, found = [arguments], {arguments}, list[str]()
    while waiting:
        model = waiting.pop()
        prefix = "" if model is arguments else f"{model.__name__}."
        found += [f"{prefix}{name}" for name, field in model.model_fields.items() if not field.description]
        inside = {one for field in model.model_fields.values() for one in _models_in(field.annotation)} - seen
        waiting += inside
        seen |= inside
    return found


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _check_unique(tools: Mapping[str, Tool[Any]]) -> None:
    taken: dict[str, str] = {}
    for file, tool in tools.items():
        for name in (tool.name, *tool.aliases):
            if name in taken:
                raise StartError(f'{file}: the name "{name}" is already taken by {taken[name]}.')
            taken[name] = file


def _check_guidance(file: str, tool: Tool[Any], known: set[str]) -> None:
    fields = set(tool.args.model_fields)
    for word in _TOOL_WORD.findall(tool.guidance):
        if word not in known and word not in fields:
            raise StartError(f'{file}: the guidance names "{word}", and there is no such tool.')
