"""Bytes of a file as text and back, without losing its encoding, its mark or its line ends."""

import codecs
import re
from typing import Literal

from desktop.records import dataclass

NUL_SCAN_BYTES = 8192
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BARE_LF = re.compile(r"(?<!\r)\n")

LineEnds = Literal["LF", "CRLF", "mixed", "none"]


@dataclass(frozen=True)
class Encoding:
    """The encoding of a file's text: Python's name of it and the mark before the text (b"" for none)."""

    name: str
    mark: bytes = b""


@dataclass(frozen=True)
class TextFile:
    """A file's text without its mark; line ends as they are in the file."""

    text: str
    encoding: Encoding

    @property
    def line_ends(self) -> LineEnds:
        """The line ends of the text."""
        return line_ends(self.text)

    def encode(self, text: str) -> bytes:
        """`text` as this file would store it.

        Raises:
            UnicodeEncodeError: the encoding has no form for some character.
        """
        return self.encoding.mark + text.encode(self.encoding.name)


def sniff(head: bytes, *, whole: bytes | None = None) -> Encoding | None:
    """The encoding of a file that begins with `head`: by its mark, else strict UTF-8, else Latin-1; None: binary.

    `whole` is judged for UTF-8 when it is given, else `head`, whose last character may be cut (tools-T57).
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, mark)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head if whole is None else whole, final=whole is not None)
        is_utf8 = True
    except UnicodeDecodeError:
        is_utf8 = False
    if b"\0" in head[:NUL_SCAN_BYTES]:
        return None
    return Encoding("utf-8") if is_utf8 else Encoding("latin-1")


def decode(raw: bytes) -> TextFile | None:
    """The file's text, or None when it is binary: it has NULs, or its bytes do not come back from the text."""
    encoding = sniff(raw[:NUL_SCAN_BYTES], whole=raw)
    if encoding is None:
        return None
    try:
        text = raw[len(encoding.mark) :].decode(encoding.name)
    except UnicodeDecodeError:
        return None
    file = TextFile(text, encoding)
    return file if file.encode(text) == raw else None


def line_ends(text: str) -> LineEnds:
    """The line ends of a text. A carriage return alone is not one."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    if not crlf and not lf:
        return "none"
    if crlf and lf:
        return "mixed"
    return "CRLF" if crlf else "LF"


def with_crlf(text: str) -> str:
    """`text` with every bare LF as CRLF."""
    return _BARE_LF.sub("\r\n", text)


def count_lines(text: str) -> int:
    """The number of lines in a text; one without a line end at the end counts too."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
