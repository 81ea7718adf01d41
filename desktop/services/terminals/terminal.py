"""Terminal: one pseudo-terminal, read, emulated and written in a thread of its own."""

import contextlib
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

from desktop.domain.terminals.updates import Row, ScreenChange, TerminalScreen, row_text
from desktop.records import dataclass
from desktop.services.terminals.codes import TerminalCodes
from desktop.services.terminals.pty import foreground_group, set_size
from desktop.services.terminals.screen import MAX_COLUMNS, SCROLL_BACK, Screen
from desktop.services.terminals.wrapping import wrap_anew

FRAME_S = 1 / 30
AHEAD = 2
"""Frames that are sent before a window says that it has the first of them."""
KEPT = 2_000
_AT_ONCE, _ONE_READ = 32 * 1024, 64 * 1024
_BREATH_S, _WORK_S = 0.001, 0.004
_LAST_S = 0.2
_BUSY_EVERY_S, _SETTLE_S = 1.0, 0.1
_MOST_WAITING = 4 * 1024 * 1024

Message = tuple[str, object]


@dataclass(frozen=True)
class TerminalPlace:
    """The parts that a terminal is made of. `fd`: our end of the pseudo-terminal, closed when the thread ends. `shell`:
    the process id of the shell. `before`: rows that stand in the scroll-back from the beginning."""

    terminal_id: str
    lane_id: str
    fd: int
    shell: int
    columns: int
    rows: int
    before: tuple[Row, ...] = ()


class Terminal:
    """`on_frame` and `on_end` are called in the terminal's thread; `on_end`, once, with its last lines. Everything else
    belongs to the thread that made it, and returns at once."""

    def __init__(
        self,
        place: TerminalPlace,
        on_frame: Callable[[TerminalScreen], None],
        on_end: Callable[[tuple[Row, ...]], None],
    ) -> None:
        self._place, self._fd = place, place.fd
        self._on_frame, self._on_end = on_frame, on_end
        self._messages: deque[Message] = deque()
        self._wake, self._woken = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._woken, False)
        self._screen = Screen(place.columns, place.rows, place.before)
        self._codes = TerminalCodes(self._screen)
        self._columns = self._screen.columns
        self._history: deque[Row] = deque(place.before, maxlen=SCROLL_BACK)
        self._sent: list[Row] = []
        self._out = b""
        self._open, self._reading = True, True
        self._whole, self._dirty = True, True
        self._frame, self._shown = 0, 0
        self._frame_at = self._busy_at = self._breath_at = 0.0
        self._busy, self._mark = False, -1
        self._command: tuple[int, int] | None = None
        self._facts: tuple[object, ...] = ()
        self._thread = threading.Thread(target=self._run, name=f"terminal {place.terminal_id}", daemon=True)

    def start(self) -> None:
        """Begin to read what the shell prints."""
        self._thread.start()

    def send(self, text: str) -> None:
        """Keys or pasted text."""
        self._tell("send", text)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._tell("resize", (columns, rows))

    def shown(self, frame: int) -> None:
        """A window has this frame."""
        self._tell("shown", frame)

    def send_whole(self) -> None:
        """The next frame holds everything, scroll-back too."""
        self._tell("whole", None)

    def close(self) -> None:
        """Read what is there, then let go of the pseudo-terminal: its programs are told that it is gone."""
        self._tell("close", None)

    def release(self) -> None:
        """Free what the terminal held after its thread has come to its end: nothing can be told to it any more. Waits a
        moment for it."""
        self._thread.join()
        os.close(self._woken)
        self._woken = -1

    def _tell(self, kind: str, value: object) -> None:
        self._messages.append((kind, value))
        if self._woken >= 0:
            with contextlib.suppress(OSError):  # a full pipe wakes as well; a closed one has nobody to wake
                os.write(self._woken, b"x")

    # the thread

    def _run(self) -> None:
        try:
            while self._open:
                self._turn()
            last = time.monotonic() + _LAST_S
            while self._read() and time.monotonic() < last:
                continue
            self._publish(time.monotonic())
        finally:
            os.close(self._fd)
            os.close(self._wake)
            self._on_end(self._last_lines())

    def _turn(self) -> None:
        """Wait for something, carry it out, and send a frame when one is due."""
        reading = [self._fd] if self._reading else []
        writing = [self._fd] if self._out and self._reading else []
        ready, writable, _ = select.select([*reading, self._wake], writing, [], self._patience(time.monotonic()))
        if self._wake in ready:
            self._take_messages()
        if writable:
            self._write()
        if self._fd in ready:
            self._read()
        now = time.monotonic()
        if now - self._breath_at > _WORK_S:  # a flood leaves the interpreter to the window now and then
            time.sleep(_BREATH_S)
            now = self._breath_at = time.monotonic()
        self._look_busy(now)
        if self._dirty and now >= self._frame_at and self._frame - self._shown < AHEAD:
            self._publish(now)

    def _patience(self, now: float) -> float | None:
        due = [self._frame_at] if self._dirty and self._frame - self._shown < AHEAD else []
        due += [self._busy_at] if self._busy_at else []
        return max(min(due) - now, 0.0) if due else None

    def _take_messages(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        while self._messages:
            kind, value = self._messages.popleft()
            if kind == "send" and isinstance(value, str):
                self._take_input(value)
            elif kind == "resize" and isinstance(value, tuple):
                self._resize(*value)
            elif kind == "shown" and isinstance(value, int):
                self._shown = max(self._shown, min(value, self._frame))
            elif kind == "whole":
                self._whole = self._dirty = True
                self._shown = self._frame
            elif kind == "close":
                self._open = False

    def _take_input(self, text: str) -> None:
        if "\r" in text and not self._screen.alternate and not self._runs_another():
            self._mark = self._prompt_row()
        if len(self._out) < _MOST_WAITING:
            self._out += text.encode("utf-8", "replace")
        self._write()

    def _resize(self, columns: int, rows: int) -> None:
        if any(kind == "resize" for kind, _ in self._messages):  # the last one counts
            return
        self._wrap_anew(columns, rows)
        self._sent = []
        self._dirty = True
        with contextlib.suppress(OSError):
            set_size(self._fd, self._screen.columns, self._screen.rows)

    def _wrap_anew(self, columns: int, rows: int) -> None:
        """A program that has the second screen draws it anew itself; the first waits until it is back."""
        screen = self._screen
        if screen.alternate or min(max(columns, 2), MAX_COLUMNS) == self._columns:
            screen.resize(columns, rows)
            return
        moved_to = wrap_anew(screen, self._history, columns, rows)
        self._columns, self._whole = screen.columns, True
        self._mark = moved_to(self._mark)
        self._command = (moved_to(self._command[0]), moved_to(self._command[1])) if self._command else None

    def _write(self) -> None:
        if not self._out or not self._reading:
            return
        try:
            self._out = self._out[os.write(self._fd, self._out) :]
        except BlockingIOError:
            return
        except OSError:
            self._out = b""

    def _read(self) -> int:
        """What the programs printed, up to an amount, so that keys and frames are not kept waiting. How much it was."""
        taken = 0
        while self._reading and taken < _AT_ONCE:
            try:
                raw = os.read(self._fd, _ONE_READ)
            except BlockingIOError:
                break
            except OSError:  # EIO: nobody has the other end any more
                raw = b""
            if not raw:
                self._reading = False
                break
            taken += len(raw)
            self._codes.feed(raw)
        if taken:
            self._dirty = True
            settled = time.monotonic() + _SETTLE_S
            self._busy_at = min(self._busy_at or settled, settled)
        if self._codes.replies:
            self._out += "".join(self._codes.replies).encode()
            self._codes.replies.clear()
            self._write()
        return taken

    def _look_busy(self, now: float) -> None:
        """Whether something else than the shell has the foreground: looked at while things happen, and every second
        while it has."""
        if not self._busy_at or now < self._busy_at:
            return
        busy = self._runs_another()
        self._dirty = self._dirty or busy != self._busy
        self._busy = busy
        self._busy_at = now + _BUSY_EVERY_S if busy else 0.0
        if not busy and self._mark >= 0:
            self._find_command()

    def _runs_another(self) -> bool:
        """Whether something else than the shell has the foreground, looked at now: what was last seen is up to a second
        old, and a person may type the next command in that second."""
        group = foreground_group(self._fd) if self._reading else None
        return group is not None and group != self._place.shell

    # frames

    def _publish(self, now: float) -> None:
        screen, codes = self._screen, self._codes
        if screen.columns != self._columns and not screen.alternate:
            self._wrap_anew(screen.columns, screen.rows)
        scrolled = tuple(screen.scrolled)
        screen.scrolled.clear()
        if screen.erased:
            self._history.clear()
            screen.erased, self._whole = False, True
        self._history.extend(scrolled)
        rows = [line.row() for line in screen.lines]
        if self._whole:
            change = ScreenChange(tuple(enumerate(rows)), tuple(self._history), cleared=True)
        else:
            old = self._sent if len(self._sent) == len(rows) else [None] * len(rows)
            changed = tuple((at, row) for at, row in enumerate(rows) if row != old[at])
            change = ScreenChange(changed, scrolled)
        self._sent, self._dirty = rows, False
        cursor = (screen.cursor.x, screen.cursor.y) if codes.cursor_shown else None
        modes = tuple(sorted(codes.modes | ({"alternate"} if screen.alternate else set())))
        facts = (screen.columns, screen.rows, cursor, codes.title, self._busy, modes, self._command)
        if facts == self._facts and not self._whole and not change.rows and not change.scrolled:
            return
        self._facts, self._whole = facts, False
        self._frame += 1
        self._frame_at = now + FRAME_S
        self._on_frame(
            TerminalScreen(
                terminal_id=self._place.terminal_id,
                lane_id=self._place.lane_id,
                columns=screen.columns,
                height=screen.rows,
                change=change,
                cursor=cursor,
                title=codes.title,
                busy=self._busy,
                modes=modes,
                frame=self._frame,
                dropped=screen.moved - len(self._history),
                command=self._command,
            )
        )

    # commands

    def _prompt_row(self) -> int:
        """The row, counted from the first ever, in which the line of the cursor begins."""
        lines, y = self._screen.lines, self._screen.cursor.y
        while y > 0 and lines[y - 1].wrapped:
            y -= 1
        return self._screen.moved + y

    def _find_command(self) -> None:
        """The command that was entered last and what it printed, now that the shell waits for the next one."""
        prompt = self._prompt_row()
        if prompt <= self._mark:
            return
        entered = self._text_of(self._mark).rstrip()
        if entered != self._text_of(prompt).rstrip():
            self._command = (self._mark, prompt)
            self._dirty = True
        self._mark = -1

    def _text_of(self, row: int) -> str:
        screen = self._screen
        if row >= screen.moved:
            return row_text(screen.lines[row - screen.moved].row())
        back = screen.moved - row
        if back <= len(screen.scrolled):
            return row_text(screen.scrolled[-back])
        back -= len(screen.scrolled)
        return row_text(self._history[-back]) if back <= len(self._history) else ""

    def _last_lines(self) -> tuple[Row, ...]:
        """For Reopen; of the first screen, when a program had the second one."""
        self._screen.show_alternate(False, cursor=True)
        rows = [*self._history, *self._screen.scrolled, *(line.row() for line in self._screen.lines)]
        while rows and not rows[-1]:
            rows.pop()
        return tuple(rows[-KEPT:])
