"""Handover: a new card takes the place of one for the same input, and what was done to that is not lost."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.records import dataclass
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.look import CardLook


@dataclass(frozen=True)
class Handover:
    """What a card looked like, and the name of its part that had the focus ("" if none had)."""

    former: InputCard
    look: CardLook
    focus: str

    @classmethod
    def of(cls, card: InputCard) -> "Handover":
        """Take it from a card that is still on screen."""
        focus = card.focusWidget()
        return cls(card, card.look(), focus.objectName() if focus is not None and focus.hasFocus() else "")

    def to(self, card: InputCard, fit: Callable[[], None]) -> None:
        """Look as the former card did, where both show the same, then `fit` it, and put the focus where it was."""
        if card.can_restore(self.former):
            card.restore(self.look)
        fit()
        for part in card.findChildren(QWidget, self.focus) if self.focus else ():
            if part.isVisible():
                part.setFocus(Qt.FocusReason.OtherFocusReason)
