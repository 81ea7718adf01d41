"""The row a card opens for "Decline…": a reason for the agent, and whether the turn goes on."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.domain.gate.pending import Answer
from desktop.language import tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_DRAFT = "decline_reason"


class DeclineRow(QWidget):
    """Stands in the footer in place of the buttons. What is typed is kept until the input is resolved."""

    closed = Signal()

    def __init__(self, card: InputCard, parent: QWidget) -> None:
        super().__init__(parent)
        self._card = card
        prefix = card.prefix
        drafts, input_id = card.context.drafts, card.item.input_id
        self.reason = QLineEdit(self)
        self.reason.setObjectName(f"{prefix}_decline_reason")
        self.reason.setPlaceholderText(tr("Tell the agent why (optional)"))
        self.reason.setAccessibleName(tr("Tell the agent why"))
        self.reason.setText(drafts.text(input_id, _DRAFT))
        self.reason.textEdited.connect(lambda text: drafts.keep_text(input_id, _DRAFT, text))
        decline = card.button(tr("Decline"), "decline_confirm", "danger")
        decline.setToolTip(tr("Nothing is done; the agent reads the reason and goes on."))
        decline.clicked.connect(lambda: card.submit(self._answer(stop=False), decline))
        stop = card.button(tr("Decline and stop"), "decline_stop", "danger")
        stop.setToolTip(tr("Nothing is done and the turn ends."))
        stop.clicked.connect(lambda: card.submit(self._answer(stop=True), stop))
        back = card.button(tr("Back"), "decline_back", "ghost")
        back.clicked.connect(self.closed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_2))
        column.addWidget(self.reason)
        row = QWidget(self)
        flow = FlowLayout(row, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        for button in (decline, stop, back):
            flow.addWidget(button)
        column.addWidget(row)

    def _answer(self, *, stop: bool) -> Answer:
        return Answer(outcome="reject", note=self.reason.text().strip(), stop_turn=stop)
