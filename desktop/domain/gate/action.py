"""The canonical action that a consent is bound to, and its digest (gate-G22, gate-G23)."""

import hashlib
import json
from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.base import Frozen

VERSION = 1


class ActionFile(Frozen):
    """One file that an action changes, as it was when the call was judged. `base_sha256` None: there was no file."""

    path: str
    op: str
    base_sha256: str | None = None
    dev: int = 0
    ino: int = 0


class ActionScript(Frozen):
    """A file of the lane that the command runs, as it was when the call was judged."""

    path: str
    sha256: str


class ActionSql(Frozen):
    """The SQL of a call: where it would run and the hash of its text. `target`: the file or host behind the name."""

    connection: str
    target: str = ""
    dialect: str
    text_sha256: str
    mode: Literal["read", "write"]


class ActionMcp(Frozen):
    """The tool of a server that a call is for, as a person accepted it."""

    server: str
    tool: str
    pin_sha256: str


class Action(Frozen):
    """A call with all that decides its effect. Two equal actions do the same.

    `args` are the validated arguments. `lane_root` is (device, inode) of the lane folder. `head` is the lane's commit
    for commands and what leaves the lane, else None. `command_sha256` covers the bytes given to bash; `scripts` are the
    lane's own files that it names to run. `target`: where it publishes something, None for what publishes nothing.
    `mcp`: None for what is no call to a server.
    """

    v: int = VERSION
    tool: str
    tool_sha256: str
    args: dict[str, JsonValue]
    lane: str = ""
    lane_root: tuple[int, int] = (0, 0)
    cwd: str = "."
    head: str | None = None
    command_sha256: str | None = None
    files: tuple[ActionFile, ...] = ()
    scripts: tuple[ActionScript, ...] = ()
    sql: ActionSql | None = None
    env_profile: str = "lane"
    sandbox_profile: str = "bare"
    network: Literal["off", "open"] | tuple[str, ...] = "open"
    target: str | None = None
    mcp: ActionMcp | None = None


def canonical_json(value: JsonValue) -> str:
    """The one spelling of a value: keys sorted by code point, no blanks, ASCII with escapes, integers as integers.

    Raises:
        ValueError: a number is not finite, or something in it is no JSON.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except TypeError as e:
        raise ValueError(f"The value is not JSON: {e}.") from e


def digest(action: Action) -> str:
    """64 hex digits over the canonical action; the order of `files` does not matter."""
    files = sorted(action.files, key=lambda file: (file.path, file.op))
    ordered = action.model_copy(update={"files": tuple(files)})
    unnamed = {name for name, value in (("target", action.target), ("mcp", action.mcp)) if value is None}
    return hashlib.sha256(canonical_json(ordered.model_dump(exclude=unnamed)).encode("ascii")).hexdigest()


def changed_fields(before: Action, after: Action) -> tuple[str, ...]:
    """The fields in which two actions differ, in words for people, in a fixed order."""
    old, new = before.model_dump(), after.model_dump()
    return tuple(words for name, words in _FIELD_WORDS.items() if old[name] != new[name])


_FIELD_WORDS = {
    "tool": "the tool",
    "tool_sha256": "the tool's own description",
    "args": "the arguments",
    "lane": "the lane",
    "lane_root": "the lane's folder",
    "cwd": "the folder it runs in",
    "head": "the lane's commit",
    "command_sha256": "the command",
    "files": "a file it names",
    "scripts": "a script it runs",
    "sql": "the SQL",
    "env_profile": "the environment",
    "sandbox_profile": "the sandbox",
    "network": "the network",
    "target": "where it goes",
    "mcp": "what was accepted of the tool",
}
