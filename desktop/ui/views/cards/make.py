"""Which card shows which open input."""

from PySide6.QtWidgets import QWidget

from desktop.domain.pending import ApprovalRequest, PictureReview, QuestionRequest
from desktop.ui.views.cards.approval import ApprovalCard
from desktop.ui.views.cards.card import Card
from desktop.ui.views.cards.context import CardContext
from desktop.ui.views.cards.interrupted import InterruptedCard
from desktop.ui.views.cards.picture import PictureCard
from desktop.ui.views.cards.plan import PlanCard
from desktop.ui.views.cards.question import QuestionCard


def make_card(context: CardContext, parent: QWidget) -> Card:
    """The card for an open input."""
    if context.item.interrupted:
        return InterruptedCard(context, parent)
    request = context.item.request
    if isinstance(request, ApprovalRequest):
        return ApprovalCard(context, parent)
    if isinstance(request, QuestionRequest):
        return QuestionCard(context, parent)
    if isinstance(request, PictureReview):
        return PictureCard(context, parent)
    return PlanCard(context, parent)
