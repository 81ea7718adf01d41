"""LogView: what a command prints, as it grows; it follows the end until a person scrolls up."""

from PySide6.QtWidgets import QWidget

from desktop.ui.text.ansi import parse, plain
from desktop.ui.text.safe_text import safe_text
from desktop.ui.widgets.text_box import TextBox


class LogView(TextBox):
    """Long lines are wrapped."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(name, title, parent)
        self.setUndoRedoEnabled(False)
        self._log = ""

    def set_log(self, text: str) -> None:
        """Show this and nothing else; it may hold any characters. The same text again costs nothing."""
        if text == self._log:
            return
        bar = self.verticalScrollBar()
        place, at_end = bar.value(), bar.value() >= bar.maximum()
        self._log = text
        self.setPlainText(safe_text(plain(parse(text))))
        bar.setValue(bar.maximum() if at_end else min(place, bar.maximum()))
