"""One call of a guest as it told of it, in however many messages, read into what the gate can judge (guests-A16)."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.guests.values import GuestKind
from desktop.policy.path_words import PathOp

CommandFrom = Literal["rawInput", "title", "earlier"]
"""Where a guest says what it will run: in the raw input, in the title alone, or in what it told before it asks."""

MOST_PATHS = 200
_KINDS: dict[str, GuestKind] = {kind: kind for kind in get_args(GuestKind)}
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_RUN_TEXT = re.compile(r"-[a-z]*c")
_COMMANDS = ("command", "cmd", "script")
_FOLDERS = ("cwd", "workdir", "directory", "working_directory")
_PATHS = ("file_path", "filePath", "path", "abs_path", "absolute_path", "notebook_path", "target_file", "filepath")
_SOURCES = ("source", "src", "old_path", "from", "source_path")
_TARGETS = ("destination", "dest", "dst", "new_path", "to", "destination_path")
_URLS = ("url", "uri")
_PARENTS = ("parentToolUseId", "parent_tool_use_id", "parentToolCallId", "parent_tool_call_id")


class GuestPath(Frozen):
    """A path of a call, and what would be done with it."""

    path: str
    op: PathOp


class GuestEdit(Frozen):
    """A change of a file as the guest shows it: of the whole file, or of a part of it. `old`: None for a new file."""

    path: str
    old: str | None
    new: str

    def gives(self, before: str | None, after: str) -> bool:
        """Whether a file that holds `before` (None: there is none) holds `after` once this is done, and nothing else
        (guests-A22)."""
        if self.old is None or before is None:
            return after == self.new
        if before == self.old:
            return after == self.new
        return self.old in before and after in (
            before.replace(self.old, self.new, 1),
            before.replace(self.old, self.new),
        )


class GuestCall(Frozen):
    """What a guest wants to do. `readable`: it says enough of it to be judged. `raw`: its input as it came."""

    call_id: str
    kind: GuestKind
    title: str = ""
    command: str | None = None
    cwd: str = ""
    paths: tuple[GuestPath, ...] = ()
    edits: tuple[GuestEdit, ...] = ()
    url: str = ""
    raw: JsonValue = None
    readable: bool = True


def parent_said(told: Mapping[str, JsonValue]) -> str:
    """The id of the call of which this one is a part, such as the one that began a sub-agent; "" where the guest names
    none (guests-A33)."""
    meta = told.get("_meta")
    found = meta if isinstance(meta, dict) else {}
    inner = [found, *(one for one in found.values() if isinstance(one, dict))]
    return next((text for one in inner if (text := _first(one, _PARENTS))), "")


def joined(known: Mapping[str, JsonValue], told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What is known of a call once the guest told this too: a field that it leaves out or empty stays as it was."""
    return {**known, **{name: value for name, value in told.items() if value not in (None, "", [], {})}}


def guest_call(told: Mapping[str, JsonValue], command_from: CommandFrom = "rawInput") -> GuestCall:
    """The call of which all this was told. A kind that contradicts what it holds is taken as the stricter one: whoever
    gives a command runs it, whoever shows a change makes it (guests-A17)."""
    raw = told.get("rawInput")
    fields = raw if isinstance(raw, dict) else {}
    title = _text(told.get("title"))
    kind = _KINDS.get(_text(told.get("kind")), "other")
    command = _command(fields)
    edits = tuple(_edits(told))
    if command is not None:
        kind = "execute"
    elif kind == "execute" and command_from == "title" and title.strip():
        command = _unquoted(title)
    elif edits and kind not in ("execute", "delete", "move"):
        kind = "edit"
    url = _first(fields, _URLS)
    paths = tuple(dict.fromkeys(_paths(kind, told, fields, edits)))
    return GuestCall(
        call_id=_text(told.get("toolCallId")),
        kind=kind,
        title=title,
        command=command,
        cwd=_first(fields, _FOLDERS) if kind == "execute" else "",
        paths=paths[:MOST_PATHS],
        edits=edits,
        url=url,
        raw=raw,
        readable=len(paths) <= MOST_PATHS and _says_enough(kind, command, paths, url),
    )


def _says_enough(kind: GuestKind, command: str | None, paths: tuple[GuestPath, ...], url: str) -> bool:
    if kind == "execute":
        return command is not None and bool(command.strip())
    if kind in ("edit", "delete", "move", "read"):
        return bool(paths)
    return bool(url) if kind == "fetch" else True


def _command(fields: Mapping[str, JsonValue]) -> str | None:
    """The command text of a raw input; of a list, what its shell is given, else its words as a shell would be told."""
    for name in _COMMANDS:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value
        words = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
        if words and isinstance(value, list) and len(words) == len(value):
            shell = posixpath.basename(words[0]) in _SHELLS
            if shell and len(words) == 3 and _RUN_TEXT.fullmatch(words[1]):
                return words[2]
            return shlex.join(words)
    return None


def _unquoted(title: str) -> str:
    """A title without the marks of code around it."""
    text = title.strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1] else text


def _edits(told: Mapping[str, JsonValue]) -> Iterator[GuestEdit]:
    content = told.get("content")
    for one in content if isinstance(content, list) else ():
        if isinstance(one, dict) and one.get("type") == "diff" and isinstance(one.get("path"), str):
            old = one.get("oldText")
            text = old if isinstance(old, str) else None
            yield GuestEdit(path=_text(one.get("path")), old=text, new=_text(one.get("newText")))


def _paths(
    kind: GuestKind, told: Mapping[str, JsonValue], fields: Mapping[str, JsonValue], edits: tuple[GuestEdit, ...]
) -> Iterator[GuestPath]:
    op: PathOp = "read" if kind in ("read", "search") else "delete" if kind == "delete" else "write"
    if kind in ("execute", "fetch", "think", "switch_mode", "other"):
        return
    yield from (GuestPath(path=edit.path, op="write") for edit in edits)
    locations = told.get("locations")
    for one in locations if isinstance(locations, list) else ():
        if isinstance(one, dict) and _text(one.get("path")):
            yield GuestPath(path=_text(one.get("path")), op=op)
    yield from (GuestPath(path=_text(fields[name]), op=op) for name in _PATHS if _text(fields.get(name)))
    if kind == "move":
        yield from (GuestPath(path=_text(fields[name]), op="delete") for name in _SOURCES if _text(fields.get(name)))
        yield from (GuestPath(path=_text(fields[name]), op="write") for name in _TARGETS if _text(fields.get(name)))


def _first(fields: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _text(fields.get(name)))), "")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
