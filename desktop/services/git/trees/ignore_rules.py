"""A quick look at ignore files that tells of most names that Git does not ignore them, without starting Git."""

import re
from collections.abc import Iterable

MAX_BYTES = 128 * 1024
MAX_STARS = 2
"""In one pattern; more of them take long to compare, and whoever writes an ignore file decides how many."""
_ANY = rb"[^/]*"


class IgnoreRules:
    """What some ignore files may cover, together and wherever they stand. `contents`: what is in them."""

    def __init__(self, contents: Iterable[bytes]) -> None:
        every = list(contents)
        if sum(map(len, every)) > MAX_BYTES:
            every = [b"*"]
        patterns = {found for content in every for line in content.split(b"\n") if (found := _last_name(line))}
        self._covered = re.compile(rb"/(?:%s)/" % b"|".join(sorted(patterns)), re.IGNORECASE) if patterns else None

    def may_cover(self, path: bytes) -> bool:
        """False only where no pattern fits this path or a folder above it: then Git does not ignore it."""
        return self._covered is not None and self._covered.search(b"/%s/" % path) is not None


def _last_name(line: bytes) -> bytes:
    """What the name of everything that this line makes Git ignore fits, as a regular expression; b"" for nothing.

    A pattern fits a path only where its last part fits the path's last name. What is escaped or in brackets, with all
    behind it, may be anything.
    """
    line = line.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\r")
    if not line.strip(b" ") or line[:1] in {b"#", b"!"}:
        return b""
    plain = re.split(rb"[\[\\]", line, maxsplit=1)[0]
    cut = plain != line
    parts = plain.split(b"/") if cut else plain.rstrip(b" ").rstrip(b"/").split(b"/")
    while not cut and len(parts) > 1 and parts[-1] == b"**" and parts[-2]:
        parts.pop()
    pieces = re.split(rb"\*+", parts[-1])
    kept = _ANY.join(re.escape(piece).replace(rb"\?", b"[^/]") for piece in pieces[: MAX_STARS + 1])
    return kept + (_ANY if cut or len(pieces) > MAX_STARS + 1 else b"")
