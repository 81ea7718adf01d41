"""Terminal output as styled text: colours and weights stay, CR overwrites, all else is removed, never run."""

import re

from PySide6.QtGui import QColor, QFont, QTextCharFormat

from desktop.domain.terminals.looks import PLAIN, Look, restyled
from desktop.domain.terminals.updates import BOLD, FAINT, ITALIC, REVERSED, UNDERLINED
from desktop.ui.theme.contrast import TEXT_LEAST, readable
from desktop.ui.theme.terminal_colors import terminal_color
from desktop.ui.theme.theme import theme

_SEQUENCE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]*)m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-~]"
    r"|(?P<break>\n|\r\n)|(?P<back>\r)|(?P<erase>\x08)|[\x00-\x07\x0b-\x1a\x1c-\x1f\x7f]"
)
_OPEN_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*\x1b?|[ -/]*)?$|\r$")
_DARK_NAMES = ("code_comment", "danger", "success", "warning", "accent", "code_keyword", "code_type", "text")
_LIGHT_NAMES = ("text", "danger", "success", "warning", "accent", "code_keyword", "code_type", "muted")
_OPEN_LIMIT = 4_096


Run = tuple[str, Look]


class AnsiText:
    """Output fed in chunks, as lines of runs. A sequence cut by a chunk's end is completed by the next."""

    def __init__(self) -> None:
        self.lines: list[list[Run]] = [[]]
        self._look = PLAIN
        self._rest = ""
        self._overwrite = False

    def feed(self, text: str) -> None:
        """Take more of the output."""
        text = self._rest + text
        self._rest = ""
        if (cut := _OPEN_SEQUENCE.search(text)) is not None and len(text) - cut.start() < _OPEN_LIMIT:
            self._rest, text = text[cut.start() :], text[: cut.start()]
        place = 0
        for match in _SEQUENCE.finditer(text):
            self._write(text[place : match.start()])
            place = match.end()
            self._control(match)
        self._write(text[place:])

    def _control(self, match: re.Match[str]) -> None:
        if match["sgr"] is not None:
            self._look = restyled(self._look, match["sgr"])
        elif match["break"]:
            self.lines.append([])
            self._overwrite = False
        elif match["back"]:
            self._overwrite = True
        elif match["erase"] and self.lines[-1]:
            text, look = self.lines[-1].pop()
            if len(text) > 1:
                self.lines[-1].append((text[:-1], look))

    def _write(self, text: str) -> None:
        if not text:
            return
        line = self.lines[-1]
        if self._overwrite:
            line[:] = _cut_front(line, len(text))
            line.insert(0, (text, self._look))
            self._overwrite = False
        elif line and line[-1][1] == self._look:
            line[-1] = (line[-1][0] + text, self._look)
        else:
            line.append((text, self._look))


def parse(text: str) -> list[list[Run]]:
    """The lines of finished output; an empty last line is left out."""
    output = AnsiText()
    output.feed(text.replace("\r\n", "\n"))
    return output.lines[:-1] if len(output.lines) > 1 and not output.lines[-1] else output.lines


def plain(lines: list[list[Run]]) -> str:
    """The text of lines without their looks."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


def text_format(look: Look) -> QTextCharFormat:
    """The format of a look in the colours of the theme, readable on a code background."""
    foreground, background, bits = look
    reversed_ = bool(bits & REVERSED)
    fore, back = (background, foreground) if reversed_ else (foreground, background)
    shown = QTextCharFormat()
    ground = theme().color("sunken")
    if back != -1 or reversed_:
        ground = _color(back) if back != -1 else theme().color("text")
        shown.setBackground(ground)
    ink = _color(fore) if fore != -1 else theme().color("sunken" if reversed_ else "text")
    if bits & FAINT and fore == -1:
        ink = theme().color("muted")
    shown.setForeground(readable(ink, ground, TEXT_LEAST))
    if bits & BOLD or 8 <= foreground < 16:
        shown.setFontWeight(QFont.Weight.DemiBold)
    shown.setFontItalic(bool(bits & ITALIC))
    shown.setFontUnderline(bool(bits & UNDERLINED))
    return shown


def _cut_front(line: list[Run], count: int) -> list[Run]:
    kept: list[Run] = []
    for text, look in line:
        if count < len(text):
            kept.append((text[count:], look))
        count = max(0, count - len(text))
    return kept


def _color(value: int) -> QColor:
    """The first sixteen colours are those of code, so that they fit the blocks beside them."""
    if value >= 16:
        return terminal_color(value, fallback="text")
    names = _DARK_NAMES if theme().tokens.is_dark else _LIGHT_NAMES
    return theme().color(names[value % 8])
