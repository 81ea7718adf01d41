"""Lines of a diff laid out for painting: made when they come into view, the ones used last are kept."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from desktop.domain.changes.values import DiffLine, FileDiff
from desktop.ui.changes.diff.colours import DiffColours
from desktop.ui.changes.diff.shown import Shown, shown_line
from desktop.ui.chats.transcript.painting.layout import Recent
from desktop.ui.theme.theme import theme

KEPT = 1_500
_LEADING = 1.2
_NO_WRAP = 1e6


class LineLayout:
    """One line. `height` in pixels; `width` of its longest part."""

    def __init__(self, shown: Shown, layout: QTextLayout, height: int, width: int) -> None:
        self.shown, self.layout, self.height, self.width = shown, layout, height, width


class LineLayouts:
    """The layouts of one diff for one width. `line_height`: of a line that is not wrapped."""

    def __init__(self, colours: DiffColours) -> None:
        self._colours = colours
        self._kept: Recent[LineLayout] = Recent(KEPT)
        self._diff = FileDiff(path="")
        self._mark_ends = False
        self.widest = 0
        self.wrap_width = 0
        self.take_look()

    def take_look(self) -> None:
        """Font and colours of the theme in force."""
        self.font: QFont = theme().mono()
        metrics = QFontMetricsF(self.font)
        self.cell = metrics.horizontalAdvance("m")
        self.line_height = round(metrics.height() * _LEADING)
        self._rise = (self.line_height - metrics.height()) / 2
        self._formats: dict[str, QTextCharFormat] = {}
        self._kept.clear()

    def show(self, diff: FileDiff) -> None:
        """Lay out the lines of this diff from now on."""
        self._diff = diff
        ends = {line.ends for hunk in diff.hunks for line in hunk.lines if line.ends}
        self._mark_ends = len(ends) > 1
        self.widest = 0
        self._kept.clear()

    def set_wrap(self, width: int) -> bool:
        """Break lines at this width, 0: never. True when it is another one."""
        if width == self.wrap_width:
            return False
        self.wrap_width = width
        self._kept.clear()
        return True

    def forget(self, hunk: int, first: int, end: int) -> None:
        """Lines look different now."""
        for line in range(first, end):
            self._kept.drop(f"{hunk}:{line}")

    def estimates(self, lengths: Sequence[int]) -> list[int]:
        """The heights of lines of so many columns that are not laid out; exact for plain text."""
        one = self.line_height
        if not self.wrap_width:
            return [one] * len(lengths)
        columns = max(1, int(self.wrap_width / self.cell))
        return [one if length <= columns else one * -(-length // columns) for length in lengths]

    def of(self, hunk: int, line: int) -> LineLayout:
        """The layout of a line."""
        key = f"{hunk}:{line}"
        found = self._kept.get(key)
        if found is None:
            found = self._make(hunk, line)
            self._kept.put(key, found)
        return found

    def _make(self, hunk: int, at: int) -> LineLayout:
        line = self._diff.hunks[hunk].lines[at]
        shown = shown_line(line, mark_end=self._mark_ends and line.kind != " ")
        layout = QTextLayout(shown.text, self.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere if self.wrap_width else QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        layout.setFormats(self._ranges(hunk, at, line, shown))
        layout.beginLayout()
        top, width = 0, 0.0
        while (part := layout.createLine()).isValid():
            part.setLineWidth(self.wrap_width or _NO_WRAP)
            part.setPosition(QPointF(0, top + self._rise))
            top += self.line_height
            width = max(width, part.naturalTextWidth())
        layout.endLayout()
        self.widest = max(self.widest, round(width))
        return LineLayout(shown, layout, max(top, self.line_height), round(width))

    def _ranges(self, hunk: int, at: int, line: DiffLine, shown: Shown) -> list[QTextLayout.FormatRange]:
        ranges = [self._range(shown, start, length, color) for start, length, color in self._colours.colours(hunk, at)]
        word = "word+" if line.kind == "+" else "word-"
        ranges += [self._range(shown, start, length, word) for start, length in self._colours.marks(hunk, at)]
        for start, length, look in shown.looks:
            ranges.append(format_range(start, length, self._format(look)))
        return ranges

    def _range(self, shown: Shown, start: int, length: int, look: str) -> QTextLayout.FormatRange:
        begin, end = shown.place(start), shown.place(start + length)
        return format_range(begin, end - begin, self._format(look))

    def _format(self, look: str) -> QTextCharFormat:
        if look not in self._formats:
            self._formats[look] = _make_format(look)
        return self._formats[look]


def format_range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    """A look for a part of a line."""
    part = QTextLayout.FormatRange()
    part.start, part.length, part.format = start, length, look
    return part


def _make_format(look: str) -> QTextCharFormat:
    """A look by its name: a colour token, a word that changed, a token, a blank, something to look at twice."""
    made = QTextCharFormat()
    color = theme().color
    if look in ("word+", "word-"):
        made.setBackground(color("diff_add_word" if look == "word+" else "diff_del_word"))
        made.setForeground(color("text"))
    elif look == "token":
        made.setForeground(color("warning"))
        made.setFontWeight(QFont.Weight.DemiBold)
    elif look == "blank":
        made.setForeground(color("muted"))
    elif look == "marked":
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        made.setUnderlineColor(color("warning"))
    else:
        made.setForeground(color(look))
    return made
