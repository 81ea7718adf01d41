"""Windows of programs on an X display: whose they are, and a picture of one of them.

Whose a window is, the X server tells: it knows which process its connection comes from (X-Resource extension 1.2,
https://www.x.org/releases/current/doc/resourceproto/resproto.html). What a window says of itself (`_NET_WM_PID`) is not
believed, since every program may write it. A server that does not tell our own pid for our own connection runs on
another computer or in another container: what it says of processes has no meaning here.
"""

import contextlib
import io
import os
import struct
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType, TracebackType
from typing import Any, Self

from desktop.domain.core.errors import BanksmanError
from desktop.domain.proofs.updates import ProgramWindow
from desktop.late import late
from desktop.records import dataclass
from desktop.services.processes.programs import program_of

NOT_X11 = "windows of programs can be told apart on X11 only"
NO_DISPLAY = "there is no X display"
NO_ANSWER = "the X server does not answer"
NOT_OURS = "the X server does not say which program a window belongs to"
GONE = "the window is not on screen any more"
ODD_PIXELS = "the window has a kind of pixels that is not known here"
MAX_TITLE = 200
_MAX_WINDOWS, _MAX_DEPTH = 500, 20
_PNG_LEVEL = 3


class WindowProblem(BanksmanError):
    """Windows cannot be told apart here, or this one cannot be taken; the text says why, as a part of a sentence."""


@dataclass(frozen=True)
class WindowPicture:
    """The picture of a window. `png`: its content. `alone`: nothing of another program is in it."""

    window: ProgramWindow
    png: bytes
    alone: bool


@dataclass(frozen=True)
class _Place:
    """Where a window is on the screen: with its frame's number, which stands in the order of stacking."""

    frame: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class _Part:
    """A part of a window, of the whole screen or of a picture that the server holds."""

    drawn: int
    x: int
    y: int
    width: int
    height: int


def windows_on_screen(display: str) -> tuple[ProgramWindow, ...]:
    """Every window that can be seen or is covered by others, the topmost first. Blocking (some milliseconds).

    Raises:
        WindowProblem: they cannot be told apart here.
    """
    with _Display(display) as screen:
        found = (screen.described(one) for one in screen.windows())
        return tuple(one for one in found if one is not None)


def picture_of_window(display: str, window_id: int) -> WindowPicture:
    """The window's content as it is now. Blocking (some tens of milliseconds): call it in a thread.

    Raises:
        WindowProblem: it is gone, or no picture of it can be made.
    """
    with _Display(display) as screen:
        return screen.picture(window_id)


@cache
def _xcb() -> tuple[ModuleType, ...]:
    """The binding and its extensions; they need libxcb, which Qt's windows on X11 need too."""
    names = ("xcffib", "xcffib.xproto", "xcffib.res", "xcffib.composite")
    return tuple(late(name) for name in names)


class _Display:
    """One short connection. Every picture is taken while no other program can draw or raise a window."""

    def __init__(self, display: str) -> None:
        if sys.platform != "linux":
            raise WindowProblem(NOT_X11)
        if not display:
            raise WindowProblem(NO_DISPLAY)
        try:
            self._x, self._proto, self._res, self._composite = _xcb()
        except (ImportError, OSError) as error:
            raise WindowProblem(f"the X library cannot be used: {error}") from error
        try:
            self._connection: Any = self._x.connect(display)
        except self._x.XcffibException as error:
            raise WindowProblem(NO_ANSWER) from error
        self._core = self._connection.core
        self._setup = self._connection.get_setup()
        self._root = self._setup.roots[self._connection.pref_screen].root

    def __enter__(self) -> Self:
        try:
            self._resources = self._connection(self._res.key)
            self._resources.QueryVersion(1, 2).reply()
            ours = self._pid(self._connection.generate_id())
        except self._x.XcffibException as error:
            self._connection.disconnect()
            raise WindowProblem(NOT_OURS) from error
        if ours != os.getpid():
            self._connection.disconnect()
            raise WindowProblem(NOT_OURS)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.disconnect()
        if isinstance(error, (self._x.XcffibException, struct.error)):
            raise WindowProblem(GONE) from error

    def windows(self) -> list[int]:
        """The windows of programs, the topmost first: as the window manager lists them, else all without a manager."""
        listed = self._property(self._root, "_NET_CLIENT_LIST_STACKING", self._proto.Atom.WINDOW, _MAX_WINDOWS * 4)
        found = list(struct.unpack(f"={len(listed) // 4}I", listed)) if listed else self._children(self._root)
        return list(reversed(found))[:_MAX_WINDOWS]

    def described(self, window_id: int) -> ProgramWindow | None:
        """None: it is not on screen, or is none that a person would call a window."""
        try:
            place = self._place(window_id)
            pid = self._pid(window_id)
            title = self._title(window_id)
        except self._x.XcffibException:
            return None
        if place is None:
            return None
        program = program_of(pid) if pid else None
        lane_id = program.lane_id if program is not None and pid != os.getpid() else ""
        label = program.label if program is not None else ""
        return ProgramWindow(
            window_id=window_id, title=title, program=label, lane_id=lane_id, width=place.width, height=place.height
        )

    def picture(self, window_id: int) -> WindowPicture:
        """See picture_of_window. Nothing of another program is in what a compositor keeps of the window alone; without
        one that is so when no window of another connection lies over it."""
        with self._still():
            window = self.described(window_id)
            place = self._place(window_id) if window is not None else None
            if window is None or place is None:
                raise WindowProblem(GONE)
            kept = self._kept_apart(place)
            alone = kept is not None or not self._covered(window_id, place)
            part = kept if kept is not None else self._on_screen(place)
            if part.width <= 0 or part.height <= 0:
                raise WindowProblem(GONE)
            image = self._core.GetImage(
                self._proto.ImageFormat.ZPixmap, part.drawn, part.x, part.y, part.width, part.height, 0xFFFFFFFF
            ).reply()
            pixels = bytes(image.data.buf())
        return WindowPicture(window, self._png(pixels, image.depth, part), alone)

    @contextlib.contextmanager
    def _still(self) -> Iterator[None]:
        self._core.GrabServer()
        try:
            yield
        finally:
            self._core.UngrabServer()
            self._connection.flush()

    def _pid(self, resource: int) -> int:
        spec = self._res.ClientIdSpec.synthetic(resource, self._res.ClientIdMask.LocalClientPID)
        told = self._resources.QueryClientIds(1, [spec]).reply().ids
        return int(told[0].value[0]) if len(told) and told[0].length >= 4 else 0

    def _children(self, window_id: int) -> list[int]:
        return list(self._core.QueryTree(window_id).reply().children)

    def _place(self, window_id: int) -> _Place | None:
        """None: it is not on screen, or only takes the pointer, or is a passing one such as a menu."""
        look = self._core.GetWindowAttributes(window_id).reply()
        seen = look.map_state == self._proto.MapState.Viewable and look._class == self._proto.WindowClass.InputOutput
        if not seen or look.override_redirect:
            return None
        own = self._core.GetGeometry(window_id).reply()
        at = self._core.TranslateCoordinates(window_id, self._root, 0, 0).reply()
        frame = window_id
        for _ in range(_MAX_DEPTH):
            parent = self._core.QueryTree(frame).reply().parent
            if parent in (self._root, 0):
                break
            frame = parent
        return _Place(frame, at.dst_x, at.dst_y, own.width, own.height)

    def _title(self, window_id: int) -> str:
        named = self._property(window_id, "_NET_WM_NAME", self._atom("UTF8_STRING"), MAX_TITLE * 4)
        if named:
            return named.decode("utf-8", "replace")[:MAX_TITLE]
        return self._property(window_id, "WM_NAME", 0, MAX_TITLE).decode("latin-1")[:MAX_TITLE]

    def _property(self, window_id: int, name: str, kind: int, max_bytes: int) -> bytes:
        atom = self._atom(name)
        told = self._core.GetProperty(False, window_id, atom, kind, 0, max_bytes // 4).reply()
        return bytes(told.value.buf()) if told.value_len else b""

    def _atom(self, name: str) -> int:
        return int(self._core.InternAtom(False, len(name), name).reply().atom)

    def _covered(self, window_id: int, place: _Place) -> bool:
        """Whether a window of another connection lies over it; the menus of its own program may."""
        order = self._children(self._root)
        above = order[order.index(place.frame) + 1 :] if place.frame in order else order
        client = ~self._setup.resource_id_mask
        return any(self._overlaps(one, place) for one in above if one & client != window_id & client)

    def _overlaps(self, other: int, place: _Place) -> bool:
        try:
            look = self._core.GetWindowAttributes(other).reply()
            at = self._core.GetGeometry(other).reply()
        except self._x.XcffibException:
            return False
        if look.map_state != self._proto.MapState.Viewable or look._class != self._proto.WindowClass.InputOutput:
            return False
        width, height = at.width + 2 * at.border_width, at.height + 2 * at.border_width
        across = at.x < place.x + place.width and place.x < at.x + width
        return bool(across and at.y < place.y + place.height and place.y < at.y + height)

    def _kept_apart(self, place: _Place) -> _Part | None:
        """The window in what a compositor has of it alone; None where there is none."""
        pixmap = int(self._connection.generate_id())
        try:
            composite = self._connection(self._composite.key)
            composite.QueryVersion(0, 2).reply()
            composite.NameWindowPixmapChecked(place.frame, pixmap).check()
        except self._x.XcffibException:
            return None
        frame = self._core.GetGeometry(place.frame).reply()
        return _Part(pixmap, place.x - frame.x, place.y - frame.y, place.width, place.height)

    def _on_screen(self, place: _Place) -> _Part:
        """The part of the screen where it is, without what lies beyond the edges."""
        root = self._core.GetGeometry(self._root).reply()
        left, top = max(place.x, 0), max(place.y, 0)
        right, bottom = min(place.x + place.width, root.width), min(place.y + place.height, root.height)
        return _Part(self._root, left, top, right - left, bottom - top)

    def _png(self, pixels: bytes, depth: int, part: _Part) -> bytes:
        bits = next((one.bits_per_pixel for one in self._setup.pixmap_formats if one.depth == depth), 0)
        if depth not in (24, 32) or bits != 32 or len(pixels) < part.width * part.height * 4:
            raise WindowProblem(ODD_PIXELS)
        layout = "BGRX" if self._setup.image_byte_order == self._proto.ImageOrder.LSBFirst else "XRGB"
        pillow: Any = late("PIL.Image")
        written = io.BytesIO()
        picture = pillow.frombuffer("RGB", (part.width, part.height), pixels, "raw", layout, 0, 1)
        picture.save(written, "PNG", compress_level=_PNG_LEVEL)
        return written.getvalue()
