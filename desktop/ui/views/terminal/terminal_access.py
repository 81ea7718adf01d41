"""The terminal for screen readers: one text, the rows that are in view, with the line of the cursor as description."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleValueChangeEvent, QColor
from shiboken6 import isValid

from desktop.domain.terminal_updates import row_text
from desktop.ui.safe_text import safe_line
from desktop.ui.theme.theme import theme

if TYPE_CHECKING:
    from desktop.ui.views.terminal.terminal_view import TerminalView

_Maybe = Any  # an interface, object or window, or None: Qt takes None here, its stubs do not say so


class TerminalAccess(QAccessibleInterface):
    """Made for one view."""

    def __init__(self, view: "TerminalView") -> None:
        super().__init__()
        self.view = view

    def isValid(self) -> bool:
        """Whether the view is still there."""
        return isValid(self.view)

    def object(self) -> _Maybe:
        """The view."""
        return self.view

    def window(self) -> _Maybe:
        """The view's window."""
        return self.view.window().windowHandle()

    def parent(self) -> _Maybe:
        """Whatever the view is in."""
        owner = self.view.parentWidget()
        return QAccessible.queryAccessibleInterface(owner) if owner is not None else None

    def role(self) -> QAccessible.Role:
        """A terminal."""
        return QAccessible.Role.Terminal

    def state(self) -> QAccessible.State:
        """Can have the focus; its text cannot be changed by a screen reader."""
        state = QAccessible.State()
        state.focusable = state.multiLine = state.readOnly = True
        state.focused = self.view.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """Its name; the rows in view as value; the row of the cursor as description."""
        if kind is QAccessible.Text.Name:
            return self.view.accessibleName()
        if kind is QAccessible.Text.Identifier:
            return self.view.objectName()
        facts = self.view.facts
        if facts is None:
            return ""
        if kind is QAccessible.Text.Value:
            first = self.view.first_shown
            rows = range(first, min(first + self.view.rows_of_page, facts.end))
            return "\n".join(safe_line(row_text(facts.row(number))) for number in rows).rstrip("\n")
        if kind is QAccessible.Text.Description and facts.cursor is not None:
            return safe_line(row_text(facts.row(self.view.first_of_screen + facts.cursor[1])))
        return ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:  # noqa: N802 - Qt's name
        """Not edited."""

    def rect(self) -> QRect:
        """The viewport on the screen."""
        viewport = self.view.viewport()
        return QRect(viewport.mapToGlobal(viewport.rect().topLeft()), viewport.size())

    def backgroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What rows stand on."""
        return theme().color("sunken")

    def foregroundColor(self) -> QColor:  # noqa: N802 - Qt's name
        """What rows are written in."""
        return theme().color("text")

    def child(self, index: int) -> _Maybe:
        """No children."""
        return None

    def childCount(self) -> int:
        """No children."""
        return 0

    def childAt(self, x: int, y: int) -> _Maybe:  # noqa: N802 - Qt's name
        """No children."""
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Not a child."""
        return -1

    def focusChild(self) -> _Maybe:  # noqa: N802 - Qt's name
        """Nothing inside has the focus."""
        return None


_VIEWS: dict[int, "TerminalView"] = {}
_MADE: dict[int, TerminalAccess] = {}


def _make(name: str, thing: QObject | None) -> _Maybe:
    """That of a terminal; nothing for anything else. Kept here, because Qt does not keep it."""
    view = _VIEWS.get(id(thing))
    if view is None or view is not thing:
        return None
    return _MADE.setdefault(id(thing), TerminalAccess(view))


def make_accessible(view: "TerminalView") -> None:
    """Tell Qt how this terminal is read out."""
    if not _VIEWS:
        QAccessible.installFactory(_make)
    for key in [key for key, made in _VIEWS.items() if not isValid(made)]:
        del _VIEWS[key]
        _MADE.pop(key, None)
    _VIEWS[id(view)] = view


def tell_change(view: "TerminalView") -> None:
    """Other rows are in view; costs nothing while no screen reader listens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(view, ""))
