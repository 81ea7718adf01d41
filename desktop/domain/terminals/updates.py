"""Updates about terminals: what a person's own shell shows. The engine runs the emulation, the window paints it."""

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Update
from desktop.records import dataclass

BOLD, FAINT, ITALIC, UNDERLINED, STRUCK, REVERSED, HIDDEN, WRAPPED = 1, 2, 4, 8, 16, 32, 64, 128
"""Bits of the look of a Span. WRAPPED, on the last span of a row: the text goes on in the next row, unbroken."""
RGB = 0x1000000
"""A colour from here on is this plus red, green and blue in one number."""


Span = tuple[str, int, int, int]
"""Characters of one look: text, foreground, background, look. Colours: -1 the theme's own, 0 to 255 of the palette,
from RGB on RGB + the colour. Look: the bits above. The text holds each character once, wide ones too;
`cell_width.cell_width` tells how many cells each takes.

A plain tuple, because a flood makes hundred thousands a second: of these the interpreter's garbage collection soon
takes no notice, while as many objects of a class cost it pauses of 0.2 s.
"""
Row = tuple[Span, ...]


def row_text(row: Row) -> str:
    """The characters of a row without their looks."""
    return "".join(span[0] for span in row)


def is_wrapped(row: Row) -> bool:
    """Whether the text goes on in the next row."""
    return bool(row) and bool(row[-1][3] & WRAPPED)


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """The changes of a screen since the last frame. `rows`: pairs of a row of the screen, from 0, and what stands in
    it; `scrolled`: rows that left the screen at its top, oldest first. `cleared`: forget the scroll-back and the screen
    first, then take these."""

    rows: tuple[tuple[int, Row], ...]
    scrolled: tuple[Row, ...] = ()
    cleared: bool = False


class TerminalScreen(Update):
    """The screen of a terminal, at most 30 times a second. `title` is fit to be shown; `busy`: a program runs in the
    shell. `modes`: names of what the program asked for (application_cursor, bracketed_paste, alternate, focus,
    mouse_click, mouse_drag, mouse_move, mouse_sgr). `cursor`: column and row, None while it is hidden.

    `frame` counts up; a window says with TerminalShown which one it has, and only a few are sent ahead of that.
    `dropped`: rows that ever left the front of the scroll-back, so row `n` of all is at `n - dropped`.
    `command`: first and behind the last row of the newest command with its output, counted the same way.
    """

    terminal_id: str
    lane_id: str
    columns: int
    height: int
    change: ScreenChange
    cursor: tuple[int, int] | None = (0, 0)
    title: str = ""
    busy: bool = False
    modes: tuple[str, ...] = ()
    frame: int = 0
    dropped: int = 0
    command: tuple[int, int] | None = None


class TerminalStarting(Update):
    """A shell is being started. `shell`: its name."""

    terminal_id: str
    lane_id: str
    shell: str


class TerminalClosed(Update):
    """The shell ended, or could not be started (`problem`). `kept`: how many of its last lines Reopen brings back.
    `asked`: a person closed it, so it is gone from the list; else it stays there, saying that it ended."""

    terminal_id: str
    lane_id: str
    exit_code: int | None = None
    problem: str = ""
    kept: int = 0
    asked: bool = False


class TerminalQuoted(Answer):
    """Text of a terminal, fit to be put into a message: `removed` secrets were taken out, `cut`: its beginning was left
    out, because it was too long."""

    terminal_id: str
    session_id: str
    text: str
    removed: int = 0
    cut: bool = False


class Leftover(Frozen):
    """A process that a terminal of an earlier run of the app has left. `pid` and `started` name it together."""

    pid: int
    started: float
    name: str
    lane_id: str
    command: str = ""


class LeftoversFound(Update):
    """The processes that terminals of earlier runs have left running; () once they were ended."""

    processes: tuple[Leftover, ...]
