"""The front matter of a Markdown file, read strictly: strings, lists and tables of strings, and nothing else of YAML
(memory-SK2)."""

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from desktop.domain.skills.values import Fault
from desktop.late import late
from desktop.records import dataclass

MAX_BYTES = 64 * 1024
MAX_DEPTH = 4
MatterValue: TypeAlias = "str | tuple[MatterValue, ...] | Mapping[str, MatterValue]"
_COLON = re.compile(r"([A-Za-z][\w-]*): +(?![\s'\"\[{|>&*!#%@`])(.*:(?:\s.*)?)")
"""A key at the top with a plain value that holds a colon, at which YAML would begin a table."""


@dataclass(frozen=True)
class FrontMatter:
    """What stands between the two lines `---`, and the text after them. `lines`: where each key stands, from 1."""

    values: Mapping[str, MatterValue]
    lines: Mapping[str, int]
    body: str


class MatterError(ValueError):
    """The front matter is not what is accepted. `line`: from 1 in the file."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


def read_front_matter(content: bytes, path: str) -> FrontMatter | Fault:
    """The front matter and the text of a file; a fault names the line. Never raises for any content."""
    if len(content) > MAX_BYTES:
        return Fault(path, 0, "It is larger than 64 KiB.")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return Fault(path, 0, "It is not UTF-8 text.")
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), None)
    if lines[0].rstrip() != "---" or end is None:
        return Fault(path, 1, "It does not begin with front matter between two lines of ---.")
    try:
        values, places = _read(lines[1:end])
    except MatterError as error:
        return Fault(path, error.line, str(error))
    return FrontMatter(values, places, "\n".join(lines[end + 1 :]).strip("\n"))


def _read(lines: list[str]) -> tuple[Mapping[str, MatterValue], dict[str, int]]:
    try:
        return _parsed("\n".join(lines))
    except MatterError:
        quoted = [_quoted(line) for line in lines]
        if quoted == lines:
            raise
        return _parsed("\n".join(quoted))


def _quoted(line: str) -> str:
    """The line with its plain value in quotes, if a colon in it breaks the reading."""
    found = _COLON.fullmatch(line.rstrip())
    return line if found is None else f"{found[1]}: '{found[2].replace(chr(39), chr(39) * 2)}'"


def _parsed(text: str) -> tuple[Mapping[str, MatterValue], dict[str, int]]:
    """The top table and the line of each of its keys.

    Raises:
        MatterError: it is no YAML, or has what is not accepted.
    """
    pieces = _pieces(text)
    first = next(pieces, None)
    if first is None or first.kind != "table":
        raise MatterError(2, "It has no keys." if first is None else "It is not a table of keys.")
    lines: dict[str, int] = {}
    values = _table(pieces, 1, lines)
    second = next(pieces, None)  # all of it is read, so what is broken is found
    if second is not None:
        raise MatterError(second.line, "A second document in it is not accepted.")
    return values, lines


class _Piece(NamedTuple):
    kind: str
    line: int
    value: str = ""


def _pieces(text: str) -> Iterator[_Piece]:
    """The events of the YAML reader. Raises MatterError."""
    yaml = late("yaml")
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    kinds = {yaml.ScalarEvent: "text", yaml.SequenceStartEvent: "list", yaml.MappingStartEvent: "table"}
    ends = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
    try:
        for event in yaml.parse(text, Loader=loader):
            line = event.start_mark.line + 2
            kind = "end" if isinstance(event, ends) else kinds.get(type(event))
            if isinstance(event, yaml.AliasEvent):
                raise MatterError(line, "A reference to another value (*) is not accepted.")
            if isinstance(event, yaml.DocumentStartEvent) and (event.version or event.tags):
                raise MatterError(line, "Directives (%) are not accepted.")
            if type(event) in kinds and (event.anchor is not None or event.tag is not None):
                raise MatterError(line, "Names for values (&) and types (!) are not accepted.")
            if kind is not None:
                yield _Piece(kind, line, event.value if kind == "text" else "")
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        raise MatterError(line, f"It cannot be read as YAML: {error.problem}.") from error
    except yaml.YAMLError as error:
        raise MatterError(2, f"It cannot be read as YAML: {' '.join(str(error).split())}.") from error


def _table(pieces: Iterator[_Piece], depth: int, lines: dict[str, int] | None = None) -> dict[str, MatterValue]:
    found: dict[str, MatterValue] = {}
    for key in pieces:
        if key.kind == "end":
            break
        if key.kind != "text" or not key.value:
            raise MatterError(key.line, "A key must be a word.")
        if key.value in found:
            raise MatterError(key.line, f"'{key.value}' stands there twice.")
        found[key.value] = _value(next(pieces), pieces, depth)
        if lines is not None:
            lines[key.value] = key.line
    return found


def _value(piece: _Piece, pieces: Iterator[_Piece], depth: int) -> MatterValue:
    if piece.kind == "text":
        if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in piece.value):
            raise MatterError(piece.line, "It has a character that is no text.")
        return piece.value
    if depth == MAX_DEPTH:
        raise MatterError(piece.line, f"It is nested more than {MAX_DEPTH} deep.")
    if piece.kind == "table":
        return _table(pieces, depth + 1)
    return tuple(_value(one, pieces, depth + 1) for one in takewhile(lambda one: one.kind != "end", pieces))
