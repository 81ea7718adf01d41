"""How cards and the tray are read out: a card is an alert message, the tray a group."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_READS_AS = "reads_as"
_ROLES = {"alert": QAccessible.Role.AlertMessage, "group": QAccessible.Role.Grouping}
_MADE: dict[int, QAccessibleWidget] = {}
_INSTALLED: list[bool] = []


def read_as(widget: QWidget, role: str) -> None:
    """Have assistive technology take the widget as an `alert` or a `group`. Its accessible name is what is read."""
    widget.setProperty(_READS_AS, role)
    if not _INSTALLED:
        _INSTALLED.append(True)
        QAccessible.installFactory(_make)


def _make(_name: str, thing: QObject | None) -> QAccessibleWidget | None:
    """The interface of a marked widget; nothing for anything else. Kept here, because Qt does not keep it."""
    role = _ROLES.get(thing.property(_READS_AS)) if isinstance(thing, QWidget) else None
    if role is None or not isinstance(thing, QWidget):
        return None
    for key in [key for key, made in _MADE.items() if not made.isValid()]:
        del _MADE[key]
    return _MADE.setdefault(id(thing), QAccessibleWidget(thing, role))
