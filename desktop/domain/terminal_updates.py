"""Updates about terminals: what a person's own shell shows. The engine runs the emulation, the window paints it."""

from dataclasses import dataclass
from typing import NamedTuple

from desktop.domain.base import Frozen


class Span(NamedTuple):
    """Characters of one look. Colours: -1 the theme's own, 0 to 255 of the palette, above that 0x1000000 + RGB.
    `look`: bits, 1 bold, 2 faint, 4 italic, 8 underlined, 16 struck through, 32 reversed, 64 hidden."""

    text: str
    foreground: int = -1
    background: int = -1
    look: int = 0


Row = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """What changed since the last one. `rows`: pairs of a row of the screen, from 0, and what stands in it;
    `scrolled`: rows that left the screen at its top, oldest first."""

    rows: tuple[tuple[int, Row], ...]
    scrolled: tuple[Row, ...] = ()
    cleared: bool = False


class TerminalScreen(Frozen):
    """The screen of a terminal, at most 30 times a second. `title` is fit to be shown; `busy`: a program runs in the
    shell. `modes`: names of what the program asked for (application_cursor, bracketed_paste, mouse, alternate)."""

    terminal_id: str
    lane_id: str
    columns: int
    height: int
    change: ScreenChange
    cursor: tuple[int, int] | None = (0, 0)
    title: str = ""
    busy: bool = False
    modes: tuple[str, ...] = ()


class TerminalClosed(Frozen):
    """The shell ended, or could not be started (`problem`)."""

    terminal_id: str
    lane_id: str
    exit_code: int | None = None
    problem: str = ""


TerminalUpdate = TerminalScreen | TerminalClosed
