"""What can be told of the arguments of a call to a server: their size, the SQL in them, and paths that leave the
lane."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.policy.mcp.schemas import depth_of

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
SQL_NAMES = frozenset({"sql", "query", "statement", "command"})
MOST_PATHS = 20
MAX_PATH_CHARS = 300
_BEFORE = re.compile(
    r"(?:[\s\x00-\x20\ufeff\u200b-\u200f\u2060;(]|--[^\n]*|#[^\n]*|/\*(?!m?!).*?\*/)*", re.DOTALL | re.IGNORECASE
)
_FIRST = re.compile(
    r"(?:abort|alter|analy[sz]e|attach|backup|begin|bulk|call|checkpoint|cluster|comment|commit|copy|create|dbcc|"
    r"deallocate|declare|delete|deny|desc|describe|detach|discard|do|drop|end|exec|execute|explain|export|from|grant|"
    r"handler|import|insert|install|kill|listen|load|lock|merge|notify|optimize|pivot|pragma|prepare|purge|reassign|"
    r"refresh|reindex|release|rename|replace|reset|restore|revoke|rollback|savepoint|select|set|show|shutdown|start|"
    r"summarize|table|truncate|update|upsert|use|vacuum|values|waitfor|with)\b|/\*m?!",
    re.IGNORECASE,
)


class SqlArgument(Frozen):
    """A text of SQL among the arguments. `name`: the path of the argument, such as `options.sql`."""

    name: str
    text: str


def arguments_problem(arguments: Mapping[str, JsonValue]) -> str:
    """Why arguments are not sent at all, "" when they may be."""
    if depth_of(dict(arguments), MAX_DEPTH) > MAX_DEPTH:
        return f"they are nested deeper than {MAX_DEPTH} levels"
    if len(json.dumps(arguments, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return "they are larger than 256 KiB"
    return ""


def sql_arguments(arguments: Mapping[str, JsonValue], marked: Collection[str] = ()) -> tuple[SqlArgument, ...]:
    """The texts of SQL: arguments of which a person said so (`marked`, by name), and those that are named as SQL is and
    begin like it (gate-Q24)."""
    return tuple(
        SqlArgument(name=path, text=text)
        for path, name, text in texts_in(arguments)
        if name in marked or (name.casefold() in SQL_NAMES and begins_as_sql(text))
    )


def begins_as_sql(text: str) -> bool:
    """Whether the first word of a text, after comments, is one of SQL."""
    before = _BEFORE.match(text)
    return _FIRST.match(text, before.end() if before is not None else 0) is not None


def leaving_paths(arguments: Mapping[str, JsonValue], lane_root: str) -> tuple[str, ...]:
    """The arguments that look like paths and lead out of the lane, at most 20. It proves nothing: only the sandbox of
    the server holds it."""
    found = dict.fromkeys(text for _path, _name, text in texts_in(arguments) if _leaves(text, lane_root))
    return tuple(found)[:MOST_PATHS]


def texts_in(arguments: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    """Each text among the arguments with its path and the name of the field it belongs to, in their order."""
    for name, value in arguments.items():
        yield from _texts(name, name, value)


def _texts(path: str, name: str, value: JsonValue) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, str):
        yield path, name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(f"{path}.{key}", key, inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _texts(f"{path}[{place}]", name, inner)


def _leaves(text: str, lane_root: str) -> bool:
    if not text or len(text) > MAX_PATH_CHARS or any(char < " " for char in text):
        return False
    path = text.removeprefix("file://")
    if path.startswith("~"):
        return True
    if not path.startswith("/"):
        return posixpath.normpath(path).startswith("..")
    inside = posixpath.normpath(path)
    return inside != lane_root and not inside.startswith(f"{lane_root}/")
