"""Reading a call's arguments: strict types, other spellings of fields, and errors that say what to send instead."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from desktop.domain.core.errors import BanksmanError
from desktop.tools.tool import Tool, ToolArgs

MAX_PROBLEMS = 8
SPELLINGS = {
    "filePath": "file_path",
    "path": "file_path",
    "old_str": "old_string",
    "oldString": "old_string",
    "new_str": "new_string",
    "newString": "new_string",
    "replaceAll": "replace_all",
    "timeout": "timeout_ms",
    "working_directory": "cwd",
    "planDescription": "plan",
}
A = TypeVar("A", bound=ToolArgs)
_HALF = re.compile("[\ud800-\udfff]")

_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of this tool",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


class ArgumentsError(BanksmanError):
    """The arguments of a call cannot be used. The text goes to the model."""


def spellings_for(args: type[ToolArgs]) -> dict[str, str]:
    """The other spellings that models use for the fields of these arguments."""
    fields = args.model_fields
    return {other: field for other, field in SPELLINGS.items() if field in fields and other not in fields}


def parse_args(tool: Tool[A], raw: JsonValue) -> A:
    """The arguments as the tool's type. Missing or null input counts as `{}`.

    A JSON number without fraction is taken as an integer; nothing else is converted (tools-T22).

    Raises:
        ArgumentsError: with every fault, at most eight, and the fields there are.
    """
    given = {} if raw is None else raw
    if not isinstance(given, dict):
        raise _error(tool, ["input: must be an object"])
    problems: list[str] = []
    merged = _merge_spellings(given, tool.spellings, problems)
    cleaned = {name: _clean(name, value, problems) for name, value in merged.items()}
    if problems:
        raise _error(tool, problems)
    try:
        return tool.args.model_validate_json(json.dumps(cleaned))
    except ValidationError as error:
        raise _error(tool, [_problem(detail) for detail in error.errors(include_url=False)]) from None


def _merge_spellings(given: Mapping[str, JsonValue], other: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    source: dict[str, str] = {}
    for name, value in given.items():
        field = other.get(name, name)
        if field in merged and merged[field] != value:
            problems.append(f"{field}: given twice with different values ({source[field]} and {name})")
        merged[field] = value
        source[field] = name
    return merged


def _clean(place: str, value: Any, problems: list[str]) -> Any:
    """`value` with whole floats as integers; what no JSON text can say is a problem."""
    if isinstance(value, float):
        if not math.isfinite(value):
            problems.append(f"{place}: is not a number that JSON knows")
        return int(value) if math.isfinite(value) and value.is_integer() else value
    if isinstance(value, str) or not isinstance(value, (dict, list)):
        if isinstance(value, str) and not _whole(value):
            problems.append(f"{place}: holds half of a character (a lone surrogate)")
        return value
    if isinstance(value, list):
        return [_clean(f"{place}.{index}", item, problems) for index, item in enumerate(value)]
    for name in value:
        if not _whole(name):
            problems.append(f"{place}: a field name holds half of a character (a lone surrogate)")
    return {name: _clean(f"{place}.{name}", item, problems) for name, item in value.items()}


def _whole(text: str) -> bool:
    return _HALF.search(text) is None


def _problem(detail: ErrorDetails) -> str:
    place = ".".join(str(part) for part in detail["loc"]) or "input"
    words = _PROBLEMS.get(detail["type"])
    if words is None:
        message = detail["msg"].removeprefix("Value error, ")
        words = (message[:1].lower() + message[1:]).replace("input should be", "must be")
    return f"{place}: {words}"


def _error(tool: Tool[Any], problems: list[str]) -> ArgumentsError:
    listed = "; ".join(_escaped(problem) for problem in problems[:MAX_PROBLEMS])
    more = f"; and {len(problems) - MAX_PROBLEMS} more" if len(problems) > MAX_PROBLEMS else ""
    fields = ", ".join(_fields(tool.schema)) or "none"
    return ArgumentsError(f"Invalid arguments for {tool.name}: {listed}{more}. Fields: {fields}.")


def _escaped(text: str) -> str:
    return text if _whole(text) else text.encode("utf-8", "backslashreplace").decode()


def _fields(schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required", [])
    return [
        f"{name}: {_type_word(field)}{'' if name in required else ' (optional)'}"
        for name, field in schema.get("properties", {}).items()
    ]


def _type_word(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return " or ".join(str(value) for value in field["enum"])
    if "anyOf" in field:
        words = [_type_word(part) for part in field["anyOf"] if part.get("type") != "null"]
        return " or ".join(words)
    if "$ref" in field:
        return "object"
    if field.get("type") == "array":
        return f"list of {_type_word(field.get('items', {}))}"
    return str(field.get("type", "any"))
