"""LaneStrip: over a chat whose lane needs a person: what is wrong with it, and what can be done about it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.display import display_text
from desktop.ui.chat_book import ChatFacts
from desktop.ui.lane_repairs import OFFERS
from desktop.ui.widgets.strip import Strip

DELETED = "The lane of this chat was deleted."
ARCHIVED = "The lane of this chat is archived."


class LaneStrip(Strip):
    """`asked`: an entry of the lane's menu, and the lane."""

    asked = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("lane_strip", parent, role="warning")
        self._lane_id = ""
        self._offers = {offer: self._button(label, f"lane_repair_{offer}", f"repair_{offer}", tip)
                        for offer, (label, tip) in OFFERS.items()}  # fmt: skip
        self._back = self._button("Bring back", "lane_strip_unarchive", "unarchive", "The lane is in use again.")
        self._trash = self._button("Deleted lanes…", "lane_strip_trash", "trash", "It can be restored for 30 days.")

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        finding = facts.finding if facts is not None else None
        state = facts.lane_state if facts is not None else ""
        self._lane_id = facts.lane_id if facts is not None else ""
        offers = finding.offers if finding is not None else ()
        for offer, button in self._offers.items():
            button.setVisible(offer in offers)
        self._back.setVisible(finding is None and state == "archived")
        self._trash.setVisible(finding is None and state == "deleted")
        words = {"archived": ARCHIVED, "deleted": DELETED}.get(state or "", "")
        self.say(display_text(finding.text) if finding is not None else words, "warning")

    def _button(self, label: str, name: str, action: str, tip: str) -> QPushButton:
        button = self.add_button(label, name)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.asked.emit(action, self._lane_id))
        return button
