"""The type and size of a picture, from its first bytes; nothing is decoded."""

import struct

from desktop.records import dataclass

MAX_SIDE_PX = 8_000
MAX_BYTES = 5 * 1024 * 1024
_JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True)
class ImageHeader:
    """`kind` as people call it. Sides in pixels; 0: the header is damaged."""

    kind: str
    media_type: str
    width_px: int
    height_px: int

    @property
    def fits(self) -> bool:
        """Whether both sides are known and within the limit."""
        return 0 < self.width_px <= MAX_SIDE_PX and 0 < self.height_px <= MAX_SIDE_PX


def read_header(raw: bytes) -> ImageHeader | None:
    """The header of a PNG, JPEG, GIF or WebP picture, told by its signature; None: it is none of these."""
    if raw.startswith(b"\x89PNG\r\n\x1a\n"):
        return ImageHeader("PNG", "image/png", *_unpack(">II", raw, 16))
    if raw.startswith((b"GIF87a", b"GIF89a")):
        return ImageHeader("GIF", "image/gif", *_unpack("<HH", raw, 6))
    if raw.startswith(b"\xff\xd8\xff"):
        return ImageHeader("JPEG", "image/jpeg", *_jpeg_size(raw))
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return ImageHeader("WebP", "image/webp", *_webp_size(raw))
    return None


def _unpack(form: str, raw: bytes, offset: int) -> tuple[int, int]:
    if len(raw) < offset + struct.calcsize(form):
        return 0, 0
    first, second = struct.unpack_from(form, raw, offset)
    return int(first), int(second)


def _jpeg_size(raw: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(raw) and raw[at] == 0xFF:
        marker = raw[at + 1]
        if marker in _JPEG_SIZE_MARKERS:
            height, width = _unpack(">HH", raw, at + 5)
            return width, height
        at += 1 if marker == 0xFF else 2 + int.from_bytes(raw[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(raw: bytes) -> tuple[int, int]:
    form = raw[12:16]
    if len(raw) < 30:
        return 0, 0
    if form == b"VP8X":
        return int.from_bytes(raw[24:27], "little") + 1, int.from_bytes(raw[27:30], "little") + 1
    if form == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = _unpack("<HH", raw, 26)
    return width & 0x3FFF, height & 0x3FFF


_SIGNATURES = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "zip archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"MZ", "Windows program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"\0asm", "WebAssembly"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
)


def kind_of(raw: bytes) -> str:
    """The kind of a binary file, in a word or two; `unknown type` when its signature says nothing."""
    return next((name for signature, name in _SIGNATURES if raw.startswith(signature)), "unknown type")
