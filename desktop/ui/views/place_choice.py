"""Where a new chat works: in a lane of its own, or in the person's checkout."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.gaps import set_gaps
from desktop.ui.widgets.segmented import Segmented

Place = Literal["lane", "checkout"]
_WORDS: dict[Place, str] = {
    "lane": "A folder and branch of its own. Your own files stay as they are.",
    "checkout": "The agent changes the files you have open.",
}


class PlaceChoice(QWidget):
    """Shown over the composer for a new chat only; `place` is the choice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place: Place = "lane"
        self._choice = Segmented(
            "composer_place", "Where to work", [("lane", "New lane"), ("checkout", "My checkout")], self
        )
        self._choice.chosen.connect(self._on_chosen)
        self._words = ElidedLabel("", self)
        self._words.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        layout.addWidget(self._choice)
        layout.addWidget(self._words, 1)
        self.choose("lane")

    def choose(self, place: Place) -> None:
        """Light this place."""
        self.place = place
        self._choice.set_value(place)
        self._words.set_full_text(_WORDS[place])
        restyle(self._words, kind="muted", role="warning" if place == "checkout" else "")

    def _on_chosen(self, value: str) -> None:
        self.choose("checkout" if value == "checkout" else "lane")
