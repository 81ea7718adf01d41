"""The simple commands of a line: the words each program would get, and whether it reads, is covered, or asks."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import ShownCommand
from desktop.language import ENGLISH, said, tr, worn
from desktop.records import dataclass
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_1, SPACE_2

FEW = 3
_CHIP_HEIGHT, _RADIUS = 22, 4
_STATES = {
    "read": (tr("reads only"), "success"),
    "rule": (tr("covered by a rule"), "accent"),
    "asks": (tr("asks"), "warning"),
}


def state_words(command: ShownCommand, beside: str = "") -> str:
    """The state of a command in words. A reason that equals `beside`, which stands elsewhere, is not said again."""
    words = _STATES[command.state][0]
    reason = display_text(said(command.reason)).strip().rstrip(".")
    if not reason or reason == display_text(said(beside)).strip().rstrip("."):
        return words
    if worn() == ENGLISH and not reason[:2].isupper():
        reason = reason[:1].lower() + reason[1:]
    return f"{words}: {reason}"


def shown_first(commands: Sequence[ShownCommand]) -> tuple[ShownCommand, ...]:
    """What is shown until all is asked for: everything where it is little, else the first ones that ask."""
    if len(commands) <= FEW:
        return tuple(commands)
    asking = [command for command in commands if command.state == "asks"]
    return tuple((asking or list(commands))[:FEW])


@dataclass(frozen=True)
class _Mark:
    """A painted text. `ink` "" is a word in a chip; else a state in that colour."""

    rect: QRect
    layout: QTextLayout
    ink: str


class CommandWords(QWidget):
    """Painted, so that any number of commands costs one widget. Words wrap; nothing is cut."""

    def __init__(self, commands: Sequence[ShownCommand], beside: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._commands, self._beside = tuple(commands), beside
        self._marks: list[_Mark] = []
        self._at, self._high = -1, 0
        self.setObjectName("approval_commands")
        self.setAccessibleName(tr("Commands of this line"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.show_commands(commands)

    def show_commands(self, commands: Sequence[ShownCommand]) -> None:
        """Show these."""
        self._commands, self._at = tuple(commands), -1
        self.setAccessibleDescription("\n".join(self.sentences()))
        self.updateGeometry()
        self.update()

    def sentences(self) -> tuple[str, ...]:
        """Each command as it is read out: `npm run build, asks: no rule covers it`."""
        return tuple(
            f"{' '.join(_shown(word) for word in command.words)}, {state_words(command, self._beside)}"
            for command in self._commands
        )

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all commands at that width."""
        return self._place(width)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        width = max(self.width(), 1)
        return QSize(width, self._place(width))

    def minimumSizeHint(self) -> QSize:
        """Wherever there is room for a few characters."""
        return QSize(1, theme().px(_CHIP_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Chips for words, coloured words for states."""
        self._place(self.width())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme()
        side = look.px(SPACE_1) + look.px(2)
        for mark in self._marks:
            if mark.ink:
                painter.setPen(look.color(mark.ink))
                mark.layout.draw(painter, QPointF(mark.rect.topLeft()))
                continue
            painter.setPen(look.color("border"))
            painter.setBrush(look.color("sunken"))
            radius = look.px(_RADIUS)
            painter.drawRoundedRect(QRectF(mark.rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            painter.setPen(look.color("text"))
            top = (mark.rect.height() - mark.layout.boundingRect().height()) / 2
            mark.layout.draw(painter, QPointF(mark.rect.topLeft()) + QPointF(side, top))

    def _place(self, width: int) -> int:
        """Place everything; the height."""
        if width != self._at:
            self._at = width
            self._marks = []
            y = 0
            for command in self._commands:
                y = self._place_command(command, width, y) + theme().px(SPACE_1)
            self._high = max(0, y - theme().px(SPACE_1))
        return self._high

    def _place_command(self, command: ShownCommand, width: int, y: int) -> int:
        px = theme().px
        gap, side, top, chip = px(SPACE_1), px(SPACE_1) + px(2), px(2), px(_CHIP_HEIGHT)
        x, line_bottom = 0, y + chip
        for word in command.words:
            layout, size = _laid_out(_shown(word), theme().mono(), width - 2 * side)
            wide, high = size.width() + 2 * side, max(chip, size.height() + 2 * top)
            if x and x + wide > width:
                x, y = 0, line_bottom + gap
                line_bottom = y + chip
            self._marks.append(_Mark(QRect(x, y, wide, high), layout, ""))
            x += wide + gap
            line_bottom = max(line_bottom, y + high)
        return self._place_state(command, width, QRect(x, y, 0, line_bottom - y))

    def _place_state(self, command: ShownCommand, width: int, last: QRect) -> int:
        """Beside the last word where it fits, else under it."""
        font, gap = theme().font(CAPTION), theme().px(SPACE_2)
        words, ink = state_words(command, self._beside), _STATES[command.state][1]
        layout, size = _laid_out(words, font, 2**20)
        x = last.x() + gap - theme().px(SPACE_1)
        if x + size.width() <= width:
            top = last.bottom() + 1 - theme().px(_CHIP_HEIGHT) + (theme().px(_CHIP_HEIGHT) - size.height()) // 2
            self._marks.append(_Mark(QRect(QPoint(x, top), size), layout, ink))
            return last.bottom() + 1
        layout, size = _laid_out(words, font, width)
        place = QRect(QPoint(0, last.bottom() + 1 + theme().px(2)), size)
        self._marks.append(_Mark(place, layout, ink))
        return place.bottom() + 1


def _shown(word: str) -> str:
    return display_text(word) if word else "''"


def _laid_out(text: str, font: QFont, width: int) -> tuple[QTextLayout, QSize]:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    layout.setTextOption(option)
    layout.beginLayout()
    y = wide = 0.0
    line = layout.createLine()
    while line.isValid():
        line.setLineWidth(max(1, width))
        line.setPosition(QPointF(0, y))
        y += line.height()
        wide = max(wide, line.naturalTextWidth())
        line = layout.createLine()
    layout.endLayout()
    return layout, QSize(int(wide + 0.99), int(y + 0.99))
