"""Starting: the middle of the window until the engine is there."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.widgets.empty_state import EmptyState

_SAY_STARTING_MS = 200


class Starting(EmptyState):
    """Says nothing at first: most starts are over sooner than words are read."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("loader-circle", "", "", parent)
        QTimer.singleShot(_SAY_STARTING_MS, self, lambda: self.set_texts(tr("Starting…")))
