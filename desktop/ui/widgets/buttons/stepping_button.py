"""SteppingButton: one of several buttons in a line, between which Left and Right go."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton


class SteppingButton(QPushButton):
    """`stepped`: Left (-1) or Right (1) was pressed while the button has the focus; its line knows the neighbour."""

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right are told, other keys do what they do on a button."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step:
            self.stepped.emit(step)
        else:
            super().keyPressEvent(event)
