"""The canonical action that a consent is bound to, and its digest (gate-G22, G23)."""

import hashlib
import json
from typing import Literal

from pydantic import JsonValue

from desktop.domain.base import Frozen

VERSION = 1


class ActionFile(Frozen):
    """One path that a call changes, as it was when the call was judged. `base_sha256` None: there was no file."""

    path: str
    op: str
    base_sha256: str | None = None
    dev: int = 0
    ino: int = 0


class Action(Frozen):
    """Everything that makes a call have the effect it has. Two equal actions do the same.

    `args` are the validated arguments. `lane_root` is (device, inode) of the lane folder. `head` is the lane's commit
    for commands and what leaves the lane, else None. `command_sha256` covers the bytes given to bash.
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
    env_profile: str = "lane"
    sandbox_profile: str = "none"
    network: Literal["off", "open"] | tuple[str, ...] = "open"


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
    return hashlib.sha256(canonical_json(ordered.model_dump()).encode("ascii")).hexdigest()
