"""The type of a file offered as a proof: told by its first bytes, held to the kind's limits. Nothing is decoded."""

import json
import re
from pathlib import PurePath
from typing import NamedTuple

from desktop.domain.core.errors import BanksmanError
from desktop.domain.proofs.values import ProofKind, kind_words, limit_bytes
from desktop.services.pictures.header import kind_of, read_header

MAX_PIXELS = 50_000_000
_HEAD_CHARS = 4_096
_JSON, _XML, _TEXT = "application/json", "application/xml", "text/plain"
_TEXTS = (_JSON, _XML, _TEXT, "text/html", "image/svg+xml")
_MIME_OF_KIND: dict[ProofKind, tuple[str, ...]] = {
    "screenshot": ("image/png", "image/jpeg", "image/webp", "image/gif"),
    "video_recording": ("video/mp4", "video/webm"),
    "browser_trace": ("application/zip",),
    "browser_verification": (_JSON, _TEXT),
    "console_logs": (_TEXT, _JSON),
    "test_results": (_XML, _JSON, _TEXT),
}
_ACCEPTED: dict[ProofKind, str] = {
    "screenshot": "a PNG, JPEG, WebP or GIF picture",
    "video_recording": "an MP4 or WebM video",
    "browser_trace": "a ZIP archive",
    "browser_verification": "JSON or text",
    "console_logs": "text",
    "test_results": "JUnit XML, JSON or text",
}
_ENDINGS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".zip": "application/zip",
    ".json": _JSON,
    ".xml": _XML,
    ".svg": "image/svg+xml",
    ".html": "text/html",
    ".htm": "text/html",
    ".txt": _TEXT,
    ".log": _TEXT,
}
_NAMES = {
    "image/png": "a PNG picture",
    "image/jpeg": "a JPEG picture",
    "image/webp": "a WebP picture",
    "image/gif": "a GIF picture",
    "video/mp4": "an MP4 video",
    "video/webm": "a WebM video",
    "application/zip": "a ZIP archive",
    _JSON: "JSON",
    _XML: "XML",
    _TEXT: "text",
    "text/html": "HTML",
    "image/svg+xml": "SVG",
}
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")


class ProofRefused(BanksmanError):
    """The file cannot become a proof; nothing of it was stored. The text says why and what would do."""


class ProofType(NamedTuple):
    """`mime`: what the bytes are. `stored`: the type it is kept and shown as; SVG and HTML are text. Sides in pixels
    as the header says, 0: no picture. `notice`: what the name says otherwise."""

    kind: ProofKind
    mime: str
    stored: str
    width: int = 0
    height: int = 0
    notice: str = ""


def proof_type(data: bytes, name: str, wanted: ProofKind | None = None) -> ProofType:
    """The type of a content, and the kind as which it is kept: `wanted`, or the one that fits.

    Raises:
        ProofRefused: it is empty, too large, not of the kind that was wanted, or XML with declarations.
    """
    if not data:
        raise ProofRefused("The file is empty.")
    mime, width, height = _mime(data)
    kind = wanted or _kind(mime, name)
    _refuse_other_kind(kind, mime)
    refuse_size(kind, len(data))
    if width * height > MAX_PIXELS:
        raise ProofRefused(f"The picture has {width}×{height} pixels; the limit is 50 megapixels.")
    if mime == _XML and kind == "test_results":
        _refuse_declarations(data)
    return ProofType(kind, mime, _stored(mime), width, height, _notice(name, mime))


def refuse_size(kind: ProofKind, size: int) -> None:
    """Raises ProofRefused for a size beyond the limit of this kind."""
    limit = limit_bytes(kind)
    if size > limit:
        mib = limit // (1024 * 1024)
        raise ProofRefused(f"The file is {size / (1024 * 1024):.1f} MB; the limit for {kind_words(kind)} is {mib} MB.")


def largest() -> int:
    """More than any proof may have."""
    return max(limit_bytes(kind) for kind in (*_MIME_OF_KIND, "file")) + 1


def _mime(data: bytes) -> tuple[str, int, int]:
    header = read_header(data)
    if header is not None:
        return header.media_type, header.width_px, header.height_px
    if data[4:8] == b"ftyp":
        return "video/mp4", 0, 0
    if data.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm", 0, 0
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "application/zip", 0, 0
    return _text_type(data), 0, 0


def _text_type(data: bytes) -> str:
    if b"\0" in data or kind_of(data) != "unknown type":
        return "application/octet-stream"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "application/octet-stream"
    head = text.lstrip()[:_HEAD_CHARS]
    if head.startswith("<"):
        return _marked_up(head)
    if head.startswith(("{", "[")) and _is_json(text):
        return _JSON
    return _TEXT


def _marked_up(head: str) -> str:
    root = _ROOT.search(head)
    name = root.group(1).lower() if root else ""
    if name == "svg":
        return "image/svg+xml"
    if name in ("html", "head", "body") or head[:14].lower() == "<!doctype html":
        return "text/html"
    return _XML if head.startswith("<?xml") or name in ("testsuite", "testsuites") else _TEXT


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _kind(mime: str, name: str) -> ProofKind:
    if mime.startswith("image/") and mime != "image/svg+xml":
        return "screenshot"
    if mime.startswith("video/"):
        return "video_recording"
    last = PurePath(name).name.lower()
    if mime == "application/zip" and "trace" in last:
        return "browser_trace"
    if mime == _XML:
        return "test_results"
    return "console_logs" if mime == _TEXT and last.endswith((".log", ".txt")) else "file"


def _refuse_other_kind(kind: ProofKind, mime: str) -> None:
    if kind != "file" and mime not in _MIME_OF_KIND[kind]:
        found = _NAMES.get(mime, "of another type")
        raise ProofRefused(f"{kind_words(kind)} must be {_ACCEPTED[kind]}; this file is {found}.")


def _refuse_declarations(data: bytes) -> None:
    if _DECLARATION.search(data.decode("utf-8", "replace")):
        raise ProofRefused("The XML declares a document type or entities, so it is not taken.")


def _stored(mime: str) -> str:
    return _TEXT if mime in ("text/html", "image/svg+xml") else mime


def _notice(name: str, mime: str) -> str:
    ending = PurePath(name).suffix.lower()
    said = _ENDINGS.get(ending)
    if said is None or said == mime or (said in _TEXTS and mime in _TEXTS and said == _TEXT):
        return ""
    return f"The name ends in {ending}, the content is {_NAMES.get(mime, 'of another type')}."
