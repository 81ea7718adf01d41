"""Foreign text for painted text: hidden characters as visible tokens, blanks and lines as they are; and back again."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor

from desktop.domain.display.text import Run, code_runs, display_text, joined, prose_text
from desktop.ui.theme.theme import theme

_PLAIN = re.compile(r"[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u22ff\u2500-\u257f]*")
_LAYOUT = re.compile(r"([ \t]{2,}|\t|\n+)")
_ISOLATE, _END_OF_ISOLATE = "\u2066", "\u2069"
_BLANKS = re.compile(r"[ \t\r\n\f\v]+")
_TOKEN = re.compile("⟦U\\+([0-9A-F]{4,6})⟧")
_ANY_TOKEN = re.compile(
    "⟦(?:U\\+(?P<point>[0-9A-F]{4,6})|(?P<blanks>[0-9]+) blanks|(?P<lines>[0-9]+) blank lines|[^⟧]*)⟧"
)
_QUOTED_TOKEN = re.compile("(⟦[^⟦⟧]*⟧)")
_TABS = re.compile("^([ +-]?)((?:→   )+)", re.MULTILINE)


def safe_text(text: str) -> str:
    """The text as it may be painted over several lines. Line ends count as LF; runs of blanks keep their length."""
    return _painted(text, display_text)


def safe_line(text: str) -> str:
    """The text as one line: line ends and runs of blanks become one space."""
    return safe_text(" ".join(text.split()))


def prose_lines(text: str) -> str:
    """The words of a person or a model, as they may be painted over several lines: every script as it is written, all
    else as `safe_text`."""
    return _painted(text, prose_text)


def prose_line(text: str) -> str:
    """The words of a person or a model as one line, as `prose_lines` gives them."""
    return prose_lines(_BLANKS.sub(" ", text).strip(" "))


def code_text(text: str) -> str:
    """Code over several lines as it is painted: tabs as arrows, long gaps within and between lines counted."""
    return joined(code_runs(text))


def said_text(sentence: str) -> str:
    """A sentence of ours about foreign text, for a label: the tokens it quotes stay, all else is made fit to show."""
    pieces = _QUOTED_TOKEN.split(sentence)
    return "".join(piece if place % 2 else display_text(piece, multiline=True) for place, piece in enumerate(pieces))


def original_text(shown: str) -> str:
    """Shown text with its tokens turned back into the characters they stand for, and the tabs that lines begin with.
    Tokens cannot be forged."""
    if "→" in shown:
        shown = _TABS.sub(lambda tabs: tabs[1] + "\t" * (len(tabs[2]) // 4), shown)
    return _ANY_TOKEN.sub(_meant, shown)


def _meant(token: re.Match[str]) -> str:
    """What a token stands for; the name of a host stands for nothing of its own."""
    if token["point"]:
        return chr(int(token["point"], 16))
    return " " * int(token["blanks"]) if token["blanks"] else "\n" * (int(token["lines"] or 1) - 1)


def isolated(text: str) -> str:
    """Code inside a line that is written right to left: its own signs keep their order and their place. The only
    controls of direction that are ever painted; those of the text itself are tokens."""
    return f"{_ISOLATE}{text}{_END_OF_ISOLATE}"


def without_isolates(painted: str) -> str:
    """Painted text as it was shown, before `isolated` was put around parts of it."""
    return painted.replace(_ISOLATE, "").replace(_END_OF_ISOLATE, "")


def run_format(look: QTextCharFormat, run: Run) -> None:
    """Give a format what a run needs to be told apart: tokens stand out, marked text is underlined with a wave."""
    if run.kind == "token":
        look.setForeground(theme().color("warning"))
        look.setFontWeight(QFont.Weight.DemiBold)
    elif run.marked:
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(theme().color("warning"))


def write_runs(cursor: QTextCursor, runs: Sequence[Run], plain: QTextCharFormat) -> None:
    """Insert runs at the cursor, line ends as they are."""
    for run in runs:
        look = QTextCharFormat(plain)
        run_format(look, run)
        cursor.insertText(run.text, look)


def hidden_characters(shown: str) -> tuple[str, ...]:
    """The characters that stand as tokens in shown text, "U+202E", each once, in order."""
    return tuple(dict.fromkeys(f"U+{name}" for name in _TOKEN.findall(shown)))


def _painted(text: str, shown: Callable[..., str]) -> str:
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if _PLAIN.fullmatch(text):
        return text
    pieces = _LAYOUT.split(text)
    return "".join(
        piece if place % 2 or _PLAIN.fullmatch(piece) else shown(piece, multiline=True)
        for place, piece in enumerate(pieces)
    )
