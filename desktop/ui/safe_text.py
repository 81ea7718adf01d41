"""Foreign text for painted text: hidden characters as visible tokens, blanks and lines as they are; and back again."""

import re

from desktop.domain.display import display_text

_PLAIN = re.compile(r"[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u22ff\u2500-\u257f]*")
_LAYOUT = re.compile(r"([ \t]{2,}|\t|\n+)")
_TOKEN = re.compile("⟦U\\+([0-9A-F]{4,6})⟧")


def safe_text(text: str) -> str:
    """The text as it may be painted over several lines. Line ends count as LF; runs of blanks keep their length."""
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if _PLAIN.fullmatch(text):
        return text
    pieces = _LAYOUT.split(text)
    return "".join(piece if place % 2 else _shown(piece) for place, piece in enumerate(pieces))


def safe_line(text: str) -> str:
    """The text as one line: line ends and runs of blanks become one space."""
    return safe_text(" ".join(text.split()))


def original_text(shown: str) -> str:
    """Shown text with its tokens turned back into the characters they stand for. Tokens cannot be forged."""
    return _TOKEN.sub(lambda token: chr(int(token[1], 16)), shown)


def hidden_characters(shown: str) -> tuple[str, ...]:
    """The characters that stand as tokens in shown text, "U+202E", each once, in order."""
    return tuple(dict.fromkeys(f"U+{name}" for name in _TOKEN.findall(shown)))


def _shown(piece: str) -> str:
    return piece if _PLAIN.fullmatch(piece) else display_text(piece, multiline=True)
