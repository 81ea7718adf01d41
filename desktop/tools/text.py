"""Words that several tools share: cutting, counts, sizes, terminal escapes, languages."""

import re
from collections.abc import Callable
from functools import lru_cache

from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import StoreError
from desktop.late import late
from desktop.store.core.blobs import BlobStore

LIMIT = 30_000
NOT_KEPT = "whole text could not be kept"
BLOB_ID_DIGITS = 12
_MARK_ROOM = 160
_NEAR = 200
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC and other strings
    r"|\x1b[ -/]*[0-~]"
)
_REDRAWN = re.compile(r"[^\n]*\r(?=[^\n\r])")


def strip_escapes(text: str) -> str:
    """`text` without terminal escapes; of a line that was redrawn with carriage returns the last state (tools-T33)."""
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _REDRAWN.sub("", plain).replace("\r", "")


def clip(text: str, limit: int = LIMIT, *, whole: str = NOT_KEPT) -> str:
    """`text`, or its first and last parts with one line between that says what is missing; at most `limit` characters.

    `whole` says where the rest is (tools-T30). A cut moves to a line boundary when one lies within 200 characters.
    """
    if len(text) <= limit:
        return text
    half = (limit - _MARK_ROOM) // 2
    return join_ends(text[:half], text[len(text) - half :], len(text), text.count("\n"), whole=whole)


def join_ends(head: str, tail: str, chars: int, lines: int, *, limit: int = LIMIT, whole: str = NOT_KEPT) -> str:
    """Both ends of a text of `chars` characters and `lines` line ends, cut as `clip` does."""
    half = (limit - _MARK_ROOM) // 2
    head, tail = head[:half], tail[max(len(tail) - half, 0) :]
    end = head.rfind("\n", max(len(head) - _NEAR, 0))
    head = head[: end + 1] if end >= 0 else head
    start = tail.find("\n", 0, _NEAR)
    tail = tail[start + 1 :] if start >= 0 else tail
    left_out = max(chars - len(head) - len(tail), 0)
    lines_out = max(lines - head.count("\n") - tail.count("\n"), 0)
    mark = f"[… {left_out:,} characters, {lines_out:,} lines left out; {whole} …]"
    gap = "" if head.endswith("\n") or not head else "\n"
    return f"{head}{gap}{mark}\n{tail}"


def blob_name(ref: BlobRef) -> str:
    """The name of a stored text for the model: `blob:` and the first 12 digits of its hash."""
    return f"blob:{ref.sha256[:BLOB_ID_DIGITS]}"


def keep_whole(blobs: BlobStore, read: Callable[[], bytes], media_type: str) -> tuple[BlobRef | None, str]:
    """Store the whole of a text that is going to be cut. Returns its reference and the words for the cut line.

    A store that cannot take it costs the blob, never the result (tools-T31).
    """
    try:
        ref = blobs.put(read(), media_type, lazy=True)
    except (StoreError, OSError):
        return None, NOT_KEPT
    return ref, f"whole text: {blob_name(ref)}"


def size_words(size: int) -> str:
    """A byte count as people read it: `84 bytes`, `3.4 KB`, `2.1 MB`."""
    if size < 1024:
        return count_words(size, "byte")
    for unit in ("KB", "MB"):
        size_in_unit = size / 1024 if unit == "KB" else size / 1024**2
        if size_in_unit < 1024:
            return f"{size_in_unit:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size / 1024**3:.1f} GB"


def count_words(count: int, noun: str, plural: str = "") -> str:
    """`1 line`, `1,200 lines`. `plural` where it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def duration_words(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min`, `2 h`: as short as it stays true."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def one_line(text: str, limit: int = 120) -> str:
    """The first line that is not blank, cut at `limit`."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def command_title(command: str) -> str:
    """A command as a title: its first line, and a mark where more lines follow."""
    line = one_line(command)
    more = sum(1 for row in command.splitlines() if row.strip()) > 1
    return f"{line} …" if more and not line.endswith("…") else line


def title_line(text: str, limit: int = 200) -> str:
    """`text` as a title of one line: line breaks become `⏎`, and it is cut at `limit`."""
    line = "⏎".join(text.splitlines())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


@lru_cache(maxsize=512)
def language_of(path: str) -> str:
    """The Pygments name for a file of this name, `text` when there is none."""
    lexer = late("pygments.lexers").find_lexer_class_for_filename(path)
    return str(lexer.aliases[0]) if lexer is not None and lexer.aliases else "text"
