"""Which card shows which open input."""

from PySide6.QtWidgets import QWidget

from desktop.domain.pending import ApprovalRequest
from desktop.ui.views.cards.approval import ApprovalCard
from desktop.ui.views.cards.card import Card, CardContext


def make_card(context: CardContext, parent: QWidget) -> Card:
    """The card for an open input."""
    request = context.item.request
    if isinstance(request, ApprovalRequest):
        return ApprovalCard(context, parent)
    raise TypeError(f"No card shows a {request.kind}.")
