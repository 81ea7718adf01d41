"""Terminal output as styled text: colours and weights stay, CR overwrites, all else is removed, never run."""

import re
from dataclasses import dataclass, replace

from PySide6.QtGui import QColor, QFont, QTextCharFormat

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
READABLE = 4.5


@dataclass(frozen=True)
class Style:
    """How a run of output looks. Colours: None, 0-15 (theme), or (r, g, b)."""

    fore: int | tuple[int, int, int] | None = None
    back: int | tuple[int, int, int] | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False


PLAIN = Style()
Run = tuple[str, Style]


class AnsiText:
    """Output fed in chunks, as lines of runs. A sequence cut by a chunk's end is completed by the next."""

    def __init__(self) -> None:
        self.lines: list[list[Run]] = [[]]
        self._style = PLAIN
        self._rest = ""
        self._overwrite = False

    def feed(self, text: str) -> None:
        """Take more output."""
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
            self._style = _restyled(self._style, match["sgr"])
        elif match["break"]:
            self.lines.append([])
            self._overwrite = False
        elif match["back"]:
            self._overwrite = True
        elif match["erase"] and self.lines[-1]:
            text, style = self.lines[-1].pop()
            if len(text) > 1:
                self.lines[-1].append((text[:-1], style))

    def _write(self, text: str) -> None:
        if not text:
            return
        line = self.lines[-1]
        if self._overwrite:
            line[:] = _cut_front(line, len(text))
            line.insert(0, (text, self._style))
            self._overwrite = False
        elif line and line[-1][1] == self._style:
            line[-1] = (line[-1][0] + text, self._style)
        else:
            line.append((text, self._style))


def parse(text: str) -> list[list[Run]]:
    """The lines of finished output; an empty last line is left out."""
    output = AnsiText()
    output.feed(text.replace("\r\n", "\n"))
    return output.lines[:-1] if len(output.lines) > 1 and not output.lines[-1] else output.lines


def plain(lines: list[list[Run]]) -> str:
    """The text of lines without their styles."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


def text_format(style: Style) -> QTextCharFormat:
    """The style in the colours of the theme, readable on a code background."""
    look = QTextCharFormat()
    fore, back = (style.back, style.fore) if style.inverse else (style.fore, style.back)
    ground = theme().color("sunken")
    if back is not None or style.inverse:
        ground = _color(back) if back is not None else theme().color("text")
        look.setBackground(ground)
    ink = _color(fore) if fore is not None else theme().color("sunken" if style.inverse else "text")
    if style.dim and fore is None:
        ink = theme().color("muted")
    look.setForeground(_readable(ink, ground))
    if style.bold or (isinstance(style.fore, int) and style.fore >= 8):
        look.setFontWeight(QFont.Weight.DemiBold)
    look.setFontItalic(style.italic)
    look.setFontUnderline(style.underline)
    return look


def _cut_front(line: list[Run], count: int) -> list[Run]:
    kept: list[Run] = []
    for text, style in line:
        if count < len(text):
            kept.append((text[count:], style))
        count = max(0, count - len(text))
    return kept


_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
}


def _restyled(style: Style, codes: str) -> Style:
    numbers = [int(code) if code else 0 for code in re.split("[;:]", codes)][:32]
    place = 0
    while place < len(numbers):
        code = numbers[place]
        place += 1
        if code == 0:
            style = PLAIN
        elif code in _SWITCHES:
            style = replace(style, **_SWITCHES[code])
        elif code in (38, 48):
            value, used = _extended(numbers[place:])
            place += used
            style = replace(style, fore=value) if code == 38 else replace(style, back=value)
        else:
            style = _coloured(style, code)
    return style


def _coloured(style: Style, code: int) -> Style:
    if 30 <= code <= 37 or 90 <= code <= 97:
        return replace(style, fore=code - 30 if code < 40 else code - 82)
    if 40 <= code <= 47 or 100 <= code <= 107:
        return replace(style, back=code - 40 if code < 50 else code - 92)
    if code == 39:
        return replace(style, fore=None)
    return replace(style, back=None) if code == 49 else style


def _extended(numbers: list[int]) -> tuple[int | tuple[int, int, int] | None, int]:
    if len(numbers) >= 2 and numbers[0] == 5:
        return _indexed(min(numbers[1], 255)), 2
    if len(numbers) >= 4 and numbers[0] == 2:
        red, green, blue = (min(value, 255) for value in numbers[1:4])
        return (red, green, blue), 4
    return None, len(numbers)


def _indexed(index: int) -> int | tuple[int, int, int]:
    if index < 16:
        return index
    if index >= 232:
        grey = 8 + (index - 232) * 10
        return (grey, grey, grey)
    steps = (0, 95, 135, 175, 215, 255)
    index -= 16
    return (steps[index // 36], steps[index // 6 % 6], steps[index % 6])


def _color(value: int | tuple[int, int, int]) -> QColor:
    if isinstance(value, tuple):
        return QColor(*value)
    names = _DARK_NAMES if theme().tokens.name != "light" else _LIGHT_NAMES
    return theme().color(names[value % 8])


def contrast(ink: QColor, ground: QColor) -> float:
    """The contrast ratio of two colours by WCAG 2, 1 to 21."""
    light, dark = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _readable(ink: QColor, ground: QColor) -> QColor:
    """The colour moved towards white or black until it can be read on the ground."""
    goal = QColor("white") if _luminance(ground) < 0.18 else QColor("black")
    for step in range(11):
        part = step / 10
        mixed = QColor.fromRgbF(
            ink.redF() + (goal.redF() - ink.redF()) * part,
            ink.greenF() + (goal.greenF() - ink.greenF()) * part,
            ink.blueF() + (goal.blueF() - ink.blueF()) * part,
        )
        if contrast(mixed, ground) >= READABLE:
            return mixed
    return goal
