"""Buttons that are off say why."""

from PySide6.QtWidgets import QAbstractButton

from desktop.ui.widgets.elided_label import plain_tooltip


def set_off(button: QAbstractButton, why: str, does: str = "") -> None:
    """Off with the reason as its tooltip; on where there is none, with what it `does`."""
    button.setEnabled(not why)
    button.setToolTip(plain_tooltip(why) if why else does)
