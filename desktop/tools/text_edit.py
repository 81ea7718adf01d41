"""Literal replacement in a file's text: nothing in either text is a pattern, other bytes stay as they are."""

import re
from difflib import SequenceMatcher

from desktop.records import dataclass
from desktop.services.files.text_files import TextFile, with_crlf

MAX_COMPARED_CHARS = 1024 * 1024
SIMILAR = 0.6


@dataclass(frozen=True)
class Hits:
    """The places where a text occurs: start and end of each, overlapping ones included, in order."""

    places: tuple[tuple[int, int], ...]

    def apart(self) -> tuple[tuple[int, int], ...]:
        """The places from left to right that do not overlap."""
        kept: list[tuple[int, int]] = []
        for start, end in self.places:
            if not kept or start >= kept[-1][1]:
                kept.append((start, end))
        return tuple(kept)


def find(file: TextFile, old: str) -> Hits:
    """Every place of `old` in the file. In a file with CRLF only a bare LF of `old` stands for CRLF; in one with mixed
    ends for either (tools-T70)."""
    if file.line_ends == "mixed":
        pieces = re.split(r"\r?\n", old)
        pattern = re.compile("(?=(" + r"\r?\n".join(re.escape(piece) for piece in pieces) + "))")
        return Hits(tuple(match.span(1) for match in pattern.finditer(file.text)))
    wanted = with_crlf(old) if file.line_ends == "CRLF" else old
    places: list[tuple[int, int]] = []
    at = file.text.find(wanted)
    while at >= 0:
        places.append((at, at + len(wanted)))
        at = file.text.find(wanted, at + 1)
    return Hits(tuple(places))


def replace(file: TextFile, places: tuple[tuple[int, int], ...], new: str) -> str:
    """The text with every place replaced; line ends of `new` become those of the file, or of the first place."""
    if not places:
        return file.text
    if _uses_crlf(file, places[0]):
        new = with_crlf(new)
    out: list[str] = []
    at = 0
    for start, end in places:
        out += [file.text[at:start], new]
        at = end
    return "".join([*out, file.text[at:]])


def _uses_crlf(file: TextFile, place: tuple[int, int]) -> bool:
    if file.line_ends != "mixed":
        return file.line_ends == "CRLF"
    newline = file.text.find("\n", place[0])
    newline = newline if newline >= 0 else file.text.rfind("\n", 0, place[0])
    return newline > 0 and file.text[newline - 1] == "\r"


def line_of(text: str, at: int) -> int:
    """The number of the line that holds this character, from 1."""
    return text.count("\n", 0, at) + 1


def closest_line(text: str, wanted: str) -> tuple[int, str] | None:
    """The line most like the first line of `wanted` that is not blank, with its number; None: none is like it."""
    first = next((line.strip() for line in wanted.splitlines() if line.strip()), "")
    if not first or len(text) > MAX_COMPARED_CHARS:
        return None
    best: tuple[float, int, str] | None = None
    matcher = SequenceMatcher(None, b=first, autojunk=False)
    for number, line in enumerate(text.split("\n"), 1):
        candidate = line.strip()
        if not candidate or len(candidate) > 4 * len(first) + 40:
            continue
        matcher.set_seq1(candidate)
        least = best[0] if best else SIMILAR
        if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and (r := matcher.ratio()) >= least:
            best = (r, number, line.rstrip("\r")) if best is None or r > best[0] else best
    return (best[1], best[2]) if best else None
