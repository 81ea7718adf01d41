"""What a server answered to a call, read as parts: texts, pictures, other bytes and links."""

import base64
import binascii
import json
from collections.abc import Mapping

from pydantic import JsonValue

from desktop.records import dataclass

MAX_TEXT_BYTES = 128 * 1024
"""Of all texts of an answer together."""
MOST_PARTS = 200
MAX_WORDS = 300
_NO_LIST = "[The server answered with something that is no list of contents.]"


@dataclass(frozen=True)
class TextPart:
    """A text. `source`: the resource that it is, "" for none."""

    text: str
    source: str = ""


@dataclass(frozen=True)
class BytesPart:
    """A picture, a sound or another file. `media_type` is the server's word for it."""

    raw: bytes
    media_type: str
    source: str = ""


@dataclass(frozen=True)
class LinkPart:
    """A resource that the server names and did not send. Nothing opens it by itself."""

    uri: str
    label: str


Part = TextPart | BytesPart | LinkPart


@dataclass(frozen=True)
class ServerAnswer:
    """The parts of an answer in its order. `structured` None: there is none. `left_out`: bytes of text that were not
    taken; `notes`: what could not be read, sentences."""

    parts: tuple[Part, ...]
    structured: dict[str, JsonValue] | None = None
    is_error: bool = False
    left_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All texts, one below the other."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def structured_text(self) -> str:
        """The structured content as JSON, "" where there is none or a text says the same."""
        if self.structured is None or any(_is_json(part, self.structured) for part in self.parts):
            return ""
        return json.dumps(self.structured, indent=2, ensure_ascii=False)


def read_answer(raw: Mapping[str, JsonValue]) -> ServerAnswer:
    """The answer as the protocol has it: `content`, `structuredContent`, `isError`. Whatever is in it is read or named,
    nothing of it raises."""
    content = raw.get("content")
    parts: list[Part] = []
    notes: list[str] = [] if isinstance(content, list) else [_NO_LIST]
    left, left_out = MAX_TEXT_BYTES, 0
    for block in content if isinstance(content, list) else ():
        if len(parts) + len(notes) >= MOST_PARTS:
            notes.append(f"[More than {MOST_PARTS} parts: the rest was left out.]")
            break
        part = _part(block)
        if isinstance(part, str):
            notes.append(part)
            continue
        if isinstance(part, TextPart):
            kept, lost = _within(part.text, left)
            left, left_out = left - len(kept.encode("utf-8", "replace")), left_out + lost
            part = TextPart(kept, part.source)
        parts.append(part)
    structured = raw.get("structuredContent")
    return ServerAnswer(
        parts=tuple(parts),
        structured=structured if isinstance(structured, dict) else None,
        is_error=raw.get("isError") is True,
        left_out=left_out,
        notes=tuple(notes),
    )


def _part(block: JsonValue) -> Part | str:
    """One part, or the sentence about one that cannot be read."""
    if not isinstance(block, dict):
        return "[A part was left out: it is no object.]"
    kind = block.get("type")
    if kind == "text":
        return TextPart(_string(block, "text"))
    if kind in ("image", "audio"):
        return _bytes(block, "data", _string(block, "mimeType") or f"{kind}/unknown", "")
    if kind == "resource_link":
        label = _string(block, "title") or _string(block, "name")
        return LinkPart(uri=_string(block, "uri"), label=label[:MAX_WORDS])
    if kind == "resource":
        return _resource(block.get("resource"))
    return f"[A part was left out: its kind {str(kind)[:40]!r} is not known.]"


def _resource(resource: JsonValue) -> Part | str:
    if not isinstance(resource, dict):
        return "[A resource was left out: it is no object.]"
    uri = _string(resource, "uri")
    if "blob" in resource:
        return _bytes(resource, "blob", _string(resource, "mimeType") or "application/octet-stream", uri)
    return TextPart(_string(resource, "text"), uri)


def _bytes(block: Mapping[str, JsonValue], field: str, media_type: str, source: str) -> Part | str:
    try:
        return BytesPart(base64.b64decode(_string(block, field), validate=True), media_type[:MAX_WORDS], source)
    except (binascii.Error, ValueError):
        return f"[A part of type {media_type[:80]} was left out: its bytes cannot be read.]"


def _string(block: Mapping[str, JsonValue], field: str) -> str:
    value = block.get(field)
    return value if isinstance(value, str) else ""


def _within(text: str, room: int) -> tuple[str, int]:
    """As much of a text as fits into so many bytes, and how many bytes do not."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= room:
        return text, 0
    kept = raw[:room].decode("utf-8", "ignore")
    return kept, len(raw) - len(kept.encode())


def _is_json(part: Part, value: dict[str, JsonValue]) -> bool:
    if not isinstance(part, TextPart) or not part.text.lstrip().startswith("{"):
        return False
    try:
        found: JsonValue = json.loads(part.text)
    except (ValueError, RecursionError):
        return False
    return found == value
