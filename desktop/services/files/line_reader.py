"""Reading a text file line by line without holding it, however long its lines are."""

import io
from typing import BinaryIO

from desktop.services.files.text_files import Encoding, LineEnds

MAX_LINE_CHARS = 2_000
PIECE_CHARS = 256 * 1024


class LineReader:
    """Lines of a text file, one at a time, each cut at 2,000 characters; line ends are counted on the way."""

    def __init__(self, file: BinaryIO, encoding: Encoding) -> None:
        file.seek(len(encoding.mark))
        self._text = io.TextIOWrapper(file, encoding=encoding.name, errors="replace", newline="\n")
        self.crlf = 0
        self.lf = 0
        self.chars = 0
        self.open_end = False

    def next(self) -> str | None:
        """The next line without its end; None at the end of the file."""
        piece = self._text.readline(PIECE_CHARS)
        if not piece:
            return None
        shown, length = "", 0
        while piece:
            shown += piece[: max(MAX_LINE_CHARS + 2 - len(shown), 0)]
            length += len(piece)
            if piece.endswith("\n"):
                break
            piece = self._text.readline(PIECE_CHARS)
        self.chars += length
        self.open_end = not piece
        ending = 2 if piece.endswith("\r\n") else 1 if piece else 0
        self.crlf += ending == 2
        self.lf += ending == 1
        length -= ending
        if length <= MAX_LINE_CHARS:
            return shown[:length]
        return f"{shown[:MAX_LINE_CHARS]}…[+{length - MAX_LINE_CHARS} characters]"

    @property
    def line_ends(self) -> LineEnds:
        """The line ends that were seen so far."""
        if self.crlf and self.lf:
            return "mixed"
        return "CRLF" if self.crlf else "LF" if self.lf else "none"

    def detach(self) -> None:
        """Leave the file open for its owner."""
        self._text.detach()
