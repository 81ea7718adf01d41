"""What is off says why: buttons and fields by tooltip and to assistive programs, entries of menus by tooltip."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.widgets.elided_label import plain_tooltip

UNDER_WAY = tr("Wait until what was asked for is done.")


def set_off(widget: QWidget, why: str, does: str | None = None) -> None:
    """Off with the reason as its tooltip and before its description; on where there is none, with the tooltip `does`,
    which None leaves as it was."""
    before = widget.property("why")
    if not before:
        widget.setProperty("does", widget.toolTip())
        widget.setProperty("described", widget.accessibleDescription())
    if does is not None:
        widget.setProperty("does", does)
    widget.setEnabled(not why)
    if why or before:
        widget.setProperty("why", why)
        widget.setAccessibleDescription(f"{why} {widget.property('described')}".strip())
    widget.setToolTip(plain_tooltip(why) if why else widget.property("does"))


def set_action_off(action: QAction, why: str) -> None:
    """The same for an entry of a menu, which must show tooltips."""
    action.setEnabled(not why)
    action.setProperty("why", why)
    action.setToolTip(plain_tooltip(why))
