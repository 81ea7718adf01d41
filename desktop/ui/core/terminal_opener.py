"""TerminalOpener: how other parts of a window ask for a terminal, without knowing the drawer."""

from PySide6.QtCore import QObject, Signal


class TerminalOpener(QObject):
    """A child of each window. `asked`: the lane whose terminal is wanted."""

    asked = Signal(str)
