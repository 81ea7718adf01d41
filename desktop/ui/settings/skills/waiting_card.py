"""WaitingCard: skills or agents that the repository brings, which count only when a person trusts them as they are."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.skills.updates import WaitingTrust
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST_LOOKS = 40
MOST_LINES = 12
_TEXT = {
    "skills": "Agents are told of them from the moment you trust them, and only as they are now: after any change you "
    "are asked again. They allow nothing. Look at their files first.",
    "agents": "Agents can begin them from the moment you trust them, and only as they are now: after any change you "
    "are asked again. They never get more than the chat that begins them.",
}


class WaitingCard(QFrame):
    """`trusted` carries what is trusted and the sha256 of the content that was shown; `looked`: the place of a skill of
    it that a person wants to see, and the same."""

    trusted = Signal(str, str)
    looked = Signal(str, str)

    def __init__(self, waiting: WaitingTrust, parent: QWidget) -> None:
        super().__init__(parent)
        name = f"settings_skills_trust_{waiting.what}"
        self.setObjectName(name)
        self.setProperty("kind", "card")
        self.setProperty("role", "warning")
        self._waiting = waiting
        title = plain_label(self, "title", f"{name}_title")
        noun = waiting.what.removesuffix("s")
        title.setText(f"The repository brings {count(len(waiting.names), noun)}, in {display_text(waiting.label)}")
        self.setAccessibleName(title.text())
        text = plain_label(self)
        text.setText(_TEXT[waiting.what])
        names = self._evidence(f"{name}_names")
        self.button = push_button(f"Trust these {waiting.what}", f"{name}_accept", self, self._on_trust)
        looks = QWidget(self)
        flow = FlowLayout(looks, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        for place in waiting.places[:MOST_LOOKS]:
            look = partial(self.looked.emit, place, waiting.sha256)
            skill_id = display_text(place.rpartition("/")[2])
            words = f"Look at {skill_id}…".replace("&", "&&")
            flow.addWidget(push_button(words, f"{name}_look_{skill_id}", looks, look))
        looks.setVisible(bool(waiting.places))
        foot = QHBoxLayout()
        set_gaps(foot, spacing=SPACE_3)
        foot.addStretch(1)
        foot.addWidget(self.button)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_2)
        for widget in (title, text, names, looks):
            layout.addWidget(widget)
        layout.addLayout(foot)

    def _evidence(self, name: str) -> QPlainTextEdit:
        """All that they say. A view of text draws what is seen of it; labels would be laid out whole."""
        shown = QPlainTextEdit(self)
        shown.setObjectName(name)
        shown.setAccessibleName(f"The {self._waiting.what}")
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setProperty("kind", "evidence")
        shown.setPlainText("\n\n".join(display_text(line, multiline=True) for line in self._waiting.names))
        rows = min(MOST_LINES, max(2, shown.blockCount() + 1))
        shown.setFixedHeight(rows * shown.fontMetrics().lineSpacing() + theme().px(SPACE_4))
        return shown

    def _on_trust(self) -> None:
        self.button.setEnabled(False)
        self.trusted.emit(self._waiting.what, self._waiting.sha256)
