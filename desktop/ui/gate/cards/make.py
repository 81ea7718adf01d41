"""Which card shows which open input."""

from PySide6.QtWidgets import QWidget

from desktop.domain.gate.pending import ApprovalRequest, CredentialRequest, PictureReview, QuestionRequest
from desktop.domain.skills.review import SkillReview
from desktop.ui.gate.cards.approval import ApprovalCard
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.evidence.picture import PictureCard
from desktop.ui.gate.cards.kinds.credential import CredentialCard
from desktop.ui.gate.cards.kinds.interrupted import InterruptedCard, can_answer_late
from desktop.ui.gate.cards.kinds.plan import PlanCard
from desktop.ui.gate.cards.kinds.question import QuestionCard
from desktop.ui.gate.cards.kinds.skill import SkillCard


def make_card(context: CardContext, parent: QWidget) -> InputCard:
    """The card for an open input, which is whole when its `filling` is done."""
    if context.item.interrupted and not can_answer_late(context.item):
        return InterruptedCard(context, parent)
    request = context.item.request
    if isinstance(request, ApprovalRequest):
        return ApprovalCard(context, parent)
    if isinstance(request, QuestionRequest):
        return QuestionCard(context, parent)
    if isinstance(request, PictureReview):
        return PictureCard(context, parent)
    if isinstance(request, CredentialRequest):
        return CredentialCard(context, parent)
    if isinstance(request, SkillReview):
        return SkillCard(context, parent)
    return PlanCard(context, parent)
