"""What screen readers are told of widgets that paint themselves, and of things painted in them.

Qt deletes an interface with its widget, or when told to, and the interface must live until then: one that Python
deleted before is deleted twice. So all are kept here for as long as Qt has them.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QRect, QTimer
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QWidget
from shiboken6 import isValid

from desktop.ui.theme.theme import theme

_Maybe = Any  # an interface, object or window, or None: Qt takes None here, its stubs do not say so
_MAKERS: WeakKeyDictionary[QWidget, Callable[[Any], QAccessibleInterface]] = WeakKeyDictionary()
_KEPT: list[QAccessibleInterface] = []
_INSTALLED: list[bool] = []
_MOST_ROWS = 2_000


def read_as(widget: QWidget, make: Callable[[Any], QAccessibleInterface]) -> None:
    """Have screen readers read `widget` through what `make` gives for it, instead of what its class gives."""
    _MAKERS[widget] = make
    if not _INSTALLED:
        _INSTALLED.append(True)
        QAccessible.installFactory(_make)


def read_as_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Have screen readers take the widget for something else than its class is. Its accessible name is what is read."""
    read_as(widget, lambda thing: QAccessibleWidget(thing, role))


def _make(_name: str, thing: QObject | None) -> _Maybe:
    """What Qt calls, once for each widget; None: Qt makes the usual one."""
    make = _MAKERS.get(thing) if isinstance(thing, QWidget) else None
    if make is None:
        return None
    gone = [one for one in _KEPT if not isValid(one)]
    _KEPT[:] = [one for one in _KEPT if isValid(one)]
    let_go(part for one in gone if isinstance(one, Painted) for part in one.parts())
    _KEPT.append(make(thing))
    return _KEPT[-1]


def let_go(parts: Iterable["Painted"]) -> None:
    """Have Qt delete interfaces that have no widget, and theirs, once nobody can be in the midst of using them."""
    gone = [each for part in parts for each in _with_parts(part)]
    if gone:
        QTimer.singleShot(0, lambda: _delete(gone))


def _with_parts(part: "Painted") -> Iterator["Painted"]:
    for inner in part.parts():
        yield from _with_parts(inner)
    yield part


def _delete(gone: list["Painted"]) -> None:
    for one in gone:
        if isValid(one):
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(one))


class Painted(QAccessibleInterface):
    """Something that a view paints, or the view itself: no children, no object, nothing to edit, if it says no more."""

    surface = "surface"

    def __init__(self, view: QAbstractScrollArea) -> None:
        super().__init__()
        self._painter = view

    def parts(self) -> list["Painted"]:
        """The interfaces that were made for what is inside."""
        return []

    def isValid(self) -> bool:
        """Whether the view is still there."""
        return isValid(self._painter)

    def object(self) -> _Maybe:
        """No object of its own."""
        return None

    def window(self) -> _Maybe:
        """The view's window."""
        return self._painter.window().windowHandle()

    def setText(self, kind: QAccessible.Text, text: str) -> None:  # noqa: N802 - Qt's name
        """Not edited."""

    def backgroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What it stands on."""
        return theme().color(self.surface)

    def foregroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What it is written in."""
        return theme().color("text")

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """Nothing inside has the focus."""
        return None

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """Nothing inside."""
        return None

    def child(self, index: int) -> _Maybe:
        """No children."""
        return None

    def childCount(self) -> int:
        """No children."""
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Not a child."""
        return -1

    def on_screen(self, rect: QRect) -> QRect:
        """A rectangle of the viewport, on the screen."""
        return QRect(self._painter.viewport().mapToGlobal(rect.topLeft()), rect.size())


class PaintedView(Painted):
    """The view itself."""

    def object(self) -> _Maybe:
        """The view."""
        return self._painter

    def parent(self) -> _Maybe:
        """Whatever the view is in."""
        owner = self._painter.parentWidget()
        return QAccessible.queryAccessibleInterface(owner) if owner is not None else None

    def state(self) -> QAccessible.State:
        """Can have the focus."""
        state = QAccessible.State()
        state.focusable = True
        state.focused = self._painter.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """Its name; the object name as identifier."""
        if kind is QAccessible.Text.Name:
            return self._painter.accessibleName()
        return self._painter.objectName() if kind is QAccessible.Text.Identifier else ""

    def rect(self) -> QRect:
        """The viewport on the screen."""
        return self.on_screen(self._painter.viewport().rect())


KeyT = TypeVar("KeyT", bound=Hashable)
RowT = TypeVar("RowT", bound=Painted)


class PaintedRows(PaintedView, Generic[KeyT, RowT]):
    """A view that is a list of rows, which are made when asked for."""

    def __init__(self, view: QAbstractScrollArea) -> None:
        super().__init__(view)
        self._rows: dict[KeyT, RowT] = {}

    def parts(self) -> list[Painted]:
        """The rows that were asked for."""
        return list(self._rows.values())

    def role(self) -> QAccessible.Role:
        """A list."""
        return QAccessible.Role.List

    def row(self, key: KeyT, make: Callable[[], RowT]) -> RowT:
        """The row of this key; `make` gives it the first time. Of those asked for first, which a screen reader has
        left, some are forgotten, and made anew when it comes back."""
        if key not in self._rows:
            if len(self._rows) >= _MOST_ROWS:
                oldest = list(self._rows)[: _MOST_ROWS // 2]
                let_go(self._rows.pop(each) for each in oldest)
            self._rows[key] = make()
        return self._rows[key]
