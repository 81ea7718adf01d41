"""The row a card opens for "Run with network for …": for how long the hosts of a command may be reached."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import Answer, GrantScope, NetworkOffer
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_WORDS: dict[GrantScope, tuple[str, str]] = {
    "once": (tr("Run once with network"), "network_once"),
    "session": (tr("Allow host in this chat and run"), "network_session"),
    "project": (tr("Allow host in this project and run"), "network_project"),
}
_OF_SEVERAL: dict[GrantScope, str] = {
    "session": tr("Allow hosts in this chat and run"),
    "project": tr("Allow hosts in this project and run"),
}


def network_text(offer: NetworkOffer) -> str:
    """The words of the button that opens the row."""
    more = tr(" and {value} more", value=len(offer.hosts) - 1) if len(offer.hosts) > 1 else ""
    return tr("Run with network for {hosts}{more}…", hosts=display_text(offer.hosts[0]), more=more)


class NetworkRow(QWidget):
    """Stands in the footer in place of the buttons: which hosts, what that means, and the ways to allow it. `chosen`: a
    person took one of them."""

    chosen = Signal(object, object)
    closed = Signal()

    def __init__(self, card: InputCard, offer: NetworkOffer) -> None:
        super().__init__(card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_2))
        says = plain_label(self, "caption", "approval_network_says")
        says.setText(" ".join(_sentence(text) for text in offer.says))
        column.addWidget(says)
        row = QWidget(self)
        flow = FlowLayout(row, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2), fair=True)
        covers = {"once": tr("This one call, with these hosts."), **{one.scope: one.covers for one in offer.grants}}
        self.buttons: list[CardButton] = []
        for scope, (words, name) in _WORDS.items():
            if scope in covers:
                words = _OF_SEVERAL.get(scope, words) if len(offer.hosts) > 1 else words
                button = card.button(words, name, "primary" if scope == "once" else "")
                button.setToolTip(plain_tooltip(display_text(said(covers[scope]))))
                button.setAccessibleDescription(display_text(said(covers[scope])))
                answer = _answer(offer, scope)
                button.clicked.connect(lambda _=False, answer=answer, one=button: self.chosen.emit(answer, one))
                self.buttons.append(button)
                flow.addWidget(button)
        self.back = card.button(tr("Back"), "network_back", "ghost")
        self.back.clicked.connect(self.closed)
        flow.addWidget(self.back)
        column.addWidget(row)


def _answer(offer: NetworkOffer, scope: GrantScope) -> Answer:
    if scope == "once":
        return Answer(outcome="allow_once", edited_input=offer.edited_input)
    return Answer(outcome="allow_always", scope=scope, edited_input=offer.edited_input)


def _sentence(text: str) -> str:
    shown = display_text(said(text))
    return f"{shown[:1].upper()}{shown[1:]}".removesuffix(".") + "."
