"""LaneStrip: over a chat whose lane needs a person: what is wrong with it, and what can be done about it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.core.lane_book import DELETED
from desktop.ui.lanes.repairs import OFFERS

ARCHIVED = tr("The lane of this chat is archived.")
_BUTTONS = 2


class LaneStrip(ChatStrip):
    """What is wrong with the lane, its repairs, and the way back of one that is archived or deleted."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("lane_strip", parent, role="warning")
        self._lane_id = ""
        self._offers = {
            offer: self._button(label, f"lane_repair_{offer}", f"repair_{offer}", tip)
            for offer, (label, tip) in OFFERS.items()
        }
        self._more = self.add_button(tr("More"), "lane_strip_more")
        self._more.setMenu(QMenu(self._more))
        self._more.menu().setToolTipsVisible(True)
        self._back = self._button(
            tr("Bring back"), "lane_strip_unarchive", "unarchive", tr("The lane is in use again.")
        )
        self._trash = self._button(
            tr("Deleted lanes…"), "lane_strip_trash", "trash", tr("It can be restored for 30 days.")
        )

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        finding = facts.finding if facts is not None else None
        state = facts.lane_state if facts is not None else ""
        self._lane_id = facts.lane_id if facts is not None else ""
        offers = [offer for offer in (finding.offers if finding is not None else ()) if offer in OFFERS]
        first = offers if len(offers) <= _BUTTONS else [offers[0], offers[-1]]
        for offer, button in self._offers.items():
            button.setVisible(offer in first)
        self._fill_more([offer for offer in offers if offer not in first])
        self._back.setVisible(finding is None and state == "archived")
        self._trash.setVisible(finding is None and state == "deleted")
        words = {"archived": ARCHIVED, "deleted": DELETED}.get(state or "", "")
        self.say(display_text(said(finding.text)) if finding is not None else words, "warning")

    def _fill_more(self, offers: Sequence[str]) -> None:
        menu = self._more.menu()
        menu.clear()
        for offer in offers:
            label, tip = OFFERS[offer]
            action = menu.addAction(label)
            action.setObjectName(f"lane_repair_{offer}")
            action.setToolTip(tip)
            action.triggered.connect(partial(self._ask, f"repair_{offer}"))
        self._more.setVisible(bool(offers))

    def _ask(self, action: str, _checked: bool = False) -> None:
        self.asked.emit(action, self._lane_id)

    def _button(self, label: str, name: str, action: str, tip: str) -> QPushButton:
        button = self.add_button(label, name)
        button.setToolTip(tip)
        button.clicked.connect(partial(self._ask, action))
        return button
