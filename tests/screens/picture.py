"""Pictures: the window with what lies over it, as a person sees it, and the checks that each must pass."""

import struct
import zlib
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLabel, QTabBar, QToolButton, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.scrim import Scrim

LEAST_COLOURS = 50
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def take(window: QWidget) -> QImage:
    """The window with its dialogs and popups. A dialog gets an outline, which a desktop's own frame would give it."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for top in tops(window)[1:]:
        at = top.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0))
        painter.drawPixmap(at, top.grab())
        painter.setPen(theme().color("border"))
        painter.drawRect(QRect(at, top.size()).adjusted(-1, -1, 0, 0))
    painter.end()
    return image


def png(image: QImage) -> bytes:
    """The picture as a file (PNG, third edition: 8 bits of red, green and blue, lines as they are). Flat areas need no
    guess at how each line is best told from the one above, which takes Qt's writer three times as long."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    data, step, line = memoryview(rgb.constBits()), rgb.bytesPerLine(), rgb.width() * 3
    lines = b"".join(b"\0" + data[at : at + line] for at in range(0, step * rgb.height(), step))
    head = struct.pack(">IIBBBBB", rgb.width(), rgb.height(), 8, 2, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def tops(window: QWidget) -> list[QWidget]:
    """The window and what is shown over it, lowest first."""
    others = [w for w in QApplication.topLevelWidgets() if w is not window and w.isVisible() and _owned(w, window)]
    return [window, *sorted(others, key=_depth)]


def _depth(top: QWidget) -> int:
    """How many windows it lies over."""
    owner = top.parentWidget()
    return 1 + _depth(owner.window()) if owner is not None else 0


def problems(image: QImage, window: QWidget, size: tuple[int, int]) -> list[str]:
    """What is wrong with a picture and the widgets on it; empty if nothing is."""
    found = []
    if (image.width(), image.height()) != size:
        found.append(f"is {image.width()}x{image.height()}, not {size[0]}x{size[1]}")
    corner, canvas = image.pixelColor(0, 0).name(), theme().color("canvas").name()
    shaded = any(one.isVisible() for one in window.findChildren(Scrim))
    if corner != canvas and not shaded:
        found.append(f"its top left pixel is {corner}, not the canvas {canvas}")
    colours = count_colours(image, LEAST_COLOURS + 1)
    if colours <= LEAST_COLOURS:
        found.append(f"has only {colours} colours")
    for top in tops(window):
        for widget in _seen(top):
            found += [
                f"{path_of(widget)}: {problem}"
                for problem in (_outside(widget), _cut(widget), _clipped(widget), _off(widget))
                if problem
            ]
    return found


def _seen(widget: QWidget) -> Iterator[QWidget]:
    """What can be seen of a window, below it; most of it is hidden, and is not looked at."""
    for child in widget.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield child
            yield from _seen(child)


def count_colours(image: QImage, enough: int) -> int:
    """How many colours an image has, counted up to `enough`."""
    data, seen = memoryview(image.constBits()).cast("I"), set[int]()
    for value in data[:: 1 if len(data) < 10**6 else 3]:
        seen.add(value)
        if len(seen) >= enough:
            break
    return len(seen)


def path_of(widget: QWidget) -> str:
    """The names of a widget and the named ones around it, and its text."""
    names, at = [], widget
    while at is not None and len(names) < 3:
        if at.objectName() and not at.objectName().startswith("qt_"):
            names.append(at.objectName())
        at = at.parentWidget()
    text = widget.text()[:40] if isinstance(widget, QLabel | QAbstractButton) else ""
    kind = type(widget).__name__
    return f"{'/'.join(reversed(names))} ({kind}{f' {text!r}' if text else ''})"


def _owned(widget: QWidget, window: QWidget) -> bool:
    at: QWidget | None = widget
    while at is not None:
        if at is window:
            return True
        at = at.parentWidget()
    return False


def _scrolled(widget: QWidget) -> bool:
    """It lies in a part that can be scrolled, and may therefore reach beyond it."""
    at = widget.parentWidget()
    while at is not None and not at.isWindow():
        parent = at.parentWidget()
        if isinstance(parent, QAbstractScrollArea) and parent.viewport() is at:
            return True
        at = parent
    return False


def _outside(widget: QWidget) -> str:
    if _scrolled(widget):
        return ""
    top = widget.window()
    place = QRect(widget.mapTo(top, QPoint(0, 0)), widget.size())
    if widget.size().isEmpty() or top.rect().contains(place):
        return ""
    return f"reaches outside the window ({place.x()},{place.y()} {place.width()}x{place.height()})"


def _cut(widget: QWidget) -> str:
    """A button of which a widget around it shows only a part."""
    if not isinstance(widget, QAbstractButton) or _scrolled(widget):
        return ""
    around = widget.parentWidget()
    while around is not None:
        place = QRect(widget.mapTo(around, QPoint(0, 0)), widget.size())
        if not around.rect().contains(place):
            return f"is cut by {path_of(around)}"
        around = None if around.isWindow() else around.parentWidget()
    return ""


def _off(widget: QWidget) -> str:
    """A button that cannot be pressed and does not say why, nor does what is off around it."""
    if not isinstance(widget, QAbstractButton) or isinstance(widget.parentWidget(), QTabBar):
        return ""
    at: QWidget | None = widget
    while at is not None and not at.isEnabled():
        if at.property("why") and at.toolTip() and at.accessibleDescription():
            return ""
        at = at.parentWidget()
    return "" if at is widget else "is off and does not say why"


def _clipped(widget: QWidget) -> str:
    """Text that does not fit and was not shortened with an ellipsis and a tooltip."""
    if isinstance(widget, ElidedLabel | ElidedButton) or not isinstance(widget, QLabel | QAbstractButton):
        return ""
    if not widget.text() or (widget.text().endswith("…") and widget.toolTip()):
        return ""
    if isinstance(widget, QAbstractButton):
        return _clipped_button(widget)
    if widget.hasHeightForWidth():
        height = widget.heightForWidth(widget.width())
        return f"its text needs a height of {height}, it has {widget.height()}" if height > widget.height() + 1 else ""
    need, room = widget.sizeHint().width(), widget.width()
    if need > room + 1:
        return f"its text needs a width of {need}, it has {room}"
    need, room = widget.fontMetrics().height(), widget.contentsRect().height()
    return f"its text needs a height of {need}, it has {room}" if need > room + 2 else ""


def _clipped_button(button: QAbstractButton) -> str:
    if isinstance(button, QToolButton) and button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly:
        return ""
    need = button.fontMetrics().size(Qt.TextFlag.TextShowMnemonic.value, button.text()).width()
    need += 0 if button.icon().isNull() else button.iconSize().width()
    return f"its text needs a width of {need}, it has {button.width()}" if need > button.width() else ""
