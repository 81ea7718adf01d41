"""Pictures of the screen, taken on the UI thread: what Qt can see, or why it can see nothing."""

import sys

from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QCursor, QGuiApplication, QImage, QImageWriter

from desktop.domain.proofs.commands import CaptureDone
from desktop.language import tr
from desktop.records import dataclass

NO_DISPLAY = tr("there is no display")
WAYLAND = tr("this Wayland session does not let programs look at the screen")
DENIED = tr("the system gave an empty picture; it may need the right to record the screen")
WAY_SCREEN = tr("open Banksman on a screen")
WAY_X11 = tr("ask the person to start Banksman with QT_QPA_PLATFORM=xcb")
WAY_RIGHT = tr("ask the person to allow screen recording for Banksman in the system's settings")
_WITHOUT_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb", "")


@dataclass(frozen=True)
class Grabbed:
    """A picture of the screen. `data`: PNG; `problem`: why there is none, as a part of a sentence, with `ways` out."""

    image: QImage
    data: bytes = b""
    scale: int = 1
    screen: str = ""
    problem: str = ""
    ways: tuple[str, ...] = ()


def grab_screen() -> Grabbed:
    """The screen on which the pointer is, all of it."""
    platform = QGuiApplication.platformName().lower()
    if platform in _WITHOUT_SCREEN:
        return Grabbed(QImage(), problem=NO_DISPLAY, ways=(WAY_SCREEN,))
    screens = [QGuiApplication.screenAt(QCursor.pos()), *QGuiApplication.screens()]
    screen = next((one for one in screens if one is not None), None)
    if screen is None:
        return Grabbed(QImage(), problem=NO_DISPLAY, ways=(WAY_SCREEN,))
    image = screen.grabWindow(0).toImage()
    if image.isNull() or is_one_colour(image):
        if platform.startswith("wayland"):
            return Grabbed(QImage(), problem=WAYLAND, ways=(WAY_X11,))
        return Grabbed(QImage(), problem=DENIED, ways=(WAY_RIGHT,) if sys.platform == "darwin" else ())
    scale = min(max(round(screen.devicePixelRatio()), 1), 4)
    return Grabbed(image, png_of(image), scale, screen.name()[:200])


def capture_done(request_id: str) -> CaptureDone:
    """The answer to a request of the engine."""
    grabbed = grab_screen()
    return CaptureDone(
        request_id=request_id,
        data=grabbed.data,
        scale=grabbed.scale,
        screen=grabbed.screen,
        problem=grabbed.problem,
        ways=grabbed.ways,
    )


def is_one_colour(image: QImage) -> bool:
    """Whether a picture has one colour only, so that nothing is to be seen in it."""
    small = image.convertToFormat(QImage.Format.Format_RGB32).scaled(64, 64)
    first = small.pixel(0, 0)
    return all(small.pixel(x, y) == first for x in range(small.width()) for y in range(small.height()))


def png_of(image: QImage) -> bytes:
    """The picture as PNG."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())
