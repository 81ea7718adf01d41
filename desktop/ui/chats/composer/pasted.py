"""PastedSecret: what was taken out of a message before it was sent, over the composer, to be kept as a credential."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.redaction import Redactor
from desktop.language import tr, trn
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.strip import Strip

Taken = tuple[tuple[str, str], ...]
"""Names and values of secrets, in memory alone."""


class PastedSecret(Strip):
    """Holds the values until it is closed, one is kept, or another chat is shown. `keep_asked`: the name and the value
    of the first one."""

    keep_asked = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("composer_secret", parent, "warning")
        self._taken: Taken = ()
        self._redactor = Redactor()
        self.keep = self.add_button(tr("Keep it as a credential…"), "composer_secret_keep")
        self.keep.clicked.connect(self._on_keep)
        close = IconButton("x", tr("Forget it"), self)
        close.setObjectName("composer_secret_close")
        close.clicked.connect(self.forget)
        self.add(close)

    def cleaned(self, text: str) -> str:
        """The text without what looks like a secret; the strip tells of those that it had."""
        clean, taken = self._redactor.take_out(text)
        if taken:
            self._offer(taken)
        return clean

    def forget(self) -> None:
        """There is nothing to keep any more."""
        self._taken = ()
        self.say("")

    def kept(self) -> None:
        """The first one is kept; the next one is offered."""
        self._offer(self._taken[1:])

    def _offer(self, taken: Taken) -> None:
        self._taken = taken
        names = ", ".join(dict.fromkeys(display_text(_kind(name)) for name, _value in taken))
        words = trn(
            len(taken),
            "Taken out of your message: {names}. It is neither stored nor sent, and this chat is marked.",
            "Taken out of your message: {names}. {n} secrets are neither stored nor sent, and this chat is marked.",
            names=names,
        )
        self.say(words if taken else "", "warning")

    def _on_keep(self) -> None:
        if self._taken:
            self.keep_asked.emit(*self._taken[0])


def _kind(name: str) -> str:
    """What kind of secret it is, as it is called where secrets are found."""
    service, _, kind = name.rpartition(" ")
    known = {"token": tr("{service} token"), "key": tr("{service} key")}
    return known[kind].format(service=service) if service and kind in known else name
