"""WaitingCard: skills or agents that the repository brings, which count only when a person trusts them as they are."""

from functools import partial
from itertools import zip_longest

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.skills.updates import IN_LANE, THE_CHECKOUT, WaitingTrust
from desktop.language import said, tr
from desktop.ui.settings.listing.waiting import WaitingFrame
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

MOST_LOOKS = 40
_TEXT = {
    ("skills", True): tr(
        "Agents are told of them from the moment you trust them, and only as they are now: after any change you "
        "are asked again. They allow nothing. Look at their files first."
    ),
    ("skills", False): tr(
        "Agents are told of it from the moment you trust it, and only as it is now: after any change you are asked "
        "again. It allows nothing. Look at its files first."
    ),
    ("agents", True): tr(
        "Agents can begin them from the moment you trust them, and only as they are now: after any change you "
        "are asked again. They never get more than the chat that begins them."
    ),
    ("agents", False): tr(
        "Agents can begin it from the moment you trust it, and only as it is now: after any change you are asked "
        "again. It never gets more than the chat that begins it."
    ),
}
_TRUST = {
    ("skills", True): tr("Trust these skills"),
    ("skills", False): tr("Trust this skill"),
    ("agents", True): tr("Trust these agents"),
    ("agents", False): tr("Trust this agent"),
}


class WaitingCard(WaitingFrame):
    """`trusted` carries what is trusted and the sha256 of the content that was shown; `looked`: the place of a skill of
    it that a person wants to see, and the same."""

    trusted = Signal(str, str)
    looked = Signal(str, str)

    def __init__(self, waiting: WaitingTrust, parent: QWidget) -> None:
        name, skills = f"settings_skills_trust_{waiting.what}", waiting.what == "skills"
        many = len(waiting.names)
        title = tr(
            "The repository brings {names}, in {place}",
            names=count(many, "skill") if skills else count(many, "agent"),
            place=display_text(_place(waiting.label)),
        )
        super().__init__(name, title, parent)
        self._waiting = waiting
        text = plain_label(self)
        text.setText(_TEXT[waiting.what, many > 1])
        names = self.evidence(f"{name}_names", tr("The skills") if skills else tr("The agents"), _brought(waiting))
        self.button = push_button(_TRUST[waiting.what, many > 1], f"{name}_accept", self, self._on_trust)
        looks = QWidget(self)
        flow = FlowLayout(looks, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        for place in waiting.places[:MOST_LOOKS]:
            look = partial(self.looked.emit, place, waiting.sha256)
            skill_id = display_text(place.rpartition("/")[2])
            words = tr("Look at {name}…", name=skill_id).replace("&", "&&")
            flow.addWidget(push_button(words, f"{name}_look_{skill_id}", looks, look))
        looks.setVisible(bool(waiting.places))
        self.lay_out(text, names, looks, foot=(None, self.button))

    def _on_trust(self) -> None:
        set_off(self.button, UNDER_WAY)
        self.trusted.emit(self._waiting.what, self._waiting.sha256)


def _brought(waiting: WaitingTrust) -> str:
    """All that waits, one below the other; what the program says of a file is in the language of the window."""
    notes = ["\n".join(map(said, lines)) for lines in waiting.notes]
    parts = zip_longest(waiting.names, notes, waiting.texts, fillvalue="")
    return "\n\n".join("\n".join(display_text(part, multiline=True) for part in one if part) for one in parts)


def _place(label: str) -> str:
    if label == THE_CHECKOUT:
        return tr("the checkout")
    return tr("the lane {name}", name=label.removeprefix(IN_LANE))
