"""The language of terminals: what a program prints, read piece by piece and carried out on a screen (xterm's subset).

Nothing a program prints can reach further than its own screen: titles are cut and cleaned, the clipboard is out of
reach, links are text, and a question is answered with one of the fixed texts of `_ANSWERS` or the cursor's place.
"""

import codecs
import re
from collections.abc import Callable

from desktop.domain.display.text import display_text
from desktop.domain.terminals.looks import restyled
from desktop.services.terminals.screen import Screen

TITLE_CHARS = 60
MODES = {
    ("?", 1): "application_cursor",
    ("?", 9): "mouse_click",
    ("?", 1000): "mouse_click",
    ("?", 1002): "mouse_drag",
    ("?", 1003): "mouse_move",
    ("?", 1004): "focus",
    ("?", 1006): "mouse_sgr",
    ("?", 2004): "bracketed_paste",
}
"""Modes that the window must know, by what a program calls them."""

_TOKEN = re.compile(
    "(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    "|\x1b\\[(?P<mark>[<-?]?)(?P<numbers>[0-9;:]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    "|(?P<control>\r\n|[\x00-\x1a\x1c-\x1f\x7f-\x9f])"
    "|\x1b(?P<string>[\\]PX^_])"
    "|\x1b(?P<set>[ -/]*)(?P<escape>[0-OQ-WYZ\\\\`-~])"
)
_PLAIN_LINES = re.compile("(?:[ -~]*\r\n){4,}")
_UNFINISHED = re.compile("\x1b(?:\\[[0-?]*[ -/]*|[ -/]*)?\\Z")
_BROKEN = re.compile("\x1b(?:\\[[0-?]*[ -/]*|[ -/]*)?")
_STRING_END = re.compile("[\x07\x18\x1a\x9c]|\x1b")
_MOST_KEPT = 4_096
_MOST = 100_000
_ANSWERS = {("", "c"): "\x1b[?62;22c", (">", "c"): "\x1b[>1;10;0c"}
_LINES = dict(zip("`afghjklmnopqrstuvwxyz{|}~", "◆▒°±␤┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))


class TerminalCodes:
    """`title`: as the program set it, cut and fit to be shown. `modes`: see MODES. `replies`: what is to be sent back
    to the program; whoever takes it empties it."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.title = ""
        self.modes: set[str] = set()
        self.cursor_shown = True
        self.replies: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._string: list[str] | None = None
        self._string_kind = ""
        self._sets, self._shifted = ["B", "B"], 0
        self._single = self._plain_actions()
        self._marked = self._mode_actions()

    def feed(self, raw: bytes) -> None:
        """Take what the program printed; characters and sequences may be cut anywhere."""
        text = self._rest + self._decoder.decode(raw)
        self._rest = ""
        at, end = 0, len(text)
        match, screen = _TOKEN.match, self.screen
        while at < end:
            if self._string is not None:
                at = self._take_string(text, at)
                continue
            if (
                screen.takes_lines
                and self._sets[self._shifted] != "0"
                and (lines := _PLAIN_LINES.match(text, at)) is not None
            ):
                screen.write_lines(lines.group().split("\r\n")[:-1])
                at = lines.end()
                continue
            token = match(text, at)
            if token is None:
                at = self._take_rest(text, at)
                continue
            at = token.end()
            kind = token.lastgroup
            if kind == "text":
                printed = token.group()
                screen.write(self._translated(printed) if self._sets[self._shifted] == "0" else printed)
            elif kind == "control":
                self._control(token.group())
            elif kind == "final":
                self._sequence(token["mark"], token["numbers"], token["between"], token["final"])
            elif kind == "string":
                self._string, self._string_kind = [], token["string"]
            else:
                self._escape(token["set"], token["escape"])

    def _take_rest(self, text: str, at: int) -> int:
        """A sequence that is cut off waits for its end; one that is none is left out."""
        if len(text) - at < _MOST_KEPT and _UNFINISHED.match(text, at):
            self._rest = text[at:]
            return len(text)
        broken = _BROKEN.match(text, at)
        return max(broken.end() if broken is not None else at, at + 1)

    def _take_string(self, text: str, at: int) -> int:
        """More of a title or another text for the terminal; of a long one the beginning is kept."""
        held = self._string if self._string is not None else []
        end = _STRING_END.search(text, at)
        stop = end.start() if end is not None else len(text)
        if sum(map(len, held)) < _MOST_KEPT:
            held.append(text[at : min(stop, at + _MOST_KEPT)])
        if end is None:
            return stop
        if end.group() == "\x1b":
            if stop + 1 == len(text):
                self._rest = "\x1b"
                return len(text)
            finished = text[stop + 1] == "\\"
            after = stop + 2 if finished else stop
        else:
            finished, after = end.group() in "\x07\x9c", end.end()
        self._string = None
        if finished and self._string_kind == "]":
            self._system_command("".join(held)[:_MOST_KEPT])
        return after

    def _system_command(self, text: str) -> None:
        """Only titles count. Clipboard, colours, links and all else are read over."""
        kind, _, value = text.partition(";")
        if kind in ("0", "2"):
            self.title = cut_title(value)

    def _control(self, control: str) -> None:
        screen = self.screen
        if control == "\r\n":
            screen.carriage_return()
            screen.line_feed()
        elif control in "\n\x0b\x0c\x85\x84":
            screen.line_feed()
            if control == "\x85":
                screen.carriage_return()
        elif control == "\r":
            screen.carriage_return()
        elif control == "\x08":
            screen.backspace()
        elif control == "\t":
            screen.tab()
        elif control in "\x0e\x0f":
            self._shifted = int(control == "\x0e")

    def _escape(self, between: str, final: str) -> None:
        screen = self.screen
        if between in ("(", ")"):
            self._sets["()".index(between)] = final
        elif between == "#" and final == "8":
            screen.fill("E")
        elif not between:
            if final == "E":
                screen.carriage_return()
            if final == "c":
                self._reset()
            actions: dict[str, Callable[[], None]] = {
                "7": screen.save,
                "8": screen.restore,
                "D": screen.line_feed,
                "E": screen.line_feed,
                "M": screen.reverse_feed,
                "H": screen.set_tab,
            }
            actions.get(final, _nothing)()

    def _reset(self) -> None:
        self.screen.reset()
        self.modes.clear()
        self.cursor_shown = True
        self._sets, self._shifted = ["B", "B"], 0

    def _translated(self, text: str) -> str:
        return text.translate(_LINE_TABLE)

    # sequences

    def _sequence(self, mark: str, numbers: str, between: str, final: str) -> None:
        if not mark and not between:
            if final == "m":
                cursor = self.screen.cursor
                cursor.look = restyled(cursor.look, numbers)
                return
            action = self._single.get(final)
            if action is not None:
                action(_numbers(numbers))
                return
        if final in "hl" and not between and mark in ("", "?"):
            for number in _numbers(numbers):
                self._set_mode(mark, number, final == "h")
        elif (mark, final) in _ANSWERS and not between and numbers in ("", "0"):
            self.replies.append(_ANSWERS[mark, final])
        elif (final, between) == ("p", "!") and not mark:
            self.screen.set_margins(0, self.screen.rows - 1)
            self.screen.autowrap, self.screen.inserting, self.cursor_shown = True, False, True

    def _plain_actions(self) -> dict[str, Callable[[list[int]], None]]:
        """What `CSI numbers letter` does, for the letters without a mark."""
        screen = self.screen
        return {
            "@": lambda n: screen.insert_chars(_first(n)),
            "A": lambda n: screen.move(0, -_first(n)),
            "B": lambda n: screen.move(0, _first(n)),
            "C": lambda n: screen.move(_first(n), 0),
            "D": lambda n: screen.move(-_first(n), 0),
            "E": lambda n: self._lines_down(_first(n)),
            "F": lambda n: self._lines_down(-_first(n)),
            "G": lambda n: screen.go(x=_first(n) - 1),
            "H": lambda n: screen.go(_nth(n, 1) - 1, _first(n) - 1),
            "I": lambda n: screen.tab(_first(n)),
            "J": lambda n: screen.erase_screen(n[0] if n else 0),
            "K": lambda n: screen.erase_line(n[0] if n else 0),
            "L": lambda n: screen.insert_lines(_first(n)),
            "M": lambda n: screen.delete_lines(_first(n)),
            "P": lambda n: screen.delete_chars(_first(n)),
            "S": lambda n: screen.scroll_up(_first(n)),
            "T": lambda n: screen.scroll_down(_first(n)),
            "X": lambda n: screen.erase_chars(_first(n)),
            "Z": lambda n: screen.tab(-_first(n)),
            "`": lambda n: screen.go(x=_first(n) - 1),
            "a": lambda n: screen.move(_first(n), 0),
            "b": lambda n: screen.repeat(_first(n)),
            "d": lambda n: screen.go(y=_first(n) - 1),
            "e": lambda n: screen.move(0, _first(n)),
            "f": lambda n: screen.go(_nth(n, 1) - 1, _first(n) - 1),
            "g": lambda n: screen.clear_tabs(bool(n and n[0] == 3)),
            "n": self._report,
            "r": lambda n: screen.set_margins(_first(n) - 1, (_nth(n, 1) if n[1:] and n[1] else screen.rows) - 1),
            "s": lambda n: screen.save(),
            "u": lambda n: screen.restore(),
        }

    def _lines_down(self, count: int) -> None:
        self.screen.carriage_return()
        self.screen.move(0, count)

    def _report(self, numbers: list[int]) -> None:
        if numbers[:1] == [5]:
            self.replies.append("\x1b[0n")
        elif numbers[:1] == [6]:
            cursor = self.screen.cursor
            row = cursor.y - (self.screen.top if cursor.origin else 0)
            self.replies.append(f"\x1b[{row + 1};{cursor.x + 1}R")

    # modes

    def _set_mode(self, mark: str, number: int, on: bool) -> None:
        name = MODES.get((mark, number))
        if name is not None:
            (self.modes.add if on else self.modes.discard)(name)
        else:
            self._marked.get((mark, number), _ignored)(on)

    def _mode_actions(self) -> dict[tuple[str, int], Callable[[bool], None]]:
        screen = self.screen

        def set_origin(on: bool) -> None:
            screen.cursor.origin = on
            screen.go(0, 0)

        def set_autowrap(on: bool) -> None:
            screen.autowrap = on

        def set_inserting(on: bool) -> None:
            screen.inserting = on

        def show_cursor(on: bool) -> None:
            self.cursor_shown = on

        def save_cursor(on: bool) -> None:
            (screen.save if on else screen.restore)()

        return {
            ("", 4): set_inserting,
            ("?", 6): set_origin,
            ("?", 7): set_autowrap,
            ("?", 25): show_cursor,
            ("?", 47): screen.show_alternate,
            ("?", 1047): screen.show_alternate,
            ("?", 1048): save_cursor,
            ("?", 1049): lambda on: screen.show_alternate(on, cursor=True),
        }


def cut_title(text: str) -> str:
    """At most 60 characters of a title, with everything that would not be seen made visible."""
    shown = display_text(" ".join(text[:_MOST_KEPT].split()))
    return shown if len(shown) <= TITLE_CHARS else shown[: TITLE_CHARS - 1] + "…"


_LINE_TABLE = str.maketrans(_LINES)


def _numbers(text: str) -> list[int]:
    """The parameters of a sequence; what is left out is 0."""
    if not text:
        return []
    parts = text.split(";")[:32]
    return [min(int(part), _MOST) if part.isdecimal() and len(part) < 10 else 0 for part in parts]


def _first(numbers: list[int]) -> int:
    return numbers[0] if numbers and numbers[0] else 1


def _nth(numbers: list[int], at: int) -> int:
    return numbers[at] if len(numbers) > at and numbers[at] else 1


def _nothing() -> None:
    return None


def _ignored(_on: bool) -> None:
    return None
