"""Addresses on which something of a lane listens: their short words, and opening one in the browser."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QWidget

from desktop.ui.text.format import count

_LOCAL = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}")


def address_words(addresses: Sequence[str]) -> str:
    """ "127.0.0.1:20040", or how many there are."""
    if len(addresses) == 1:
        return addresses[0].removeprefix("http://")
    return count(len(addresses), "address", "addresses")


def open_address(address: str) -> bool:
    """Open it in the browser; whether that was possible. Only a port of this computer is ever opened."""
    return bool(_LOCAL.fullmatch(address)) and QDesktopServices.openUrl(QUrl(address))


def open_one_of(addresses: Sequence[str], below: QWidget) -> None:
    """Open the one address, or let a person choose from a menu under the widget."""
    if len(addresses) == 1:
        open_address(addresses[0])
        return
    menu = QMenu(below)
    menu.setObjectName("lane_addresses")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for address in addresses:
        menu.addAction(address).triggered.connect(lambda _checked=False, where=address: open_address(where))
    menu.popup(below.mapToGlobal(QPoint(0, below.height())))
