"""Links: an outside address is opened in the browser after one question per host; anything else is left alone."""

from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.widgets.dialogs.ask import Question, ask_first

_SCHEMES = frozenset({"http", "https", "mailto"})


class Links(QObject):
    """`window`: the parent of the question. Hosts that a person agreed to are remembered until the program ends."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._trusted: set[str] = set()

    def trust(self, host: str) -> None:
        """Ask no more about this host."""
        self._trusted.add(host)

    def ask(self, target: str) -> None:
        """Open an address, after a question if its host is new."""
        address = urlsplit(target)
        if address.scheme not in _SCHEMES:
            return
        host = address.hostname or target
        if host in self._trusted:
            QDesktopServices.openUrl(QUrl(target))
            return
        question = Question(
            "link_dialog",
            tr("Open in your browser?"),
            display_text(target),
            (tr("Cancel"), "link_cancel"),
            (tr("Open"), "link_open"),
            dangerous=False,
        )
        ask_first(question, self._window, lambda: self._open(target, host))

    def _open(self, target: str, host: str) -> None:
        self._trusted.add(host)
        QDesktopServices.openUrl(QUrl(target))
