"""Entries as Markdown: what an export writes, and what is read from it or from any other Markdown. Pure."""

import json
import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue, ValidationError

from desktop.domain.memory.values import MOST_CHARS, Entry
from desktop.records import dataclass

_KEYS = (
    "version", "tier", "status", "importance", "confidence", "observations", "uses", "used_at", "files", "source",
    "chats", "proposal", "created_at", "updated_at",
)  # fmt: skip
_TITLE = re.compile(r"# Memory · (person|project|agent|mission) · (\w+)")
_HEADING = re.compile(r"## (mem_[0-9a-f]{12})")
_KEY = re.compile(r"(\w+): ")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)]) +")


class BrokenImport(ValueError):
    """A file cannot be read as what it says it is; the text is a sentence."""


@dataclass(frozen=True)
class Statement:
    """A statement of Markdown that no export wrote."""

    content: str


def file_name(scope: str, category: str) -> str:
    """The name of the file for the entries of a scope and category."""
    return f"memory-{scope}-{category}.md"


def written(entries: Iterable[Entry]) -> dict[str, str]:
    """The texts of an export by their file's name, one for each scope and category."""
    files: dict[str, list[Entry]] = {}
    for entry in entries:
        files.setdefault(file_name(entry.scope, entry.category), []).append(entry)
    return {name: _file(there) for name, there in sorted(files.items())}


def _file(entries: list[Entry]) -> str:
    head = f"# Memory · {entries[0].scope} · {entries[0].category}\n"
    return head + "".join(_section(one) for one in sorted(entries, key=lambda one: one.id))


def _section(entry: Entry) -> str:
    values = entry.model_dump(mode="json")
    line = "; ".join(f"{key}: {json.dumps(values[key])}" for key in _KEYS)
    text = "\n".join(f"\\{part}" if part.startswith(("#", "\\")) else part for part in entry.content.split("\n"))
    return f"\n## {entry.id}\n\n{line}\n\n{text}\n"


def read(text: str, owner: str) -> list[Entry] | list[Statement]:
    """The entries of an export, for `owner` where they are a project's; of other Markdown its statements.

    Raises:
        BrokenImport: it is an export, and an entry of it cannot be read; names which.
    """
    lines = text.split("\n")
    title = _TITLE.fullmatch(lines[0].strip())
    if title is None:
        return [Statement(one) for one in _statements(text)]
    starts = [place for place, line in enumerate(lines) if _HEADING.fullmatch(line)]
    ends = [*starts[1:], len(lines)]
    entries: list[Entry] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=False), start=1):
        try:
            entries.append(_entry(lines[start:end], title[1], title[2], owner))
        except (ValueError, ValidationError) as error:
            raise BrokenImport(f"Entry {number} ({lines[start][3:]}) cannot be read: {_first(error)}") from error
    return entries


def _first(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}."
    return f"{error}."


def _entry(lines: list[str], scope: str, category: str, owner: str) -> Entry:
    if len(lines) < 5 or lines[1] or lines[3]:
        raise ValueError("it has not the line of its values between blank lines")
    values: dict[str, JsonValue] = dict(_values(lines[2]))
    text = "\n".join(lines[4:]).rstrip("\n")
    content = "\n".join(line[1:] if line.startswith("\\") else line for line in text.split("\n"))
    if not content.strip() or len(content) > MOST_CHARS:
        raise ValueError(f"its text must have 1 to {MOST_CHARS:,} characters")
    own = owner if scope == "project" else ""
    more = {"id": lines[0][3:], "content": content, "scope": scope, "category": category, "owner": own}
    return Entry.model_validate({**values, **more})


def _values(line: str) -> Iterator[tuple[str, JsonValue]]:
    place = 0
    while place < len(line):
        key = _KEY.match(line, place)
        if key is None or key[1] not in _KEYS:
            raise ValueError(f"its values cannot be read at character {place + 1}")
        value, place = json.JSONDecoder().raw_decode(line, key.end())
        yield key[1], value
        if not line.startswith("; ", place) and place < len(line):
            raise ValueError(f"its values cannot be read at character {place + 1}")
        place += 2


def _statements(text: str) -> Iterator[str]:
    """Items of lists and paragraphs, without headings and code."""
    block: list[str] = []
    in_code = False
    for line in [*text.split("\n"), ""]:
        fence = line.lstrip().startswith("```")
        in_code = in_code is not fence
        item = _ITEM.match(line)
        ends = fence or in_code or not line.strip() or line.startswith("#") or item is not None
        if ends and block:
            yield " ".join(block)
            block = []
        if fence or in_code or line.startswith("#"):
            continue
        said = line[item.end() :].strip() if item is not None else line.strip()
        block += [said] if said else []
